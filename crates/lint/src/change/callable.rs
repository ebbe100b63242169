//! Functions and types of functions: which came and went, and what they take and return.

use std::collections::BTreeMap;

use unskew_core::Finding;

use super::likeness::{Likeness, parameters};
use super::pair::Pair;
use super::{Changes, Subject, field, standing};
use crate::contract::{Contract, Function, Remark, Spot};
use crate::header::Type;
use crate::rules;

/// Compares all functions, types of functions, and other names of types.
pub fn all(pair: &Pair<'_>, changes: &mut Changes) {
    functions(pair, changes);
    callbacks(pair, changes);
    aliases(pair, changes);
    moved(pair, changes);
    let users = standing::users(pair.old);
    for (name, old) in &pair.old.opaque {
        // Nobody misses what nobody used.
        if !users.contains_key(name.as_str()) {
            continue;
        }
        let gone = !pair.new.declares(pair.new_name(name)) && !pair.old.structs.contains_key(name);
        if gone {
            let finding = rules::TypeRemoved { kind: &"opaque type", name }.finding();
            changes.add(&Subject::of(name, old), finding, [], [old]);
        }
    }
}

fn functions(pair: &Pair<'_>, changes: &mut Changes) {
    for (name, old) in &pair.old.functions {
        let subject = |function: &Function| Subject::of(name, &function.spot);
        match pair.new.functions.get(name) {
            Some(new) => compare(pair, name, old, new, changes),
            None => {
                let finding = rules::FunctionGone { name }.finding();
                changes.add(&subject(old), finding, [], [&old.spot]);
                field::before_its_time(pair, &subject(old), &old.remark, name, &old.spot, changes);
            }
        }
    }
}

fn callbacks(pair: &Pair<'_>, changes: &mut Changes) {
    for (name, old) in &pair.old.callbacks {
        let new_name = pair.new_name(name);
        let subject = Subject::of(name, &old.spot);
        let Some(new) = pair.new.callbacks.get(new_name) else {
            if !pair.new.declares(new_name) {
                let finding = rules::TypeRemoved { kind: &"type of functions", name }.finding();
                changes.add(&subject, finding, [], [&old.spot]);
                field::before_its_time(pair, &subject, &old.remark, name, &old.spot, changes);
            }
            continue;
        };
        if new_name != name {
            renamed("type of functions", name, new_name, (&new.spot, &old.spot), changes);
        }
        compare(pair, new_name, old, new, changes);
    }
}

fn renamed(kind: &str, old: &str, new: &str, spots: (&Spot, &Spot), changes: &mut Changes) {
    let finding = rules::TypeRenamed { kind: &kind, old_name: &old, new_name: &new }.finding();
    changes.add(&Subject::of(new, spots.0), finding, [spots.0], [spots.1]);
}

fn compare(pair: &Pair<'_>, name: &str, old: &Function, new: &Function, changes: &mut Changes) {
    let subject = Subject::of(name, &new.spot);
    let likeness = pair.likeness(&old.r#type, &new.r#type);
    if likeness != Likeness::Same {
        let what = difference(pair, &old.r#type, &new.r#type);
        let finding = match likeness {
            Likeness::Different => rules::SignatureChanged { name: &name, what: &what }.finding(),
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

/// In which way two types of functions differ.
pub fn difference(pair: &Pair<'_>, old: &Type, new: &Type) -> String {
    let (Some((a, x)), Some((b, y))) = (parameters(old), parameters(new)) else {
        return format!("it is `{new}`, and was `{old}`");
    };
    if x.len() != y.len() {
        return format!("it takes {} parameters, and took {}", y.len(), x.len());
    }
    let mut said = Vec::new();
    if pair.likeness(a, b) != Likeness::Same {
        said.push(format!("it returns `{b}`, and returned `{a}`"));
    }
    for (index, (x, y)) in x.iter().zip(y).enumerate() {
        if pair.likeness(&x.r#type, &y.r#type) != Likeness::Same {
            let number = index + 1;
            said.push(format!("parameter {number} is `{}`, and was `{}`", y.r#type, x.r#type));
        }
    }
    match said.is_empty() {
        true => "it takes a variable number of parameters in one of the two".to_owned(),
        false => said.join("; "),
    }
}

/// Other names of types: what they stand for.
fn aliases(pair: &Pair<'_>, changes: &mut Changes) {
    for (name, old) in &pair.old.aliases {
        let subject = Subject::of(name, &old.spot);
        let Some(new) = pair.new.aliases.get(name) else {
            // A struct may have taken the name itself.
            if !pair.new.declares(name) {
                let finding = rules::TypeRemoved { kind: &"type", name }.finding();
                changes.add(&subject, finding, [], [&old.spot]);
            }
            continue;
        };
        let (old_type, new_type) = (format!("`{}`", old.r#type), format!("`{}`", new.r#type));
        let (record, field) = ("typedef", name);
        let finding = match pair.likeness(&old.r#type, &new.r#type) {
            Likeness::Same => continue,
            Likeness::Alike => rules::FieldTypeRespelled {
                record: &record,
                field,
                old_type: &old_type,
                new_type: &new_type,
            }
            .finding(),
            Likeness::Different => rules::FieldTypeChanged {
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

/// What is declared in another header of the folder now.
fn moved(pair: &Pair<'_>, changes: &mut Changes) {
    let (old, new) = (places(pair.old), places(pair.new));
    for (name, from) in old {
        let Some(to) = new.get(pair.new_name(name)) else { continue };
        // A header that has another name altogether moved nothing.
        let both = pair.new.files.contains(&from.file) && pair.old.files.len() > 1;
        if both && from.file != to.file {
            let (file, old_file) = (&to.file, &from.file);
            let finding = rules::MovedToAnotherHeader { name: &name, file, old_file }.finding();
            changes.add(&Subject::of(name, to), finding, [*to], [from]);
        }
    }
}

fn places(contract: &Contract) -> BTreeMap<&str, &Spot> {
    let mut places: BTreeMap<&str, &Spot> = BTreeMap::new();
    places.extend(contract.functions.iter().map(|(name, one)| (name.as_str(), &one.spot)));
    places.extend(contract.callbacks.iter().map(|(name, one)| (name.as_str(), &one.spot)));
    places.extend(contract.enums.iter().map(|(name, one)| (name.as_str(), &one.spot)));
    places.extend(contract.structs.iter().map(|(name, one)| (name.as_str(), &one.spot)));
    places
}
