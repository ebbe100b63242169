//! Removals: what is gone, and what only could not be read.

use std::collections::BTreeMap;

use unskew_core::Severity;

use super::header_change::{Changes, HeaderChange, Subject};
use super::pair::ContractPair;
use super::words::{count, list};
use crate::rules;

/// Codes of findings about something that is gone.
const GONE: [&str; 4] = ["HD115", "HD207", "HD602", "HD303"];

/// Says of declarations that were there and cannot be read any more that they were not compared, in the place of what
/// follows from that they are not known.
pub fn unread(pair: &ContractPair<'_>, changes: &mut Changes) {
    let unread = &pair.new.unread_words;
    let about = |change: &HeaderChange| unread.contains(&change.subject);
    changes.list.retain(|change| change.finding.rule.code != "HD004" || !about(change));
    for change in &mut changes.list {
        if ["HD115", "HD207"].contains(&change.finding.rule.code) && about(change) {
            let what = format!("`{}` was there before, and was not compared", change.subject);
            let finding = rules::DeclarationNotRead { what: &what }.finding();
            let finding = finding.with_severity(Severity::Error);
            change.finding = finding.at(std::mem::take(&mut change.finding.places));
        }
    }
}

/// Puts one finding in the place of those about everything that headers declared which are gone.
pub fn headers(pair: &ContractPair<'_>, changes: &mut Changes) {
    // Two headers that are compared are one header, whatever each is called.
    if pair.old.files.len() < 2 && pair.new.files.len() < 2 {
        return;
    }
    let is_gone = |change: &HeaderChange| {
        !pair.new.files.contains(change.file.as_str()) && GONE.contains(&change.finding.rule.code)
    };
    let mut by_file: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for change in changes.list.extract_if(.., |change| is_gone(change)) {
        by_file.entry(change.file).or_default().push(change.subject);
    }
    for (file, names) in by_file {
        let (number, names) = (count(names.len(), "declaration"), list(&names));
        let finding = rules::HeaderRemoved { file: &file, count: &number, names: &names }.finding();
        let subject = Subject { name: &file, file: &file, extension: false };
        changes.add(&subject, finding, [], []);
    }
}
