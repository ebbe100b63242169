//! Layout of archives for releases up to 1.5, and the version record.
//!
//! Since 1.6 classes list their buffers and their constants and say whether they train, pickled containers carry
//! tags of their types, and there are records for the order of bytes and the identity of the file. The readers of
//! 1.4 and 1.5 stumble over the first four and need none of them.

use std::collections::{BTreeMap, BTreeSet};

use unskew_core::{Conversion, Version};
use unskew_source::ReadError;

use super::{devices, prepacked_weights};
use crate::TorchFormat;
use crate::convert::archive_builder::ArchiveBuilder;
use crate::convert::task::{ConversionTask, block, rewrite};
use crate::format::debug;
use crate::pickle::{Id, Pickle, PickleValue};

const ATTRIBUTES: &str = "data.pkl";

const VERSION: &str = "version-record";
pub(super) const LAYOUT: &str = "older-layout";

/// The last release of the older layout.
const OLDER: Version = Version::pair(1, 5);

/// The version record, where later releases look for a version above 5.
const HIDDEN: &str = ".data/version";

/// What the members of a class look like that the older layout does not have.
const LINES: [(&str, &str); 3] =
    [("__buffers__ = [", "]"), ("training : bool", ""), ("_is_full_backward_hook : ", "")];

fn is_older(task: &ConversionTask<'_>) -> bool {
    task.to.minor() <= OLDER
}

/// The version of the converted file; none if the release is older than all that are converted for.
///
/// A version that the release reads stays, unless something needs a higher one. Else it is the lowest in which every call keeps its
/// meaning, or the highest that the release reads, for which calls are then fitted.
pub(super) fn version(task: &ConversionTask<'_>, found: i64, needed: i64) -> Option<i64> {
    let release = &task.to.release;
    if task.to.minor() < Version::pair(1, 4) {
        return None;
    }
    // 1.5 says that it reads version 3, and ends on every such archive.
    let (floor, most) = match is_older(task) {
        true => (2, 2),
        false => (3, release.file_format.max.map_or(found, Version::major)),
    };
    let floor = if task.model.format == TorchFormat::Package { 6 } else { floor };
    Some(if found <= most { found.max(needed.min(most)) } else { needed.max(floor).min(most) })
}

/// Takes out of the classes what the release does not know.
pub(super) fn classes(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
    texts: &mut BTreeMap<String, String>,
) {
    if !is_older(task) {
        return;
    }
    let trains = texts.values().any(|text| text.contains(".training"));
    for (record, text) in texts {
        let known = |line: &&str| {
            let line = line.trim();
            // Constants of a class stand in its code as what they are.
            if line.contains(" : Final[") && line.contains("] = ") {
                return false;
            }
            let is = |(begin, end): &&(&str, &str)| line.starts_with(begin) && line.ends_with(end);
            match LINES.iter().find(is) {
                Some((begin, _)) => begin.starts_with("training") && trains,
                None => true,
            }
        };
        let kept: String = text.split_inclusive('\n').filter(known).collect();
        if kept != *text {
            let what = "attributes that later modules have are left out of classes";
            rewrite(plan, LAYOUT, what.to_owned(), record);
            *text = kept;
        }
    }
}

/// A text of code with another name for a word, wherever it stands outside of texts in quotes.
pub(super) fn renamed(text: &str, word: &str, by: &str) -> String {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (mut out, mut rest, mut quote) = (String::with_capacity(text.len()), text, None);
    let mut before = ' ';
    while let Some(letter) = rest.chars().next() {
        let begins = quote.is_none() && !is_part(before) && before != '.';
        let whole = rest.strip_prefix(word).filter(|after| !after.starts_with(is_part));
        if let (true, Some(after)) = (begins, whole) {
            out.push_str(by);
            (rest, before) = (after, ' ');
            continue;
        }
        let mut size = letter.len_utf8();
        match quote {
            Some(_) if letter == '\\' => {
                size += rest[size..].chars().next().map_or(0, char::len_utf8)
            }
            Some(end) if letter == end => quote = None,
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            _ => {}
        }
        out.push_str(&rest[..size]);
        (rest, before) = (&rest[size..], letter);
    }
    out
}

/// Fits the records to the release and to the version of the converted file.
pub(super) fn plan(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
    draft: &mut ArchiveBuilder,
    target: i64,
) -> Result<(), ReadError> {
    let found = task.model.operator_version();
    if found != Some(target) {
        let old = if task.records.has(HIDDEN) { HIDDEN } else { "version" };
        let new = if target > 5 { HIDDEN } else { "version" };
        draft.rename(old, new);
        draft.replace(new, format!("{target}\n").into_bytes());
        let found = found.unwrap_or(0);
        rewrite(plan, VERSION, format!("the version is {target} instead of {found}"), new);
    }
    if task.model.format == TorchFormat::LegacyScript {
        return Ok(());
    }
    // What loads and runs alike is left as it is; what is written anew shall say where exceptions come from.
    let tables = task.to.minor() < debug::TABLED && !plan.changes_nothing();
    for (record, _) in task.records.all() {
        let lines = record.ends_with(".debug_pkl");
        let newer = is_older(task)
            && (matches!(record, "byteorder" | ".data/serialization_id")
                || lines && found > Some(2));
        let is_tabled = |bytes: &Vec<u8>| debug::is_tabled(bytes);
        let later =
            newer || lines && tables && task.records.get(record)?.as_ref().is_some_and(is_tabled);
        if later && draft.remove(record) {
            let what = "a record that later releases have is left out".to_owned();
            rewrite(plan, LAYOUT, what, record);
        }
    }
    if is_older(task) || prepacked_weights::concerns(task) {
        for record in [ATTRIBUTES, "constants.pkl"] {
            repickle(task, plan, draft, record)?;
        }
    }
    Ok(())
}

/// Takes the tags of types off containers, puts names in the place of devices, and fits quantized weights.
fn repickle(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
    draft: &mut ArchiveBuilder,
    record: &str,
) -> Result<(), ReadError> {
    let Some(bytes) = task.records.get(record)? else { return Ok(()) };
    let mut pickle = task.records.pickle(record, &bytes)?;
    let tagged = if is_older(task) { untagged(&pickle) } else { Vec::new() };
    let named = if devices::are_read(task) { Vec::new() } else { devices::names(&pickle) };
    let mut fitted = BTreeSet::new();
    if record == ATTRIBUTES && prepacked_weights::concerns(task) {
        match prepacked_weights::fit(task, &mut pickle, draft)? {
            Ok(done) => fitted = done,
            Err(why) => {
                block(task, plan, &why, [record].into_iter().collect());
                return Ok(());
            }
        }
    }
    let mut done = Vec::new();
    if !tagged.is_empty() {
        done.push("containers lose the tags of their types");
    }
    if !named.is_empty() {
        done.push(devices::DONE);
    }
    if done.is_empty() && fitted.is_empty() {
        return Ok(());
    }
    for (id, value) in tagged.into_iter().chain(named) {
        pickle.replace(id, value);
    }
    match pickle.write() {
        Ok(bytes) => {
            draft.replace(record, bytes);
            for what in done {
                rewrite(plan, LAYOUT, what.to_owned(), record);
            }
            for what in fitted {
                rewrite(plan, prepacked_weights::PACKED, what.to_owned(), record);
            }
        }
        Err(why) => {
            let what = format!("{record} cannot be written again: {why}");
            block(task, plan, &what, [record].into_iter().collect());
        }
    }
    Ok(())
}

/// Containers with tags, and each without.
fn untagged(pickle: &Pickle) -> Vec<(Id, PickleValue)> {
    let without = |id| {
        let PickleValue::Call(call) = pickle.value(id) else { return None };
        let PickleValue::Global(_, name) = pickle.value(call.callee) else { return None };
        let PickleValue::Tuple(arguments) = pickle.value(call.arguments?) else { return None };
        let inner = arguments.first().filter(|_| name == "restore_type_tag")?;
        Some((id, pickle.value(*inner).clone()))
    };
    (0..pickle.count()).filter_map(without).collect()
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn a_word_is_renamed_outside_of_texts() {
        let text = "  a : Final[NoneType] = None\n  b : Dict[str, NoneType]\n  c = \"a \\\"NoneType\"\n  MyNoneType : NoneTypes\n";
        let wanted = text.replace("[NoneType]", "[None]").replace(" NoneType]", " None]");
        assert_eq!(renamed(text, "NoneType", "None"), wanted);
        assert_eq!(
            renamed("x: 'é NoneType', NoneType", "NoneType", "None"),
            "x: 'é NoneType', None"
        );
    }
}
