//! Requirements that packages hold against what is installed when they are imported: one that is not met ends the import.

use std::str::FromStr as _;

use pep440_rs::Version as Pep440;
use unskew_core::{
    Context, Finding, Judgement, Matcher, Party, Phase, Requirement, Role, Severity, Version,
};
use unskew_source::read_text;

use crate::dependencies::Unmet;
use crate::dependency::Dependency;
use crate::package::CODE;
use crate::rules::RequirementNotMet;
use crate::{Environment, InstalledPackage};

/// How much of a range a package compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compared {
    /// All of it.
    Range,
    /// The least version only.
    Least,
}

/// What packages compare in the sources of their releases, from which on, beside what [`CHECK_FILE`] lists. Only what ended a
/// real import stands here, or raises on the way of it.
const CHECKED: [(&str, Version, &str, Compared); 9] = [
    ("numba", Version::pair(0, 53), "numpy", Compared::Range),
    ("numba", Version::pair(0, 53), "llvmlite", Compared::Least),
    ("pandas", Version::pair(1, 4), "numpy", Compared::Least),
    ("pydantic", Version::pair(2, 12), "pydantic-core", Compared::Range),
    ("matplotlib", Version::pair(3, 5), "numpy", Compared::Least),
    ("matplotlib", Version::pair(3, 5), "pyparsing", Compared::Least),
    ("matplotlib", Version::pair(3, 5), "kiwisolver", Compared::Least),
    ("matplotlib", Version::pair(3, 5), "cycler", Compared::Least),
    ("matplotlib", Version::pair(3, 5), "python-dateutil", Compared::Least),
];

/// The file of transformers and diffusers that names what they compare, and the list in it.
const CHECK_FILE: &str = "dependency_versions_check.py";
const CHECK_LIST: &str = "pkgs_to_check_at_runtime";

/// That list in the releases up to transformers 5, for a lock, which has no files.
const OF_TRANSFORMERS: [&str; 10] = [
    "tqdm",
    "regex",
    "requests",
    "packaging",
    "filelock",
    "numpy",
    "tokenizers",
    "huggingface-hub",
    "safetensors",
    "pyyaml",
];

/// Packages and what they refuse to be imported with.
pub(crate) fn pairs(environment: &Environment, unmet: &Unmet<'_>) -> Vec<(Party, Party)> {
    let pair =
        |(of, dependency, installed): (&InstalledPackage, &Dependency<'_>, &InstalledPackage)| {
            if !is_checked(of, dependency, installed, environment.is_lock) {
                return None;
            }
            let (package, installed) = (of.label(), installed.label());
            let requirement = &dependency.text;
            let finding =
                RequirementNotMet { package: &package, requirement, installed: &installed };
            let finding = finding.finding().with_severity(Severity::Error).in_phase(Phase::Load);
            let one = Party::new(&*package, Role::Artifact, "package")
                .require(Requirement::matches("python.requirement", SelfCheck { finding }));
            Some((one, Party::new(installed, Role::Runtime, "package")))
        };
    unmet.other_versions(environment).filter_map(pair).collect()
}

/// Whether a package compares the version of a requirement that is not met when it is imported.
pub(crate) fn is_checked(
    of: &InstalledPackage,
    dependency: &Dependency<'_>,
    installed: &InstalledPackage,
    is_lock: bool,
) -> bool {
    let key = of.key();
    let is_since = |first: &Version| of.numbers().is_some_and(|release| release >= *first);
    let known = CHECKED
        .iter()
        .find(|(one, since, other, _)| *one == key && *other == dependency.key && is_since(since));
    match known {
        Some((.., Compared::Range)) => return true,
        Some((.., Compared::Least)) => return is_below(&dependency.text, &installed.version),
        None => {}
    }
    if !["transformers", "diffusers"].contains(&&*key) {
        return false;
    }
    if is_lock {
        return key == "transformers" && OF_TRANSFORMERS.contains(&&*dependency.key);
    }
    let path = of.at.join(&key).join(CHECK_FILE);
    read_text(&path, CODE).is_ok_and(|text| lists(&text, &dependency.key))
}

/// Whether the list of the file has a package: a list of strings, in older releases one text with spaces.
fn lists(text: &str, key: &str) -> bool {
    let Some((_, rest)) = text.split_once(CHECK_LIST) else { return false };
    let end = rest.find(")\n").into_iter().chain(rest.find("]\n")).min().unwrap_or(rest.len());
    let words = rest
        .get(..end)
        .unwrap_or_default()
        .split(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)));
    words.into_iter().any(|word| word.replace('_', "-") == key)
}

/// Whether a version is below the least one of a range: `numpy<3,>=1.26`.
fn is_below(requirement: &str, version: &str) -> bool {
    let bounds = requirement.split([',', '<', '!']).filter_map(|one| one.split_once(">="));
    let Ok(version) = Pep440::from_str(version) else { return false };
    let mut least = bounds.filter_map(|(_, bound)| Pep440::from_str(bound).ok());
    least.any(|least| version < least)
}

struct SelfCheck {
    finding: Finding,
}

impl Matcher for SelfCheck {
    fn judge(&self, _: &Party, _: &Party, _: &Context) -> Option<Judgement> {
        Some(Judgement { findings: vec![self.finding.clone()], ..Judgement::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_version_of_a_range_is_compared() {
        for (requirement, version, below) in [
            ("numpy<3,>=1.26", "1.25.2", true),
            ("numpy>=1.26,<3", "1.26.0", false),
            ("numpy<2", "2.1", false),
            ("numpy!=1.27,>=1.26", "1.20", true),
        ] {
            assert_eq!(is_below(requirement, version), below, "{requirement} {version}");
        }
    }

    #[test]
    fn both_forms_of_the_list_are_read() {
        let new = "pkgs_to_check_at_runtime = [\n    \"tqdm\",\n    \"huggingface-hub\",\n]\nx = \"numpy\"\n";
        let old =
            "pkgs_to_check_at_runtime = \"python tqdm huggingface-hub\".split()\nif x: \"numpy\"\n";
        for text in [new, old] {
            assert!(lists(text, "huggingface-hub") && !lists(text, "numpy"), "{text}");
        }
    }
}
