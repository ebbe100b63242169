//! Enumerations and constants: their values.

use super::header_change::{Changes, Subject};
use super::pair::ContractPair;
use super::words::list;
use crate::contract::{Constant, ConstantValue, HeaderEnum};
use crate::header::Enumerator;
use crate::rules;
use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};

/// Compares all enumerations and constants.
pub fn all(pair: &ContractPair<'_>, changes: &mut Changes) {
    for (name, old) in &pair.old.enums {
        let new_name = pair.new_name(name);
        let subject = Subject::new(name, &old.spot);
        let Some(new) = pair.new.enum_named(new_name) else {
            if !pair.new.declares(new_name) {
                let finding = rules::TypeRemoved { kind: &"enumeration", name }.finding();
                changes.add(&subject, finding, [], [&old.spot]);
            }
            continue;
        };
        if new_name != name && pair.new.enums.contains_key(new_name) {
            let finding =
                rules::TypeRenamed { kind: &"enumeration", old_name: name, new_name: &new_name };
            changes.add(&subject, finding.finding(), [&new.spot], [&old.spot]);
        }
        compare(new_name, old, new, changes);
    }
    constants(pair, changes);
}

fn compare(name: &str, old: &HeaderEnum, new: &HeaderEnum, changes: &mut Changes) {
    let subject = Subject::new(name, &new.spot);
    let (was, is) = (&old.declared, &new.declared);
    if was.underlying != is.underlying {
        let word = |text: &str| if text.is_empty() { "int".to_owned() } else { text.to_owned() };
        let (old_type, new_type) = (word(&was.underlying), word(&is.underlying));
        if old_type != new_type {
            let finding =
                rules::EnumerationResized { name: &name, old_type: &old_type, new_type: &new_type };
            changes.add(&subject, finding.finding(), [&new.spot], [&old.spot]);
        }
    }
    let by_name: HashMap<&str, &Enumerator> =
        is.enumerators.iter().map(|value| (value.name.as_str(), value)).collect();
    let old_names: HashMap<&str, &Enumerator> =
        was.enumerators.iter().map(|value| (value.name.as_str(), value)).collect();
    // A new name of an old number, where the old name is gone.
    let mut fresh: HashMap<i64, &Enumerator> = HashMap::new();
    for value in is.enumerators.iter().filter(|v| !old_names.contains_key(v.name.as_str())) {
        if let Some(number) = value.value {
            fresh.entry(number).or_insert(value);
        }
    }
    let mut renamed: HashSet<&str> = HashSet::new();
    for old_value in &was.enumerators {
        let value = &old_value.name;
        let found = by_name.get(value.as_str());
        // Most values are what they were.
        if found.is_some_and(|new| old_value.active <= new.active && same(old_value, new)) {
            continue;
        }
        let old_number = number(old_value);
        let finding = match found {
            // What was built has the number; what is compiled from now on does not find the name.
            Some(new_value) if old_value.active && !new_value.active => {
                let condition = new_value.conditions.last().map_or("", String::as_str);
                rules::DeclaredUnderCondition { name: value, condition: &condition }.finding()
            }
            Some(_) if is_end(was, old_value) => continue,
            Some(new_value) => rules::EnumeratorRenumbered {
                name: &name,
                value,
                number: &number(new_value),
                old_number: &old_number,
            }
            .finding(),
            None => match old_value.value.and_then(|number| fresh.get(&number)) {
                Some(other) => {
                    renamed.insert(&other.name);
                    rules::EnumeratorRenamed {
                        name: &name,
                        number: &old_number,
                        old_name: value,
                        new_name: &other.name,
                    }
                    .finding()
                }
                None => rules::EnumeratorRemoved { name: &name, value, old_number: &old_number }
                    .finding(),
            },
        };
        changes.add(&subject, finding, [&new.spot], [&old.spot]);
    }
    let come = is.enumerators.iter().filter(|value| {
        !old_names.contains_key(value.name.as_str()) && !renamed.contains(value.name.as_str())
    });
    let come: Vec<&Enumerator> = come.collect();
    if !come.is_empty() {
        let values = list(come.iter().map(|value| &value.name));
        let finding = rules::EnumeratorAppended { name: &name, values: &values }.finding();
        changes.add(&subject, finding, [&new.spot], []);
    }
}

fn number(value: &Enumerator) -> String {
    value.value.map_or_else(|| value.expression.clone(), |number| number.to_string())
}

fn same(a: &Enumerator, b: &Enumerator) -> bool {
    a.value == b.value && (a.value.is_some() || a.expression == b.expression)
}

/// Whether a value only says how many there are, and so moves with every value that is added.
fn is_end(of: &crate::header::EnumDeclaration, value: &Enumerator) -> bool {
    let name = value.name.to_ascii_uppercase();
    let word = name.rsplit('_').next().unwrap_or_default();
    // Some enumerations say where they begin and end, and how long they are, anywhere.
    if ["_BEGIN_RANGE", "_END_RANGE", "_RANGE_SIZE"].iter().any(|part| name.contains(part)) {
        return true;
    }
    let last = of.enumerators.last().is_some_and(|last| last.name == value.name);
    let ends = ["COUNT", "MAX", "LAST", "NUM", "SIZE", "END", "SENTINEL", "ENTRIES"];
    let prefixed = ["KNUM", "KMAX", "KLAST", "KCOUNT"].iter().any(|p| name.starts_with(p));
    last && (ends.contains(&word) || prefixed || name.contains("_NUM_"))
}

fn constants(pair: &ContractPair<'_>, changes: &mut Changes) {
    let text = |constant: &Constant| match &constant.value {
        ConstantValue::Number(number) => number.to_string(),
        ConstantValue::Text(text) => text.clone(),
    };
    for (name, old) in &pair.old.constants {
        let now = pair.new.constants.get(name);
        if now.is_some_and(|new| new.value == old.value) {
            continue;
        }
        let subject = Subject::new(name, &old.spot);
        let old_value = text(old);
        match now {
            Some(new) => {
                let new_value = text(new);
                let finding =
                    rules::ConstantChanged { name, old_value: &old_value, new_value: &new_value };
                changes.add(&subject, finding.finding(), [&new.spot], [&old.spot]);
            }
            None => {
                let finding = rules::ConstantRemoved { name, old_value: &old_value }.finding();
                changes.add(&subject, finding, [], [&old.spot]);
            }
        }
    }
}
