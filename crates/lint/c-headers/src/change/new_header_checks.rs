//! Checks of the new headers by themselves: what could not be read, new structs that cannot
//! grow, and what was added.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use unskew_core::Severity;

use super::header_change;
use super::header_change::{Changes, Subject};
use super::pair::ContractPair;
use super::words::list;
use crate::contract::{HeaderContract, HeaderStruct, Spot, Unread};
use crate::header::{CType, RecordKind};
use crate::rules;

/// Looks at the new headers.
pub fn all(pair: &ContractPair<'_>, changes: &mut Changes) {
    unread(pair, changes);
    layouts(pair, changes);
    new_structs(pair, changes);
    added(pair, changes);
    left_out(pair, changes);
    for (name, spot) in &pair.new.undeclared {
        let what = "it is not declared".to_owned();
        let finding = rules::SizeMacroOfNothing { record: name, what: &what }.finding();
        changes.add(&Subject::new(name, spot), finding, [spot], []);
    }
}

/// One finding for each header: where one declaration is not understood, the next ones seldom are.
fn unread(pair: &ContractPair<'_>, changes: &mut Changes) {
    // What could not be read in the old headers only is as much of a gap.
    let known: BTreeSet<&str> = pair.new.unread.iter().map(|one| one.what.as_str()).collect();
    let before = pair.old.unread.iter().filter(|one| !known.contains(one.what.as_str()));
    let now = pair.new.unread.iter().map(|one| (one, false));
    let mut by_file: BTreeMap<(bool, &str), Vec<&Unread>> = BTreeMap::new();
    for (one, old) in now.chain(before.map(|one| (one, true))) {
        by_file.entry((old, &one.spot.file)).or_default().push(one);
    }
    for ((old, file), found) in by_file {
        let Some(first) = found.first() else { continue };
        let first = first.what.trim_start_matches("could not read this declaration: ");
        let what = match found.len() {
            1 => first.to_owned(),
            number => format!("{first}; and {} more in `{file}`", number - 1),
        };
        // A declaration that is written as it was is what it was, read or not.
        let other = if old { pair.new } else { pair.old };
        let same = |one: &&&Unread| other.unread.iter().any(|known| known.text == one.text);
        let changed = found.iter().filter(|one| !one.text.is_empty()).any(|one| !same(&one));
        let finding = rules::DeclarationNotRead { what: &what }.finding();
        let finding = if changed { finding.with_severity(Severity::Error) } else { finding };
        let subject = Subject { name: "", file, extension: false };
        let spots = found.iter().map(|one| &one.spot);
        match old {
            true => changes.add(&subject, finding, [], spots),
            false => changes.add(&subject, finding, spots, []),
        }
    }
}

/// What stands under conditions that no build takes by default, and changed: one finding for all.
fn left_out(pair: &ContractPair<'_>, changes: &mut Changes) {
    let (old, new) = (&pair.old.left_out.conditions, &pair.new.left_out.conditions);
    let changed = new
        .iter()
        .filter(|(condition, digest)| old.get(*condition).is_some_and(|before| before != *digest));
    let conditions: Vec<&str> = changed.map(|(condition, _)| &**condition).collect();
    let Some(file) = pair.new.files.first().filter(|_| !conditions.is_empty()) else { return };
    let finding = rules::ConditionsNotTaken { conditions: &list(&conditions) }.finding();
    let subject = Subject { name: "", file, extension: false };
    changes.add(&subject, finding, [], []);
}

/// Structs whose fields could not be placed, one finding for each header and reason.
fn layouts(pair: &ContractPair<'_>, changes: &mut Changes) {
    let mut found: BTreeMap<(String, String), Vec<&HeaderStruct>> = BTreeMap::new();
    for record in pair.new.structs.values().filter(|record| !record.members.is_empty()) {
        if let Err(why) = &record.layout
            && pair.old.structs.contains_key(&record.name)
        {
            let key = (record.spot.file.to_string(), why.to_string());
            found.entry(key).or_default().push(record);
        }
    }
    for ((file, why), records) in found {
        let names = list(records.iter().map(|record| &record.name));
        let finding = rules::LayoutNotKnown { records: &names, why: &why }.finding();
        let subject = Subject { name: &names, file: &file, extension: false };
        changes.add(&subject, finding, records.iter().map(|record| &record.spot), []);
    }
}

fn new_structs(pair: &ContractPair<'_>, changes: &mut Changes) {
    let new = pair.new;
    if !new.structs.values().any(HeaderStruct::is_extensible) {
        return;
    }
    let users = LazyCell::new(|| users(new));
    let announces: BTreeSet<&str> = new
        .structs
        .values()
        .filter(|record| !record.announced.is_empty())
        .map(|record| &*record.spot.file)
        .collect();
    for (name, one) in &new.structs {
        // What was opaque before is a handle, and nobody asks it for its size.
        let known = pair.old.declares(name) || pair.had_another_name(name) || is_handle(new, one);
        if known || one.kind == RecordKind::Union || name.is_empty() {
            continue;
        }
        let subject = header_change::subject(one);
        if one.is_extensible() {
            if one.announced.is_empty() && announces.contains(&*one.spot.file) {
                let last_field = one.last().map_or("", |last| &last.name);
                let finding = rules::SizeNotAnnounced { record: name, last_field: &last_field };
                changes.add(&subject, finding.finding(), [&one.spot], []);
            }
        } else if !one.is_extension()
            && let Some(user) = users.get(name.as_str())
        {
            let user = format!("`{user}`");
            let finding = rules::NoStructSize { record: name, user: &user }.finding();
            changes.add(&subject, finding, [&one.spot], []);
        }
    }
}

/// Whether a struct is an object with a table of its functions in front.
fn is_handle(contract: &HeaderContract, record: &HeaderStruct) -> bool {
    let Some(CType::Pointer { to, .. }) = record.members.first().map(|member| &member.r#type)
    else {
        return false;
    };
    let CType::Named { name, .. } = &**to else { return false };
    let table = contract.structs.get(name);
    table.is_some_and(|table| table.members.iter().any(|member| member.is_function))
}

/// Who hands over which type: the first field or function for each.
pub fn users(contract: &HeaderContract) -> BTreeMap<&str, String> {
    let mut users = BTreeMap::new();
    for one in contract.structs.values() {
        for member in &one.members {
            mention(&member.r#type, &|| format!("{}.{}", one.name, member.name), &mut users);
        }
    }
    for (name, function) in contract.callbacks.iter().chain(&contract.functions) {
        mention(&function.r#type, &|| name.clone(), &mut users);
    }
    users
}

fn mention<'t>(
    r#type: &'t CType,
    user: &dyn Fn() -> String,
    users: &mut BTreeMap<&'t str, String>,
) {
    match r#type {
        CType::Named { name, .. } => {
            users.entry(name).or_insert_with(user);
        }
        CType::Pointer { to: inner, .. } | CType::Array { of: inner, .. } => {
            mention(inner, user, users);
        }
        CType::Function { result, parameters, .. } => {
            mention(result, user, users);
            for parameter in parameters {
                mention(&parameter.r#type, user, users);
            }
        }
        CType::Record(_) | CType::Enum(_) => {}
    }
}

/// New types, functions and constants, together for each header.
fn added(pair: &ContractPair<'_>, changes: &mut Changes) {
    let (old, new) = (pair.old, pair.new);
    let mut by_file: BTreeMap<String, Vec<(&str, &Spot)>> = BTreeMap::new();
    let known = |name: &str| old.declares(name) || pair.had_another_name(name) || name.is_empty();
    let structs = new.structs.iter().map(|(name, one)| (name, &one.spot));
    let enums = new.enums.iter().map(|(name, one)| (name, &one.spot));
    let callbacks = new.callbacks.iter().map(|(name, one)| (name, &one.spot));
    let opaque = new.opaque.iter();
    let types = structs.chain(enums).chain(callbacks).chain(opaque).filter(|(n, _)| !known(n));
    let functions = new.functions.iter().map(|(name, one)| (name, &one.spot));
    let functions = functions.filter(|(name, _)| !old.functions.contains_key(*name));
    let constants = new.constants.iter().map(|(name, one)| (name, &one.spot));
    let constants = constants.filter(|(name, _)| !old.constants.contains_key(*name));
    let mut seen = BTreeSet::new();
    for (name, spot) in types.chain(functions).chain(constants) {
        if seen.insert(name) {
            by_file.entry(spot.file.to_string()).or_default().push((name, spot));
        }
    }
    for (file, found) in by_file.into_iter().filter(|(_, found)| !found.is_empty()) {
        let names = list(found.iter().map(|(name, _)| name));
        let subject = Subject { name: &names, file: &file, extension: false };
        let finding = rules::Added { names: &names }.finding();
        changes.add(&subject, finding, found.iter().map(|(_, spot)| *spot), []);
    }
}
