//! Releases of packages whose classes files name: `ultralytics@8.3`, by `data/class-names.tsv`. They are no family of
//! releases: nothing else of them is known here.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr as _;
use std::sync::{Arc, LazyLock};

use pep440_rs::Version as Pep440;
use unskew_class_names::{PackageClasses, PackageRelease};
use unskew_core::{CompressedText, Unjudged, aspect};
use unskew_definitions::SpanTable;

use crate::boosters;
use crate::vendor_docs::{NamedParties, NotStated};

static TABLE: LazyLock<&'static CompressedText> =
    LazyLock::new(|| unskew_tables::packed_text!("data/class-names.tsv"));

/// The lines of each package.
static SECTIONS: LazyLock<BTreeMap<&'static str, &'static str>> =
    LazyLock::new(|| SpanTable::sections(TABLE.text()));

/// Packages whose module at the top, as people write it, is not their name.
const OTHER_NAMES: [(&str, &str); 2] = [("imblearn", "imbalanced-learn"), ("umap", "umap-learn")];

/// The packages whose classes are known.
pub fn packages_with_classes() -> impl Iterator<Item = &'static str> {
    SECTIONS.keys().copied()
}

/// The packages that have a module in which one of these names (`module.name`) lies.
pub fn packages_of_names(names: &BTreeSet<String>) -> Vec<&'static str> {
    // The table is not unpacked for what looks nothing up.
    if names.is_empty() {
        return Vec::new();
    }
    let tops: BTreeSet<&str> = names.iter().filter_map(|name| name.split('.').next()).collect();
    let lines_of = |section: &'static str, top: &str| {
        let is_its =
            |line: &str| line.strip_prefix(top).is_some_and(|rest| rest.starts_with(['.', ':']));
        section.lines().any(is_its)
    };
    let named = SECTIONS.iter().filter(|(_, lines)| tops.iter().any(|top| lines_of(lines, top)));
    named.map(|(package, _)| *package).collect()
}

/// The releases that `text` names: one (`ultralytics@8.3.0`, `ultralytics@8.3`), or all that were read (`ultralytics`); none if
/// it names something else.
///
/// # Errors
/// If the release is older than all that were read, or its version is none.
pub(crate) fn select(text: &str) -> Option<Result<NamedParties, NotStated>> {
    let (name, version) = match text.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (text, None),
    };
    let name = name.to_ascii_lowercase().replace(['_', '.'], "-");
    let other = OTHER_NAMES.iter().find(|(one, _)| *one == name);
    let name = other.map_or(&*name, |(_, package)| *package);
    let classes = Arc::new(PackageClasses::from_section(SECTIONS.get(name)?)?);
    let all = || classes.releases().iter().map(String::as_str);
    let named = |version: &str, read: &str| {
        let release = PackageRelease::new(classes.clone(), read)?;
        let party = boosters::with_measured(release.party(version), name, version);
        let party =
            if version == read { party } else { party.not_judged(stand_in(name, version, read)) };
        Some((format!("{name}@{version}"), Arc::new(party)))
    };
    let Some(version) = version else {
        return Some(Ok(all().filter_map(|one| named(one, one)).collect()));
    };
    let found =
        nearest(&all().collect::<Vec<_>>(), version).and_then(|(asked, read)| named(&asked, read));
    Some(found.map(|one| vec![one]).ok_or_else(|| NotStated {
        name: name.to_owned(),
        version: version.to_owned(),
        known: [all().next(), all().next_back()].map(Option::unwrap_or_default).join(" to "),
    }))
}

/// The release that is meant by a version, and the one that was read for it: itself, the newest that begins so, or the one before.
fn nearest<'v>(all: &[&'v str], asked: &str) -> Option<(String, &'v str)> {
    if let Some(read) = all.iter().find(|one| **one == asked) {
        return Some((asked.to_owned(), read));
    }
    let begins = |one: &&&str| one.strip_prefix(asked).is_some_and(|rest| rest.starts_with('.'));
    if let Some(read) = all.iter().rfind(begins) {
        return Some(((*read).to_owned(), read));
    }
    let version = Pep440::from_str(asked).ok()?;
    let is_older = |one: &&&str| Pep440::from_str(one).is_ok_and(|one| one < version);
    all.iter().rfind(is_older).map(|read| (asked.to_owned(), *read))
}

fn stand_in(name: &str, version: &str, read: &str) -> Unjudged {
    let why = format!(
        "{name} {version} was not read: judged as {read}, the nearest release before it that was"
    );
    Unjudged::new(aspect::VERSION, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_read() {
        assert!(SECTIONS.len() > 5);
        for (package, section) in SECTIONS.iter() {
            assert!(PackageClasses::from_section(section).is_some(), "{package}");
        }
    }

    #[test]
    fn a_version_is_the_newest_that_begins_so_or_the_one_before() {
        let all = ["8.0.9", "8.0.20", "8.1.0", "8.1.47"];
        let read = |asked: &str| nearest(&all, asked).map(|(_, read)| read);
        assert_eq!(read("8.1"), Some("8.1.47"));
        assert_eq!(read("8.0.20"), Some("8.0.20"));
        assert_eq!(read("8.0.30"), Some("8.0.20"));
        assert_eq!(read("9.0"), Some("8.1.47"));
        assert_eq!(read("7.0"), None);
        assert_eq!(read("x"), None);
    }
}
