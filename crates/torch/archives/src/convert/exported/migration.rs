//! Migration of a program from one schema to another, and what has no form there.

use unskew_core::{Conversion, Places, Version};

use crate::convert::task::ConversionTask;
use crate::exported::schema::ExportSchema;
use crate::rules;

/// The record of the graph up to 2.7.
pub(super) const PROGRAM: &str = "serialized_exported_program.json";

/// Where a program comes from and what it becomes.
pub(super) struct Migration {
    pub(super) from: ExportSchema,
    pub(super) to: ExportSchema,
    /// Whether the release passes over fields that it does not know.
    pub(super) ignores_fields: bool,
}

/// Says that something has no form in the schema of the release, or in a release that has no schema.
pub(super) fn block(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
    schema: Option<&Version>,
    what: &str,
    places: Places,
) {
    let major = task.model.exported.as_ref().map(|stamp| stamp.version.major());
    let same = |release: &crate::TorchRelease| release.exported.map(Version::major) == major;
    let nearest = task.to.calendar.span(same);
    let nearest = format!("torch {nearest}");
    let runtime = task.to.name();
    let whose = schema
        .map_or_else(|| runtime.clone(), |schema| format!("the schema {schema} of {runtime}"));
    let finding =
        rules::Pt2HasNoForm { file: &task.file, whose: &whose, what: &what, nearest: &nearest };
    plan.blockers.push(finding.finding().at(places));
}
