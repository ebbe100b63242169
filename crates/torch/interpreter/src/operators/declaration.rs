//! An operator as its family declares it, and what it may use.

use std::rc::Rc;

use super::{Arguments, OperatorEntry};
use crate::limits::Meter;
use crate::profile::OperatorProfile;
use crate::trace::Trace;
use crate::{QuantizedEngine, ReleaseSemantics, RunProblem, ScriptValue};

/// What an operator may use besides its arguments.
pub(crate) struct Context<'c> {
    pub(crate) semantics: &'c ReleaseSemantics,
    pub(crate) meter: &'c Rc<Meter>,
    /// The overloads of a name, for an operator that calls others.
    pub(crate) find: fn(&str) -> &'static [OperatorEntry],
    /// How an operator that is written in TorchScript is run.
    pub(crate) compose: Compose,
    pub(crate) engine: QuantizedEngine,
    /// In how many threads it may calculate.
    pub(crate) threads: usize,
    pub(crate) profile: Option<&'c OperatorProfile>,
    /// Where the calls of operators are written down.
    pub(crate) trace: Option<&'c Trace>,
}

impl Context<'_> {
    pub(super) fn overload(&self, name: &str, overload: &str) -> Option<&'static OperatorEntry> {
        (self.find)(name).iter().find(|entry| entry.schema.overload == overload)
    }
}

pub(crate) type Run = fn(&Context<'_>, &Arguments<'_>) -> Result<ScriptValue, RunProblem>;

/// A function of the compositions, called by its name.
pub(crate) type Compose = fn(&Context<'_>, &str, &[ScriptValue]) -> Result<ScriptValue, RunProblem>;

/// What calculates an operator.
#[derive(Clone, Copy)]
pub(crate) enum Body {
    Native(Run),
    /// The function of this name in the compositions.
    Composed(&'static str),
}

/// An operator as its family declares it.
pub(crate) struct Operator {
    pub(super) schema: &'static str,
    pub(super) forms: Forms,
    pub(super) run: Run,
}

/// Which forms of an operator there are besides the one of its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forms {
    Plain,
    /// One that writes the result into an argument `out`.
    Out,
    OnlyOut,
    /// Both that, and one that writes the result into `self`: `relu_`.
    All,
}

pub(super) const fn plain(schema: &'static str, run: Run) -> Operator {
    Operator { schema, forms: Forms::Plain, run }
}

pub(super) const fn with_out(schema: &'static str, run: Run) -> Operator {
    Operator { schema, forms: Forms::Out, run }
}

pub(super) const fn only_out(schema: &'static str, run: Run) -> Operator {
    Operator { schema, forms: Forms::OnlyOut, run }
}

pub(super) const fn all(schema: &'static str, run: Run) -> Operator {
    Operator { schema, forms: Forms::All, run }
}
