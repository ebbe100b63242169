//! Names of releases, as people paste them.
//!
//! A name is a family and what is wanted of it:
//!
//! | written | meant |
//! | --- | --- |
//! | `torch` | every release of the database |
//! | `torch@2.1`, `torch 2.1`, `torch-2.1`, `torch@v2.1`, `torch@2.1.*` | the newest release that begins with it |
//! | `torch@2.1.0`, `torch==2.1.0`, `torch@2.1.0+cu121` | this release |
//! | `torch==2.1` | what a package manager makes of it: 2.1.0 |
//! | `torch>=2.1,<2.4`, `torch~=2.1`, `torch@>=2.1` | every release in the range |
//! | `torch@latest` | the newest release |
//! | `onnxruntime-web@1.20`, `tritonserver@24.01` | the ONNX Runtime inside |
//! | `torch@2.16.0rc1`, `tf-nightly==2.16.0.dev20231101` | judged as the next release |
//! | the release after the newest one that is listed | judged as that one, and said to be a guess |
//!
//! A line of a requirements file is a name too: extras (`jax[cuda12]==0.4.30`), markers after `;` and remarks
//! after `#` are left out.

mod error;
mod resolve;

use std::fmt;
use std::str::FromStr;

use pep440_rs::VersionSpecifiers;

use crate::{Exact, Family};

pub use error::NameError;
pub use resolve::{all, exactly, find, select};

/// A name is not longer than this: what is longer is none, and need not be looked at.
const LONGEST: usize = 512;

/// A name such as `torch@1.10`: a family and what is wanted of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseName {
    /// The framework that the name means.
    pub family: Family,
    /// Which of its releases.
    pub wanted: VersionSelector,
}

/// Which releases of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionSelector {
    /// Every release of the family.
    All,
    /// The newest release of the family: `@latest`.
    Latest,
    /// This one, or the newest that begins with its numbers.
    Version(Exact),
    /// This one as a package manager reads it: `==2.1` is 2.1.0.
    Pinned(Exact),
    /// Every one in the range.
    Range(VersionSpecifiers),
}

impl FromStr for ReleaseName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let (line, head, rest) = divided(text);
        let Ok(family) = head.parse::<Family>() else {
            let alone = rest.is_empty() && (head.parse::<Exact>().is_ok() || head == "latest")
                || head.starts_with(|c: char| c.is_ascii_digit()) && line.parse::<Exact>().is_ok();
            return Err(match alone {
                true => NameError::no_family(line),
                false => NameError::family(head, rest),
            });
        };
        // A path may begin with the name of a package: `ort/model.onnx`.
        if rest.starts_with(['/', '\\']) {
            return Err(NameError::Family { text: head.to_owned(), nearest: None });
        }
        let error = || NameError::Version { family, text: rest.trim().to_owned() };
        let rest = without_extras(rest).ok_or_else(error)?.trim();
        if rest.is_empty() {
            return match Family::is_nightly(head) {
                true => Err(error()),
                false => Ok(Self { family, wanted: VersionSelector::All }),
            };
        }
        let version = rest.strip_prefix('@').unwrap_or(rest).trim();
        let wanted =
            wanted(&without_prefix(family, version)).ok_or_else(|| NameError::Version {
                family,
                text: if version.is_empty() { text.to_owned() } else { version.to_owned() },
            })?;
        Ok(Self { family, wanted })
    }
}

/// A name without what stands behind it, and that in two: what is named, and which of its versions.
fn divided(text: &str) -> (&str, &str, &str) {
    let line = text.get(..LONGEST).unwrap_or(text);
    let line = line.split([';', '#']).next().unwrap_or_default().trim();
    let end = line.find(|c: char| !is_of_family(c)).unwrap_or(line.len());
    let (head, rest) = split_version(line, end);
    (line, head, rest)
}

/// Whether the text is meant as the name of a release, not as a path.
///
/// ```
/// use unskew_releases::is_meant;
/// assert!(is_meant("torhc@2.1") && is_meant("torch>=2.1") && is_meant("tensorflow 2.15"));
/// assert!(!is_meant("models/net.pt") && !is_meant("net-2.pt") && !is_meant("ort/net.onnx"));
/// ```
pub fn is_meant(text: &str) -> bool {
    let known = text.parse::<ReleaseName>();
    match known {
        Ok(_) | Err(NameError::Version { .. } | NameError::NoFamily { .. }) => true,
        Err(_) => {
            let end = text.find(|c: char| !is_of_family(c)).unwrap_or(text.len());
            let rest = text.get(end..).unwrap_or_default().trim_start();
            end > 0
                && ["@", "==", "~=", "!=", ">=", "<=", "<", ">"]
                    .iter()
                    .any(|mark| rest.starts_with(mark))
        }
    }
}

/// What may stand in the name of a package.
fn is_of_family(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// A line, divided at the end of the family: `torch-2.1` is one word, and so is `tf-nightly`.
fn split_version(line: &str, end: usize) -> (&str, &str) {
    let word = &line[..end];
    let begins = |rest: &str| {
        rest.strip_prefix('v').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit())
    };
    let dash = word.match_indices(['-', '_']).find(|(at, _)| begins(&word[at + 1..]));
    match dash {
        Some((at, _)) => (&line[..at], &line[at + 1..]),
        None => line.split_at(end),
    }
}

/// What follows the extras of a requirement: `[cuda12]==0.4.30`.
fn without_extras(rest: &str) -> Option<&str> {
    match rest.trim_start().strip_prefix('[') {
        Some(extras) => extras.split_once(']').map(|(_, rest)| rest),
        None => Some(rest),
    }
}

/// Versions without what stands before the numbers of this family: `b4000`, `>=b3889,<b4600`.
fn without_prefix(family: Family, versions: &str) -> String {
    let prefix = family.prefix();
    let part = |part: &str| {
        let end = part.find(|c: char| c.is_ascii_alphanumeric()).unwrap_or(part.len());
        let (marks, number) = part.split_at(end);
        let bare = number
            .strip_prefix(prefix)
            .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        format!("{marks}{}", bare.unwrap_or(number))
    };
    versions.split(',').map(part).collect::<Vec<_>>().join(",")
}

/// What is wanted of a family, by what stands after its name.
fn wanted(text: &str) -> Option<VersionSelector> {
    if ["latest", "newest", "stable"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Some(VersionSelector::Latest);
    }
    // A requirement may stand in brackets, as metadata of packages has it: `torch (>=2.1)`.
    let text = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    if text.starts_with(['=', '<', '>', '~', '!']) {
        if let Some(pinned) = text.strip_prefix("==")
            && let Ok(version) = pinned.trim_start_matches('=').trim().parse()
        {
            return Some(VersionSelector::Pinned(version));
        }
        // One equals sign is a slip, and the notation of conda.
        if let Some(version) = text.strip_prefix('=').filter(|rest| !rest.starts_with('=')) {
            return wanted(version.trim())
                .filter(|wanted| matches!(wanted, VersionSelector::Version(_)));
        }
        return text.parse().ok().map(VersionSelector::Range);
    }
    let begun = text.strip_suffix(".*").or_else(|| text.strip_suffix(".x")).unwrap_or(text);
    begun.parse().ok().map(VersionSelector::Version)
}

/// In the form that is read again: `torch@2.1`, `torch>=2.1, <2.4`.
impl fmt::Display for ReleaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = self.family;
        match &self.wanted {
            VersionSelector::All => write!(f, "{family}"),
            VersionSelector::Latest => write!(f, "{family}@latest"),
            VersionSelector::Version(version) => write!(f, "{family}@{}", family.version(version)),
            VersionSelector::Pinned(version) => write!(f, "{family}=={}", family.version(version)),
            VersionSelector::Range(range) => write!(f, "{family}{range}"),
        }
    }
}

#[cfg(test)]
mod tests;
