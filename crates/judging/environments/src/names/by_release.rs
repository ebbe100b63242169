//! Names that releases ask each other for and lack, by the table of releases ([`PythonNames`]): for what is not installed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use unskew_core::{Finding, Party, Unjudged, aspect};
use unskew_releases::{AskedPythonName, NameAbsence, PythonNames};

use super::NamePairs;
use super::matcher::{ANY_OTHER, NameMatcher, as_declared, asking, declared, symptom};
use super::missing::Asked;
use crate::rules::{PythonNameMissing, PythonNameMissingInFunction};
use crate::{Environment, InstalledPackage};

/// What is not judged of a lock, beside the names in its table.
const NOT_IN_TABLE: &str = "Python names of releases that are not in the table of names";

/// What the table has of the packages of an environment.
pub(crate) struct ReleaseNames<'a> {
    environment: &'a Environment,
    /// By the places of packages.
    names: Vec<Option<PythonNames>>,
    /// What each package lacks that another asks for.
    pub(crate) missing: Vec<MissingNames>,
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
        let mut all = Self { environment, names: names.collect(), missing: Vec::new() };
        all.missing = all.find_missing();
        all
    }

    fn find_missing(&self) -> Vec<MissingNames> {
        let mut lacking: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, package, names) in self.all() {
            for (absence, name) in names.absent(package.public_version()) {
                if absence == NameAbsence::Lacks {
                    lacking.entry(name).or_default().push(at);
                }
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

    /// The releases of the package that is asked which have all that the import of the other needs: the nearest older one, and
    /// the nearest newer one.
    pub(crate) fn asked_that_fit(&self, missing: &MissingNames) -> Vec<&str> {
        let Some(((by, asking), (of, asked))) = self.sides(missing) else { return Vec::new() };
        let fits = |release: &str| fit(asking, by.public_version(), asked, release);
        asked.nearest(of.public_version(), fits).into_iter().flatten().collect()
    }

    /// The releases of the package that asks whose import needs nothing that the other lacks: the nearest newer one, and the
    /// nearest older one.
    pub(crate) fn asking_that_fit(&self, missing: &MissingNames) -> Vec<&str> {
        let Some(((by, asking), (of, asked))) = self.sides(missing) else { return Vec::new() };
        let fits = |release: &str| fit(asking, release, asked, of.public_version());
        asking.nearest(by.public_version(), fits).into_iter().rev().flatten().collect()
    }

    fn sides(&self, missing: &MissingNames) -> Option<(NamesOf<'_>, NamesOf<'_>)> {
        let side =
            |at: usize| Some((self.environment.packages.get(at)?, self.names.get(at)?.as_ref()?));
        Some((side(missing.by)?, side(missing.of)?))
    }

    /// Which releases to install so that a package gets a name of another, in one sentence; none if the table does not say.
    pub(super) fn fix_of(&self, by: usize, of: usize, name: &str) -> Option<String> {
        let has = |one: &&MissingNames| {
            (one.by, one.of) == (by, of) && one.asked.iter().any(|asked| asked.name == name)
        };
        self.fix(self.missing.iter().find(has)?)
    }

    fn fix(&self, missing: &MissingNames) -> Option<String> {
        let label = |at: usize, releases: Vec<&str>| {
            Some(format!("{} {}", self.environment.packages.get(at)?.name, releases.first()?))
        };
        let of = label(missing.of, self.asked_that_fit(missing));
        match (of, label(missing.by, self.asking_that_fit(missing))) {
            (Some(of), Some(by)) => Some(format!("Install {of}, or {by}.")),
            (of, by) => of.or(by).map(|one| format!("Install {one}.")),
        }
    }

    /// The pairs of which one lacks what the other asks for, and the packages that are not judged.
    pub(super) fn pairs(&self) -> NamePairs {
        let pairs = self.missing.iter().filter_map(|missing| self.pair(missing)).collect();
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
            .map(|text| as_declared(&text))
            .or_else(|| self.fix(missing))
            .unwrap_or_else(|| ANY_OTHER.to_owned());
        let groups = [true, false].map(|at_load| {
            missing.asked.iter().filter(|one| one.fails_at_load == at_load).collect::<Vec<_>>()
        });
        let findings = groups.iter().filter_map(|asked| finding(asked, &of.label(), &fix));
        Some(asking(by.label(), of.label(), NameMatcher { findings: findings.collect() }))
    }
}

/// A package with what the table has of it.
type NamesOf<'a> = (&'a InstalledPackage, &'a PythonNames);

/// Whether a release is known to have all that the import of another needs.
fn fit(asking: &PythonNames, release: &str, asked: &PythonNames, other: &str) -> bool {
    let absent: BTreeSet<&str> = asked.absent(other).into_iter().map(|(_, name)| name).collect();
    let needed = asking.asked_by(release);
    !needed.iter().any(|one| one.fails_at_load && absent.contains(&*one.name))
}

/// What is said of names that are missing at one moment: the first one, the others as places.
fn finding(asked: &[&AskedPythonName], other: &str, fix: &str) -> Option<Finding> {
    let first = *asked.first()?;
    let (name, symptom) = symptom(&Asked::from(first));
    let by = &*first.by;
    let finding = match first.fails_at_load {
        true => PythonNameMissing { by: &by, other: &other, name: &name, fix: &fix }.finding(),
        false => {
            PythonNameMissingInFunction { by: &by, other: &other, name: &name, fix: &fix }.finding()
        }
    };
    let places = asked.iter().map(|one| format!("{} > {}", one.by, one.name.replace(':', ".")));
    let places: Vec<String> = places.collect();
    Some(finding.with_symptom(symptom).at(places.iter().collect()))
}
