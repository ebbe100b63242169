//! The operators: one table, a file for each family.
//!
//! A family is a list of [`Operator`]s: a schema as PyTorch writes it, and a function that takes the
//! arguments in the order of the schema, defaults filled in. The forms that write their result into
//! `self` (`relu_`) or `out` come from the plain one where a row says so: [`Forms`].

mod activation;
mod arguments;
mod arithmetic;
mod attention;
mod bind;
mod comparison;
mod convolution;
mod creation;
mod decompose;
mod index;
mod lists;
mod matrix;
mod normalization;
mod pad;
mod pointwise;
mod pool;
mod prim;
mod recurrent;
mod reduction;
mod scalars;
mod shape;
mod solve;
mod sort;
mod split;
mod table;
mod text;
mod upsample;

use std::rc::Rc;

use crate::limits::Meter;
use crate::{Problem, Semantics, Value};

pub(crate) use arguments::Arguments;
pub(crate) use bind::{bind, default, given};
pub(crate) use index::item;
pub(crate) use lists::same;
pub use table::operators;
pub(crate) use table::{Entry, find};

/// What an operator may use besides its arguments.
pub(crate) struct Context<'c> {
    pub(crate) semantics: &'c Semantics,
    pub(crate) meter: &'c Rc<Meter>,
}

/// The function of an operator.
pub(crate) type Run = fn(&Context<'_>, &Arguments<'_>) -> Result<Value, Problem>;

/// An operator as its family declares it.
pub(crate) struct Operator {
    schema: &'static str,
    forms: Forms,
    run: Run,
}

/// Which forms of an operator there are besides the one of its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forms {
    /// No other.
    Plain,
    /// One that writes the result into an argument `out`.
    Out,
    /// That one alone.
    OnlyOut,
    /// Both that, and one that writes the result into `self`: `relu_`.
    All,
}

const fn plain(schema: &'static str, run: Run) -> Operator {
    Operator { schema, forms: Forms::Plain, run }
}

const fn with_out(schema: &'static str, run: Run) -> Operator {
    Operator { schema, forms: Forms::Out, run }
}

const fn only_out(schema: &'static str, run: Run) -> Operator {
    Operator { schema, forms: Forms::OnlyOut, run }
}

const fn all(schema: &'static str, run: Run) -> Operator {
    Operator { schema, forms: Forms::All, run }
}

/// Every family.
const FAMILIES: &[&[Operator]] = &[
    arithmetic::OPERATORS,
    comparison::OPERATORS,
    pointwise::OPERATORS,
    activation::OPERATORS,
    creation::OPERATORS,
    shape::OPERATORS,
    split::OPERATORS,
    pad::OPERATORS,
    index::OPERATORS,
    sort::OPERATORS,
    reduction::OPERATORS,
    matrix::OPERATORS,
    decompose::OPERATORS,
    solve::OPERATORS,
    convolution::OPERATORS,
    pool::OPERATORS,
    upsample::OPERATORS,
    normalization::OPERATORS,
    attention::OPERATORS,
    recurrent::OPERATORS,
    prim::OPERATORS,
    lists::OPERATORS,
    text::OPERATORS,
    scalars::OPERATORS,
];
