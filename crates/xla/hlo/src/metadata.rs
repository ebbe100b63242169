//! Metadata of instructions: where they come from.

use crate::escape::quoted;
use crate::messages::Metadata;
use crate::numbers::joined;

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
