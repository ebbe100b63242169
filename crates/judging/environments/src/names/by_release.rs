//! Names that releases ask each other for and lack, by the table of releases ([`PythonNames`]): for what is not installed.

use std::collections::{BTreeMap, HashMap};

use unskew_core::{Finding, Party, Unjudged, aspect};
use unskew_releases::{AskedPythonName, PythonNames};

use super::NamePairs;
use super::matcher::{NameMatcher, asking, declared};
use crate::rules::{PythonNameMissing, PythonNameMissingInFunction};
use crate::{Environment, InstalledPackage};

/// What is not judged of a lock, beside the names in its table.
const NOT_IN_TABLE: &str = "Python names of releases that are not in the table of names";

/// What the table has of the packages of an environment.
pub(crate) struct ReleaseNames<'a> {
    environment: &'a Environment,
    /// By the places of packages.
    names: Vec<Option<PythonNames>>,
}

/// What one package asks another for in vain.
#[derive(Debug)]
pub(crate) struct MissingNames {
    /// The place of the package that asks.
    pub(crate) by: usize,
    /// That of the one that is asked.
    pub(crate) of: usize,
    /// What it asks for; what its import needs comes first.
    pub(crate) asked: Vec<AskedPythonName>,
}

impl MissingNames {
    /// Whether the import of the package fails.
    pub(crate) fn fails_at_load(&self) -> bool {
        self.asked.iter().any(|one| one.fails_at_load)
    }
}

impl<'a> ReleaseNames<'a> {
    pub(crate) fn new(environment: &'a Environment) -> Self {
        let names = environment.packages.iter().map(|one| PythonNames::of_package(&one.key()));
        Self { environment, names: names.collect() }
    }

    /// What each package lacks that another asks for.
    pub(crate) fn missing(&self) -> Vec<MissingNames> {
        let mut lacking: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, package, names) in self.all() {
            for name in names.lacking(package.public_version()) {
                lacking.entry(name).or_default().push(at);
            }
        }
        let mut found: BTreeMap<(usize, usize), Vec<AskedPythonName>> = BTreeMap::new();
        for (by, package, names) in self.all() {
            for asked in names.asked_by(package.public_version()) {
                for of in lacking.get(&*asked.name).into_iter().flatten().filter(|of| **of != by) {
                    found.entry((by, *of)).or_default().push(asked.clone());
                }
            }
        }
        let all = found.into_iter().map(|((by, of), mut asked)| {
            asked.sort_by_key(|one| !one.fails_at_load);
            MissingNames { by, of, asked }
        });
        all.collect()
    }

    fn all(&self) -> impl Iterator<Item = (usize, &'a InstalledPackage, &PythonNames)> {
        let all = self.environment.packages.iter().zip(&self.names).enumerate();
        all.filter_map(|(at, (package, names))| Some((at, package, names.as_ref()?)))
    }

    /// The releases of one side, the nearest first, with which nothing is missing between the two that the import needs: the
    /// older ones of the package that is asked, the newer ones of the one that asks.
    pub(crate) fn fitting(&self, missing: &MissingNames, other_changes: bool) -> Vec<&str> {
        let side =
            |at: usize| Some((self.environment.packages.get(at)?, self.names.get(at)?.as_ref()?));
        let (Some((by, asking)), Some((of, lacking))) = (side(missing.by), side(missing.of)) else {
            return Vec::new();
        };
        let fits = |asks: &str, lacks: &str| {
            let lacking = lacking.lacking(lacks);
            let all = asking.asked_by(asks);
            !all.iter().any(|one| one.fails_at_load && lacking.contains(&&*one.name))
        };
        match other_changes {
            true => lacking.nearest(of.public_version(), |one| fits(by.public_version(), one)),
            false => {
                let [older, newer] =
                    asking.nearest(by.public_version(), |one| fits(one, of.public_version()));
                [newer, older]
            }
        }
        .into_iter()
        .flatten()
        .collect()
    }

    /// Which releases to install, in one sentence; none if the table has none.
    pub(crate) fn fix(&self, missing: &MissingNames) -> Option<String> {
        let side = |at: usize, other_changes: bool| {
            let release = *self.fitting(missing, other_changes).first()?;
            Some(format!("{} {release}", self.environment.packages.get(at)?.name))
        };
        match (side(missing.of, true), side(missing.by, false)) {
            (Some(of), Some(by)) => Some(format!("Install {of}, or {by}.")),
            (of, by) => of.or(by).map(|one| format!("Install {one}.")),
        }
    }

    /// The pairs of which one lacks what the other asks for, and the packages that are not judged.
    pub(super) fn pairs(&self) -> NamePairs {
        let pairs = self.missing().into_iter().filter_map(|missing| self.pair(&missing));
        let pairs = pairs.collect();
        let all = self.environment.packages.iter().zip(&self.names);
        let is_judged = |package: &InstalledPackage, names: &Option<PythonNames>| {
            names.as_ref().is_some_and(|one| one.is_judged(package.public_version()))
        };
        let open = all.filter(|(package, names)| !is_judged(package, names));
        let open: Vec<String> = open.map(|(package, _)| package.label()).collect();
        let unjudged = match open.is_empty() {
            true => Vec::new(),
            false => {
                vec![Unjudged::new(aspect::CONTENTS, NOT_IN_TABLE).at(open.iter().collect())]
            }
        };
        NamePairs { pairs, unjudged, ..NamePairs::default() }
    }

    fn pair(&self, missing: &MissingNames) -> Option<(Party, Party)> {
        let by = self.environment.packages.get(missing.by)?;
        let of = self.environment.packages.get(missing.of)?;
        let fix = declared(by, of)
            .map(|text| format!("Install what it declares: `uv pip install '{text}'`."))
            .or_else(|| self.fix(missing))
            .unwrap_or_else(|| super::matcher::ANY_OTHER.to_owned());
        let groups = [true, false].map(|at_load| {
            missing.asked.iter().filter(|one| one.fails_at_load == at_load).collect::<Vec<_>>()
        });
        let findings = groups.iter().filter_map(|asked| finding(asked, &of.label(), &fix));
        Some(asking(by.label(), of.label(), NameMatcher { findings: findings.collect() }))
    }
}

/// What is said of names that are missing at one moment: the first one, the others as places.
fn finding(asked: &[&AskedPythonName], other: &str, fix: &str) -> Option<Finding> {
    let first = *asked.first()?;
    let (by, name) = (&*first.by, &*first.name.replace(':', "."));
    let finding = match first.fails_at_load {
        true => PythonNameMissing { by: &by, other: &other, name: &name, fix: &fix }.finding(),
        false => {
            PythonNameMissingInFunction { by: &by, other: &other, name: &name, fix: &fix }.finding()
        }
    };
    let places = asked.iter().map(|one| format!("{} > {}", one.by, one.name.replace(':', ".")));
    let places: Vec<String> = places.collect();
    Some(finding.with_symptom(symptom(first)).at(places.iter().collect()))
}

/// The words of Python's exception.
fn symptom(asked: &AskedPythonName) -> String {
    match asked.name.split_once(':') {
        None => format!("ModuleNotFoundError: No module named '{}'", asked.name),
        Some((module, name)) if asked.is_attribute => {
            format!("AttributeError: module '{module}' has no attribute '{name}'")
        }
        Some((module, name)) => format!("ImportError: cannot import name '{name}' from '{module}'"),
    }
}
