//! Changes as they are found, and what they are about.

use std::collections::BTreeMap;

use unskew_core::{Finding, Places};

use super::pair::ContractPair;
use super::policy::Class;
use super::words::list;
use crate::contract::{HeaderStruct, Spot};
use crate::rules;

/// One change, with what the policy says of it.
#[derive(Clone, Debug)]
pub struct HeaderChange {
    /// What changed, as an instance of its rule.
    pub finding: Finding,
    /// Which number it raises; a fault is wrong under every number.
    pub class: Class,
    /// The version that covers it: the name of its numbers, and its header.
    pub line: Option<(String, String)>,
    /// What changed, in a word: `PJRT_Api`.
    pub(super) subject: String,
    pub(super) file: String,
    pub(super) extension: bool,
}

impl HeaderChange {
    /// The header in which it counts: where the declaration stands now, or stood before it went.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// What changed, in a word: `PJRT_Api`.
    pub fn subject(&self) -> &str {
        &self.subject
    }
}

#[derive(Default)]
pub(super) struct Changes {
    pub(super) list: Vec<HeaderChange>,
    /// What stands under a condition now, by rule, header and condition.
    guarded: BTreeMap<(&'static str, String, String), Vec<GuardedName>>,
}

/// A name that stands under a condition now.
struct GuardedName {
    name: String,
    extension: bool,
    places: Vec<String>,
}

/// What a change is about: in which header it counts, and whether it is part of an extension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a> {
    pub(super) name: &'a str,
    pub(super) file: &'a str,
    pub(super) extension: bool,
}

impl<'a> Subject<'a> {
    pub(super) fn new(name: &'a str, spot: &'a Spot) -> Self {
        Self { name, file: &spot.file, extension: false }
    }

    pub(super) fn part_of_extension(mut self, extension: bool) -> Self {
        self.extension = extension;
        self
    }
}

impl Changes {
    /// Adds a change with its places in the new headers and in the old ones.
    pub(super) fn add<'s>(
        &mut self,
        subject: &Subject<'_>,
        finding: Finding,
        new: impl IntoIterator<Item = &'s Spot>,
        old: impl IntoIterator<Item = &'s Spot>,
    ) {
        let mut places: Places = new.into_iter().collect();
        places.extend(&old.into_iter().map(|spot| format!("{spot} (before)")).collect());
        self.list.push(HeaderChange {
            finding: finding.at(places),
            class: Class::Fault,
            line: None,
            subject: subject.name.to_owned(),
            file: subject.file.to_owned(),
            extension: subject.extension,
        });
    }
}

impl Changes {
    /// Remembers what stands under a condition now. One condition around many declarations is one change.
    pub(super) fn under_condition(
        &mut self,
        code: &'static str,
        subject: &Subject<'_>,
        condition: &str,
        new: Option<&Spot>,
        old: &Spot,
    ) {
        let key = (code, subject.file.to_owned(), condition.to_owned());
        let mut places: Vec<String> = new.iter().map(ToString::to_string).collect();
        places.push(format!("{old} (before)"));
        let (name, extension) = (subject.name.to_owned(), subject.extension);
        self.guarded.entry(key).or_default().push(GuardedName { name, extension, places });
    }

    /// Says what stands under a condition now.
    pub(super) fn guarded(&mut self) {
        for ((code, file, condition), names) in std::mem::take(&mut self.guarded) {
            let all = list(names.iter().map(|one| &one.name));
            let (names_of, condition) = (&all, &condition);
            let finding = match code {
                "HD210" => rules::DeclaredUnderCondition { names: names_of, condition }.finding(),
                _ => rules::DeclaredUnlessExcluded { names: names_of, condition }.finding(),
            };
            let places: Places = names.iter().flat_map(|one| &one.places).collect();
            let subject = match names.as_slice() {
                [one] => one.name.clone(),
                _ => all.clone(),
            };
            self.list.push(HeaderChange {
                finding: finding.at(places),
                class: Class::Fault,
                line: None,
                subject,
                file,
                extension: names.iter().any(|one| one.extension),
            });
        }
    }
}

/// What findings about a struct are about.
pub fn subject(record: &HeaderStruct) -> Subject<'_> {
    Subject::new(&record.name, &record.spot).part_of_extension(record.is_extension())
}

/// One struct, old and new.
pub struct Comparing<'c, 'p> {
    pub pair: &'c ContractPair<'p>,
    pub old: &'c HeaderStruct,
    pub new: &'c HeaderStruct,
    pub changes: &'c mut Changes,
    pub subject: Subject<'c>,
}
