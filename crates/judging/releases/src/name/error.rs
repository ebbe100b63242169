//! Errors of a name, and what was perhaps meant.

use std::str::FromStr;

use unskew_core::Version;

use crate::{Exact, Family, published};

/// From how many typing errors on a name is another one.
const SLIPS: usize = 2;

/// How many names are offered.
const OFFERED: usize = 3;

/// How many releases of a range are listed.
const LISTED: usize = 12;

/// Why a name is no release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Not a family at all.
    #[error("unknown family of releases (known are {}): {text}{}", known(), meant(.nearest))]
    Family {
        /// The argument as the user wrote it.
        text: String,
        /// The whole name with the family that was perhaps meant.
        nearest: Option<String>,
    },
    /// Software that no file is checked against under its own name.
    #[error("no file is checked against {text}: {what}")]
    OtherSoftware {
        /// Its name as the user wrote it.
        text: String,
        /// What judges it instead, or why nothing does.
        what: &'static str,
    },
    /// A version without a family.
    #[error("a version without a family of releases: {text}{}", meant(.nearest))]
    NoFamily {
        /// The argument as the user wrote it.
        text: String,
        /// Releases of this version.
        nearest: Option<String>,
    },
    /// A family without a version where one release is wanted.
    #[error("a release needs a version, as in `{0}@{newest}` or `{0}@latest`; got: {0}", newest = newest(*.0))]
    NoVersion(Family),
    /// A version that is none.
    #[error("not a version of {family} (such as {family}@{newest}, {family}>=2.1,<2.4 or {family}@latest): {text}", newest = newest(*.family))]
    Version {
        /// The family that the name begins with.
        family: Family,
        /// The argument as the user wrote it.
        text: String,
    },
    /// A version that was never published.
    #[error("unknown release: {family} {version}; nearest known {}{}", are(.known), meant(.nearest))]
    Unknown {
        /// The family that the name begins with.
        family: Family,
        /// The version or range asked for.
        version: String,
        /// The known releases around it.
        known: Vec<String>,
        /// A release that was perhaps meant.
        nearest: Option<String>,
    },
    /// A version of something that has a release inside, of which it is not known which one.
    #[error("unknown release: {name} {version}; known are {first} to {last}")]
    Carrier {
        /// Its name.
        name: &'static str,
        /// The version asked for.
        version: String,
        /// The oldest known version.
        first: &'static str,
        /// The newest known version.
        last: &'static str,
    },
    /// A version that was published, and that the database has no facts of.
    #[error("unknown release: {family} {version}, which was published on {released}, but is not in the database; nearest known {}", are(.known))]
    NoFacts {
        /// The family that the name begins with.
        family: Family,
        /// The version asked for.
        version: String,
        /// The day of its upload.
        released: unskew_core::Date,
        /// The known releases around it.
        known: Vec<String>,
    },
    /// A range of several releases where one is wanted.
    #[error("several releases are in the range {text}, and one is needed: {}", listed(.found))]
    Several {
        /// The range as the user wrote it: `>=2.1,<2.4`.
        text: String,
        /// The releases in it.
        found: Vec<String>,
    },
}

impl NameError {
    /// What is wrong with a family of this name; `rest` is what follows it.
    pub(crate) fn family(text: &str, rest: &str) -> Self {
        if let Some(what) = crate::other_software::judged_by(text) {
            return Self::OtherSoftware { text: text.to_owned(), what };
        }
        let near = |one: &&str| (strsim::osa_distance(&text.to_ascii_lowercase(), one), one.len());
        let nearest = Family::names().chain(crate::carrier::names()).min_by_key(near);
        let nearest = nearest.filter(|one| {
            let distance = strsim::osa_distance(&text.to_ascii_lowercase(), one);
            distance <= SLIPS && distance * 2 < one.len()
        });
        let rest = if rest.is_empty() { String::new() } else { rest.trim().to_owned() };
        let nearest = nearest.map(|one| format!("{one}{rest}"));
        let nearest = joined(text, &rest).or(nearest);
        Self::Family { text: text.to_owned(), nearest }
    }

    /// A version alone: the releases that it may be.
    pub(super) fn no_family(text: &str) -> Self {
        let has = |family: &Family| super::find(&format!("{family}@{text}")).is_ok();
        let names: Vec<String> =
            Family::ALL.iter().filter(|one| has(one)).map(|one| format!("{one}@{text}")).collect();
        let nearest = Some(names.join(" or ")).filter(|names| !names.is_empty());
        Self::NoFamily { text: text.to_owned(), nearest }
    }

    /// A version that no package has.
    pub(super) fn unknown(family: Family, asked: &Exact) -> Self {
        let version = family.version(asked);
        let known = around(family, asked.numbers);
        if let Some(one) = published::find(family, asked) {
            return Self::NoFacts { family, version, released: one.released, known };
        }
        let nearest = similar(family, &version);
        Self::Unknown { family, version, known, nearest }
    }

    /// A range that no package is in.
    pub(super) fn empty(family: Family, range: &str) -> Self {
        let known = family.rows().last().map(|row| family.version(row.version));
        let known = known.into_iter().collect();
        Self::Unknown { family, version: range.to_owned(), known, nearest: None }
    }
}

impl FromStr for Family {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        Self::of_package(text).ok_or_else(|| NameError::family(text, ""))
    }
}

/// A family with a version right behind it: `torch2.1` is `torch@2.1`.
fn joined(text: &str, rest: &str) -> Option<String> {
    let (name, version) = text.split_at(text.find(|letter: char| letter.is_ascii_digit())?);
    let family = Family::of_package(name.trim_end_matches(['-', '_', ' ']))?;
    let is_version = version.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '.');
    (is_version && rest.is_empty()).then(|| format!("{family}@{version}"))
}

/// Every family, as a list in words.
fn known() -> String {
    let names = Family::ALL.map(Family::as_str);
    match names.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The known releases before and after a version.
fn around(family: Family, version: Version) -> Vec<String> {
    let rows = family.rows();
    let place = rows.partition_point(|row| row.version < version);
    let before = place.checked_sub(1).and_then(|place| rows.get(place));
    let after = rows.get(place);
    before.into_iter().chain(after).map(|row| family.version(row.version)).collect()
}

/// Releases whose names are one typing error away, of the likeliest kind.
fn similar(family: Family, version: &str) -> Option<String> {
    let minor = |row: &crate::ReleaseRow| {
        let parts: Vec<String> = row.version.parts().iter().take(2).map(i64::to_string).collect();
        parts.join(".")
    };
    // The newest first: it is what most people have.
    let rows = family.rows().iter().rev();
    let names = rows.clone().map(minor).chain(rows.map(|row| row.version.to_string()));
    // A version beyond the newest is one that is to come, and not an older one whose last number has a wrong digit.
    let is_ahead = |version: Version| family.rows().last().is_some_and(|row| row.version < version);
    let is_ahead = version.parse().is_ok_and(is_ahead);
    let begins = |version: &str| version.rsplit_once('.').map(|(begins, _)| begins.to_owned());
    let is_to_come =
        |name: &str| is_ahead && name.len() <= version.len() && begins(name) == begins(version);
    let slip = |name: &str| {
        let slip = Slip::between(version, name)?;
        (slip == Slip::Order || !is_to_come(name)).then_some(slip)
    };
    let near: Vec<(Slip, String)> = names.filter_map(|name| Some((slip(&name)?, name))).collect();
    let likeliest = near.iter().map(|(slip, _)| *slip).min()?;
    let mut offered: Vec<String> = Vec::new();
    for (_, name) in near.into_iter().filter(|(slip, _)| *slip == likeliest) {
        let name = format!("{family}@{name}");
        if !offered.contains(&name) && offered.len() < OFFERED {
            offered.push(name);
        }
    }
    Some(offered.join(" or "))
}

/// One typing error; the likeliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Slip {
    /// Two characters changed places.
    Order,
    /// One is missing, or too many.
    Number,
    Key,
}

impl Slip {
    /// The one error that makes one text of the other; none if there are none or several.
    fn between(one: &str, other: &str) -> Option<Self> {
        if strsim::osa_distance(one, other) != 1 {
            return None;
        }
        let sorted = |text: &str| {
            let mut bytes = text.as_bytes().to_vec();
            bytes.sort_unstable();
            bytes
        };
        Some(if sorted(one) == sorted(other) {
            Self::Order
        } else if one.len() != other.len() {
            Self::Number
        } else {
            Self::Key
        })
    }
}

fn newest(family: Family) -> String {
    family.rows().last().map(|row| family.version(row.version)).unwrap_or_default()
}

fn meant(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!("; did you mean {name}?")).unwrap_or_default()
}

fn are(known: &[String]) -> String {
    match known {
        [] => "is none".to_owned(),
        [one] => format!("is {one}"),
        many => format!("are {}", many.join(" and ")),
    }
}

fn listed(found: &[String]) -> String {
    let mut text = found.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if found.len() > LISTED {
        text.push_str(&format!(" and {} more", found.len() - LISTED));
    }
    text
}
