//! What a change leads to: by what packages declare, others have to change with it; the result is judged.

use std::collections::BTreeSet;
use std::str::FromStr as _;

use pep440_rs::Version as Pep440;
use unskew_core::Context;
use unskew_extensions::wheels;
use unskew_releases::declared_requirements;

use super::runtimes::takes_python;
use super::{Pin, PinChange};
use crate::declared::fill;
use crate::dependencies::Unmet;
use crate::dependency::Dependency;
use crate::judge::checked_pairs;
use crate::marker::Markers;
use crate::names::{ReachedModules, ReleaseNames};
use crate::{Environment, InstalledPackage, PackagePair};

/// How many packages a change may take along.
const ROUNDS: usize = 8;

/// A requirement that is not met: who declares it, what, of what.
type Violation = (String, String, String);

/// An environment before it is changed.
pub(super) struct Repair<'a> {
    pub(super) environment: &'a Environment,
    reached: Option<&'a ReachedModules>,
    context: &'a Context,
    markers: Markers,
    /// The pairs that break, by the names of both.
    broken: BTreeSet<(String, String)>,
    violations: BTreeSet<Violation>,
}

impl<'a> Repair<'a> {
    pub(super) fn new(
        environment: &'a Environment,
        unmet: &Unmet<'_>,
        pairs: &[PackagePair],
        reached: Option<&'a ReachedModules>,
        context: &'a Context,
    ) -> Self {
        let markers = Markers::from_environment(environment);
        let (broken, violations) = (broken(pairs), violations(unmet, environment));
        Self { environment, reached, context, markers, broken, violations }
    }

    pub(super) fn is_broken(&self, one: &str, other: &str) -> bool {
        self.broken.contains(&(one.to_owned(), other.to_owned()))
    }

    /// A change with all that it takes along, judged.
    ///
    /// # Errors
    /// Why it does not hold.
    pub(super) fn completed(&self, mut change: PinChange) -> Result<PinChange, String> {
        let mut environment = self.with(&change.pins);
        for _ in 0..ROUNDS {
            let next = self.next(&environment, &change)?;
            let Some(pin) = next else { return self.judged(&environment, change) };
            change.pins.push(pin);
            environment = self.with(&change.pins);
        }
        Err(format!("{}: more than {ROUNDS} other packages would change", requirements(&change)))
    }

    /// What has to change next; none if every requirement is met that was met before.
    fn next(&self, environment: &Environment, change: &PinChange) -> Result<Option<Pin>, String> {
        let unmet = Unmet::new(environment);
        let is_changed =
            |package: &InstalledPackage| change.pins.iter().any(|pin| pin.package == package.name);
        for (of, dependency, installed) in unmet.other_versions(environment) {
            let violation = (of.key(), dependency.text.clone(), installed.key());
            if self.violations.contains(&violation) && !is_changed(of) && !is_changed(installed) {
                continue;
            }
            let forbids =
                || format!("{}: {} requires {}", requirements(change), of.label(), dependency.text);
            let (package, release) = match (is_changed(of), is_changed(installed)) {
                (true, false) => {
                    (installed, self.nearest(environment, installed, Some(dependency)))
                }
                (false, true) => (of, self.nearest(environment, of, None)),
                // Neither was touched, or both were.
                _ => return Err(forbids()),
            };
            let Some(release) = release else { return Err(forbids()) };
            let reason = format!("{} requires {}", of.label(), dependency.text);
            return Ok(PinChange::exact(package, release, &reason).pins.into_iter().next());
        }
        Ok(None)
    }

    /// The release of a package that is nearest to the installed one, the newer ones first, of those that all others allow, and
    /// the requirement beside them. One whose own requirements are met comes before one that takes others along.
    pub(super) fn nearest(
        &self,
        environment: &Environment,
        package: &InstalledPackage,
        wanted: Option<&Dependency<'_>>,
    ) -> Option<String> {
        let key = package.key();
        let table = declared_requirements(&key)?;
        let here = Pep440::from_str(package.public_version()).ok()?;
        let version = |text: &&String| Pep440::from_str(text).ok();
        let above = table.releases.iter().filter(|one| version(one).is_some_and(|one| one > here));
        let below =
            table.releases.iter().rev().filter(|one| version(one).is_some_and(|one| one < here));
        let others = environment.packages.iter().filter(|one| one.key() != key);
        let declared = others.flat_map(|other| &other.requires);
        let on_it: Vec<Dependency<'_>> = declared
            .filter_map(|text| Dependency::read(text))
            .filter(|one| one.key == key && self.holds(one))
            .collect();
        let is_allowed = |text: &&String| {
            let Some(version) = version(text) else { return false };
            on_it.iter().chain(wanted).all(|one| one.allows(&version))
                && takes_python(&table, text, environment)
        };
        let all: Vec<&String> = above.chain(below).filter(is_allowed).collect();
        let unmet = |text: &&String| {
            let declared = table.of_release(text).unwrap_or_default();
            let all =
                declared.into_iter().filter_map(Dependency::read).filter(|one| self.holds(one));
            all.filter(|one| !is_met(environment, one)).count()
        };
        let whole = all.iter().find(|text| unmet(text) == 0);
        // What one that is wanted for itself takes along is changed in the next round.
        whole.or_else(|| all.first().filter(|_| wanted.is_some())).map(|text| (*text).clone())
    }

    fn holds(&self, dependency: &Dependency<'_>) -> bool {
        dependency.marker.is_none_or(|marker| self.markers.hold(marker, "") == Ok(Some(true)))
    }

    /// The environment with other releases.
    fn with(&self, pins: &[Pin]) -> Environment {
        let mut environment = self.environment.clone();
        for pin in pins {
            for package in environment.packages.iter_mut().filter(|one| one.name == pin.package) {
                *package = released(package, &pin.release);
            }
        }
        // What a changed package requires in another version and no table has, the installer brings along.
        let names: BTreeSet<&str> = pins.iter().map(|pin| &*pin.package).collect();
        let brought: BTreeSet<String> = {
            let unmet = Unmet::new(&environment);
            let is_unknown = |key: &String| declared_requirements(key).is_none();
            let all =
                unmet.other_versions(&environment).filter(|(of, ..)| names.contains(&*of.name));
            all.map(|(.., installed)| installed.key()).filter(is_unknown).collect()
        };
        environment.packages.retain(|package| !brought.contains(&package.key()));
        environment
    }

    /// Judges what a change leads to.
    fn judged(
        &self,
        environment: &Environment,
        mut change: PinChange,
    ) -> Result<PinChange, String> {
        let pairs = checked_pairs(environment, self.reached, self.context);
        let after: BTreeSet<_> =
            broken(&pairs).union(&self.by_names(environment, &change)).cloned().collect();
        if let Some((one, other)) = after.difference(&self.broken).next() {
            return Err(format!("{}: {one} with {other} would break", requirements(&change)));
        }
        let is_changed =
            |key: &String| change.pins.iter().any(|pin| wheels::normal(&pin.package) == *key);
        let open: Vec<String> = self
            .broken
            .iter()
            .filter(|pair| after.contains(pair) || !is_changed(&pair.0) && !is_changed(&pair.1))
            .map(|(one, other)| format!("{one} with {other}"))
            .collect();
        change.open.extend(open);
        match change.open.len() < self.broken.len() || self.broken.is_empty() {
            true => Ok(change),
            false => Err(format!("{}: the same pairs break", requirements(&change))),
        }
    }
}

impl Repair<'_> {
    /// The pairs that a name breaks, by the table of names: in a lock all, else those of packages that change.
    fn by_names(
        &self,
        environment: &Environment,
        change: &PinChange,
    ) -> BTreeSet<(String, String)> {
        let names = ReleaseNames::new(environment);
        let is_changed =
            |one: &InstalledPackage| change.pins.iter().any(|pin| pin.package == one.name);
        let missing = names.missing.iter().filter(|one| one.fails_at_load());
        let pairs = missing.filter_map(|one| {
            let (by, of) = (environment.packages.get(one.by)?, environment.packages.get(one.of)?);
            let counts = environment.is_lock || is_changed(by) || is_changed(of);
            counts.then(|| (by.key(), of.key()))
        });
        pairs.collect()
    }

    /// Whether a release of a package takes the Python of the environment, as far as both are known.
    pub(super) fn takes_python(&self, key: &str, release: &str) -> bool {
        let table = declared_requirements(key);
        table.is_none_or(|table| takes_python(&table, release, self.environment))
    }
}

/// Whether what is installed meets a requirement; what is not installed is brought along.
fn is_met(environment: &Environment, dependency: &Dependency<'_>) -> bool {
    let Some(installed) = environment.package(&dependency.key) else { return true };
    Pep440::from_str(&installed.version).is_ok_and(|version| dependency.allows(&version))
}

/// A package as another release of it, as far as tables know it.
fn released(package: &InstalledPackage, release: &str) -> InstalledPackage {
    let mut other = InstalledPackage {
        name: package.name.clone(),
        version: release.to_owned(),
        at: package.at.clone(),
        line: package.line,
        is_of_default_index: true,
        ..InstalledPackage::default()
    };
    fill(&mut other);
    if let Some(wheel) = wheels::of_release(&other.key(), release).next() {
        let objects = wheel.objects.iter();
        other.objects = objects
            .map(|(path, needs)| (path.clone(), std::sync::Arc::new(needs.clone())))
            .collect();
        other.platforms = crate::wheel::platforms_of(&wheel.file);
        other.loads_with.clone_from(&wheel.loads_with);
    }
    other
}

/// The pairs that break, by the names of both.
fn broken(pairs: &[PackagePair]) -> BTreeSet<(String, String)> {
    let key = |label: &str| wheels::normal(label.rsplit_once(' ').map_or(label, |(name, _)| name));
    let broken = pairs.iter().filter(|pair| pair.is_broken());
    broken.map(|pair| (key(&pair.one.name), key(&pair.other.name))).collect()
}

fn violations(unmet: &Unmet<'_>, environment: &Environment) -> BTreeSet<Violation> {
    let all = unmet.other_versions(environment);
    all.map(|(of, dependency, installed)| (of.key(), dependency.text.clone(), installed.key()))
        .collect()
}

fn requirements(change: &PinChange) -> String {
    let all: Vec<&str> = change.pins.iter().map(|pin| &*pin.requirement).collect();
    all.join(" ")
}
