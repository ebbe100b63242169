//! Functions and types of functions: which came and went, and what they take and return.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt as _};
use unskew_core::{Finding, Severity};

use super::header_change::{Changes, Subject};
use super::pair::ContractPair;
use super::type_equivalence::{TypeEquivalence, difference};
use super::{constness, field, new_header_checks};
use crate::contract::{Guard, HeaderContract, HeaderFunction, Remark, Spot};
use crate::header::CType;
use crate::rules;

/// Compares all functions, types of functions, and other names of types.
pub fn all(pair: &ContractPair<'_>, changes: &mut Changes) {
    functions(pair, changes);
    variables(pair, changes);
    callbacks(pair, changes);
    aliases(pair, changes);
    guarded_types(pair, changes);
    invocations(pair, changes);
    moved(pair, changes);
    let users = LazyCell::new(|| new_header_checks::users(pair.old));
    for (name, old) in &pair.old.opaque {
        let gone = !pair.new.declares(pair.new_name(name)) && !pair.old.structs.contains_key(name);
        // Nobody misses what nobody used.
        if gone && users.contains_key(name.as_str()) {
            let finding = rules::TypeRemoved { kind: &"opaque type", name }.finding();
            changes.add(&Subject::new(name, old), finding, [], [old]);
        }
    }
}

fn functions<'p>(pair: &ContractPair<'p>, changes: &mut Changes) {
    let redirected = redirections(pair, changes);
    for (name, old) in &pair.old.functions {
        let new = pair.new.functions.get(name);
        let subject = |function: &'p HeaderFunction| Subject::new(name, &function.spot);
        match new {
            Some(new) => {
                compare(pair, name, old, new, changes);
                guarded(
                    pair,
                    &subject(new),
                    (&old.guard, &old.spot),
                    (&new.guard, &new.spot),
                    changes,
                );
            }
            // What was said of the name by which it is called.
            None if redirected.contains(name.as_str()) => {}
            // Whoever was built has its own copy.
            None if old.internal => {
                let finding = rules::FunctionGone { name }.finding();
                let finding = finding.with_severity(Severity::Warning);
                changes.add(&subject(old), finding, [], [&old.spot]);
            }
            None => {
                if pair.moved_under_condition(&subject(old), &old.spot, changes) {
                    continue;
                }
                let finding = rules::FunctionGone { name }.finding();
                changes.add(&subject(old), finding, [], [&old.spot]);
                field::before_its_time(pair, &subject(old), &old.remark, name, &old.spot, changes);
            }
        }
    }
}

/// Names that stand for a function of another name than before; the names of the functions they stood for.
fn redirections<'p>(pair: &ContractPair<'p>, changes: &mut Changes) -> BTreeSet<&'p str> {
    let (old, new) = (pair.old, pair.new);
    let mut told = BTreeSet::new();
    let names = old.redirections.keys().chain(new.redirections.keys());
    let names: BTreeSet<&String> = names.collect();
    for name in names {
        let target = |contract: &'p HeaderContract| -> Option<(&'p str, &'p Spot)> {
            let own = || contract.functions.get_key_value(name);
            let own = || own().map(|(name, function)| (name.as_str(), &function.spot));
            contract.redirections.get(name).map(|(to, spot)| (to.as_str(), spot)).or_else(own)
        };
        let (Some((was, old_spot)), Some((is, new_spot))) = (target(old), target(new)) else {
            continue;
        };
        if was == is {
            continue;
        }
        let subject = Subject::new(name, new_spot);
        let finding = rules::SymbolChanged { name, symbol: &is, old_symbol: &was }.finding();
        // Whoever was built still finds the symbol that it asks for.
        let stays = new.functions.contains_key(was);
        let finding = if stays { finding.with_severity(Severity::Warning) } else { finding };
        changes.add(&subject, finding, [new_spot], [old_spot]);
        told.insert(was);
        if let (Some(a), Some(b)) = (old.functions.get(was), new.functions.get(is)) {
            compare(pair, name, a, b, changes);
        }
    }
    told
}

/// Variables that a library has: which went, and what became of their types.
fn variables(pair: &ContractPair<'_>, changes: &mut Changes) {
    for (name, old) in &pair.old.variables {
        let Some(new) = pair.new.variables.get(name) else {
            let subject = Subject::new(name, &old.spot);
            if !pair.moved_under_condition(&subject, &old.spot, changes) {
                let finding = rules::VariableGone { name }.finding();
                changes.add(&subject, finding, [], [&old.spot]);
            }
            continue;
        };
        let open = |r#type: &CType| matches!(r#type, CType::Array { count: None, .. });
        let (was, is) = (&old.r#type, &new.r#type);
        let likeness = pair.likeness(was, is);
        if likeness == TypeEquivalence::Different && !open(was) && !open(is) {
            let subject = Subject::new(name, &new.spot);
            let finding = rules::VariableTypeChanged {
                name,
                new_type: &is.to_string(),
                old_type: &was.to_string(),
            };
            changes.add(&subject, finding.finding(), [&new.spot], [&old.spot]);
        }
    }
}

/// What is declared under a condition that did not stand around it before.
fn guarded(
    pair: &ContractPair<'_>,
    subject: &Subject<'_>,
    old: (&Guard, &Spot),
    new: (&Guard, &Spot),
    changes: &mut Changes,
) {
    let ((was, old_spot), (is, new_spot)) = (old, new);
    let Some(condition) = came(was, is) else { return };
    // The other branch has it as well.
    if !is.several && !pair.new.left_out.words.contains_key(subject.name) {
        changes.under_condition("HD211", subject, condition, Some(new_spot), old_spot);
    }
}

/// The innermost condition that did not stand around a declaration before.
fn came<'g>(was: &Guard, is: &'g Guard) -> Option<&'g String> {
    let more = is.conditions.len() > was.conditions.len();
    is.conditions.iter().rfind(|condition| more && !was.conditions.contains(condition))
}

/// Types that are declared under a condition that did not stand around them before.
fn guarded_types(pair: &ContractPair<'_>, changes: &mut Changes) {
    let (old, new) = (LazyCell::new(|| spots(pair.old)), LazyCell::new(|| spots(pair.new)));
    for (name, was) in &pair.old.guards {
        let Some(is) = pair.new.guards.get(name).filter(|is| came(was, is).is_some()) else {
            continue;
        };
        if let (Some(old), Some(new)) = (old.get(name.as_str()), new.get(name.as_str())) {
            guarded(pair, &Subject::new(name, new), (was, old), (is, new), changes);
        }
    }
}

/// Where types are declared.
fn spots(contract: &HeaderContract) -> HashMap<&str, &Spot> {
    let mut spots: HashMap<&str, &Spot> = HashMap::with_capacity(contract.guards.len());
    spots.extend(contract.callbacks.iter().map(|(name, one)| (name.as_str(), &one.spot)));
    spots.extend(contract.enums.iter().map(|(name, one)| (name.as_str(), &one.spot)));
    spots.extend(contract.structs.iter().map(|(name, one)| (name.as_str(), &one.spot)));
    for name in contract.functions.keys() {
        spots.remove(name.as_str());
    }
    spots.extend(contract.aliases.iter().map(|(name, one)| (name.as_str(), &one.spot)));
    spots
}

fn callbacks(pair: &ContractPair<'_>, changes: &mut Changes) {
    for (name, old) in &pair.old.callbacks {
        let new_name = pair.new_name(name);
        let Some(new) = pair.new.callback_named(new_name) else {
            if !pair.new.declares(new_name) {
                let subject = Subject::new(name, &old.spot);
                let finding = rules::TypeRemoved { kind: &"type of functions", name }.finding();
                changes.add(&subject, finding, [], [&old.spot]);
                field::before_its_time(pair, &subject, &old.remark, name, &old.spot, changes);
            }
            continue;
        };
        if new_name != name && pair.new.callbacks.contains_key(new_name) {
            renamed("type of functions", name, new_name, (&new.spot, &old.spot), changes);
        }
        compare(pair, new_name, old, new, changes);
    }
}

fn renamed(kind: &str, old: &str, new: &str, spots: (&Spot, &Spot), changes: &mut Changes) {
    let finding = rules::TypeRenamed { kind: &kind, old_name: &old, new_name: &new }.finding();
    changes.add(&Subject::new(new, spots.0), finding, [spots.0], [spots.1]);
}

fn compare(
    pair: &ContractPair<'_>,
    name: &str,
    old: &HeaderFunction,
    new: &HeaderFunction,
    changes: &mut Changes,
) {
    let subject = Subject::new(name, &new.spot);
    if new.internal && !old.internal {
        let finding = rules::FunctionInlineNow { name: &name }.finding();
        changes.add(&subject, finding, [&new.spot], [&old.spot]);
    }
    if old.label != new.label && !new.internal {
        let symbol =
            |label: &str| if label.is_empty() { name.to_owned() } else { label.to_owned() };
        let (symbol, old_symbol) = (symbol(&new.label), symbol(&old.label));
        let finding =
            rules::SymbolChanged { name: &name, symbol: &symbol, old_symbol: &old_symbol };
        changes.add(&subject, finding.finding(), [&new.spot], [&old.spot]);
    }
    let likeness = pair.likeness(&old.r#type, &new.r#type);
    let constness = constness::of_functions(&old.r#type, &new.r#type);
    if likeness == TypeEquivalence::Alike && !constness.is_empty() {
        let finding = rules::ConstChanged { name: &name, what: &constness.join("; ") }.finding();
        changes.add(&subject, finding, [&new.spot], [&old.spot]);
    } else if likeness != TypeEquivalence::Same {
        let what = difference(pair, &old.r#type, &new.r#type);
        let finding = match likeness {
            TypeEquivalence::Different => {
                rules::SignatureChanged { name: &name, what: &what }.finding()
            }
            _ => rules::SignatureRespelled { name: &name, what: &what }.finding(),
        };
        changes.add(&subject, finding, [&new.spot], [&old.spot]);
    }
    if let Some(finding) = deprecated(name, &old.remark, &new.remark) {
        changes.add(&subject, finding, [&new.spot], [&old.spot]);
    }
}

fn deprecated(name: &str, old: &Remark, new: &Remark) -> Option<Finding> {
    let newly = old.deprecated.is_none() && new.deprecated.is_some();
    newly.then(|| rules::Deprecated { name: &name }.finding())
}

/// Other names of types: what they stand for.
fn aliases(pair: &ContractPair<'_>, changes: &mut Changes) {
    for (name, old) in &pair.old.aliases {
        let Some(new) = pair.new.aliases.get(name) else {
            // A struct may have taken the name itself.
            if !pair.new.declares(name) {
                let subject = Subject::new(name, &old.spot);
                let finding = rules::TypeRemoved { kind: &"type", name }.finding();
                changes.add(&subject, finding, [], [&old.spot]);
            }
            continue;
        };
        let likeness = pair.likeness(&old.r#type, &new.r#type);
        if likeness == TypeEquivalence::Same {
            continue;
        }
        let subject = Subject::new(name, &old.spot);
        let (old_type, new_type) = (format!("`{}`", old.r#type), format!("`{}`", new.r#type));
        let (record, field) = ("typedef", name);
        let finding = match likeness {
            TypeEquivalence::Alike => rules::FieldTypeRespelled {
                record: &record,
                field,
                old_type: &old_type,
                new_type: &new_type,
            }
            .finding(),
            _ => rules::FieldTypeChanged {
                record: &record,
                field,
                old_type: &old_type,
                new_type: &new_type,
            }
            .finding(),
        };
        changes.add(&subject, finding, [&new.spot], [&old.spot]);
    }
}

/// Macros that are not known and declared something before: whatever that was, it was not compared.
fn invocations(pair: &ContractPair<'_>, changes: &mut Changes) {
    for (written, old) in &pair.old.invocations {
        if !pair.new.invocations.contains_key(written) {
            let what = format!("`{written}` was there before: a macro that is not known");
            let finding = rules::DeclarationNotRead { what: &what }.finding();
            let finding = finding.with_severity(Severity::Error);
            changes.add(&Subject::new(written, old), finding, [], [old]);
        }
    }
}

/// What is declared in another header of the folder now.
fn moved(pair: &ContractPair<'_>, changes: &mut Changes) {
    // A header that has another name altogether moved nothing.
    if pair.old.files.len() < 2 {
        return;
    }
    let (old, new) = (places(pair.old), places(pair.new));
    for (name, from) in old {
        let Some(to) = new.get(pair.new_name(name)) else { continue };
        if pair.new.files.contains(&from.file) && from.file != to.file {
            let (file, old_file) = (&to.file, &from.file);
            let finding = rules::MovedToAnotherHeader { name: &name, file, old_file }.finding();
            changes.add(&Subject::new(name, to), finding, [*to], [from]);
        }
    }
}

fn places(contract: &HeaderContract) -> BTreeMap<&str, &Spot> {
    let mut places: BTreeMap<&str, &Spot> = BTreeMap::new();
    places.extend(contract.functions.iter().map(|(name, one)| (name.as_str(), &one.spot)));
    places.extend(contract.callbacks.iter().map(|(name, one)| (name.as_str(), &one.spot)));
    places.extend(contract.enums.iter().map(|(name, one)| (name.as_str(), &one.spot)));
    places.extend(contract.structs.iter().map(|(name, one)| (name.as_str(), &one.spot)));
    places
}
