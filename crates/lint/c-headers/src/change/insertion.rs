//! New fields between old ones.

use super::align::Alignment;
use super::header_change::Comparing;
use super::words::{bytes, count, list};
use crate::contract::{HeaderMember, Spot};
use crate::header::RecordKind;
use crate::rules;

/// New fields in a row, and the old one that they stand in front of.
struct Run<'m> {
    fields: Vec<&'m HeaderMember>,
    /// The number of the old field, old and new.
    next: (usize, usize),
}

impl Comparing<'_, '_> {
    /// Reports new fields between old ones; whether any of them moved others.
    pub fn inserted(&mut self, alignment: &Alignment) -> bool {
        if self.old.kind == RecordKind::Union {
            return false;
        }
        let (old, new) = (self.old, self.new);
        let runs = runs(&new.members, alignment);
        let behind = moved_behind(&old.members, &new.members, alignment);
        let mut moves = false;
        for run in runs {
            let (Some(was), Some(is)) = (old.members.get(run.next.0), new.members.get(run.next.1))
            else {
                continue;
            };
            if was.offset.is_some() && was.offset == is.offset {
                for member in run.fields {
                    self.in_padding(member);
                }
                continue;
            }
            if is_used_up(was, is) {
                self.reserved_used(was, &run.fields);
                continue;
            }
            moves = true;
            let moved = match (was.offset, is.offset, behind.get(run.next.1).copied()) {
                (Some(from), Some(to), Some(0 | 1) | None) => {
                    format!("it moved from {from} to {to}")
                }
                (Some(from), Some(to), Some(more)) => {
                    let others = count(more - 1, "field");
                    format!("it moved from {from} to {to}, and {others} behind it moved too")
                }
                _ => "it lies further back".to_owned(),
            };
            self.run(&run, &was.name, &moved);
        }
        let added = new.members.iter().enumerate().take(alignment.last_kept().unwrap_or_default());
        let added: Vec<&HeaderMember> =
            added.filter(|(at, _)| alignment.is_added(*at)).map(|(_, member)| member).collect();
        self.required(&added);
        moves
    }

    /// Fields that lie in bytes which were reserved.
    pub fn reserved_used(&mut self, reserved: &HeaderMember, fields: &[&HeaderMember]) {
        let record = &self.new.name;
        let (fields_in_words, reserved_name) =
            (list(fields.iter().map(|member| &member.name)), &reserved.name);
        let finding =
            rules::ReservedBytesUsed { record, reserved: reserved_name, fields: &fields_in_words };
        let spots: Vec<&Spot> = fields.iter().map(|member| &member.spot).collect();
        self.changes.add(&self.subject, finding.finding(), spots, [&reserved.spot]);
    }

    fn in_padding(&mut self, member: &HeaderMember) {
        let (record, field) = (&self.new.name, &member.name);
        let (offset, bytes) = (bytes(member.offset), bytes(member.size));
        let last_field = self.last_before();
        let finding = rules::FieldInPadding {
            record,
            field,
            last_field: &last_field,
            offset: &offset,
            bytes: &bytes,
        }
        .finding();
        self.changes.add(&self.subject, finding, [&member.spot], [&self.old.spot]);
    }

    fn run(&mut self, run: &Run<'_>, next_field: &str, moved: &str) {
        let (record, last_field) = (&self.new.name, self.last_before());
        let fields = list(run.fields.iter().map(|member| &member.name));
        let first = run.fields.first().is_some_and(|member| member.name == "struct_size");
        let finding = if first && self.new.is_extensible() && !self.old.is_extensible() {
            let moved = moved.replacen("it ", &format!("`{next_field}` "), 1);
            rules::StructSizeInserted { record, moved: &moved }.finding()
        } else if run.fields.iter().all(|member| member.is_function) && self.new.is_table() {
            rules::FunctionInserted {
                record,
                fields: &fields,
                last_field: &last_field,
                next_field: &next_field,
                moved: &moved,
            }
            .finding()
        } else {
            rules::FieldInserted {
                record,
                fields: &fields,
                last_field: &last_field,
                next_field: &next_field,
                moved: &moved,
            }
            .finding()
        };
        let spots: Vec<&Spot> = run.fields.iter().map(|member| &member.spot).collect();
        self.changes.add(&self.subject, finding, spots, [&self.old.spot]);
    }

    /// The last field of the old struct.
    fn last_before(&self) -> String {
        self.old.members.last().map_or_else(String::new, |member| member.name.clone())
    }
}

/// Whether a reserved field gave bytes from its front, and ends where it did.
pub fn is_used_up(was: &HeaderMember, is: &HeaderMember) -> bool {
    let shrank = was.size > is.size && was.offset < is.offset;
    was.is_reserved() && shrank && was.end().is_some() && was.end() == is.end()
}

/// New fields in rows, functions apart from others.
fn runs<'m>(members: &'m [HeaderMember], alignment: &Alignment) -> Vec<Run<'m>> {
    let mut runs: Vec<Run<'m>> = Vec::new();
    let mut fields: Vec<&HeaderMember> = Vec::new();
    for (at, member) in members.iter().enumerate() {
        if alignment.is_added(at) {
            fields.push(member);
        } else if let Some(old) = alignment.to_old.get(at).copied().flatten() {
            let mut open = std::mem::take(&mut fields).into_iter().peekable();
            while let Some(first) = open.next() {
                let mut run = vec![first];
                while let Some(more) = open.next_if(|m| m.is_function == first.is_function) {
                    run.push(more);
                }
                runs.push(Run { fields: run, next: (old, at) });
            }
        }
    }
    runs
}

/// For every new field, how many old ones from it on lie elsewhere.
fn moved_behind(old: &[HeaderMember], new: &[HeaderMember], alignment: &Alignment) -> Vec<usize> {
    let mut behind = vec![0; new.len()];
    let mut number = 0;
    for (at, member) in new.iter().enumerate().rev() {
        let was = alignment.to_old.get(at).copied().flatten().and_then(|index| old.get(index));
        number += usize::from(was.is_some_and(|was| was.offset != member.offset));
        if let Some(slot) = behind.get_mut(at) {
            *slot = number;
        }
    }
    behind
}
