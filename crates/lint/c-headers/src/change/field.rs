//! Single fields: their types, names and remarks, and those that are gone.

use super::align::Alignment;
use super::header_change::Comparing;
use super::header_change::{Changes, Subject};
use super::insertion;
use super::pair::ContractPair;
use super::type_equivalence::TypeEquivalence;
use crate::contract::{Deadline, HeaderMember, Remark, Spot};
use crate::header::CType;
use crate::rules;

impl Comparing<'_, '_> {
    /// Fields that stayed: their types, names and remarks.
    pub fn fields(&mut self, alignment: &Alignment) {
        for (index, at) in alignment.to_new.iter().enumerate() {
            let (Some(old), Some(new)) =
                (self.old.members.get(index), at.and_then(|at| self.new.members.get(at)))
            else {
                continue;
            };
            self.types(old, new);
            self.deprecated(old, new);
            self.no_op(old, new);
        }
        for (index, at) in &alignment.renamed {
            let (Some(old), Some(new)) = (self.old.members.get(*index), self.new.members.get(*at))
            else {
                continue;
            };
            if self.old.is_behind_handle() && self.new.is_behind_handle() {
                continue;
            }
            let (record, old_name, new_name) = (&self.new.name, &old.name, &new.name);
            let finding = rules::FieldRenamed { record, old_name, new_name }.finding();
            self.changes.add(&self.subject, finding, [&new.spot], [&old.spot]);
        }
    }

    fn types(&mut self, old: &HeaderMember, new: &HeaderMember) {
        if insertion::is_used_up(old, new) {
            return;
        }
        let inner = matches!(new.r#type, CType::Record(_)) && old.size != new.size;
        let likeness = match old.bits == new.bits && !inner {
            true => self.pair.likeness(&old.r#type, &new.r#type),
            false => TypeEquivalence::Different,
        };
        if likeness == TypeEquivalence::Same {
            return;
        }
        let (record, field) = (&self.new.name, &new.name);
        let text = |member: &HeaderMember| match member.bits {
            Some(bits) => format!("`{}` of {bits} bits", member.r#type),
            None => format!("`{}`", member.r#type),
        };
        let (old_type, new_type) = (text(old), text(new));
        let inline = old.is_function && new.is_function;
        let whole = format!("{record}.{field}");
        let finding = match likeness {
            _ if inline => {
                let what = super::type_equivalence::difference(self.pair, &old.r#type, &new.r#type);
                let constness = super::constness::of_functions(&old.r#type, &new.r#type);
                match likeness {
                    TypeEquivalence::Alike if !constness.is_empty() => {
                        rules::ConstChanged { name: &whole, what: &constness.join("; ") }.finding()
                    }
                    TypeEquivalence::Different => {
                        rules::SignatureChanged { name: &whole, what: &what }.finding()
                    }
                    _ => rules::SignatureRespelled { name: &whole, what: &what }.finding(),
                }
            }
            TypeEquivalence::Alike if super::constness::of_field(&old.r#type, &new.r#type) => {
                let what = format!("it is {new_type}, and was {old_type}");
                rules::ConstChanged { name: &whole, what: &what }.finding()
            }
            TypeEquivalence::Alike => rules::FieldTypeRespelled {
                record,
                field,
                old_type: &old_type,
                new_type: &new_type,
            }
            .finding(),
            _ => {
                rules::FieldTypeChanged { record, field, old_type: &old_type, new_type: &new_type }
                    .finding()
            }
        };
        self.changes.add(&self.subject, finding, [&new.spot], [&old.spot]);
    }

    /// What did nothing as 0 or NULL, and is not said to any more.
    fn no_op(&mut self, old: &HeaderMember, new: &HeaderMember) {
        if old.remark.no_op && !new.remark.no_op {
            let name = format!("{}.{}", self.new.name, new.name);
            let finding = rules::NoOpTakenBack { name: &name }.finding();
            self.changes.add(&self.subject, finding, [&new.spot], [&old.spot]);
        }
    }

    fn deprecated(&mut self, old: &HeaderMember, new: &HeaderMember) {
        if old.remark.deprecated.is_some() || new.remark.deprecated.is_none() {
            return;
        }
        let name = format!("{}.{}", self.new.name, new.name);
        let finding = match old.remark.no_op || new.remark.no_op {
            true => rules::Deprecated { name: &name }.finding(),
            false => rules::DeprecatedWithoutNoOp { name: &name }.finding(),
        };
        self.changes.add(&self.subject, finding, [&new.spot], [&old.spot]);
    }

    /// Fields that are gone; whether others moved because of it.
    pub fn removed(&mut self, alignment: &Alignment) -> bool {
        let moved = self.moved(alignment);
        let moved_words = if moved.is_empty() { String::new() } else { format!(": {moved}") };
        let mut found = false;
        let record = &self.new.name;
        let last_stayed = alignment.to_new.iter().rposition(Option::is_some);
        for (index, old) in self.old.members.iter().enumerate() {
            if !alignment.is_removed(index) {
                continue;
            }
            found = true;
            let in_front = last_stayed.is_some_and(|last| index < last);
            let moved: &str = if in_front { &moved_words } else { "" };
            let field = &old.name;
            let finding = if old.remark.deprecated.is_some() {
                rules::DeprecatedFieldRemoved { record, field, moved: &moved }.finding()
            } else if old.is_function && self.old.is_table() {
                rules::FunctionRemoved { record, field, moved: &moved }.finding()
            } else {
                rules::FieldRemoved { record, field, moved: &moved }.finding()
            };
            self.changes.add(&self.subject, finding, [&self.new.spot], [&old.spot]);
            let name = format!("{record}.{field}");
            before_its_time(self.pair, &self.subject, &old.remark, &name, &old.spot, self.changes);
        }
        found
    }
}

/// Something that is gone, although its comment says until when it stays.
pub fn before_its_time(
    pair: &ContractPair<'_>,
    subject: &Subject<'_>,
    remark: &Remark,
    name: &str,
    spot: &Spot,
    changes: &mut Changes,
) {
    let Some(until) = remark.deprecated.as_ref().and_then(|d| d.until) else { return };
    // Two single headers are compared, whatever their names.
    let file = match (pair.old.files.len(), pair.new.files.first()) {
        (1, Some(only)) if pair.new.files.len() == 1 => only,
        _ => subject.file,
    };
    let line = pair.new.line_of(file, subject.extension, subject.name);
    let (until, now) = match until {
        Deadline::Version(major, minor) => {
            let Some(line) = line else { return };
            let [now_major, now_minor, ..] = line.key();
            if (now_major, now_minor) >= (major, minor) {
                return;
            }
            (format!("version {major}.{minor}"), format!("version {line}"))
        }
        Deadline::Day(day) => match pair.today {
            Some(today) if today < day => (day.to_string(), today.to_string()),
            _ => return,
        },
    };
    let finding = rules::RemovedBeforeItsTime { name: &name, until: &until, now: &now }.finding();
    changes.add(subject, finding, [], [spot]);
}
