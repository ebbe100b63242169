//! Definition of one op in a registry.

use std::collections::BTreeSet;

use crate::{AttrKind, AttrValue, DataType};

/// One op of a registry, without its documentation: an `OpDef`.
///
/// ```
/// use unskew_tensorflow::OpDef;
/// let text = "Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type, Truncate: bool = false}";
/// let cast: OpDef = text.parse().unwrap();
/// assert_eq!(cast.attr("Truncate").unwrap().default.as_ref().unwrap().to_string(), "false");
/// assert_eq!(cast.to_string(), text);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpDef {
    /// The name by which nodes call it: `Cast`.
    pub name: String,
    /// Data inputs in order; control inputs are not declared.
    pub inputs: Vec<ArgDef>,
    /// Its outputs, in their order.
    pub outputs: Vec<ArgDef>,
    /// The attributes, in the order of the registry.
    pub attrs: Vec<AttrDef>,
    /// Since when it is deprecated, if it is.
    pub deprecation: Option<Deprecation>,
    /// What else is said of it: `stateful`, `commutative`.
    pub traits: BTreeSet<Trait>,
}

/// A yes-or-no property of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trait {
    /// Its sum of inputs may be computed in parts.
    Aggregate,
    /// Its two inputs may be swapped.
    Commutative,
    /// It has state, so that two equal nodes are not one.
    Stateful,
    /// It takes variables that are not initialized.
    Uninitialized,
    /// It communicates with other machines.
    Distributed,
}

impl Trait {
    pub(crate) const ALL: [(Self, &'static str); 5] = [
        (Self::Aggregate, "aggregate"),
        (Self::Commutative, "commutative"),
        (Self::Stateful, "stateful"),
        (Self::Uninitialized, "uninitialized"),
        (Self::Distributed, "distributed"),
    ];
}

/// One input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgDef {
    /// The name of the argument.
    pub name: String,
    /// What tensors it takes, and how many.
    pub kind: ArgKind,
    /// Whether it takes or gives a reference.
    pub reference: bool,
}

/// What an argument is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// One tensor of this type.
    One(ElementType),
    /// As many tensors as this attribute says, all of one type.
    Many(String, ElementType),
    /// One tensor for each type in this attribute.
    Each(String),
}

/// The type of the elements of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElementType {
    /// A type that the op fixes.
    Fixed(DataType),
    /// Whatever this attribute says.
    Attr(String),
}

/// One attribute of an op.
#[derive(Clone, Debug, PartialEq)]
pub struct AttrDef {
    /// The name by which nodes set it.
    pub name: String,
    /// The kind of its value.
    pub kind: AttrKind,
    /// The value that it has where a node does not say, if there is one.
    pub default: Option<AttrValue>,
    /// The only values that are allowed, if not all are.
    pub allowed: Option<Vec<AttrValue>>,
    /// The lowest value, or the lowest length of a list.
    pub minimum: Option<i64>,
}

/// From which producer on an op may not be used any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// The first GraphDef version for which it is refused.
    pub version: i64,
    /// What to do instead.
    pub explanation: String,
}

impl OpDef {
    /// The attribute of this name.
    pub fn attr(&self, name: &str) -> Option<&AttrDef> {
        self.attrs.iter().find(|attr| attr.name == name)
    }

    /// How many inputs a node has with these attributes; none if an attribute that says so is
    /// missing or of another kind.
    pub(crate) fn input_count<'a>(
        &self,
        value: impl Fn(&str) -> Option<&'a AttrValue>,
    ) -> Option<u64> {
        self.inputs.iter().try_fold(0u64, |count, arg| {
            let more = match &arg.kind {
                ArgKind::One(_) => 1,
                ArgKind::Many(attr, _) => u64::try_from(value(attr)?.int()?).ok()?,
                ArgKind::Each(attr) => value(attr)?.len()?,
            };
            count.checked_add(more)
        })
    }
}
