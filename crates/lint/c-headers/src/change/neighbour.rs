//! A place in the new headers for what is gone from them: beside the declaration that stood before it.

use std::collections::BTreeMap;

use unskew_core::Places;

use super::header_change::Changes;
use super::pair::ContractPair;
use crate::contract::Spot;

/// Codes of findings about a declaration that is gone as a whole.
const GONE: [&str; 3] = ["HD115", "HD207", "HD602"];

/// Gives what is gone a line of the new header, before its place in the old one: without one no line of a review
/// shows it.
pub fn place(pair: &ContractPair<'_>, changes: &mut Changes) {
    let is_gone = |code: &str| GONE.contains(&code);
    if !changes.list.iter().any(|change| is_gone(change.finding.rule.code)) {
        return;
    }
    let stayed = stayed(pair);
    // Two headers that are compared are one header, whatever each is called.
    let only = match (pair.old.files.len(), pair.new.files.first()) {
        (1, Some(only)) if pair.new.files.len() == 1 => Some(only),
        _ => None,
    };
    for change in changes.list.iter_mut().filter(|change| is_gone(change.finding.rule.code)) {
        let [before] = change.finding.places.named() else { continue };
        let Some((file, line)) =
            before.strip_suffix(" (before)").and_then(|at| at.rsplit_once(':'))
        else {
            continue;
        };
        let Some(new_file) = only.or_else(|| pair.new.files.get(file)) else { continue };
        let Ok(line) = line.parse::<usize>() else { continue };
        let beside = stayed.get(file).and_then(|lines| lines.range(..line).next_back());
        let line = beside.map_or(1, |(_, line)| *line);
        let mut places = Places::from_iter([format!("{new_file}:{line}")]);
        places.extend(&change.finding.places);
        change.finding.places = places;
    }
}

/// By old header and line: the new line of every declaration that is still in that header.
fn stayed<'p>(pair: &ContractPair<'p>) -> BTreeMap<&'p str, BTreeMap<usize, usize>> {
    let mut found: BTreeMap<&str, BTreeMap<usize, usize>> = BTreeMap::new();
    let one = pair.old.files.len() == 1 && pair.new.files.len() == 1;
    let mut add = |old: &'p Spot, new: &Spot| {
        if one || old.file == new.file {
            let lines = found.entry(&old.file).or_default();
            lines.insert(old.place.line as usize, new.place.line as usize);
        }
    };
    let (old, new) = (pair.old, pair.new);
    for (name, was) in &old.structs {
        new.structs.get(pair.new_name(name)).into_iter().for_each(|is| add(&was.spot, &is.spot));
    }
    for (name, was) in &old.enums {
        new.enums.get(pair.new_name(name)).into_iter().for_each(|is| add(&was.spot, &is.spot));
    }
    for (name, was) in &old.callbacks {
        new.callbacks.get(pair.new_name(name)).into_iter().for_each(|is| add(&was.spot, &is.spot));
    }
    for (name, was) in &old.functions {
        new.functions.get(name).into_iter().for_each(|is| add(&was.spot, &is.spot));
    }
    for (name, was) in &old.aliases {
        new.aliases.get(name).into_iter().for_each(|is| add(&was.spot, &is.spot));
    }
    for (name, was) in &old.constants {
        new.constants.get(name).into_iter().for_each(|is| add(&was.spot, &is.spot));
    }
    found
}
