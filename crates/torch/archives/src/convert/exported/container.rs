//! The records around the graph.
//!
//! Up to 2.7 they lie at the top of a zip archive: the graph, the parameters, the constants and (since 2.4)
//! example inputs, each of the last three as `torch.save` writes it. Their names ended in `.json` up to
//! 2.2. 2.1 has no constants. From 2.8 on they lie in the folders `models` and `data` of an archive that
//! later releases look into first; those still read the old container, but want all four records.

use unskew_core::{Conversion, Rewrite, Version};
use unskew_source::{ArchiveOutput, ReadError};

use super::migration::{Migration, PROGRAM, block};
use super::schema_migrator::MigrationReport;
use super::weights::Tensors;
use crate::TorchFormat;
use crate::convert::archive_builder::ArchiveBuilder;
use crate::convert::task::ConversionTask;
use crate::exported::loader;

/// The adaptation of everything that changes around the graph.
const CONTAINER: &str = "pt2-container";

/// The table of the tensors of an archive, where it has one.
const TABLES: &str = "data/weights/*_weights_config.json";

/// The last schema that is written in the old container: that of 2.7.
const OLD_CONTAINER: Version = Version::pair(8, 7);

/// An empty dictionary as a pickle of protocol 2.
const EMPTY: &[u8] = b"\x80\x02}q\x00.";

/// Plans the records for the release; none if all stays as it is.
pub(super) fn plan(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
    course: &Migration,
    draft: ArchiveBuilder,
) -> Result<Option<ArchiveBuilder>, ReadError> {
    if task.model.format == TorchFormat::ExportedArchive {
        return archive(task, plan, course, draft);
    }
    top(plan, course.from.version, course.to.version, draft)
}

fn top(
    plan: &mut Conversion,
    from: Version,
    to: Version,
    mut draft: ArchiveBuilder,
) -> Result<Option<ArchiveBuilder>, ReadError> {
    if plan.changes_nothing() && from.major() == to.major() {
        return Ok(None);
    }
    let number = if to.major() < 5 { to.major().to_string() } else { to.to_string() };
    draft.replace("version", number.into_bytes());
    let suffix = |version: Version| if version.major() < 5 { "json" } else { "pt" };
    for name in ["serialized_state_dict", "serialized_constants"] {
        let (old, new) = (suffix(from), suffix(to));
        if old != new && draft.rename(&format!("{name}.{old}"), &format!("{name}.{new}")) {
            plan.add(Rewrite::new(CONTAINER, format!("a record is called .{new}")).at(name));
        }
    }
    let constants = format!("serialized_constants.{}", suffix(to));
    if to.major() > 1 && !draft.has(&constants) {
        draft.nest(&constants, saved(EMPTY)?);
        plan.add(Rewrite::new(CONTAINER, "a record of no constants is added").at(&constants));
    }
    let examples = "serialized_example_inputs.pt";
    if to >= Version::pair(5, 3) && !draft.has(examples) {
        draft.add(examples, Vec::new(), false);
        plan.add(Rewrite::new(CONTAINER, "a record of no example inputs is added").at(examples));
    }
    Ok(Some(draft))
}

/// An archive of 2.8 or later for another release.
fn archive(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
    course: &Migration,
    mut draft: ArchiveBuilder,
) -> Result<Option<ArchiveBuilder>, ReadError> {
    let minor = task.to.minor();
    let archives = loader::loads_archives(minor);
    if archives && loader::needs_in_archive(minor, TABLES) {
        return Ok((!plan.changes_nothing()).then_some(draft));
    }
    let models = task.records.all().filter(|(record, _)| is_model(record));
    let names: Vec<String> = models.map(|(record, _)| record.to_owned()).collect();
    let [model] = names.as_slice() else {
        let what = "takes one model in an archive, not several";
        block(task, plan, Some(&course.to.version), what, names.iter().collect());
        return Ok(None);
    };
    let name = model.trim_start_matches("models/").trim_end_matches(".json");
    let mut found = MigrationReport::default();
    for (kind, folder) in [("weights", "data/weights/"), ("constants", "data/constants/")] {
        let table = format!("{folder}{name}_{kind}_config.json");
        if task.records.has(&table) {
            let tensors = Tensors { task, folder, table: &table };
            let saved = tensors.saved(&mut found)?;
            draft.rename_all(|record| (!record.starts_with(folder)).then(|| record.to_owned()));
            let record = format!("{folder}{name}.pt");
            draft.nest(&record, saved.pack(&record)?);
            let what = "tensors lie in an archive of torch.save, with a pickle for their table";
            plan.add(Rewrite::new(CONTAINER, what).at(&table));
        }
    }
    for (what, places) in found.blocked {
        block(task, plan, Some(&course.to.version), &what, places);
    }
    if archives {
        return Ok(Some(draft));
    }
    draft.set_root("");
    draft.rename_all(|record| {
        let old = record.strip_prefix("data/").and_then(|record| record.split_once('/'));
        match old {
            _ if record == model => Some(PROGRAM.to_owned()),
            Some(("weights", _)) => Some("serialized_state_dict.pt".to_owned()),
            Some(("constants", _)) => Some("serialized_constants.pt".to_owned()),
            Some(("sample_inputs", _)) => Some("serialized_example_inputs.pt".to_owned()),
            _ => record.strip_prefix("extra/").map(|extra| format!("extra_files/{extra}")),
        }
    });
    plan.add(Rewrite::new(CONTAINER, "the records lie at the top of a zip archive").at(model));
    top(plan, OLD_CONTAINER, course.to.version, draft)
}

/// A model in an archive of 2.8 or later.
pub(super) fn is_model(record: &str) -> bool {
    record.starts_with("models/") && record.ends_with(".json")
}

/// What `torch.save` writes of an object without tensors.
fn saved(pickle: &[u8]) -> Result<ArchiveOutput, ReadError> {
    let mut archive = ArchiveOutput::new("archive");
    archive.add("archive/data.pkl", pickle, false)?;
    archive.add("archive/byteorder", *b"little", false)?;
    archive.add("archive/version", *b"3\n", false)?;
    Ok(archive)
}
