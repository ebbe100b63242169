//! Messages that came, went or changed their shape.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::change::{Changes, Spot};
use crate::field;
use crate::index::{self, Index};
use crate::model::{Presence, ProtoField, ProtoMessage, Range};
use crate::rules;
use crate::schema::InFile;
use crate::scope::MessageScope;

/// A message on both sides.
pub(crate) struct Pair<'s> {
    pub(crate) was: &'s InFile<ProtoMessage>,
    pub(crate) is: &'s InFile<ProtoMessage>,
    pub(crate) scope: MessageScope,
    pub(crate) old: Index<'s>,
    pub(crate) new: Index<'s>,
    /// The cases of each choice on the old and on the new side, of fields that both have.
    pub(crate) cases: [HashMap<&'s str, Vec<&'s ProtoField>>; 2],
    /// The first number that was never used.
    pub(crate) free: i64,
}

impl<'s> Pair<'s> {
    fn new(
        was: &'s InFile<ProtoMessage>,
        is: &'s InFile<ProtoMessage>,
        scope: MessageScope,
    ) -> Self {
        let (old, new) = (Index::new(&was.is), Index::new(&is.is));
        let cases = [index::cases(&was.is, &new), index::cases(&is.is, &old)];
        let free = free(&was.is, &is.is);
        Self { was, is, scope, old, new, cases, free }
    }

    pub(crate) fn name(&self) -> &'s str {
        &self.is.is.name
    }

    pub(crate) fn new_spot(&self, line: usize) -> Option<Spot<'s>> {
        Some((&self.is.file, line))
    }

    pub(crate) fn old_spot(&self, line: usize) -> Option<Spot<'s>> {
        Some((&self.was.file, line))
    }
}

/// The first number that was never used.
fn free(was: &ProtoMessage, is: &ProtoMessage) -> i64 {
    let fields = was.fields.iter().chain(&is.fields).map(|field| field.number);
    let reserved = was.reserved.iter().chain(&is.reserved);
    let reserved = reserved.map(|range| range.last).filter(|last| *last < 1 << 28);
    fields.chain(reserved).max().unwrap_or(0).saturating_add(1)
}

pub(crate) fn all(changes: &mut Changes<'_>) {
    let (old, new) = (changes.old, changes.new);
    let renamed = changes.renamed.clone();
    for (name, was) in &old.messages {
        let now = renamed.get(name.as_str()).copied().unwrap_or(name);
        let scope = old.scope(name).max(new.scope(now));
        let Some(is) = new.messages.get(now) else {
            // What is gone may be what could not be read, which says so itself.
            if new.problems.iter().any(|(file, _)| *file == was.file) {
                continue;
            }
            let rule = rules::MessageRemoved { message: name };
            changes.add(
                (name, old.scope(name)),
                rule.finding(),
                None,
                Some((&was.file, was.is.line)),
            );
            continue;
        };
        let pair = Pair::new(was, is, scope);
        if now != name {
            let rule = rules::MessageRenamed { message: &now, before: name };
            let (is, was) = (pair.new_spot(is.is.line), pair.old_spot(was.is.line));
            changes.add((now, scope), rule.finding(), is, was);
        }
        compare(&pair, changes);
    }
    let taken: BTreeSet<&str> = renamed.values().copied().collect();
    for (name, is) in &new.messages {
        if !old.messages.contains_key(name) && !taken.contains(name.as_str()) {
            let scope = new.scope(name);
            let rule = rules::MessageAdded { message: name, scope: &scope.as_str() };
            changes.add((name, scope), rule.finding(), Some((&is.file, is.is.line)), None);
        }
    }
}

fn compare(pair: &Pair<'_>, changes: &mut Changes<'_>) {
    let (was, is) = (&pair.was.is, &pair.is.is);
    for before in &was.fields {
        let (same_number, same_name) =
            (pair.new.number(before.number), pair.new.name(&before.name));
        match (same_number, same_name) {
            (Some(after), _) => field::changed(pair, before, after, changes),
            (None, Some(after)) if pair.old.number(after.number).is_none() => {
                renumbered(pair, before, after, changes);
            }
            // The name went to a number of another field, which says so itself.
            // What is gone may be what could not be read, which says so itself.
            (None, _) if is.damaged => {}
            (None, _) => removed(pair, before, changes),
        }
    }
    for field in &is.fields {
        if pair.old.number(field.number).or(pair.old.name(&field.name)).is_none() {
            added(pair, field, changes);
        }
    }
    reservations(pair, changes);
    extensions(pair, changes);
}

fn renumbered(pair: &Pair<'_>, before: &ProtoField, after: &ProtoField, changes: &mut Changes<'_>) {
    let rule = rules::FieldRenumbered {
        field: &after.name,
        message: &pair.name(),
        before: &before.number,
        number: &after.number,
    };
    let (is, was) = (pair.new_spot(after.line), pair.old_spot(before.line));
    changes.add((&subject(pair, &after.name), pair.scope), rule.finding(), is, was);
}

fn removed(pair: &Pair<'_>, before: &ProtoField, changes: &mut Changes<'_>) {
    let is = &pair.is.is;
    let reserved = |ranges: &index::Ranges| ranges.hold(before.number);
    let (message, field, number) = (&pair.name(), &before.name, &before.number);
    let name_reserved = pair.new.is_reserved(&before.name);
    // The fields of others are not reserved but left out.
    let foreign = pair.name().starts_with("extensions of ");
    let finding = if !reserved(&pair.new.reserved) && !reserved(&pair.new.extensions) && !foreign {
        rules::FieldNumberNotReserved { message, field, number }.finding()
    } else if !name_reserved && pair.new.name(&before.name).is_none() {
        rules::FieldNameNotReserved { message, field }.finding()
    } else {
        rules::FieldRemovedAndReserved { message, field, number }.finding()
    };
    let subject = (subject(pair, &before.name), pair.scope);
    let (spot, old) = (pair.new_spot(is.line), pair.old_spot(before.line));
    changes.add((&subject.0, subject.1), finding, spot, old);
    if before.presence == Presence::Required {
        let rule = rules::RequiredRelaxed { message, field, how: &"is gone" };
        changes.add((&subject.0, subject.1), rule.finding(), spot, old);
    }
}

fn added(pair: &Pair<'_>, field: &ProtoField, changes: &mut Changes<'_>) {
    let (message, name, number) = (&pair.name(), &field.name, &field.number);
    let free = pair.free;
    let finding = if pair.old.reserved.hold(field.number) {
        rules::ReservedNumberUsed { message, field: name, number, free: &free }.finding()
    } else if pair.old.is_reserved(&field.name) {
        rules::ReservedNameUsed { message, field: name }.finding()
    } else if field.presence == Presence::Required {
        rules::RequiredFieldAdded { message, field: name, number }.finding()
    } else {
        rules::MessageFieldAdded { message, field: name, number }.finding()
    };
    let subject = subject(pair, &field.name);
    changes.add((&subject, pair.scope), finding, pair.new_spot(field.line), None);
}

/// What was reserved and is free now. What a new field took is told with that field.
fn reservations(pair: &Pair<'_>, changes: &mut Changes<'_>) {
    let (was, is) = (&pair.was.is, &pair.is.is);
    let kept: Vec<Range> = is.reserved.iter().chain(&is.extension_ranges).copied().collect();
    let used = |range: &Range| pair.new.uses(range);
    let named = |name: &str| pair.new.name(name).is_some();
    let before = (was.reserved.as_slice(), was.reserved_names.as_slice());
    for reserved in dropped(before, (&kept, &is.reserved_names), &used, &named) {
        let rule = rules::ReservationDropped { message: &pair.name(), reserved: &reserved };
        let spot = pair.new_spot(is.line);
        changes.add((pair.name(), pair.scope), rule.finding(), spot, None);
    }
}

/// Reserved numbers and names that neither are reserved any more nor used, as they are written.
pub(crate) fn dropped(
    (ranges, names): (&[Range], &[String]),
    (kept, kept_names): (&[Range], &[String]),
    used: &dyn Fn(&Range) -> bool,
    named: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let (kept, kept_names) = (index::Ranges::new(kept), kept_names.iter().collect::<HashSet<_>>());
    let covered = |range: &Range| kept.surround(range.first, range.last) || spanned(range, &kept);
    let ranges = ranges.iter().filter(|range| !covered(range) && !used(range)).map(shown);
    let names = names.iter().filter(|name| !kept_names.contains(name) && !named(name));
    ranges.chain(names.map(|name| format!("\"{name}\""))).collect()
}

/// Whether several ranges hold a short one together.
fn spanned(range: &Range, ranges: &index::Ranges) -> bool {
    const SHORT: i64 = 4096;
    range.last.saturating_sub(range.first) < SHORT && ranges.span(range.first, range.last)
}

fn extensions(pair: &Pair<'_>, changes: &mut Changes<'_>) {
    let (was, is) = (&pair.was.is, &pair.is.is);
    for range in &was.extension_ranges {
        let kept = pair.new.extensions.surround(range.first, range.last)
            || spanned(range, &pair.new.extensions);
        if !kept {
            let rule = rules::ExtensionRangeShrunk { message: &pair.name(), range: &shown(range) };
            let (is, was) = (pair.new_spot(is.line), pair.old_spot(range.line));
            changes.add((pair.name(), pair.scope), rule.finding(), is, was);
        }
    }
}

fn shown(range: &Range) -> String {
    if range.first == range.last {
        range.first.to_string()
    } else {
        format!("{} to {}", range.first, range.last)
    }
}

pub(crate) fn subject(pair: &Pair<'_>, field: &str) -> String {
    format!("{}.{field}", pair.name())
}
