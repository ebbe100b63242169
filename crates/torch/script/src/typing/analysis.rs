//! Results of the analysis of a program.

use std::sync::Arc;

use unskew_torch_schemas::FunctionSchema;
use unskew_torch_schemas::matching::{
    BoundArgument, GivenArgument, GivenValue, Literal, OverloadChoice,
};

use super::{FunctionId, literal_of_default};
use crate::TextSpan;

/// How a call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// By its name: `torch.add(a, b)`, `ops.prim.shape(a)`.
    Name,
    /// As a method: `a.add(b)`.
    Method,
    /// As a part of the language: `a + b`, `a[0]`, `int(a)`, `a.shape`.
    Language,
}

/// One call of an operator.
#[derive(Clone, Debug)]
pub struct ResolvedCall {
    /// The operator that is called: `aten::div`.
    pub operator: Arc<str>,
    /// The number of the record.
    pub record: usize,
    /// Where the call stands.
    pub span: TextSpan,
    /// Where the name of the operator stands, if it is written.
    pub callee: Option<TextSpan>,
    /// The function around it.
    pub function: FunctionId,
    /// How it is written.
    pub spelling: Spelling,
    /// What each parameter is given, in their order.
    pub given: Vec<GivenValue>,
    /// Where each of these values stands.
    pub spans: Vec<TextSpan>,
    /// Which overload it means.
    pub choice: OverloadChoice,
    /// Whether it lies in a branch.
    pub in_branch: bool,
    /// Whether it may run: no branch around it is known never to be taken, and its function is called.
    pub live: bool,
    /// Whether it is gone when the dead branches are removed.
    pub removable: bool,
    /// Whether the loader looks at it at all: its function is named somewhere.
    pub loaded: bool,
}

impl ResolvedCall {
    /// The schema that it means, if that is one.
    pub fn schema(&self) -> Option<&FunctionSchema> {
        match &self.choice {
            OverloadChoice::One(signature, _) => Some(&signature.schema),
            _ => None,
        }
    }

    /// What the call gives, each value with the name of its argument; none if the call is not resolved.
    pub fn named(&self) -> Option<Vec<GivenArgument>> {
        match &self.choice {
            OverloadChoice::One(signature, binding) => Some(binding.named(signature, &self.given)),
            _ => None,
        }
    }

    /// What the call gives for the argument of this name; none if it leaves it to its default or the call is
    /// not resolved.
    pub fn argument(&self, name: &str) -> Option<&GivenValue> {
        let OverloadChoice::One(signature, binding) = &self.choice else { return None };
        let at = signature.schema.arguments.iter().position(|one| one.name == name)?;
        match binding.arguments.get(at)? {
            BoundArgument::Given(place) | BoundArgument::Rest(place) => self.given.get(*place),
            BoundArgument::Default => None,
        }
    }

    /// The value of an argument, given or by default, if it is known.
    pub fn value(&self, name: &str) -> Option<Literal> {
        let schema = self.schema()?;
        match self.argument(name) {
            Some(given) => given.literal.clone(),
            None => {
                let argument = schema.arguments.iter().find(|one| one.name == name)?;
                literal_of_default(argument.default.as_ref()?)
            }
        }
    }
}

/// Code that reads or sets an attribute of an object, `self.weight`, whose class declares it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AttributeUse {
    /// The number of the record.
    pub record: usize,
    /// Where the whole expression stands.
    pub span: TextSpan,
    /// The class of the object.
    pub class: Arc<str>,
    /// The name of the attribute.
    pub name: String,
    /// Whether it is set.
    pub is_set: bool,
}

/// What the loader would refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoaderFault {
    /// The number of the record.
    pub record: usize,
    /// Its bytes in the source text.
    pub span: TextSpan,
    /// The function around it.
    pub function: FunctionId,
    /// What does not fit, in words.
    pub what: String,
}

/// A branch of which it is known whether it is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownBranch {
    /// The number of the record.
    pub record: usize,
    /// The function around it.
    pub function: FunctionId,
    /// The whole `if`, or `a if b else c`.
    pub span: TextSpan,
    /// Whether the condition holds.
    pub taken: bool,
}

/// What is found in a whole program.
#[derive(Clone, Debug, Default)]
pub struct Typing {
    /// Every call of an operator.
    pub calls: Vec<ResolvedCall>,
    /// What the loader would refuse, besides calls that no overload takes.
    pub faults: Vec<LoaderFault>,
    /// The branches that are always or never taken.
    pub branches: Vec<KnownBranch>,
}
