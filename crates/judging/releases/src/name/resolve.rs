//! From a name to the releases of the database.

use unskew_core::Version;

use super::{NameError, ReleaseName, VersionSelector};
use crate::published::{self, Published};
use crate::{Basis, Exact, Family, Release, carrier};

/// How many minors a build can be ahead of the newest release: while a release is tested, the next one is built.
const AHEAD: i64 = 2;

/// How many patch releases of the newest minor there can be after the last one that is listed; of an older minor there is one.
const PATCHES_AHEAD: i64 = 30;

/// The release of this name: the exact version if there is one, else the newest that starts with it.
///
/// # Errors
/// If the name is none, or stands for several releases or for none; then the nearest ones are named.
pub fn find(name: &str) -> Result<Release, NameError> {
    let (_, head, rest) = super::divided(name);
    if let Some(inside) = carrier::select(head, rest) {
        return match inside?.as_slice() {
            [one] => Ok(*one),
            many => {
                let found = many.iter().map(Release::to_string).collect();
                Err(NameError::Several { text: name.to_owned(), found })
            }
        };
    }
    let name: ReleaseName = name.parse()?;
    let family = name.family;
    match &name.wanted {
        VersionSelector::All => Err(NameError::NoVersion(family)),
        VersionSelector::Latest => {
            Release::all_of_family(family).last().ok_or(NameError::NoVersion(family))
        }
        VersionSelector::Version(version) => version_of(family, version),
        VersionSelector::Pinned(version) => pinned(family, version),
        VersionSelector::Range(range) => {
            let found = in_range(family, range);
            match found.as_slice() {
                [one] => Ok(*one),
                [] => Err(NameError::empty(family, &range.to_string())),
                many => {
                    let found = many.iter().map(Release::to_string).collect();
                    Err(NameError::Several { text: name.to_string(), found })
                }
            }
        }
    }
}

/// The releases that `name` names: one, those of a range, all of a family, or all.
///
/// # Errors
/// As [`find`], but that several are no error.
pub fn select(name: &str) -> Result<Vec<Release>, NameError> {
    if name == "all" {
        return Ok(all().collect());
    }
    let (_, head, rest) = super::divided(name);
    if let Some(inside) = carrier::select(head, rest) {
        return inside;
    }
    let parsed: ReleaseName = name.parse()?;
    match &parsed.wanted {
        VersionSelector::All => Ok(Release::all_of_family(parsed.family).collect()),
        VersionSelector::Range(range) => {
            let found = in_range(parsed.family, range);
            if found.is_empty() {
                return Err(NameError::empty(parsed.family, &range.to_string()));
            }
            Ok(found)
        }
        _ => Ok(vec![find(name)?]),
    }
}

/// The release that a package of this version is; none if it was never published, or has no row.
pub fn exactly(family: Family, version: &str) -> Option<Release> {
    let version: Exact = version.parse().ok()?;
    row(family, |known| known == version.numbers)
        .filter(|_| version.is_numbers())
        .or_else(|| published::find(family, &version).and_then(|one| alias(family, one)))
}

/// Every release of the database, family by family, oldest first.
pub fn all() -> impl Iterator<Item = Release> {
    Family::ALL.into_iter().flat_map(Release::all_of_family)
}

/// The release of a version, or the newest that begins with it.
fn version_of(family: Family, version: &Exact) -> Result<Release, NameError> {
    if version.is_before_release() {
        return next(family, version).ok_or_else(|| NameError::unknown(family, version));
    }
    // `0.10` is the beginning of 0.10.2, and not the release 0.10.0 alone, although they are equal.
    let parts = version.numbers;
    let exact = || row(family, |known| known.parts() == parts.parts());
    let listed = || published::written(family, version);
    let newest =
        || Release::all_of_family(family).rfind(|one| one.row().version.starts_with(&parts));
    let equal = || pinned(family, version);
    if version.post.is_some() {
        return equal();
    }
    let built = || build(family, version);
    exact()
        .or_else(|| alias(family, &listed()?))
        .or_else(newest)
        .or_else(built)
        .map_or_else(equal, Ok)
}

/// The release that a package manager takes for `==version`; where it would find none, the newest that begins
/// with the version.
fn pinned(family: Family, version: &Exact) -> Result<Release, NameError> {
    if version.is_before_release() {
        return version_of(family, version);
    }
    let known = published::find(family, version);
    let own = row(family, |known| known == version.numbers).filter(|_| version.post.is_none());
    let begun = || {
        Release::all_of_family(family).rfind(|one| one.row().version.starts_with(&version.numbers))
    };
    own.or_else(|| alias(family, known?))
        .or_else(|| begun().filter(|_| known.is_none() && version.post.is_none()))
        .or_else(|| build(family, version))
        .or_else(|| unlisted(family, version))
        .ok_or_else(|| NameError::unknown(family, version))
}

/// A build without a row, where builds are counted and few have one: judged by the last row before it. None is older
/// than the first row.
fn build(family: Family, version: &Exact) -> Option<Release> {
    let is_build =
        !family.prefix().is_empty() && version.is_numbers() && version.numbers.parts().len() == 1;
    let before = Release::all_of_family(family).rfind(|one| one.row().version < version.numbers);
    let before = before.filter(|_| is_build)?;
    let is_last = family.rows().last().is_some_and(|last| last.version < version.numbers);
    Some(before.for_another(*version, if is_last { Basis::After } else { Basis::Between }))
}

/// The release that stands in for one that was published after this database was made: the newest of the same minor, or the
/// newest of all. What is far from every release is a slip, and not a guess.
fn unlisted(family: Family, version: &Exact) -> Option<Release> {
    let asked = version.numbers;
    if !version.is_numbers() || asked.parts().len() < 2 {
        return None;
    }
    let releases = published::all(family).iter().filter(|one| !one.version.is_before_release());
    let newest = releases.clone().map(|one| one.version.numbers).max()?;
    let of_minor =
        releases.map(|one| one.version.numbers).filter(|one| minor(*one) == minor(asked));
    let is_next = match of_minor.max() {
        Some(last) => {
            let ahead = if minor(last) == minor(newest) { PATCHES_AHEAD } else { 1 };
            asked > last && asked.patch() <= last.patch() + ahead
        }
        None => is_ahead(newest, asked),
    };
    let before = Release::all_of_family(family).rfind(|one| one.row().version < asked);
    before.filter(|_| is_next).map(|release| release.for_another(*version, Basis::Unlisted))
}

fn minor(version: Version) -> (i64, i64) {
    (version.major(), version.minor())
}

/// Whether a release may be among the next ones after another.
fn is_ahead(known: Version, asked: Version) -> bool {
    let is_minor = asked.major() == known.major()
        && (known.minor()..=known.minor() + AHEAD).contains(&asked.minor());
    is_minor || asked.major() == known.major() + 1 && asked.minor() == 0
}

/// The release that stands in for one that was built before it: the next one, or the newest if it is to come.
fn next(family: Family, version: &Exact) -> Option<Release> {
    let later = Release::all_of_family(family).find(|one| one.row().version >= version.numbers);
    let (release, basis) = match later {
        Some(later) => (later, Basis::Next),
        None => {
            let newest = Release::all_of_family(family).last()?;
            is_ahead(newest.row().version, version.numbers).then_some((newest, Basis::Newest))?
        }
    };
    Some(release.for_another(*version, basis))
}

/// Every release of a range: those with a row, and in place of a row that is not in it the newest of those that
/// are judged by it.
fn in_range(family: Family, range: &pep440_rs::VersionSpecifiers) -> Vec<Release> {
    let holds = |version: &Exact| version.to_pep440().is_some_and(|one| range.contains(&one));
    let of_row = |release: Release| {
        let version = release.row().version;
        if holds(&Exact::from_numbers(version)) {
            return Some(release);
        }
        let known = published::all(family).iter().rev();
        let mut judged =
            known.filter(|one| one.row == Some(version) && !one.version.is_before_release());
        judged.find(|one| holds(&one.version)).and_then(|one| alias(family, one))
    };
    Release::all_of_family(family).filter_map(of_row).collect()
}

/// A published release by the row that it is judged by.
fn alias(family: Family, one: &Published) -> Option<Release> {
    if one.version.is_before_release() {
        return next(family, &one.version);
    }
    let by = one.row?;
    let release = row(family, |known| known == by)?;
    Some(release.for_another(one.version, one.basis))
}

fn row(family: Family, is: impl Fn(Version) -> bool) -> Option<Release> {
    Release::all_of_family(family).find(|release| is(release.row().version))
}
