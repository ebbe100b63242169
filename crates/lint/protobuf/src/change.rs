//! Changes as they are found.

use std::collections::BTreeMap;

use unskew_core::{Finding, Places};

use crate::rename;
use crate::schema::Schema;
use crate::scope::MessageScope;

/// One change, before it is weighed.
pub(crate) struct FoundChange {
    pub(crate) finding: Finding,
    pub(crate) file: String,
    /// The message, enumeration or service, with the field or value if there is one.
    pub(crate) subject: String,
    pub(crate) scope: MessageScope,
}

/// Two sides, and what was found.
pub(crate) struct Changes<'s> {
    pub(crate) old: &'s Schema,
    pub(crate) new: &'s Schema,
    /// The messages that have another name, by the old one.
    pub(crate) renamed: BTreeMap<&'s str, &'s str>,
    pub(crate) list: Vec<FoundChange>,
}

/// A place: a file and a line, which is 0 where it is not known.
pub(crate) type Spot<'s> = (&'s str, usize);

impl<'s> Changes<'s> {
    pub(crate) fn between(old: &'s Schema, new: &'s Schema) -> Self {
        Self { old, new, renamed: rename::messages(old, new), list: Vec::new() }
    }

    /// Adds a change with its places: on the new side, on the old one, or on both.
    pub(crate) fn add(
        &mut self,
        (subject, scope): (&str, MessageScope),
        finding: Finding,
        new: Option<Spot<'_>>,
        old: Option<Spot<'_>>,
    ) {
        let shown = |(file, line): Spot<'_>| match line {
            0 => file.to_owned(),
            line => format!("{file}:{line}"),
        };
        let mut places: Places = new.map(shown).into_iter().collect();
        if let Some(old) = old {
            places.add(format!("{} (before)", shown(old)));
        }
        let file = new.or(old).map_or("", |(file, _)| file).to_owned();
        let subject = subject.to_owned();
        self.list.push(FoundChange { finding: finding.at(places), file, subject, scope });
    }
}
