//! Enumerations that changed.

use std::collections::{BTreeSet, HashMap, HashSet};

use unskew_core::Severity;

use crate::change::Changes;
use crate::compatibility::leaf;
use crate::index::{self, Ranges};
use crate::message::dropped;
use crate::model::{ProtoEnum, ProtoEnumValue, ProtoType, Range};
use crate::rules;
use crate::schema::{InFile, Schema};
use crate::scope::MessageScope;

pub(crate) fn all(changes: &mut Changes<'_>) {
    let (old, new) = (changes.old, changes.new);
    let scopes = [scopes(old), scopes(new)];
    let came = new.enums.values().filter(|other| !old.enums.contains_key(&other.is.name));
    let mut leaves: HashMap<&str, &InFile<ProtoEnum>> = HashMap::new();
    came.for_each(|other| {
        leaves.entry(leaf(&other.is.name)).or_insert(other);
    });
    for (name, was) in &old.enums {
        let scope_in = |scopes: &HashMap<&str, MessageScope>| {
            scopes.get(name.as_str()).copied().unwrap_or(MessageScope::Persisted)
        };
        let scope = scope_in(&scopes[0]).max(scope_in(&scopes[1]));
        let same_leaf = || leaves.get(leaf(name)).copied();
        match new.enums.get(name).or_else(same_leaf) {
            Some(is) => {
                let used = scopes.iter().any(|side| side.contains_key(name.as_str()))
                    || scopes[1].contains_key(is.is.name.as_str());
                Pair { was, is, scope, used }.compare(changes);
            }
            None => {
                let finding = rules::EnumRemoved { enumeration: name }.finding();
                let used = scopes.iter().any(|side| side.contains_key(name.as_str()));
                let finding = if used { finding } else { no_error(finding) };
                changes.add((name, scope), finding, None, Some((&was.file, was.is.line)));
            }
        }
    }
}

/// The gravest scope of the messages that have a field of each enumeration.
fn scopes(schema: &Schema) -> HashMap<&str, MessageScope> {
    fn used(ty: &ProtoType) -> Option<&str> {
        match ty {
            ProtoType::Enum(name) => Some(name),
            ProtoType::Map(_, value) => used(value),
            _ => None,
        }
    }
    let mut scopes: HashMap<&str, MessageScope> = HashMap::new();
    for (user, message) in &schema.messages {
        for name in message.is.fields.iter().filter_map(|field| used(&field.ty)) {
            let scope = schema.scope(user);
            scopes.entry(name).and_modify(|known| *known = scope.max(*known)).or_insert(scope);
        }
    }
    scopes
}

/// The values of both sides, looked up.
struct Known<'v> {
    by_number: HashMap<i64, &'v ProtoEnumValue>,
    by_name: HashMap<&'v str, &'v ProtoEnumValue>,
    /// The first value of each number whose name is new.
    came: HashMap<i64, &'v ProtoEnumValue>,
    numbers: BTreeSet<i64>,
    new: HashSet<(i64, &'v str)>,
    old_names: HashSet<&'v str>,
    old_reserved: Ranges,
    new_reserved: Ranges,
}

impl<'v> Known<'v> {
    fn new(was: &'v ProtoEnum, is: &'v ProtoEnum) -> Self {
        let old_names: HashSet<&str> = was.values.iter().map(|value| value.name.as_str()).collect();
        let mut came = HashMap::new();
        for value in is.values.iter().filter(|value| !old_names.contains(value.name.as_str())) {
            came.entry(value.number).or_insert(value);
        }
        Self {
            came,
            numbers: is.values.iter().map(|value| value.number).collect(),
            by_number: index::first(&is.values, |value| value.number),
            by_name: index::first(&is.values, |value| value.name.as_str()),
            new: is.values.iter().map(|value| (value.number, value.name.as_str())).collect(),
            old_names,
            old_reserved: Ranges::new(&was.reserved),
            new_reserved: Ranges::new(&is.reserved),
        }
    }
}

struct Pair<'s> {
    was: &'s InFile<ProtoEnum>,
    is: &'s InFile<ProtoEnum>,
    scope: MessageScope,
    /// Whether a field has it as its type, on either side.
    used: bool,
}

/// No bytes hold a value of an enumeration that no field has: only programs name it.
fn no_error(mut finding: unskew_core::Finding) -> unskew_core::Finding {
    finding.severity = finding.severity.min(Severity::Warning);
    finding
}

impl Pair<'_> {
    fn name(&self) -> &str {
        &self.is.is.name
    }

    fn add(
        &self,
        changes: &mut Changes<'_>,
        value: &str,
        finding: unskew_core::Finding,
        (new, old): (Option<usize>, Option<usize>),
    ) {
        let finding = if self.used { finding } else { no_error(finding) };
        let new = new.map(|line| (self.is.file.as_str(), line));
        let old = old.map(|line| (self.was.file.as_str(), line));
        changes.add((&format!("{}.{value}", self.name()), self.scope), finding, new, old);
    }

    fn compare(&self, changes: &mut Changes<'_>) {
        let (was, is) = (&self.was.is, &self.is.is);
        let known = Known::new(was, is);
        let enumeration = &self.name();
        if was.closed != is.closed {
            let word = |closed| if closed { "CLOSED" } else { "OPEN" };
            let plain = |closed| if closed { "closed" } else { "open" };
            let rule = rules::EnumOpenedOrClosed {
                enumeration,
                before: &word(was.closed),
                before_word: &plain(was.closed),
                after: &plain(is.closed),
            };
            self.add(changes, "", rule.finding(), (Some(is.line), Some(was.line)));
        }
        let told = self.zero(changes);
        // Every name of a number counts: JSON and text may have any of them.
        for value in &was.values {
            self.old_value(value, told, &known, changes);
        }
        self.reservations(&known, changes);
        let mut seen: BTreeSet<i64> = was.values.iter().map(|value| value.number).collect();
        for value in &is.values {
            let renumbered = known.old_names.contains(value.name.as_str());
            if seen.insert(value.number) && !renumbered {
                self.new_value(value, &known, changes);
            }
        }
    }

    /// What nothing said means: the number, and whether that is told.
    fn zero(&self, changes: &mut Changes<'_>) -> Option<i64> {
        let (was, is) = (&self.was.is, &self.is.is);
        let zero = |side: &ProtoEnum| -> Option<ProtoEnumValue> {
            let first = side.values.first().cloned();
            if side.closed {
                first
            } else {
                side.values.iter().find(|v| v.number == 0).cloned().or(first)
            }
        };
        let (before, after) = (zero(was)?, zero(is)?);
        let known_by = |name: &str, side: &ProtoEnum, number: i64| {
            side.values.iter().any(|value| value.name == name && value.number == number)
        };
        // Another name for the same number is a second name, or a renaming, which is told as such.
        let renamed = before.number == after.number
            && !was.values.iter().any(|value| value.name == after.name)
            && !is.values.iter().any(|value| value.name == before.name);
        let same = before.name == after.name && before.number == after.number;
        if same || renamed || known_by(&before.name, is, after.number) {
            return None;
        }
        let rule = rules::ZeroValueChanged {
            enumeration: &self.name(),
            before: &before.name,
            after: &after.name,
        };
        self.add(changes, &after.name, rule.finding(), (Some(after.line), Some(before.line)));
        (before.number == after.number).then_some(after.number)
    }

    fn old_value(
        &self,
        value: &ProtoEnumValue,
        told: Option<i64>,
        known: &Known<'_>,
        changes: &mut Changes<'_>,
    ) {
        let is = &self.is.is;
        let enumeration = &self.name();
        let numbered = known.came.get(&value.number).or(known.by_number.get(&value.number));
        let same_number = numbered.copied();
        let all_names = || known.new.contains(&(value.number, value.name.as_str()));
        let same_name = known.by_name.get(value.name.as_str()).copied();
        match (same_number, same_name) {
            (Some(_), _) if all_names() || told == Some(value.number) => {}
            (_, Some(after)) if after.number != value.number => {
                let rule = rules::EnumValueRenumbered {
                    value: &value.name,
                    enumeration,
                    before: &value.number,
                    number: &after.number,
                };
                let lines = (Some(after.line), Some(value.line));
                self.add(changes, &value.name, rule.finding(), lines);
            }
            (Some(after), _) => {
                let rule = rules::EnumValueRenamed {
                    number: &value.number,
                    enumeration,
                    before: &value.name,
                    value: &after.name,
                };
                let lines = (Some(after.line), Some(value.line));
                self.add(changes, &after.name, rule.finding(), lines);
            }
            (None, _) => {
                let reserved = known.new_reserved.hold(value.number);
                let how =
                    if reserved { "; its number is reserved" } else { ", and its number is free" };
                let rule = rules::EnumValueRemoved {
                    number: &value.number,
                    enumeration,
                    value: &value.name,
                    how: &how,
                };
                let severity = if reserved { Severity::Warning } else { Severity::Error };
                let finding = rule.finding().with_severity(severity);
                self.add(changes, &value.name, finding, (Some(is.line), Some(value.line)));
            }
        }
    }

    /// Reserved numbers and names that are free again.
    fn reservations(&self, known: &Known<'_>, changes: &mut Changes<'_>) {
        let (was, is) = (&self.was.is, &self.is.is);
        let used = |range: &Range| {
            range.first <= range.last
                && known.numbers.range(range.first..=range.last).next().is_some()
        };
        let named = |name: &str| known.by_name.contains_key(name);
        let before = (was.reserved.as_slice(), was.reserved_names.as_slice());
        for reserved in dropped(before, (&is.reserved, &is.reserved_names), &used, &named) {
            let rule = rules::ReservationDropped { message: &self.name(), reserved: &reserved };
            let place = Some((self.is.file.as_str(), is.line));
            changes.add((self.name(), self.scope), rule.finding(), place, None);
        }
    }

    fn new_value(&self, value: &ProtoEnumValue, known: &Known<'_>, changes: &mut Changes<'_>) {
        let was = &self.was.is;
        let (enumeration, name, number) = (&self.name(), &value.name, &value.number);
        let zero = was.values.first().map_or("nothing", |first| first.name.as_str());
        let finding = if !self.used {
            rules::EnumValueAdded { enumeration, value: name, number }.finding()
        } else if known.old_reserved.hold(value.number) {
            rules::ReservedValueUsed { enumeration, value: name, number }.finding()
        } else if was.closed && self.is.is.closed {
            rules::ClosedEnumValueAdded { enumeration, value: name, number, zero: &zero }.finding()
        } else {
            rules::EnumValueAdded { enumeration, value: name, number }.finding()
        };
        self.add(changes, name, finding, (Some(value.line), None));
    }
}
