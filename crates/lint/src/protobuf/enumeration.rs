//! Enumerations that changed.

use std::collections::BTreeSet;

use unskew_core::Severity;

use super::change::Changes;
use super::compatibility::leaf;
use super::message::dropped;
use super::model::{Enum, Range, Type, Value};
use super::schema::{Placed, Schema};
use super::scope::Scope;
use crate::rules;

/// All enumerations.
pub(super) fn all(changes: &mut Changes<'_>) {
    let (old, new) = (changes.old, changes.new);
    for (name, was) in &old.enums {
        let scope = scope(name, old).max(scope(name, new));
        let same_leaf = || {
            new.enums.values().find(|other| {
                leaf(&other.is.name) == leaf(name) && !old.enums.contains_key(&other.is.name)
            })
        };
        match new.enums.get(name).or_else(same_leaf) {
            Some(is) => Pair { was, is, scope }.compare(changes),
            None => {
                let rule = rules::EnumRemoved { enumeration: name };
                changes.add((name, scope), rule.finding(), None, Some((&was.file, was.is.line)));
            }
        }
    }
}

/// The gravest scope of the messages that have a field of the enumeration.
fn scope(name: &str, schema: &Schema) -> Scope {
    fn holds(ty: &Type, name: &str) -> bool {
        match ty {
            Type::Enum(other) => other == name,
            Type::Map(_, value) => holds(value, name),
            _ => false,
        }
    }
    let users = schema
        .messages
        .iter()
        .filter(|(_, message)| message.is.fields.iter().any(|field| holds(&field.ty, name)));
    users.map(|(user, _)| schema.scope(user)).max().unwrap_or(Scope::Persisted)
}

struct Pair<'s> {
    was: &'s Placed<Enum>,
    is: &'s Placed<Enum>,
    scope: Scope,
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
        let new = new.map(|line| (self.is.file.as_str(), line));
        let old = old.map(|line| (self.was.file.as_str(), line));
        changes.add((&format!("{}.{value}", self.name()), self.scope), finding, new, old);
    }

    fn compare(&self, changes: &mut Changes<'_>) {
        let (was, is) = (&self.was.is, &self.is.is);
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
            self.old_value(value, told, changes);
        }
        self.reservations(changes);
        let mut seen: BTreeSet<i64> = was.values.iter().map(|value| value.number).collect();
        for value in &is.values {
            let renumbered = was.values.iter().any(|other| other.name == value.name);
            if seen.insert(value.number) && !renumbered {
                self.new_value(value, changes);
            }
        }
    }

    /// What nothing said means: the number, and whether that is told.
    fn zero(&self, changes: &mut Changes<'_>) -> Option<i64> {
        let (was, is) = (&self.was.is, &self.is.is);
        let zero = |side: &Enum| -> Option<Value> {
            let first = side.values.first().cloned();
            if side.closed {
                first
            } else {
                side.values.iter().find(|v| v.number == 0).cloned().or(first)
            }
        };
        let (before, after) = (zero(was)?, zero(is)?);
        let known_by = |name: &str, side: &Enum, number: i64| {
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

    fn old_value(&self, value: &Value, told: Option<i64>, changes: &mut Changes<'_>) {
        let is = &self.is.is;
        let enumeration = &self.name();
        let numbered = || is.values.iter().filter(|other| other.number == value.number);
        let known = |name: &str| self.was.is.values.iter().any(|other| other.name == name);
        let same_number =
            numbered().find(|other| !known(&other.name)).or_else(|| numbered().next());
        let all_names = || {
            is.values
                .iter()
                .filter(|other| other.number == value.number)
                .any(|other| other.name == value.name)
        };
        let same_name = is.values.iter().find(|other| other.name == value.name);
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
                let reserved = is.reserved.iter().any(|range| range.holds(value.number));
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
    fn reservations(&self, changes: &mut Changes<'_>) {
        let (was, is) = (&self.was.is, &self.is.is);
        let used = |range: &Range| is.values.iter().any(|value| range.holds(value.number));
        let named = |name: &str| is.values.iter().any(|value| value.name == name);
        let before = (was.reserved.as_slice(), was.reserved_names.as_slice());
        for reserved in dropped(before, (&is.reserved, &is.reserved_names), &used, &named) {
            let rule = rules::ReservationDropped { message: &self.name(), reserved: &reserved };
            let place = Some((self.is.file.as_str(), is.line));
            changes.add((self.name(), self.scope), rule.finding(), place, None);
        }
    }

    fn new_value(&self, value: &Value, changes: &mut Changes<'_>) {
        let was = &self.was.is;
        let (enumeration, name, number) = (&self.name(), &value.name, &value.number);
        let zero = was.values.first().map_or("nothing", |first| first.name.as_str());
        let finding = if was.reserved.iter().any(|range| range.holds(value.number)) {
            rules::ReservedValueUsed { enumeration, value: name, number }.finding()
        } else if was.closed && self.is.is.closed {
            rules::ClosedEnumValueAdded { enumeration, value: name, number, zero: &zero }.finding()
        } else {
            rules::EnumValueAdded { enumeration, value: name, number }.finding()
        };
        self.add(changes, name, finding, (Some(value.line), None));
    }
}
