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
        compare(pair, new_name, old, new, changes);
    }
    constants(pair, changes);
}

fn compare(
    pair: &ContractPair<'_>,
    name: &str,
    old: &HeaderEnum,
    new: &HeaderEnum,
    changes: &mut Changes,
) {
    let subject = Subject::new(name, &new.spot);
    let (was, is) = (&old.declared, &new.declared);
    if was.underlying.is_empty() && is.underlying.is_empty() && was.size() != is.size() {
        let word = |bytes: u64| format!("{bytes} bytes");
        let (old_type, new_type) = (word(was.size()), word(is.size()));
        let finding =
            rules::EnumerationResized { name: &name, old_type: &old_type, new_type: &new_type };
        changes.add(&subject, finding.finding(), [&new.spot], [&old.spot]);
    }
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
        if found.is_some_and(|new| same(old_value, new)) {
            continue;
        }
        let old_number = number(old_value);
        let finding = match found {
            Some(_) if is_end(was, old_value) => continue,
            Some(new_value) => rules::EnumeratorRenumbered {
                name: &name,
                value,
                number: &number(new_value),
                old_number: &old_number,
            }
            .finding(),
            // What was built has the number; what is compiled from now on does not find the name.
            None if let Some(condition) = pair.new.left_out.words.get(value) => {
                let value = Subject { name: value, ..subject };
                changes.under_condition("HD210", &value, condition, None, &old.spot);
                continue;
            }
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

/// Whether a value only says how many there are, and so moves with every value that is added: it stands behind all
/// others, and its name says so.
fn is_end(of: &crate::header::EnumDeclaration, value: &Enumerator) -> bool {
    let behind = of.enumerators.iter().skip_while(|other| other.name != value.name);
    // Some enumerations say where they begin and end, and how long they are, anywhere.
    let range = |name: &str| {
        ["_BEGIN_RANGE", "_END_RANGE", "_RANGE_SIZE"].iter().any(|part| name.contains(part))
    };
    range(&value.name.to_ascii_uppercase()) || behind.clone().all(|one| says_end(&one.name))
}

/// Words in the name of a value that is the last one, or one behind it.
const ENDS: [&str; 22] = [
    "COUNT", "COUNTS", "CNT", "MAX", "MAXIMUM", "LAST", "NUM", "NUMBER", "SIZE", "END", "SENTINEL",
    "ENTRIES", "NB", "NTYPES", "LIMIT", "TOTAL", "LENGTH", "LEN", "BOUND", "ENUMMAX", "MARKER",
    "NMEMBERS",
];

fn says_end(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let mut words = upper.split('_').filter(|word| !word.is_empty()).rev();
    let (last, before) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let prefixed = ["KNUM", "KMAX", "KLAST", "KCOUNT"].iter().any(|p| upper.starts_with(p));
    // `E_END_ALL`, `MAX_KINDS`, `TYPE_NUM_KINDS`, `TypeCount`.
    let camel =
        ["Count", "Max", "Last", "End", "Num", "Sentinel"].iter().any(|w| name.ends_with(w));
    ENDS.contains(&last)
        || last.starts_with("LAST")
        || (last == "ALL" && before == "END")
        || matches!(before, "NUM" | "MAX" | "N")
        || upper.contains("_NUM_")
        || upper.starts_with("NUM_")
        || upper.starts_with("MAX_")
        || prefixed
        || camel
}

fn has_enumerator(pair: &ContractPair<'_>, name: &str) -> bool {
    let all = pair.new.enums.values().flat_map(|one| &one.declared.enumerators);
    all.into_iter().any(|value| value.name == name)
}

/// Whether a text or number says which version, build or day it is: it changes with every release.
fn says_version(name: &str, constant: &Constant) -> bool {
    let upper = name.to_ascii_uppercase();
    let mut words = upper.split('_');
    let text = matches!(constant.value, ConstantValue::Text(_));
    let any = ["VERSION", "SOVERSION", "VER", "VERNUM", "VERSTRING", "RELEASE", "REVISION"];
    let of_text = ["DATE", "TIME", "TIMESTAMP", "COMMIT", "HASH", "BUILD", "ID", "COPYRIGHT"];
    words.any(|word| any.contains(&word) || (text && of_text.contains(&word)))
}

fn constants(pair: &ContractPair<'_>, changes: &mut Changes) {
    let text = |constant: &Constant| match &constant.value {
        ConstantValue::Number(number) => number.to_string(),
        ConstantValue::Text(text) => text.clone(),
    };
    for (name, old) in &pair.old.constants {
        if says_version(name, old) {
            continue;
        }
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
            // It is there, and stands for something that is not understood, or for a value of an enumeration.
            None if pair.new.defined.contains(name) || has_enumerator(pair, name) => {}
            None => {
                let finding = rules::ConstantRemoved { name, old_value: &old_value }.finding();
                changes.add(&subject, finding, [], [&old.spot]);
            }
        }
    }
}
