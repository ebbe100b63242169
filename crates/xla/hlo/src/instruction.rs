//! An instruction: `%NAME = SHAPE opcode(OPERANDS), ATTRIBUTES`.

use std::fmt::Write as _;

use crate::attributes;
use crate::escape::quoted_or_dictionary;
use crate::messages::{Instruction, Shape};
use crate::metadata::metadata;
use crate::names::Names;
use crate::numbers::counted;

/// The line, without its indent and its end.
pub(crate) fn line(of: &Instruction, names: &Names<'_>) -> String {
    let shape = of.shape.as_ref().map(Shape::with_layout).unwrap_or_default();
    let mut out = format!("%{} = {shape} {}({})", of.name, of.opcode, operands(of, names));
    for attribute in attributes::attributes_of(of, names) {
        _ = write!(out, ", {attribute}");
    }
    if let Some(about) = of
        .metadata
        .as_ref()
        .map(|about| metadata(about, names.frames.number(about.frame)))
        .filter(|about| !about.is_empty())
    {
        _ = write!(out, ", metadata={{{about}}}");
    }
    let config = config(of, names);
    if !config.is_empty() {
        _ = write!(out, ", backend_config={}", quoted_or_dictionary(config));
    }
    out
}

fn operands(of: &Instruction, names: &Names<'_>) -> String {
    match of.opcode.as_str() {
        "constant" => {
            of.literal.as_ref().map_or_else(|| "{...}".to_owned(), crate::messages::Literal::text)
        }
        "parameter" => of.parameter_number.to_string(),
        _ => counted(of.operands.iter().map(|id| names.instruction(*id))),
    }
}

/// What the compiler keeps for itself, which may stand at the module.
fn config<'a>(of: &'a Instruction, names: &'a Names<'_>) -> &'a [u8] {
    let Some(payload) = &of.payload else { return &of.backend_config };
    if let Some(value) = &payload.value {
        return value;
    }
    let at = payload.id.and_then(|id| usize::try_from(id).ok());
    at.and_then(|at| names.payloads.get(at)).map_or(&of.backend_config, Vec::as_slice)
}
