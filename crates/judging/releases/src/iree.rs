//! Releases of IREE's compiler as readers of StableHLO: `iree@3.9.0`. They are no family of releases: nothing else of them
//! is known here.

use std::sync::{Arc, LazyLock};

use unskew_core::{Date, Party, Role, Version};

use crate::vendor_docs::{NamedParties, NotStated};

const TABLE: &str = include_str!("../data/iree.tsv");

/// What the releases are called; the packages are other names of them.
pub(crate) const NAME: &str = "iree";
const PACKAGES: [&str; 2] = ["iree-base-compiler", "iree-compiler"];

/// A release: its number, its day, and the newest StableHLO of which it reads all.
struct IreeRelease {
    version: &'static str,
    released: Date,
    stablehlo: Version,
}

static RELEASES: LazyLock<Vec<IreeRelease>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(release).collect()
});

fn release(line: &'static str) -> Option<IreeRelease> {
    let [version, released, stablehlo] = *line.split('\t').collect::<Vec<_>>() else { return None };
    Some(IreeRelease {
        version,
        released: released.parse().ok()?,
        stablehlo: stablehlo.parse().ok()?,
    })
}

impl IreeRelease {
    fn party(&self) -> Party {
        let party = Party::new(format!("iree {}", self.version), Role::Runtime, "IREE compiler")
            .from_origin(format!("released {}", self.released))
            .dated(self.released);
        unskew_stablehlo::reader_only(party, self.stablehlo)
    }
}

/// The compilers that `text` names: one release (`iree@3.9.0`, `iree@3.9`), or all of them (`iree`); none if it names
/// something else.
///
/// # Errors
/// If no such release was measured.
pub(crate) fn select(text: &str) -> Option<Result<NamedParties, NotStated>> {
    let (name, version) = match text.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (text, None),
    };
    let name = name.to_ascii_lowercase().replace('_', "-");
    if name != NAME && !PACKAGES.contains(&&*name) {
        return None;
    }
    let begins = |release: &&IreeRelease, asked: &str| {
        let rest = release.version.strip_prefix(asked);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let found: Vec<&IreeRelease> = match version {
        None => RELEASES.iter().collect(),
        Some(asked) => {
            let exact = RELEASES.iter().find(|release| release.version == asked);
            let found = exact.or_else(|| RELEASES.iter().rfind(|release| begins(release, asked)));
            found.into_iter().collect()
        }
    };
    if found.is_empty() {
        let known: Vec<&str> = RELEASES.iter().map(|release| release.version).collect();
        let version = version.unwrap_or_default().to_owned();
        return Some(Err(NotStated { name: NAME.to_owned(), version, known: known.join(", ") }));
    }
    let named = |one: &IreeRelease| (format!("{NAME}@{}", one.version), Arc::new(one.party()));
    Some(Ok(found.into_iter().map(named).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_no_release_reads_less_than_the_one_before() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(RELEASES.len(), lines);
        assert!(RELEASES.windows(2).all(|pair| {
            pair[0].released <= pair[1].released && pair[0].stablehlo <= pair[1].stablehlo
        }));
    }

    #[test]
    fn a_release_is_found_by_its_number_and_by_its_package() {
        let labels = |text: &str| -> Vec<String> {
            select(text).unwrap().unwrap().into_iter().map(|(label, _)| label).collect()
        };
        assert_eq!(labels("iree@3.7"), ["iree@3.7.1"]);
        assert_eq!(labels("iree-base-compiler@3.9.0"), ["iree@3.9.0"]);
        assert!(select("iree@1.0").unwrap().is_err());
        assert!(select("ireee").is_none());
    }
}
