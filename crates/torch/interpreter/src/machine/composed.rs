//! Operators that are written in TorchScript.

use super::Machine;
use crate::operators::{Context, compositions::CODE};
use crate::{ReleaseSemantics, RunProblem, ScriptValue};

/// Calls a function of the compositions. Its operators mean what they mean today, whatever release is played; what it is made
/// of is no part of a trace or a profile.
pub(crate) fn composed(
    context: &Context<'_>,
    name: &str,
    values: &[ScriptValue],
) -> Result<ScriptValue, RunProblem> {
    let semantics = ReleaseSemantics::newest();
    let context = Context { semantics: &semantics, profile: None, trace: None, ..*context };
    let machine = Machine { code: &CODE, constants: &[], context, upgraders: None };
    let given = (values.to_vec(), Vec::new());
    machine.run(&format!("__torch__.{name}"), given).map_err(|error| error.problem)
}
