//! An instruction: `%NAME = SHAPE opcode(OPERANDS), ATTRIBUTES`.

use std::fmt::Write as _;

use crate::attributes;
use crate::escape::{quoted, quoted_or_dictionary};
use crate::messages::{Instruction, Metadata, Shape};
use crate::module::Names;
use crate::numbers::{counted, joined};

/// The line, without its indent and its end.
pub(crate) fn line(of: &Instruction, names: &Names<'_>) -> String {
    let shape = of.shape.as_ref().map(Shape::with_layout).unwrap_or_default();
    let mut out = format!("%{} = {shape} {}({})", of.name, of.opcode, operands(of, names));
    for attribute in attributes::of(of, names) {
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

/// Where an instruction comes from, and which frame that is.
pub(crate) fn metadata(of: &Metadata, frame: i32) -> String {
    let text = |name: &str, value: &str| {
        (!value.is_empty()).then(|| format!("{name}={}", quoted(value.as_bytes())))
    };
    let number = |name: &str, value: i64| (value != 0).then(|| format!("{name}={value}"));
    let parts = [
        text("op_type", &of.op_type),
        text("op_name", &of.op_name),
        text("source_file", &of.source_file),
        number("source_line", of.source_line.into()),
        number("source_end_line", of.source_end_line.into()),
        number("source_column", of.source_column.into()),
        number("source_end_column", of.source_end_column.into()),
        number("stack_frame_id", frame.into()),
        number("size_of_generated_code_in_bytes", of.code_size),
        number("size_of_memory_working_set_in_bytes", of.working_set),
        text("deduplicated_name", &of.deduplicated),
        text("scheduling_name", &of.scheduling),
    ];
    joined(parts.into_iter().flatten(), " ")
}
