//! Table of the names that pickles can ask PyTorch for, by release: `data/pickled.tsv`.
//!
//! A row is `torch.nn.Linear()`, a class of `torch.nn.modules` with the attributes that calling it reads,
//! `torch.nn.modules.activation.GELU(approximate)`, or a function with the most arguments that it takes,
//! `torch._utils._rebuild_tensor_v2(7)`.

use std::sync::LazyLock;

use unskew_core::Version;
use unskew_definitions::{Rows, Runs};
use unskew_tables::packed_rows;

/// The rows; none if the table is none, which the test of this crate finds.
static ROWS: LazyLock<Option<Rows>> =
    LazyLock::new(|| Rows::from_text(packed_rows!("data/pickled.tsv")).ok());

/// A name as one release, or several, have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PickledName {
    /// What stands in brackets: attributes, a number, or nothing.
    details: String,
    runs: Runs,
}

impl PickledName {
    /// Whether the release with this `major.minor` has it so.
    pub(crate) fn is_of(&self, minor: Version) -> bool {
        self.runs.iter().any(|run| {
            pair(run.since) <= minor && run.until.is_none_or(|until| minor <= pair(until))
        })
    }

    /// The most arguments, if it is a function of which that is known.
    pub(crate) fn most_arguments(&self) -> Option<usize> {
        self.details.parse().ok()
    }

    /// The attributes that code of the class reads.
    pub(crate) fn reads(&self) -> impl Iterator<Item = &str> {
        self.details.split(' ').filter(|one| one.starts_with(|c: char| !c.is_ascii_digit()))
    }

    /// The first release that has it so, and the last; none if the newest has.
    pub(crate) fn span(&self) -> Option<(Version, Option<Version>)> {
        let first = self.runs.iter().next()?.since;
        Some((first, self.runs.iter().last()?.until))
    }
}

/// What releases have under a name, in whatever form; empty if no release has it.
pub(crate) fn named(name: &str) -> Vec<PickledName> {
    let Some(rows) = ROWS.as_ref() else { return Vec::new() };
    let row = |(text, runs): (&str, &str)| {
        let details = text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?;
        Some(PickledName { details: details.to_owned(), runs: runs.parse().ok()? })
    };
    rows.named(name).filter_map(row).collect()
}

/// Whether a release has a module of this name, as far as the table has names of it.
pub(crate) fn has_module(module: &str, minor: Version) -> bool {
    let Some(rows) = ROWS.as_ref() else { return true };
    rows.named(module).any(|(text, runs)| {
        let is_inside = text.as_bytes().get(module.len()) == Some(&b'.');
        let runs: Option<Runs> = runs.parse().ok().filter(|_| is_inside);
        runs.is_some_and(|runs| PickledName { details: String::new(), runs }.is_of(minor))
    })
}

/// The oldest release whose names are known.
pub(crate) fn first_release() -> Option<Version> {
    ROWS.as_ref()?.releases().first().copied().map(pair)
}

/// The `major.minor` of a release.
pub(super) fn pair(version: Version) -> Version {
    Version::pair(version.major(), version.minor())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minors_of(name: &str) -> Vec<(String, Option<String>)> {
        let text = |version: Version| version.to_string();
        named(name)
            .iter()
            .filter_map(PickledName::span)
            .map(|(a, b)| (text(a), b.map(text)))
            .collect()
    }

    #[test]
    fn the_table_is_sound() {
        let rows = ROWS.as_ref().unwrap();
        rows.validate(|text| {
            text.ends_with(')').then_some(()).ok_or_else(|| "no bracket".to_owned())
        })
        .unwrap();
        assert!(rows.releases().len() >= 27, "{:?}", rows.releases());
    }

    #[test]
    fn a_name_is_known_by_the_releases_that_have_it() {
        assert_eq!(minors_of("torch._utils._rebuild_tensor_v3"), [("2.2.2".to_owned(), None)]);
        let gelu = named("torch.nn.modules.activation.GELU");
        let reads = |minor| {
            let of = gelu.iter().find(|one| one.is_of(minor)).unwrap();
            of.reads().map(str::to_owned).collect::<Vec<_>>()
        };
        assert!(reads(Version::pair(1, 11)).is_empty());
        assert_eq!(reads(Version::pair(1, 12)), ["approximate"]);
        assert!(has_module("torch._utils", Version::pair(1, 4)));
        assert!(!has_module("torch.nested._internal.nested_tensor", Version::pair(1, 4)));
    }
}
