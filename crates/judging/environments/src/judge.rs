//! All pairs of an environment that meet.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use unskew_core::{Context, Outcome, Party, Unjudged, Verdict, check};

use crate::dependencies::Unmet;
use crate::names::ReachedModules;
use crate::package_checks::of_package;
use crate::pair_kinds::PAIR_KINDS;
use crate::pins::{self, PinChange};
use crate::{Environment, InstalledPackage, gpu, libraries, names, self_checked};

/// Two packages that meet, and what is to be said of them.
#[derive(Clone, Debug)]
pub struct PackagePair {
    /// The package that needs something.
    pub one: Party,
    /// The package that has it.
    pub other: Party,
    /// Whether the two work together, and what was not looked at.
    pub verdict: Verdict,
}

/// What is to be said of an environment.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentVerdict {
    /// All pairs compared, one for each two packages, those that break first.
    pub pairs: Vec<PackagePair>,
    /// Packages with something to be said of them alone: their installation, another Python.
    pub alone: Vec<Party>,
    /// The smallest change of versions after which no pair breaks; none if none does, or none is known.
    pub change: Option<PinChange>,
    /// A second one, which changes the other side: the upgrade beside the downgrade.
    pub other_change: Option<PinChange>,
    /// Changes that would fix it but for what another package declares, each with that.
    pub refused: Vec<String>,
    /// What of the declared requirements is not judged.
    pub unjudged: Vec<Unjudged>,
    /// How many declared requirements were held against the version that is installed.
    pub compared: usize,
}

/// Judges an environment: every pair of packages that meet, each package alone, and what to change.
pub fn judge(environment: &Environment, context: &Context) -> EnvironmentVerdict {
    let unmet = Unmet::new(environment);
    let names = names::judge_names(environment, &unmet);
    let mut pairs = checked_pairs(environment, names.reached.as_ref(), context);
    let without_library = libraries::pairs(environment, &unmet);
    for (one, other) in names.pairs.into_iter().chain(self_checked::pairs(environment, &unmet)) {
        pairs.push(PackagePair::check(one, other, context));
    }
    let mut has_said: BTreeSet<usize> = BTreeSet::new();
    for (places, one, other) in without_library {
        has_said.extend(places);
        pairs.push(PackagePair::check(one, other, context));
    }
    let mut pairs = one_for_two_packages(pairs);
    sort(&mut pairs);
    let gpus = gpu::judge_gpus(environment, context);
    let mut alone: Vec<Party> = Vec::new();
    for (at, package) in environment.packages.iter().enumerate() {
        let label = package.label();
        let breaks = |other: &InstalledPackage| {
            let is = |pair: &PackagePair| {
                pair.one.name == label && pair.other.name == other.label() && pair.is_broken()
            };
            pairs.iter().any(is)
        };
        let mut unmet = match has_said.contains(&at) {
            // What is missing stands in the fix of what it breaks.
            true => Vec::new(),
            false => unmet.findings(at, package, breaks),
        };
        unmet.extend(names.alone.get(&at).into_iter().flatten().cloned());
        alone.extend(of_package(package, environment, unmet));
    }
    let is_broken = pairs.iter().chain(&gpus.pairs).any(PackagePair::is_broken);
    let reached = names.reached.as_ref();
    let changes = match is_broken {
        true => pins::changes(environment, &unmet, (&pairs, &gpus.pairs), reached, context),
        false => pins::Changes::default(),
    };
    let refused = changes.refused;
    let mut all = changes.all.into_iter();
    let (change, other_change) = (all.next(), all.next());
    let compared = unmet.compared;
    pairs.extend(gpus.pairs);
    sort(&mut pairs);
    let unjudged = unmet.unjudged.into_iter().chain(names.unjudged).chain(gpus.unjudged).collect();
    EnvironmentVerdict { pairs, alone, change, other_change, refused, unjudged, compared }
}

/// Judges every pair of packages that meet, those that break first.
pub fn judge_pairs(environment: &Environment, context: &Context) -> Vec<PackagePair> {
    checked_pairs(environment, None, context)
}

/// The same, where it is known which modules the imports of packages reach.
pub(crate) fn checked_pairs(
    environment: &Environment,
    reached: Option<&ReachedModules>,
    context: &Context,
) -> Vec<PackagePair> {
    let meeting = PAIR_KINDS.iter().flat_map(|kind| (kind.pairs)(environment, reached));
    let mut pairs: Vec<PackagePair> =
        meeting.map(|(one, other)| PackagePair::check(one, other, context)).collect();
    sort(&mut pairs);
    pairs
}

/// Makes one pair of those in which the same two packages meet in several ways.
fn one_for_two_packages(pairs: Vec<PackagePair>) -> Vec<PackagePair> {
    let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut merged: Vec<PackagePair> = Vec::new();
    for pair in pairs {
        match places.entry((pair.one.name.clone(), pair.other.name.clone())) {
            Entry::Vacant(place) => {
                place.insert(merged.len());
                merged.push(pair);
            }
            Entry::Occupied(place) => {
                merged[*place.get()].add(pair.verdict);
            }
        }
    }
    merged
}

/// Puts the pairs that break first.
fn sort(pairs: &mut [PackagePair]) {
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.verdict.severity()));
}

impl PackagePair {
    fn check(one: Party, other: Party, context: &Context) -> Self {
        let verdict = check(&one, &other, context);
        Self { one, other, verdict }
    }

    /// Adds what is said of the same packages for another reason.
    fn add(&mut self, other: Verdict) {
        let Verdict { mut findings, mut promises, mut unjudged, .. } = self.verdict.clone();
        let sides = [self.one.side(), self.other.side()];
        for mut finding in other.findings {
            // A package is named in one way, whatever it is in the other pair.
            for side in finding.subject.iter_mut().chain(&mut finding.other) {
                if let Some(same) = sides.iter().find(|one| one.name == side.name) {
                    side.clone_from(same);
                }
            }
            findings.push(finding);
        }
        promises.extend(other.promises);
        unjudged.extend(other.unjudged);
        self.verdict = Verdict::new(findings, promises, unjudged);
    }

    /// Whether the pair fails as it is installed. One that works after an adaptation fails without it.
    pub fn is_broken(&self) -> bool {
        matches!(self.verdict.outcome, Outcome::Incompatible | Outcome::Adaptable(_))
    }
}
