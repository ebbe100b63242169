//! TorchScript archives for other releases.
//!
//! Six things are fitted: the calls in the code (`calls`), branches that never run (`calls` too, because
//! they are removed where a call in them is not there), attributes and records that the release does not
//! know (`layout`, `devices`), quantized weights (`prepacked_weights`), names of types (`annotations`), and the version record, which gets the lowest number that holds for all calls.
//! Archives of 1.1 and 1.2 get the layout of later ones first (`legacy`).

mod annotations;
pub(super) mod calls;
mod devices;
mod layout;
mod legacy;
mod prepacked_weights;
mod tensors;
mod texts;

use std::collections::BTreeMap;

use calls::ScriptCalls;
use unskew_core::{Conversion, Places};
use unskew_source::ReadError;
use unskew_torch_operators::FileWriter;

use super::archive_builder::ArchiveBuilder;
use super::task::{ConversionTask, block};
use crate::TorchFormat;
use texts::with_texts;

/// The record that functions are put into which take the place of calls.
const FUNCTIONS: &str = "code/__torch__/unskew.py";

/// The version that archives of 1.1 and 1.2 get: the lowest of the layout that they get.
const AFTER_LEGACY: i64 = 2;

/// Plans the archive anew for the release, with its version, which may not be below `needs`; none if it
/// cannot be converted.
pub(super) fn plan(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
    needs: u32,
) -> Result<Option<(ArchiveBuilder, i64)>, ReadError> {
    let before = plan.clone();
    match attempt(task, plan, needs)? {
        // What takes the place of calls may mean what it shall in a higher version only.
        Some((_, target, needs)) if i64::from(needs) > target => {
            *plan = before;
            Ok(attempt(task, plan, needs)?.map(|(draft, target, _)| (draft, target)))
        }
        done => Ok(done.map(|(draft, target, _)| (draft, target))),
    }
}

/// The archive anew, its version, and the lowest version in which the functions that were put into it mean what they shall.
fn attempt(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
    needs: u32,
) -> Result<Option<(ArchiveBuilder, i64, u32)>, ReadError> {
    let model = task.model;
    let legacy = model.format == TorchFormat::LegacyScript;
    let Some(program) = &model.program else {
        return Ok(without_code(task, plan, needs)?.map(|(draft, target)| (draft, target, 0)));
    };
    let version = model.operator_version().unwrap_or(0);
    let history = task.to.operators.history();
    let producer = model.producer_by(history);
    let writer = FileWriter {
        operator_version: u32::try_from(version).unwrap_or(0),
        since: producer.since,
        until: producer.until,
    };
    let calls = ScriptCalls::new(task, program, writer);
    let found = if legacy { AFTER_LEGACY } else { version };
    let Some(target) = layout::version(task, found, i64::from(calls.needs().max(needs))) else {
        let read = task.to.release.file_format;
        let what = format!("it reads version {read}, and 1.4 is the oldest release converted for");
        block(task, plan, &what, Places::default());
        return Ok(None);
    };
    let pruned = calls.prune(target, plan);
    let mut texts = if pruned.is_empty() {
        calls.fit(target, plan)
    } else {
        let program = with_texts(task, program, &pruned)?;
        let mut texts = ScriptCalls::new(task, &program, writer).fit(target, plan);
        for (record, text) in pruned {
            texts.changed.entry(record).or_insert(text);
        }
        texts
    };
    let mut all: BTreeMap<String, String> = program
        .records()
        .iter()
        .map(|record| {
            let name = record.name.to_string();
            let text = texts.changed.remove(&name).unwrap_or_else(|| record.text.to_string());
            (name, text)
        })
        .collect();
    annotations::fit(task, plan, &mut all);
    layout::classes(task, plan, &mut all);
    if !legacy {
        devices::fit(task, program, plan, &mut all)?;
    }
    let mut draft = ArchiveBuilder::from_records(task.records)?;
    if legacy {
        legacy::plan(task, plan, &mut draft, &all)?;
    } else {
        for record in program.records() {
            if let Some(text) = all.get(&*record.name).filter(|text| **text != *record.text) {
                draft.replace(&record.name, text.clone().into_bytes());
            }
        }
    }
    let mut needs = 0;
    if !texts.functions.is_empty() {
        let text = functions(&texts.functions);
        needs = calls::needs_of(task, &text);
        draft.add(FUNCTIONS, text.into_bytes(), true);
    }
    layout::plan(task, plan, &mut draft, target)?;
    Ok(Some((draft, target, needs)))
}

fn without_code(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
    needs: u32,
) -> Result<Option<(ArchiveBuilder, i64)>, ReadError> {
    let found = task.model.operator_version().unwrap_or(0);
    let Some(target) = layout::version(task, found, i64::from(needs)) else {
        let what = "1.4 is the oldest release converted for";
        block(task, plan, what, Places::from_iter(["bytecode.pkl"]));
        return Ok(None);
    };
    let mut draft = ArchiveBuilder::from_records(task.records)?;
    layout::plan(task, plan, &mut draft, target)?;
    Ok(Some((draft, target)))
}

fn functions(all: &BTreeMap<String, String>) -> String {
    all.values().cloned().collect::<Vec<_>>().join("")
}
