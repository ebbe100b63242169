//! Dependencies that packages declare, against what is installed.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr as _;

use pep440_rs::Version as Pep440;
use unskew_core::{Finding, Unjudged, aspect};

use crate::dependency::Dependency;
use crate::marker::Markers;
use crate::rules::{RequirementNotInstalled, RequirementNotMet};
use crate::{Environment, InstalledPackage};

/// How many missing requirements of one package a message lists.
const LISTED: usize = 100;

/// Why requirements are not judged.
const UNREADABLE: &str =
    "requirements and versions that the specifications of packaging do not have";
const UNKNOWN: &str =
    "requirements under conditions that depend on what is not known of the environment";
const ELSEWHERE: &str =
    "requirements that are not installed here, but may be where packages were not read";

/// What of the declared requirements does not hold, by the place of the package that declares it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unmet<'a> {
    /// What is not installed.
    missing: BTreeMap<usize, Vec<Dependency<'a>>>,
    /// What is installed in another version.
    other_version: BTreeMap<usize, Vec<(Dependency<'a>, &'a InstalledPackage)>>,
    /// The packages whose extras one asks for: what those require, it requires.
    extras: BTreeMap<usize, BTreeSet<usize>>,
    /// What is not judged.
    pub(crate) unjudged: Vec<Unjudged>,
    /// How many requirements were held against a version.
    pub(crate) compared: usize,
}

impl<'a> Unmet<'a> {
    /// Holds the requirements of all packages against what is installed.
    pub(crate) fn new(environment: &'a Environment) -> Self {
        let mut installed: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let all =
            || environment.packages.iter().enumerate().filter(|(_, one)| !one.is_left_behind());
        for (at, package) in all() {
            installed.entry(package.key()).or_default().push(at);
        }
        let mut search = Search {
            environment,
            markers: Markers::from_environment(environment),
            installed,
            seen: all().map(|(at, _)| (at, "")).collect(),
            unmet: Self::default(),
            open: BTreeMap::new(),
        };
        for (at, _) in all() {
            search.package(at);
        }
        let open = search.open.into_iter();
        let unjudged = open
            .map(|(why, places)| Unjudged::new(aspect::VERSION, why).at(places.iter().collect()));
        Self { unjudged: unjudged.collect(), ..search.unmet }
    }

    /// What is installed in another version: who requires it, what, and what is there.
    pub(crate) fn other_versions<'b>(
        &'b self,
        environment: &'a Environment,
    ) -> impl Iterator<Item = (&'a InstalledPackage, &'b Dependency<'a>, &'a InstalledPackage)>
    {
        let of = |at: usize| environment.packages.get(at);
        let all = self.other_version.iter().filter_map(move |(at, all)| Some((of(*at)?, all)));
        all.flat_map(|(of, all)| all.iter().map(move |(one, installed)| (of, one, *installed)))
    }

    /// What the package at a place requires that is not installed.
    pub(crate) fn missing_of(&self, at: usize) -> &[Dependency<'a>] {
        self.missing.get(&at).map(Vec::as_slice).unwrap_or_default()
    }

    /// The place of a package, and of those whose extras it asks for.
    pub(crate) fn with_extras(&self, at: usize) -> BTreeSet<usize> {
        let mut all = BTreeSet::from([at]);
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            let more = self.extras.get(&at).into_iter().flatten();
            open.extend(more.filter(|one| all.insert(**one)));
        }
        all
    }

    /// What to install for these packages, as arguments of a command: what is missing, and what they allow of others. Empty
    /// if nothing of what they require is amiss.
    pub(crate) fn to_install(&self, packages: &BTreeSet<usize>) -> String {
        let missing = packages.iter().filter_map(|at| self.missing.get(at)).flatten();
        let others = packages.iter().filter_map(|at| self.other_version.get(at)).flatten();
        let all: Vec<&Dependency<'_>> = missing.chain(others.map(|(one, _)| one)).collect();
        listed(&all, |one| format!("'{}'", one.text), " ")
    }

    /// What is to be said of a package, but of pairs of which it is said already that they break.
    pub(crate) fn findings(
        &self,
        at: usize,
        package: &InstalledPackage,
        is_said: impl Fn(&InstalledPackage) -> bool,
    ) -> Vec<Finding> {
        let label = package.label();
        let mut findings = Vec::new();
        if let Some(missing) = self.missing.get(&at) {
            let all: Vec<&Dependency<'_>> = missing.iter().collect();
            let requirements = listed(&all, |one| one.text.clone(), ", ");
            let install = listed(&all, |one| format!("'{}'", one.text), " ");
            let finding = RequirementNotInstalled {
                package: &label,
                requirements: &requirements,
                install: &install,
            };
            findings.push(finding.finding());
        }
        for (dependency, installed) in self.other_version.get(&at).into_iter().flatten() {
            if !is_said(installed) {
                let (requirement, installed) = (&dependency.text, installed.label());
                let finding =
                    RequirementNotMet { package: &label, requirement, installed: &installed };
                findings.push(finding.finding());
            }
        }
        findings
    }
}

/// The first of many, with how many more there are.
fn listed(
    all: &[&Dependency<'_>],
    show: impl Fn(&Dependency<'_>) -> String,
    between: &str,
) -> String {
    let shown: Vec<String> = all.iter().take(LISTED).map(|one| show(one)).collect();
    let more = match all.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.join(between) + &more
}

/// The requirements of an environment while they are looked at.
struct Search<'a> {
    environment: &'a Environment,
    markers: Markers,
    /// The places of packages by their names.
    installed: BTreeMap<String, Vec<usize>>,
    /// The packages that were looked at, without an extra or with one.
    seen: BTreeSet<(usize, &'a str)>,
    unmet: Unmet<'a>,
    /// What is not judged, by the reason.
    open: BTreeMap<&'static str, BTreeSet<String>>,
}

impl<'a> Search<'a> {
    /// Looks at what a package requires, and at what the extras require that it asks others for.
    fn package(&mut self, at: usize) {
        let mut asked = vec![(at, "")];
        while let Some((at, extra)) = asked.pop() {
            let Some(package) = self.environment.packages.get(at) else { continue };
            for text in &package.requires {
                let Some(dependency) = self.holding(package, text, extra) else { continue };
                if let Some(&[one]) = self.installed.get(&dependency.key).map(Vec::as_slice) {
                    for extra in &dependency.extras {
                        self.unmet.extras.entry(at).or_default().insert(one);
                        if self.seen.insert((one, extra)) {
                            asked.push((one, extra));
                        }
                    }
                }
                self.dependency(at, package, dependency);
            }
        }
    }

    /// A requirement that holds; with an extra, only if it does not without.
    fn holding(
        &mut self,
        package: &InstalledPackage,
        text: &'a str,
        extra: &'a str,
    ) -> Option<Dependency<'a>> {
        let Some(dependency) = Dependency::read(text) else {
            self.leave_open(UNREADABLE, package, text);
            return None;
        };
        let Some(marker) = dependency.marker else {
            return Some(dependency).filter(|_| extra.is_empty());
        };
        let is_new = extra.is_empty() || self.markers.hold(marker, "") != Ok(Some(true));
        match self.markers.hold(marker, extra) {
            Ok(Some(holds)) => return Some(dependency).filter(|_| holds && is_new),
            // Whether it holds does not matter where it is met.
            Ok(None) if self.is_harmless(&dependency) => {}
            Ok(None) => self.leave_open(UNKNOWN, package, text),
            Err(_) => self.leave_open(UNREADABLE, package, text),
        }
        None
    }

    /// Whether a requirement leads to no finding, whether it holds or not.
    fn is_harmless(&self, dependency: &Dependency<'_>) -> bool {
        let Some(installed) = self.installed.get(&dependency.key) else {
            return self.environment.is_lock;
        };
        let all = installed.iter().filter_map(|at| self.environment.packages.get(*at));
        let mut versions = all.map(|package| Pep440::from_str(&package.version));
        versions.all(|version| version.is_ok_and(|version| dependency.allows(&version)))
    }

    /// Holds a requirement of a package against what is installed.
    fn dependency(&mut self, at: usize, of: &InstalledPackage, dependency: Dependency<'a>) {
        // What was not read may have any package.
        let is_whole = !self.environment.has_system && self.environment.not_read.is_empty();
        let packages = &self.environment.packages;
        let found = match self.installed.get(&dependency.key).map(Vec::as_slice) {
            // Which of several is imported is not known.
            Some([_, _, ..]) => return,
            found => found.and_then(|places| packages.get(*places.first()?)),
        };
        let Some(installed) = found else {
            if !is_whole {
                self.leave_open(ELSEWHERE, of, &dependency.text);
            // A lock of pins may be a part of what is installed.
            } else if !self.environment.is_lock {
                let missing = self.unmet.missing.entry(at).or_default();
                match missing.iter_mut().find(|one| one.key == dependency.key) {
                    Some(one) => one.narrow(&dependency),
                    None => missing.push(dependency),
                }
            }
            return;
        };
        self.unmet.compared += 1;
        match Pep440::from_str(&installed.version) {
            Ok(version) if dependency.allows(&version) => {}
            Ok(_) => {
                let all = self.unmet.other_version.entry(at).or_default();
                all.push((dependency, installed));
            }
            Err(_) => self.leave_open(UNREADABLE, installed, "its version"),
        }
    }

    fn leave_open(&mut self, why: &'static str, of: &InstalledPackage, what: &str) {
        self.open.entry(why).or_default().insert(format!("{}: {what}", of.label()));
    }
}
