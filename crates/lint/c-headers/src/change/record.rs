//! Structs: which came and went, and how those that stayed changed.

use std::collections::BTreeSet;

use unskew_core::{Finding, Severity};

use super::align::Alignment;
use super::embedded::Embedded;
use super::header_change::{Changes, Comparing, subject};
use super::pair::ContractPair;
use super::words::{bytes, count, list};
use super::{field, size};
use crate::contract::{Extent, HeaderContract, HeaderMember, HeaderStruct, Uses};
use crate::header::{CType, RecordKind};
use crate::rules;

pub fn all(pair: &ContractPair<'_>, changes: &mut Changes) {
    let mut embedded = Embedded::default();
    for (name, old) in &pair.old.structs {
        let new_name = pair.new_name(name);
        let Some(new) = pair.new.struct_named(new_name) else {
            gone(pair, old, changes);
            continue;
        };
        if new_name != name && new.name == new_name {
            let (kind, old_name, new_name) = (word(old), &old.name, &new.name);
            let finding = rules::TypeRenamed { kind: &kind, old_name, new_name }.finding();
            changes.add(&subject(new), finding, [&new.spot], [&old.spot]);
        }
        let (wrapped, unwrapped) = (unwrap(pair.old, old, new), unwrap(pair.new, new, old));
        let old = wrapped.as_ref().unwrap_or(old);
        let mut one = Comparing {
            pair,
            old,
            new: unwrapped.as_ref().unwrap_or(new),
            changes,
            subject: subject(new),
        };
        one.compare(&mut embedded);
        if new.name == new_name {
            size::compare(Some(old), new, changes);
            size::alignment(Some(old), new, changes);
        }
    }
    // What was another name of a struct, and is one of its own.
    for (name, new) in &pair.new.structs {
        if pair.old.structs.contains_key(name) {
            continue;
        }
        if let Some(old) = pair.old.struct_named(name) {
            let subject = subject(new);
            Comparing { pair, old, new, changes, subject }.compare(&mut embedded);
        }
    }
    for (name, new) in &pair.new.structs {
        if !pair.old.structs.contains_key(name) && !pair.had_another_name(name) {
            size::compare(None, new, changes);
            size::alignment(None, new, changes);
        }
    }
    embedded.report(pair, changes);
}

/// A struct with the fields of its first field in the place of that one, if the other struct has them
/// written out: a base that is held by value lies where its fields would.
fn unwrap(
    contract: &HeaderContract,
    record: &HeaderStruct,
    other: &HeaderStruct,
) -> Option<HeaderStruct> {
    let (first, theirs) = (record.members.first()?, other.members.first()?);
    if first.name == theirs.name {
        return None;
    }
    let CType::Named { name, .. } = &first.r#type else { return None };
    let inner = contract.structs.get(name)?;
    let written_out = inner.members.first().is_some_and(|member| member.name == theirs.name);
    if !written_out || inner.name == record.name {
        return None;
    }
    let mut unwrapped = record.clone();
    let rest = unwrapped.members.split_off(1);
    unwrapped.members.clone_from(&inner.members);
    unwrapped.members.extend(rest);
    Some(unwrapped)
}

fn word(record: &HeaderStruct) -> &'static str {
    match record.kind {
        RecordKind::Struct => "struct",
        RecordKind::Union => "union",
    }
}

fn gone(pair: &ContractPair<'_>, old: &HeaderStruct, changes: &mut Changes) {
    if let Some(alias) = pair.new.aliases.get(&old.name) {
        let (old_type, new_type) = (format!("a {}", word(old)), format!("`{}`", alias.r#type));
        let (record, field) = ("typedef", &old.name);
        let finding = rules::FieldTypeChanged {
            record: &record,
            field,
            old_type: &old_type,
            new_type: &new_type,
        };
        changes.add(&subject(old), finding.finding(), [&alias.spot], [&old.spot]);
    } else if !old.name.is_empty() {
        let finding = rules::TypeRemoved { kind: &word(old), name: &old.name }.finding();
        changes.add(&subject(old), finding, [], [&old.spot]);
        field::before_its_time(pair, &subject(old), &old.remark, &old.name, &old.spot, changes);
    }
}

impl Comparing<'_, '_> {
    fn compare(&mut self, embedded: &mut Embedded) {
        let alignment = Alignment::new(self.pair, self.old, self.new);
        let before = self.changes.list.len();
        self.attributes();
        self.fields(&alignment);
        self.reordered(&alignment);
        self.replaced(&alignment);
        let mut moves = self.removed(&alignment);
        moves |= self.inserted(&alignment);
        self.appended(&alignment);
        moves |= self.changes.list.get(before..).is_some_and(|found| {
            found
                .iter()
                .any(|c| matches!(c.finding.rule.code, "HD105" | "HD106" | "HD117" | "HD118"))
        });
        embedded.look(self.pair, self.old, self.new, &alignment, !moves);
    }

    fn attributes(&mut self) {
        let (old, new) = (&self.old.attributes, &self.new.attributes);
        if old != new {
            let words = |list: &[String]| match list.join(" ") {
                text if text.is_empty() => "none".to_owned(),
                text => text,
            };
            let (record, old, new) = (&self.new.name, &words(old), &words(new));
            let finding = rules::AttributesChanged { record, old, new }.finding();
            self.whole(finding);
        }
    }

    fn whole(&mut self, finding: Finding) {
        self.changes.add(&self.subject, finding, [&self.new.spot], [&self.old.spot]);
    }

    fn reordered(&mut self, alignment: &Alignment) {
        let moved = alignment.reordered.iter().filter_map(|index| self.old.members.get(*index));
        let places: Vec<_> = moved.map(|member| &member.spot).collect();
        if places.is_empty() {
            return;
        }
        // With each field that went, the one whose place it took.
        let mut names: Vec<&str> = Vec::new();
        let mut seen = BTreeSet::new();
        for index in &alignment.reordered {
            let here = alignment.to_new.get(*index).copied().flatten();
            let there = here.and_then(|at| self.old.members.get(at));
            let own = self.old.members.get(*index);
            for member in own.into_iter().chain(there) {
                if seen.insert(member.name.as_str()) {
                    names.push(&member.name);
                }
            }
        }
        let record = &self.new.name;
        let finding = rules::FieldsReordered { record, fields: &list(names) }.finding();
        let new = alignment.reordered.iter().filter_map(|index| {
            let at = alignment.to_new.get(*index).copied().flatten()?;
            Some(&self.new.members.get(at)?.spot)
        });
        self.changes.add(&self.subject, finding, new, places);
    }

    /// How many fields lie elsewhere, in words; empty if none does.
    pub fn moved(&self, alignment: &Alignment) -> String {
        let pairs = alignment.to_new.iter().enumerate().filter_map(|(index, at)| {
            let (old, new) = (self.old.members.get(index)?, self.new.members.get((*at)?)?);
            Some((old, new, old.offset?, new.offset?))
        });
        let moved: Vec<_> = pairs.filter(|(_, _, from, to)| from != to).collect();
        match moved.first() {
            Some((_, first, from, to)) => format!(
                "{} moved, the first of them `{}` from {from} to {to}",
                count(moved.len(), "field"),
                first.name
            ),
            None => String::new(),
        }
    }

    /// New functions of which the header does not say that they may be left out.
    pub fn required(&mut self, added: &[&HeaderMember]) {
        let wanted: Vec<_> = added
            .iter()
            .filter(|m| m.is_function && !m.remark.optional && !m.remark.no_op)
            .filter(|_| self.old.is_table())
            .collect();
        if !wanted.is_empty() {
            let fields = list(wanted.iter().map(|member| &member.name));
            let record = &self.new.name;
            let finding = rules::CallbackRequired { record, fields: &fields }.finding();
            self.changes.add(&self.subject, finding, wanted.iter().map(|m| &m.spot), []);
        }
    }

    /// New fields at the end.
    fn appended(&mut self, alignment: &Alignment) {
        let first = alignment.last_kept().map_or(0, |last| last + 1);
        let added = self.new.members.iter().enumerate().skip(first);
        let added: Vec<_> =
            added.filter(|(at, _)| alignment.is_added(*at)).map(|(_, member)| member).collect();
        let Some(field) = added.first().copied() else { return };
        let fields = list(added.iter().map(|member| &member.name));
        let record = &self.new.name;
        let (end, old_end) = (bytes(self.new.end()), bytes(self.old.end()));
        let union = self.old.kind == RecordKind::Union;
        let grew = self.new.size() != self.old.size() || self.new.size().is_none();
        let finding = if union && !grew {
            rules::Added { names: &fields }.finding()
        } else if !self.old.is_extensible() {
            let user = used(&self.new.uses);
            rules::FixedStructGrew { record, fields: &fields, user: &user }.finding()
        } else if self.new.is_table() && added.iter().all(|member| member.is_function) {
            rules::FunctionAppended { record, fields: &fields, end: &end, old_end: &old_end }
                .finding()
        } else {
            rules::FieldAppended { record, fields: &fields, end: &end, old_end: &old_end }.finding()
        };
        self.changes.add(&self.subject, finding, added.iter().map(|m| &m.spot), []);
        self.required(&added);
        if !self.old.is_extensible() {
            return;
        }
        if let (Some(size), Some(offset), Some(end)) = (self.old.size(), field.offset, field.end())
            && offset < size
        {
            let finding = rules::FieldInTailPadding {
                record,
                field: &field.name,
                field_end: &end,
                size: &size,
            };
            let mut finding = finding.finding();
            // Whoever announced the padding as well said that this field is there.
            if self.old.announced.iter().any(|announced| announced.extent == Extent::Whole) {
                finding = finding.with_severity(Severity::Error);
            }
            self.changes.add(&self.subject, finding, [&field.spot], []);
        }
        if let (Some(old_size), Some(size), Some(user)) =
            (self.old.size(), self.new.size(), self.old.uses.element_of.first())
            && old_size != size
        {
            let finding =
                rules::ArrayElementGrew { record, user, size: &size, old_size: &old_size };
            self.whole(finding.finding());
        }
    }

    /// New fields that lie where others lay.
    fn replaced(&mut self, alignment: &Alignment) {
        for (index, at) in &alignment.replaced {
            let (Some(old), Some(new)) = (self.old.members.get(*index), self.new.members.get(*at))
            else {
                continue;
            };
            // The last of the reserved bytes, all of them at once.
            if old.is_reserved() && old.size.is_some() && old.size >= new.size {
                self.reserved_used(old, &[new]);
                continue;
            }
            let (record, old_name, new_name) = (&self.new.name, &old.name, &new.name);
            let finding = rules::FieldReplaced { record, old_name, new_name }.finding();
            self.changes.add(&self.subject, finding, [&new.spot], [&old.spot]);
        }
    }
}

/// Where a struct is used in a way that fixes its size, in words.
fn used(uses: &Uses) -> String {
    let one = |set: &std::collections::BTreeSet<String>, how: &str| {
        set.first().map(|place| format!("; `{place}` {how}"))
    };
    one(&uses.element_of, "has many in a row")
        .or_else(|| one(&uses.embedded_in, "holds it by value"))
        .or_else(|| one(&uses.by_value, "takes or returns it by value"))
        .unwrap_or_default()
}
