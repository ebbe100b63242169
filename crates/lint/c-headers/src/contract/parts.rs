//! Parts of a contract besides structs.

use std::sync::Arc;

use super::{Remark, Spot};
use crate::header::{CType, EnumDeclaration};

/// A function, or the type of one.
#[derive(Clone, Debug)]
pub struct HeaderFunction {
    /// The place of the declaration.
    pub spot: Spot,
    /// Its type: a [`CType::Function`], or a pointer to one.
    pub r#type: CType,
    /// The name of its symbol, if an `asm` label says another one; empty if none does.
    pub label: String,
    /// Whether every program has its own copy, and the library none.
    pub internal: bool,
    /// What its comment says.
    pub remark: Remark,
    /// Under which conditions it is declared.
    pub guard: Guard,
}

/// A variable that a library has.
#[derive(Clone, Debug)]
pub struct HeaderVariable {
    /// The place of the declaration.
    pub spot: Spot,
    /// Its type, with array lengths and pointers.
    pub r#type: CType,
}

/// The conditions of the preprocessor under which something is declared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    /// The conditions, outermost first.
    pub conditions: Arc<[String]>,
    /// Whether there is another declaration under other conditions.
    pub several: bool,
}

/// An enumeration, with the header that declares it.
#[derive(Clone, Debug)]
pub struct HeaderEnum {
    /// The place of the declaration.
    pub spot: Spot,
    /// Its enumerators and their values.
    pub declared: EnumDeclaration,
}

/// Another name for a type that is no function.
#[derive(Clone, Debug)]
pub struct HeaderAlias {
    /// The place of the declaration.
    pub spot: Spot,
    /// The type that it stands for.
    pub r#type: CType,
}

/// What a constant is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstantValue {
    /// An integer that fits 64 bits.
    Number(i64),
    /// A string, with its quotes.
    Text(String),
}

/// A macro without arguments, an enumerator without an enumeration, or a variable that is set.
#[derive(Clone, Debug)]
pub struct Constant {
    /// The name by which programs use it.
    pub name: String,
    /// The place of the definition.
    pub spot: Spot,
    /// The number or text that programs get.
    pub value: ConstantValue,
}

/// What could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Where the declaration begins.
    pub spot: Spot,
    /// What, as [`HeaderProblem::what`](crate::header::HeaderProblem::what) says it.
    pub what: String,
    /// The declaration, as [`HeaderProblem::text`](crate::header::HeaderProblem::text) has it.
    pub text: String,
}
