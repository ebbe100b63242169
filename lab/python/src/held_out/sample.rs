//! One environment: what its imports say, what `unskew env` says, and what other tools say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use unskew_core::{Finding, Phase, Severity};
use unskew_environments::{EnvironmentVerdict, InstalledPackage, PinChange, judge};
use unskew_lab_harness::today;

use super::draw::Draw;
use super::peers::{self, PeerAnswers};
use crate::drifted::Proposal;
use crate::drifted::environment::{DrawnEnvironment, Drift, key_of};

/// Why an import fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BreakClass {
    /// A Python name that is not there.
    Name,
    /// Symbols and libraries of PyTorch.
    Torch,
    /// NumPy's binary interface.
    Numpy,
    /// Code that compares versions.
    Check,
    Other,
}

/// An error of a verdict at load: its code, the packages, and its text.
pub(super) struct NamedError {
    pub(super) code: &'static str,
    pub(super) packages: Vec<String>,
    text: String,
}

/// What came of one environment.
pub(super) struct Sample {
    pub(super) package: String,
    pub(super) drift: Option<Drift>,
    pub(super) class: BreakClass,
    pub(super) errors: Vec<NamedError>,
    /// The packages whose import fails, with what it says.
    pub(super) failed: BTreeMap<String, String>,
    /// Whether a line says what was not judged.
    pub(super) says_unjudged: bool,
    pub(super) peers: PeerAnswers,
    /// What is proposed and could be installed here.
    pub(super) proposed: Option<Proposal>,
}

impl Sample {
    /// Whether an error names what the import says, or the package that was changed with another one.
    pub(super) fn is_right(&self) -> bool {
        let missing = self.failed.values().filter_map(|error| missing_name(error));
        let missing: Vec<String> = missing.collect();
        self.errors.iter().any(|error| {
            let is_changed = self.drift.as_ref().is_some_and(|one| {
                error.packages.len() > 1 && error.packages.contains(&one.package)
            });
            let is_beside_torch = self.drift.is_none()
                && error.packages.iter().any(|one| self.failed.contains_key(one));
            is_changed || is_beside_torch || missing.iter().any(|name| error.text.contains(name))
        })
    }
}

/// How many of each kind are still wanted.
#[derive(Debug)]
pub(super) struct Quotas {
    of_class: BTreeMap<BreakClass, usize>,
    /// Broken ones of any class.
    any: usize,
    /// Working ones as an installer makes them, and those in which a package was changed.
    installed: usize,
    changed: usize,
    /// What imports said so far, and the environments that work: each counts once.
    seen: BTreeSet<String>,
}

impl Quotas {
    /// The shares of 42 public threads: 22 names, 7 the PyTorch ABI, 3 NumPy, 3 checks in code, and others.
    pub(super) fn new(count: usize) -> Self {
        let share = |of: usize| (count * of + 21) / 42;
        let of_class: BTreeMap<_, _> = [
            (BreakClass::Name, share(22)),
            (BreakClass::Torch, share(7)),
            (BreakClass::Numpy, share(3)),
            (BreakClass::Check, share(3)),
        ]
        .into();
        let any = count - of_class.values().sum::<usize>();
        let (installed, changed) = (count / 2, count - count / 2);
        Self { of_class, any, installed, changed, seen: BTreeSet::new() }
    }

    pub(super) fn are_met(&self) -> bool {
        self.of_class.values().all(|left| *left == 0)
            && self.any + self.installed + self.changed == 0
    }

    /// What is still wanted, for whoever watches.
    pub(super) fn left(&self) -> String {
        let Self { of_class, any, installed, changed, .. } = self;
        format!("broken {of_class:?}, any {any}; working {installed}, changed {changed}")
    }

    pub(super) fn want_torch(&self) -> bool {
        self.of_class.get(&BreakClass::Torch).is_some_and(|left| *left > 0)
    }

    /// Whether one that breaks is still wanted.
    fn want_broken(&self, class: BreakClass) -> bool {
        self.any > 0 || self.of_class.get(&class).is_some_and(|left| *left > 0)
    }

    /// Whether a sample is wanted; it counts then.
    pub(super) fn take(&mut self, sample: &Sample) -> bool {
        let first = sample.failed.iter().next();
        let subject = first.map_or_else(
            || format!("{} {:?}", sample.package, sample.drift),
            |(package, error)| match missing_name(error) {
                Some(name) => format!("{package} {name}"),
                None => format!("{package} {:?} {}", sample.class, sample.package),
            },
        );
        if !self.seen.insert(subject) {
            return false;
        }
        let of_class = self.of_class.get_mut(&sample.class).filter(|left| **left > 0);
        let left = match (sample.failed.is_empty(), sample.drift.is_some()) {
            (false, _) => of_class.unwrap_or(&mut self.any),
            (true, false) => &mut self.installed,
            (true, true) => &mut self.changed,
        };
        let is_wanted = *left > 0;
        *left = left.saturating_sub(1);
        is_wanted
    }
}

/// The environments of a draw, before and after the change, as far as they are wanted; none if they cannot be made.
pub(super) fn samples(
    draw: &Draw,
    quotas: &Quotas,
    place: &Path,
) -> anyhow::Result<Option<Vec<Sample>>> {
    if draw.is_beside_torch {
        let made = DrawnEnvironment::beside_torch(draw.package, &draw.others, &draw.day, place)?;
        let Some(environment) = made else { return Ok(None) };
        return Ok(Some(sample(&environment, None, quotas)?.into_iter().collect()));
    }
    let Some(environment) = DrawnEnvironment::install(draw.package, &draw.day, place)? else {
        return Ok(None);
    };
    let mut all = Vec::new();
    if quotas.installed > 0 {
        all.extend(sample(&environment, None, quotas)?);
    }
    if all.iter().any(|one: &Sample| !one.failed.is_empty()) {
        return Ok(Some(all));
    }
    for package in &draw.others {
        if let Some(drift) = environment.change_to(package, &draw.other_day)? {
            all.extend(sample(&environment, Some(drift), quotas)?);
        }
    }
    Ok(Some(all))
}

/// Imports and judges an environment; none if one like it is not wanted.
fn sample(
    drawn: &DrawnEnvironment,
    drift: Option<Drift>,
    quotas: &Quotas,
) -> anyhow::Result<Option<Sample>> {
    let environment = drawn.read()?;
    let requires = |package: &InstalledPackage, changed: &str| {
        package.requires.iter().any(|text| key_of(text) == changed)
    };
    let is_asked = |package: &&InstalledPackage| {
        let key = package.key();
        key == drawn.package
            || drift
                .as_ref()
                .is_some_and(|one| one.package == key || requires(package, &one.package))
    };
    let modules = |package: &InstalledPackage| (package.key(), package.import_modules());
    let asked = environment.packages.iter().filter(is_asked).map(modules).collect();
    let mut failed = drawn.failed(&asked)?;
    let is_wanted = match failed.values().next() {
        Some(error) => quotas.want_broken(class(error)),
        None if drift.is_some() => quotas.changed > 0,
        None => quotas.installed > 0,
    };
    if !is_wanted {
        return Ok(None);
    }
    let verdict = judge(&environment, &today());
    let errors = errors(&verdict);
    let is_named = |package: &&InstalledPackage| {
        errors.iter().any(|error| error.packages.contains(&package.key()))
    };
    let named = environment.packages.iter().filter(is_named).map(modules).collect();
    failed.extend(drawn.failed(&named)?);
    let first = failed.values().next();
    let class = first.map_or(BreakClass::Other, |error| class(error));
    let read: Vec<String> = match failed.is_empty() {
        true => vec![drawn.package.clone()],
        false => failed.keys().cloned().collect(),
    };
    let missing = first.map(|error| missing_name(error).unwrap_or_default());
    let peers = peers::ask(drawn, &environment, &read, missing.as_deref())?;
    let says_unjudged = !verdict.unjudged.is_empty() || !environment.not_read.is_empty();
    let repaired =
        environment.packages.iter().filter(|one| failed.contains_key(&one.key())).map(modules);
    let proposed = match installable(verdict).filter(|_| !failed.is_empty()) {
        Some(change) => Some(drawn.proposed(change, &repaired.collect())?),
        None => None,
    };
    let package = drawn.label(&environment);
    Ok(Some(Sample { package, drift, class, errors, failed, says_unjudged, peers, proposed }))
}

/// The first change that is proposed and does not need another PyTorch, which is gigabytes.
fn installable(verdict: EnvironmentVerdict) -> Option<PinChange> {
    let all = verdict.change.into_iter().chain(verdict.other_change);
    all.into_iter().find(|change| change.pins.iter().all(|pin| pin.package != "torch"))
}

fn errors(verdict: &EnvironmentVerdict) -> Vec<NamedError> {
    let pairs = verdict.pairs.iter().flat_map(|pair| {
        let parties = vec![key_of(&pair.one.name), key_of(&pair.other.name)];
        pair.verdict.findings.iter().map(move |finding| (parties.clone(), finding))
    });
    let alone = verdict.alone.iter().flat_map(|party| {
        party.notes.iter().map(move |finding| (vec![key_of(&party.name)], finding))
    });
    let at_load = |finding: &Finding| {
        finding.severity == Severity::Error && finding.phase == Some(Phase::Load)
    };
    let named = |(packages, finding): (Vec<String>, &Finding)| {
        let text =
            format!("{} {}", finding.message, finding.symptom.as_deref().unwrap_or_default());
        NamedError { code: finding.rule.code, packages, text }
    };
    pairs.chain(alone).filter(|(_, finding)| at_load(finding)).map(named).collect()
}

/// Which class an exception is of.
fn class(error: &str) -> BreakClass {
    let has = |texts: &[&str]| texts.iter().any(|text| error.contains(text));
    if has(&["numpy.core.multiarray", "numpy.dtype size", "compiled using NumPy 1", "_ARRAY_API"]) {
        return BreakClass::Numpy;
    }
    if has(&[
        "undefined symbol",
        "cannot open shared object",
        "libtorch",
        "Could not load this library",
    ]) {
        return BreakClass::Torch;
    }
    if has(&["cannot import name", "has no attribute", "No module named"]) {
        return BreakClass::Name;
    }
    let is_check = ["ImportError", "RuntimeError", "VersionConflict"];
    match is_check.iter().any(|class| error.starts_with(class)) {
        true => BreakClass::Check,
        false => BreakClass::Other,
    }
}

/// The name that an exception says is missing.
fn missing_name(error: &str) -> Option<String> {
    let after = ["cannot import name '", "has no attribute '", "No module named '"];
    let rest = after.iter().find_map(|text| error.split_once(text))?.1;
    rest.split('\'').next().map(str::to_owned)
}
