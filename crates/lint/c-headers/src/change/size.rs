//! Announced sizes: whether they reach to the last field, now and before.

use super::header_change::Changes;
use super::header_change::subject;
use super::words::bytes;
use crate::contract::{AnnouncedSize, Extent, HeaderStruct};
use crate::rules;
use unskew_core::Severity;

/// How many announcements of one struct are looked at; a header has one, or one for each side of an `#if`.
const ANNOUNCEMENTS: usize = 16;

/// Looks at what is announced for a struct.
pub fn compare(old: Option<&HeaderStruct>, new: &HeaderStruct, changes: &mut Changes) {
    let before = old.and_then(|old| stale(old).map(|(a, _)| (old, a)));
    let Some(last) = new.last() else { return };
    let subject = subject(new);
    let record = &new.name;
    // What announced it names another struct now, or is gone.
    if let Some(was) = old.and_then(|old| old.announced.first())
        && new.announced.is_empty()
        && new.is_extensible()
    {
        let finding = rules::SizeNotAnnounced { record, last_field: &last.name }.finding();
        let finding = finding.with_severity(Severity::Error);
        changes.add(&subject, finding, [&new.spot], [&was.spot]);
    }
    for announced in new.announced.iter().take(ANNOUNCEMENTS) {
        let Extent::Field(named_field) = &announced.extent else { continue };
        if new.member(named_field).is_none() && new.extent(&announced.extent).is_none() {
            let what = format!("it has no field `{named_field}`");
            let finding = rules::SizeMacroOfNothing { record, what: &what }.finding();
            changes.add(&subject, finding, [&announced.spot], []);
        }
    }
    if let Some((announced, named_field)) = stale(new) {
        let named_end = bytes(new.extent(&announced.extent));
        let (last_field, last_end) = (&last.name, bytes(new.end()));
        let finding = rules::SizeMacroNamesWrongField {
            record,
            named_field: &named_field,
            named_end: &named_end,
            last_field,
            last_end: &last_end,
        };
        // What was so before is no fault of this change.
        let stood = before.as_ref().is_some_and(|(old, was)| {
            was.extent == announced.extent && old.members.len() == new.members.len()
        });
        let mut finding = finding.finding();
        if stood {
            finding = finding.with_severity(Severity::Warning);
        }
        changes.add(&subject, finding, [&announced.spot], []);
    } else if let Some((old, was)) = before
        && let Some(now) = new.announced.first()
        && let (Some(old_size), Some(new_size)) = (old.extent(&was.extent), new.extent(&now.extent))
        && old.end() == new.end()
        && old_size != new_size
    {
        let finding =
            rules::SizeMacroCorrected { record, old_size: &old_size, new_size: &new_size };
        changes.add(&subject, finding.finding(), [&now.spot], [&was.spot]);
    }
}

/// The largest alignment that a struct may have whose size is announced as the end of a field.
const ALIGNMENT: u64 = 8;

/// Looks for structs that may grow and are aligned more than any field of a plain type is.
pub fn alignment(old: Option<&HeaderStruct>, new: &HeaderStruct, changes: &mut Changes) {
    let of = |record: &HeaderStruct| record.layout.as_ref().map_or(0, |layout| layout.align);
    if new.is_extensible() && of(new) > ALIGNMENT && old.is_none_or(|old| of(old) <= ALIGNMENT) {
        let (record, align) = (&new.name, of(new));
        let finding = rules::AlignmentAboveEight { record, align: &align }.finding();
        changes.add(&subject(new), finding, [&new.spot], []);
    }
}

/// The announcement that does not reach to the end, with the field that it names.
fn stale(record: &HeaderStruct) -> Option<(&AnnouncedSize, &str)> {
    let last = record.last()?;
    record.announced.iter().take(ANNOUNCEMENTS).find_map(|announced| {
        let Extent::Field(name) = &announced.extent else { return None };
        let named = record.member(name)?;
        let ends_there = record.extent(&announced.extent).is_some()
            && record.extent(&announced.extent) == record.end();
        (named.name != last.name && !ends_there).then_some((announced, name.as_str()))
    })
}
