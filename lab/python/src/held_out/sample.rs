//! One environment: what its imports say, what `unskew env` says, and what other tools say.

use std::collections::BTreeMap;
use std::path::Path;

use unskew_core::{Finding, Phase, Severity};
use unskew_environments::{EnvironmentVerdict, InstalledPackage, PinChange, judge};
use unskew_lab_harness::today;

use super::draw::Draw;
use super::peers::{self, PeerAnswers};
use super::quotas::{BreakClass, Quotas, class, missing_name};
use crate::drifted::Proposal;
use crate::drifted::environment::{DrawnEnvironment, Drift, key_of};

/// An error of a verdict at load, or a warning: its code, the packages, and its text.
pub(super) struct NamedFinding {
    pub(super) code: &'static str,
    pub(super) packages: Vec<String>,
    text: String,
}

/// What came of one environment.
pub(super) struct Sample {
    pub(super) package: String,
    pub(super) drift: Option<Drift>,
    pub(super) class: BreakClass,
    pub(super) errors: Vec<NamedFinding>,
    warnings: Vec<NamedFinding>,
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
        self.errors.iter().any(|error| {
            let is_changed = self.drift.as_ref().is_some_and(|one| {
                error.packages.len() > 1 && error.packages.contains(&one.package)
            });
            let is_beside_torch = self.drift.is_none()
                && error.packages.iter().any(|one| self.failed.contains_key(one));
            is_changed || is_beside_torch || self.names_missing(error)
        })
    }

    /// Whether there is no error, but a warning that names what the import says: what a function asks for once it is called.
    pub(super) fn is_warned(&self) -> bool {
        self.errors.is_empty() && self.warnings.iter().any(|one| self.names_missing(one))
    }

    fn names_missing(&self, finding: &NamedFinding) -> bool {
        let mut missing = self.failed.values().filter_map(|error| missing_name(error));
        missing.any(|name| finding.text.contains(&name))
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
    let is_error = |finding: &Finding| {
        finding.severity == Severity::Error && finding.phase == Some(Phase::Load)
    };
    let errors = named_findings(&verdict, is_error);
    let warnings = named_findings(&verdict, |finding| finding.severity == Severity::Warning);
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
    Ok(Some(Sample {
        package,
        drift,
        class,
        errors,
        warnings,
        failed,
        says_unjudged,
        peers,
        proposed,
    }))
}

/// The first change that is proposed and does not need another PyTorch, which is gigabytes.
fn installable(verdict: EnvironmentVerdict) -> Option<PinChange> {
    let all = verdict.change.into_iter().chain(verdict.other_change);
    all.into_iter().find(|change| change.pins.iter().all(|pin| pin.package != "torch"))
}

fn named_findings(
    verdict: &EnvironmentVerdict,
    is_wanted: impl Fn(&Finding) -> bool,
) -> Vec<NamedFinding> {
    let pairs = verdict.pairs.iter().flat_map(|pair| {
        let parties = vec![key_of(&pair.one.name), key_of(&pair.other.name)];
        pair.verdict.findings.iter().map(move |finding| (parties.clone(), finding))
    });
    let alone = verdict.alone.iter().flat_map(|party| {
        party.notes.iter().map(move |finding| (vec![key_of(&party.name)], finding))
    });
    let named = |(packages, finding): (Vec<String>, &Finding)| {
        let text =
            format!("{} {}", finding.message, finding.symptom.as_deref().unwrap_or_default());
        NamedFinding { code: finding.rule.code, packages, text }
    };
    pairs.chain(alone).filter(|(_, finding)| is_wanted(finding)).map(named).collect()
}
