//! `torch.export` archives between schemas.
//!
//! A release loads its own major version and no other: 1 (PyTorch 2.1), 2 (2.2), 5 (2.3, 2.4), 7 (2.5),
//! 8 (since 2.6). What every schema has stands in `data/exported.tsv`; `schema_migrator` walks a graph along the
//! types of two of them. What is beyond types has a module each: `first`, the signature of 2.1, which says
//! by maps what later ones say by a list of specs; `functional`, graphs without operators that write to their arguments;
//! `higher_order`, what `cond` and its like give back; `regions`, those that a release does not take;
//! `layout`, views of what another release lays out otherwise; `names`, names that Python has for something else; `operators`, arguments that another release does not take; `calls`, nodes of operators that it does not have, with `node_arguments`, what a node is given, and `shapes`, what new nodes give;
//! `ranges`, where sizes begin;
//! `stamp`, the numbers and names of the whole; `container`, the records around the graph, and `weights`,
//! the tensors in them.

mod calls;
mod container;
mod expression;
mod first;
mod functional;
mod higher_order;
mod layout;
mod migration;
mod names;
mod node_arguments;
mod operators;
mod ranges;
mod regions;

mod schema_migrator;
mod shapes;
mod stamp;
mod weights;

use unskew_core::{Conversion, Places, Rewrite, Version};
use unskew_source::ReadError;

use super::archive_builder::ArchiveBuilder;
use super::task::ConversionTask;
use crate::TorchFormat;
use crate::exported::loader;
use crate::exported::schema::ExportSchema;
use crate::json::JsonValue;
use migration::{Migration, PROGRAM, block};
use schema_migrator::{MigrationReport, SchemaMigrator};

/// The adaptation of everything that changes with the schema.
const SCHEMA: &str = "pt2-schema";

/// Plans the archive anew for the release; none if it stays as it is or cannot be converted.
pub(super) fn plan(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
) -> Result<Option<ArchiveBuilder>, ReadError> {
    let Some(to) = task.to.release.exported.and_then(ExportSchema::for_version) else {
        block(task, plan, None, "has no torch.export", Places::default());
        return Ok(None);
    };
    let mut draft = ArchiveBuilder::from_records(task.records)?;
    let mut first = None;
    for (record, _) in task.records.all() {
        let wanted = match task.model.format {
            TorchFormat::ExportedArchive => container::is_model(record),
            _ => record == PROGRAM,
        };
        if !wanted {
            continue;
        }
        let bytes = task.records.get(record)?.unwrap_or_default();
        let program = JsonValue::read(task.records.file(), record, &bytes)?;
        let Some(version) = stamp::version(&program) else {
            let fault = ReadError::malformed(task.records.file(), "no schema_version");
            return Err(fault.in_record(record));
        };
        let Some(from) = ExportSchema::for_version(version) else {
            let what = format!("knows nothing of the schema {version} of the file");
            block(task, plan, Some(&to.version), &what, Places::from_iter([record]));
            return Ok(None);
        };
        let ignores_fields = loader::ignores_fields(task.to.minor());
        let course = Migration { from, to: to.clone(), ignores_fields };
        if let Some(program) = self::program(task, plan, &course, record, program) {
            draft.replace(record, program.to_string().into_bytes());
        }
        first.get_or_insert(course);
    }
    let Some(course) = first else { return Ok(None) };
    container::plan(task, plan, &course, draft)
}

/// The program of one record in the other schema; none if it stays as it is.
fn program(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
    course: &Migration,
    record: &str,
    program: JsonValue,
) -> Option<JsonValue> {
    let (from, to) = (&course.from.version, &course.to.version);
    let mut found = MigrationReport::default();
    let mut changed = program.clone();
    if let Some(graph) = graph_of(&mut changed) {
        let minor = task.to.minor();
        regions::put(graph, &|name| !loader::takes_region(minor, name), &mut found);
    }
    let is_down = to < from;
    if is_down {
        whole(task, course, &mut changed, &mut found);
    }
    let second = ExportSchema::for_version(Version::number(2))?;
    match (from.major(), to.major()) {
        (1, 2..) => {
            changed = walk((&course.from, &second), course, changed, &mut found);
            first::up(&mut changed, &mut found);
            changed = walk((&second, &course.to), course, changed, &mut found);
        }
        (2.., 1) => {
            changed = walk((&course.from, &second), course, changed, &mut found);
            first::down(&mut changed, &mut found);
            changed = walk((&second, &course.to), course, changed, &mut found);
        }
        _ => changed = walk((&course.from, &course.to), course, changed, &mut found),
    }
    if !is_down {
        whole(task, course, &mut changed, &mut found);
    }
    ranges::put(&mut changed, task.to.minor(), &mut found);
    if let Some(graph) = graph_of(&mut changed) {
        for output in graph.get("outputs").map_or(&[][..], JsonValue::items) {
            let is_given = |(_, value): &&(String, JsonValue)| *value != JsonValue::Null;
            let given = output.fields().iter().filter(is_given);
            let minor = task.to.minor();
            for (kind, _) in given.filter(|(kind, _)| !loader::loads_output(minor, kind)) {
                found.block(format!("has no outputs {kind}"), "graph_module.graph.outputs");
            }
        }
        operators::put(graph, &task.to.operators, &mut found);
        calls::put(task, &course.to, graph, &mut found);
        if is_down && task.to.operators.release() < Version::pair(2, 5) {
            layout::put(graph, &mut found);
        }
    }
    for (what, places) in found.blocked {
        block(task, plan, Some(to), &what, places);
    }
    let same = from.major() == to.major() && changed == program;
    if same || !plan.is_possible() {
        return None;
    }
    stamp::number(&mut changed, *to);
    let what = format!("the schema is {to} instead of {from}");
    plan.add(Rewrite::new(SCHEMA, what).at(record));
    for (what, places) in found.changed {
        let mut rewrite = Rewrite::new(SCHEMA, what);
        rewrite.places = places;
        plan.add(rewrite);
    }
    Some(changed)
}

fn walk(
    (from, to): (&ExportSchema, &ExportSchema),
    course: &Migration,
    program: JsonValue,
    found: &mut MigrationReport,
) -> JsonValue {
    let mut walk = SchemaMigrator::new(from, to, course.ignores_fields);
    let program = walk.program(program);
    found.extend(walk.found);
    program
}

fn graph_of(program: &mut JsonValue) -> Option<&mut JsonValue> {
    program.get_mut("graph_module")?.get_mut("graph")
}

/// What no walk along types converts. It is done in the words of the newer schema.
fn whole(
    task: &ConversionTask<'_>,
    course: &Migration,
    program: &mut JsonValue,
    found: &mut MigrationReport,
) {
    if let Some(graph) = graph_of(program) {
        higher_order::put(graph, course, found);
    }
    stamp::put(program, course, &task.to.operators, found);
}
