//! Python names that releases ask other packages for, and those that releases lack: `data/python-names.tsv`, made by
//! `cargo lab harvest python-names==all`.
//!
//! A [`SpanTable`] for each package, with rows of these forms:
//!
//! | row | what it says |
//! | --- | --- |
//! | `lacks MODULE:NAME`, `lacks MODULE` | a module of the package does not have the name, or is not there |
//! | `may-lack MODULE:NAME` | its sources do not say: an extension module, names that are made at run time |
//! | `loads MODULE:NAME by ASKING` | the import of the package ends if another one lacks the name; ASKING is its module that imports it |
//! | `reads MODULE:NAME by ASKING` | the same, read as an attribute (`numpy.bool`) |
//! | `uses MODULE:NAME by ASKING` | only the import of the module ASKING ends, or a function of it |
//! | `calls MODULE:NAME by ASKING` | the same, read as an attribute |
//!
//! A name is in the table only if some release has it and another lacks it, as the sources of both say. Not every release was
//! read: one between two that agree is taken to be as they are, one beyond the newest or before the oldest is not judged.

use std::collections::BTreeMap;
use std::str::FromStr as _;
use std::sync::LazyLock;

use pep440_rs::Version as Pep440;
use unskew_core::CompressedText;
use unskew_definitions::SpanTable;

static TABLE: LazyLock<&'static CompressedText> =
    LazyLock::new(|| unskew_tables::packed_text!("data/python-names.tsv"));

/// The lines of each package.
static SECTIONS: LazyLock<BTreeMap<&'static str, &'static str>> =
    LazyLock::new(|| SpanTable::sections(TABLE.text()));

/// A name that a release asks another package for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AskedPythonName {
    /// `huggingface_hub:cached_download`; without a colon, a module.
    pub name: String,
    /// The module that asks.
    pub by: String,
    /// Whether the import of the package fails without it.
    pub fails_at_load: bool,
    /// Whether it is read as an attribute, not imported.
    pub is_attribute: bool,
}

/// What is known of the names of one package.
#[derive(Clone, Debug)]
pub struct PythonNames {
    table: SpanTable,
    versions: Vec<Pep440>,
}

/// What a release has of a name that others ask for, where it is not known to have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameAbsence {
    /// It does not have it.
    Lacks,
    /// Its sources do not say.
    MayLack,
}

impl NameAbsence {
    const ALL: [Self; 2] = [Self::Lacks, Self::MayLack];

    /// The word of a row.
    fn as_str(self) -> &'static str {
        match self {
            Self::Lacks => "lacks",
            Self::MayLack => "may-lack",
        }
    }
}

/// The word of a row: whether the import of the package fails, and whether an attribute is read.
const WORDS: [(&str, bool, bool); 4] =
    [("loads", true, false), ("reads", true, true), ("uses", false, false), ("calls", false, true)];

impl PythonNames {
    /// The packages of the table.
    pub fn packages() -> impl Iterator<Item = &'static str> {
        SECTIONS.keys().copied()
    }

    /// Those of a package, by its name as indexes compare it; none if the table lacks it.
    pub fn of_package(key: &str) -> Option<Self> {
        Self::from_table(SpanTable::read(SECTIONS.get(key)?)?)
    }

    fn from_table(table: SpanTable) -> Option<Self> {
        let versions = table.releases.iter().map(|one| Pep440::from_str(one).ok());
        let versions = versions.collect::<Option<_>>()?;
        Some(Self { table, versions })
    }

    /// The releases that were read, the oldest first.
    pub fn releases(&self) -> &[String] {
        &self.table.releases
    }

    /// What a release asks others for; empty if it is not judged.
    pub fn asked_by(&self, version: &str) -> Vec<AskedPythonName> {
        self.rows(version).into_iter().filter_map(asked).collect()
    }

    /// What a release lacks of what others ask for, or may lack, as [`AskedPythonName::name`] writes it.
    pub fn absent(&self, version: &str) -> Vec<(NameAbsence, &str)> {
        self.rows(version).into_iter().filter_map(absent).collect()
    }

    /// Whether a release lies between two that were read, or is one.
    pub fn is_judged(&self, version: &str) -> bool {
        self.around(version).is_some()
    }

    /// The rows that hold for a release: those of both neighbours, if it was not read itself.
    fn rows(&self, version: &str) -> Vec<&str> {
        let Some((below, above)) = self.around(version) else { return Vec::new() };
        let has = |spans: &[(usize, usize)], at: usize| {
            spans.iter().any(|(first, last)| (*first..=*last).contains(&at))
        };
        let both = self.table.rows().filter(|(_, spans)| has(spans, below) && has(spans, above));
        both.map(|(text, _)| text).collect()
    }

    /// The places of the releases that a version lies between.
    fn around(&self, version: &str) -> Option<(usize, usize)> {
        let version = Pep440::from_str(version).ok()?;
        match self.versions.binary_search(&version) {
            Ok(at) => Some((at, at)),
            Err(at) if at < self.versions.len() => Some((at.checked_sub(1)?, at)),
            Err(_) => None,
        }
    }

    /// The releases nearest to one for which a test holds: the newest before it, and the oldest after it.
    pub fn nearest(&self, version: &str, holds: impl Fn(&str) -> bool) -> [Option<&str>; 2] {
        let Ok(version) = Pep440::from_str(version) else { return [None, None] };
        let all = || self.table.releases.iter().zip(&self.versions);
        let good = |(text, one): (&'_ String, &Pep440), newer: bool| {
            (*one > version) == newer && *one != version && holds(text)
        };
        let older = all().rev().find(|&pair| good(pair, false)).map(|(text, _)| text.as_str());
        let newer = all().find(|&pair| good(pair, true)).map(|(text, _)| text.as_str());
        [older, newer]
    }

    /// The row for a name that is asked for.
    pub fn asked_row(asked: &AskedPythonName) -> String {
        let is = |(_, at_load, is_attribute): &&(&str, bool, bool)| {
            *at_load == asked.fails_at_load && *is_attribute == asked.is_attribute
        };
        let word = WORDS.iter().find(is).map(|(word, ..)| *word).unwrap_or_default();
        format!("{word} {} by {}", asked.name, asked.by)
    }

    /// The row for a name that is absent.
    pub fn absent_row(absence: NameAbsence, name: &str) -> String {
        format!("{} {name}", absence.as_str())
    }
}

/// What a row says that a release lacks; none if it says something else.
fn absent(row: &str) -> Option<(NameAbsence, &str)> {
    let (word, name) = row.split_once(' ')?;
    let absence = NameAbsence::ALL.into_iter().find(|one| one.as_str() == word)?;
    Some((absence, name))
}

/// What a row says that a release asks for; none if it says something else.
fn asked(row: &str) -> Option<AskedPythonName> {
    let (word, rest) = row.split_once(' ')?;
    let (_, fails_at_load, is_attribute) = *WORDS.iter().find(|(one, ..)| *one == word)?;
    let (name, by) = rest.split_once(" by ")?;
    let (name, by) = (name.to_owned(), by.to_owned());
    Some(AskedPythonName { name, by, fails_at_load, is_attribute })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> PythonNames {
        let text = "= base 1.0 1.2 2.0 3.0\nlacks base:old\t2.0..\nloads numpy:bool by base.core\t1.0..1.2\n";
        PythonNames::from_table(SpanTable::read(text).unwrap()).unwrap()
    }

    #[test]
    fn a_release_between_two_that_agree_is_as_they_are() {
        let names = names();
        for (version, lacks, asks) in [
            ("1.0", false, true),
            ("1.1", false, true),
            ("1.2", false, true),
            ("1.3", false, false),
            ("2.0", true, false),
            ("2.5", true, false),
            ("3.0", true, false),
            ("3.1", false, false),
            ("0.9", false, false),
        ] {
            assert_eq!(
                names.absent(version) == [(NameAbsence::Lacks, "base:old")],
                lacks,
                "{version}"
            );
            assert_eq!(names.asked_by(version).len() == 1, asks, "{version}");
        }
        assert!(names.is_judged("2.5") && !names.is_judged("3.1") && !names.is_judged("no"));
    }

    #[test]
    fn rows_are_read_as_they_are_written() {
        for (at_load, is_attribute) in [(true, false), (true, true), (false, false), (false, true)]
        {
            let (name, by) = ("a.b:c".to_owned(), "d.e".to_owned());
            let one = AskedPythonName { name, by, fails_at_load: at_load, is_attribute };
            assert_eq!(asked(&PythonNames::asked_row(&one)), Some(one));
        }
        for absence in NameAbsence::ALL {
            let row = PythonNames::absent_row(absence, "a:b");
            assert_eq!((asked(&row), absent(&row)), (None, Some((absence, "a:b"))));
        }
    }

    #[test]
    fn the_nearest_releases_are_those_on_both_sides() {
        let names = names();
        assert_eq!(names.nearest("2.0", |_| true), [Some("1.2"), Some("3.0")]);
        assert_eq!(names.nearest("1.2", |one| one == "1.0"), [Some("1.0"), None]);
    }
}
