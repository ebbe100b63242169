//! Plan of the artifacts of a model that a whole fleet needs.
//!
//! The candidates are the versions of the model and what conversions make of them. A candidate serves a runtime if
//! the runtime accepts it; what was converted for one runtime often serves others, and that is what makes few
//! artifacts enough. Which few is a question of coverage (`Cover`): for every number of artifacts the
//! ones that serve the most devices.
//!
//! A runtime is served by the newest version that any way leads to, as a decision would: an older artifact that it takes
//! as well does not count for it. [`PlanOptions::any_version`] counts it, which needs fewer artifacts and leaves
//! more devices behind.
//!
//! As JSON a plan is an object:
//!
//! | key | value |
//! | --- | --- |
//! | `schema`, `schema_version` | `"unskew.fleet.plan"`, 1 |
//! | `judge`, `as_of`, `policy`, `model` | as in a decision |
//! | `any_version` | whether older versions count where newer ones are taken |
//! | `unrelated` | the runtimes that have nothing in common with the model, by name; they count nowhere else |
//! | `devices` | how many devices the others have |
//! | `servable` | how many any candidate serves |
//! | `candidates` | the artifacts: `artifact`, `version`, `way`, `file`, `size`, `made_for` (a runtime, or null), `serves` (names of runtimes), `devices` |
//! | `curve` | for 1, 2, ... artifacts: `artifacts` (places in `candidates`), `devices` that they serve, `adds` to the point before, `at_most` (what no as many exceed), `optimal` |
//! | `chosen` | the place of the point in `curve` that is proposed: the last; null if nothing serves anybody |
//! | `runtimes` | by name: `name`, `devices`, `served_by` (the place of a candidate of the chosen point, or null), `version` (the newest that reaches it, or null) |
//! | `blocks` | for each version that cannot be dropped: `version`, `devices`, and `runtimes` with `name`, `devices`, `falls_back_to` (an older version, or null) |

mod what_if;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use what_if::WhatIf;

use crate::decision::{DeliveryMode, DeliveryPolicy, PolicySpec};
use crate::store::{KeptRuntime, PublishedVersion};
use crate::{Cover, Digest, EFFORT, Fleet, FleetError, JudgeIdentity};

/// What is asked of a plan besides the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// The maximum number of artifacts.
    pub most: usize,
    /// Whether an older version counts for a runtime that takes a newer one.
    pub any_version: bool,
    /// How many nodes the search may look at.
    pub effort: usize,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self { most: usize::MAX, any_version: false, effort: EFFORT }
    }
}

/// An artifact that could be delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Candidate")]
pub struct DeliveryCandidate {
    /// The content address (SHA-256) of the artifact.
    pub artifact: Digest,
    /// The version of the model that it is or was made of.
    pub version: i64,
    /// Whether it was converted.
    pub way: DeliveryMode,
    /// The name of the file.
    pub file: String,
    /// Size of all its files in bytes.
    pub size: u64,
    /// The first runtime that it was converted for.
    pub made_for: Option<String>,
    /// The runtimes that it serves.
    pub serves: Vec<String>,
    /// The number of devices of these runtimes.
    pub devices: u64,
}

/// The best that so many artifacts do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// The artifacts, as places in the list of candidates.
    pub artifacts: Vec<usize>,
    /// The devices that they serve.
    pub devices: u64,
    /// How many more those are than with one artifact less.
    pub adds: u64,
    /// What no as many artifacts exceed.
    pub at_most: u64,
    /// Whether nothing is better.
    pub optimal: bool,
}

/// A runtime in a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Served {
    /// The name of the runtime in the fleet.
    pub name: String,
    /// How many devices have it.
    pub devices: u64,
    /// The chosen artifact that serves it, as a place in the list of candidates.
    pub served_by: Option<usize>,
    /// The newest version that reaches it.
    pub version: Option<i64>,
}

/// A runtime that needs a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Needing {
    /// The name of the runtime in the fleet.
    pub name: String,
    /// How many devices have it.
    pub devices: u64,
    /// The older version that it would get.
    pub falls_back_to: Option<i64>,
}

/// A version, and who needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Block")]
pub struct BlockingVersion {
    /// The version of the model.
    pub version: i64,
    /// The devices of all that need it.
    pub devices: u64,
    /// The runtimes that need this version.
    pub runtimes: Vec<Needing>,
}

/// Which artifacts a fleet needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The name of the format: `unskew.fleet.plan`.
    pub schema: String,
    /// The version of this JSON schema, 1.
    pub schema_version: u32,
    /// The release of Unskew and the database that judged.
    pub judge: JudgeIdentity,
    /// The day that the plan holds for, YYYY-MM-DD.
    pub as_of: String,
    /// What was good enough.
    pub policy: PolicySpec,
    /// The name of the model.
    pub model: String,
    /// Whether an older version counts for a runtime that takes a newer one.
    pub any_version: bool,
    /// The runtimes that have nothing in common with the model.
    pub unrelated: Vec<String>,
    /// The devices of all others.
    pub devices: u64,
    /// The devices that any candidate serves.
    pub servable: u64,
    /// The artifacts that could be delivered.
    pub candidates: Vec<DeliveryCandidate>,
    /// What 1, 2, ... of them do.
    pub curve: Vec<Point>,
    /// The point that is proposed.
    pub chosen: Option<usize>,
    /// The runtimes, by name.
    pub runtimes: Vec<Served>,
    /// The versions that cannot be dropped, newest first.
    pub blocks: Vec<BlockingVersion>,
}

impl Plan {
    /// The plan as JSON, ending with a line break.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The point that is proposed.
    pub fn choice(&self) -> Option<&Point> {
        self.chosen.and_then(|at| self.curve.get(at))
    }
}

/// How each runtime is reached, by the places of runtimes and candidates.
#[derive(Default)]
struct Reach {
    candidates: Vec<DeliveryCandidate>,
    /// The candidates that serve each runtime.
    serving: Vec<BTreeSet<usize>>,
    /// The versions that reach each runtime, newest first, as far as they were asked.
    versions: Vec<Vec<i64>>,
}

impl Fleet {
    /// The plan for a model and the runtimes of the fleet.
    ///
    /// # Errors
    /// If there is no such model, or something cannot be read.
    pub fn plan(
        &mut self,
        model: &str,
        policy: &DeliveryPolicy,
        options: &PlanOptions,
    ) -> Result<Plan, FleetError> {
        let runtimes = self.runtimes_on(&policy.as_of.to_string())?;
        self.plan_for(model, &runtimes, policy, options)
    }

    /// The plan for a model and any runtimes.
    ///
    /// # Errors
    /// As [`Fleet::plan`].
    pub fn plan_for(
        &mut self,
        model: &str,
        runtimes: &[KeptRuntime],
        policy: &DeliveryPolicy,
        options: &PlanOptions,
    ) -> Result<Plan, FleetError> {
        let versions = self.versions(model, &policy.as_of.to_string())?;
        let (runtimes, unrelated) = self.related(&versions, runtimes, policy)?;
        let runtimes = runtimes.as_slice();
        let mut reach = self.reach(&versions, runtimes, policy, options)?;
        self.spread(&mut reach, runtimes, policy)?;
        if !options.any_version {
            reach.keep_newest();
        }
        let weights: Vec<u64> = runtimes.iter().map(|runtime| runtime.devices).collect();
        let sets = reach.sets();
        let cover = Cover::new(weights, sets.clone());
        let curve = points(&cover.curve(options.most, options.effort));
        let chosen = curve.len().checked_sub(1);
        let taken = curve.last().map_or(&[][..], |point| &point.artifacts);
        let served = |(at, runtime): (usize, &KeptRuntime)| Served {
            name: runtime.name.clone(),
            devices: runtime.devices,
            served_by: best_of(taken, &reach, at),
            version: reach.versions[at].first().copied(),
        };
        let served = runtimes.iter().enumerate().map(served).collect();
        for (candidate, set) in reach.candidates.iter_mut().zip(&sets) {
            candidate.serves = set.iter().map(|at| runtimes[*at].name.clone()).collect();
            candidate.devices = set.iter().map(|at| runtimes[*at].devices).sum();
        }
        Ok(Plan {
            schema: "unskew.fleet.plan".to_owned(),
            schema_version: 1,
            judge: self.judge().clone(),
            as_of: policy.as_of.to_string(),
            policy: policy.into(),
            model: model.to_owned(),
            any_version: options.any_version,
            unrelated,
            devices: runtimes.iter().map(|runtime| runtime.devices).sum(),
            servable: cover.coverable(),
            blocks: blocks(&versions, &reach, runtimes),
            candidates: reach.candidates,
            curve,
            chosen,
            runtimes: served,
        })
    }

    /// The runtimes that any version concerns, and the names of the others.
    fn related(
        &mut self,
        versions: &[PublishedVersion],
        runtimes: &[KeptRuntime],
        policy: &DeliveryPolicy,
    ) -> Result<(Vec<KeptRuntime>, Vec<String>), FleetError> {
        let (mut related, mut unrelated) = (Vec::new(), Vec::new());
        for runtime in runtimes {
            let mut concerned = versions.is_empty();
            for version in versions {
                concerned = !self.answer(version, runtime, policy)?.is_unrelated();
                if concerned {
                    break;
                }
            }
            match concerned {
                true => related.push(runtime.clone()),
                false => unrelated.push(runtime.name.clone()),
            }
        }
        Ok((related, unrelated))
    }

    /// Asks every runtime: the versions newest first, up to the second that reaches it, or all.
    fn reach(
        &mut self,
        versions: &[PublishedVersion],
        runtimes: &[KeptRuntime],
        policy: &DeliveryPolicy,
        options: &PlanOptions,
    ) -> Result<Reach, FleetError> {
        let mut reach = Reach::default();
        reach.serving.resize(runtimes.len(), BTreeSet::new());
        reach.versions.resize(runtimes.len(), Vec::new());
        let mut known = BTreeMap::new();
        for version in versions {
            for (at, runtime) in runtimes.iter().enumerate() {
                if reach.versions[at].len() >= 2 && !options.any_version {
                    continue;
                }
                let answer = self.answer(version, runtime, policy)?;
                let Some(way) = policy.way(&answer) else { continue };
                let made = answer.converted.as_ref().filter(|_| way == DeliveryMode::Converted);
                let (artifact, size) = match made {
                    Some(made) => (made.result.unwrap_or(version.artifact), made.size.unwrap_or(0)),
                    None => (version.artifact, version.size),
                };
                let place = *known.entry(artifact).or_insert_with(|| {
                    reach.candidates.push(DeliveryCandidate {
                        artifact,
                        version: version.number,
                        way,
                        file: version.file.clone(),
                        size,
                        made_for: made.map(|_| runtime.name.clone()),
                        serves: Vec::new(),
                        devices: 0,
                    });
                    reach.candidates.len() - 1
                });
                reach.serving[at].insert(place);
                reach.versions[at].push(version.number);
            }
        }
        Ok(reach)
    }

    /// Asks every runtime about what was converted for others.
    fn spread(
        &mut self,
        reach: &mut Reach,
        runtimes: &[KeptRuntime],
        policy: &DeliveryPolicy,
    ) -> Result<(), FleetError> {
        for place in 0..reach.candidates.len() {
            let DeliveryCandidate { artifact, way, file, version, .. } =
                reach.candidates[place].clone();
            if way == DeliveryMode::AsIs {
                continue;
            }
            for (at, runtime) in runtimes.iter().enumerate() {
                let asked = reach.serving[at].contains(&place);
                if asked || !reach.versions[at].contains(&version) {
                    continue;
                }
                let answer = self.answer_as_is(&artifact, &file, runtime, policy)?;
                if policy.accepts(&answer.as_is) {
                    reach.serving[at].insert(place);
                }
            }
        }
        Ok(())
    }
}

impl Reach {
    /// Leaves each runtime the candidates of the newest version that reaches it.
    fn keep_newest(&mut self) {
        for (serving, versions) in self.serving.iter_mut().zip(&self.versions) {
            let newest = versions.first();
            serving.retain(|place| Some(&self.candidates[*place].version) == newest);
        }
    }

    /// The runtimes that each candidate serves.
    fn sets(&self) -> Vec<Vec<usize>> {
        let mut sets = vec![Vec::new(); self.candidates.len()];
        for (at, serving) in self.serving.iter().enumerate() {
            serving.iter().for_each(|place| sets[*place].push(at));
        }
        sets
    }
}

/// The curve with what each artifact adds.
fn points(curve: &[crate::Best]) -> Vec<Point> {
    let before = std::iter::once(0).chain(curve.iter().map(|best| best.weight));
    let point = |(best, before): (&crate::Best, u64)| Point {
        artifacts: best.sets.clone(),
        devices: best.weight,
        adds: best.weight.saturating_sub(before),
        at_most: best.at_most,
        optimal: best.is_optimal(),
    };
    curve.iter().zip(before).map(point).collect()
}

/// The artifact among those taken that a runtime gets: of the newest version, and as it is rather than converted.
fn best_of(taken: &[usize], reach: &Reach, runtime: usize) -> Option<usize> {
    let serving = taken.iter().filter(|place| reach.serving[runtime].contains(*place));
    let rank = |place: &&usize| {
        let candidate = &reach.candidates[**place];
        (std::cmp::Reverse(candidate.version), candidate.way, **place)
    };
    serving.min_by_key(rank).copied()
}

/// The versions that somebody needs.
fn blocks(
    versions: &[PublishedVersion],
    reach: &Reach,
    runtimes: &[KeptRuntime],
) -> Vec<BlockingVersion> {
    let of = |version: &PublishedVersion| {
        let needing = |(at, runtime): (usize, &KeptRuntime)| {
            let reached = &reach.versions[at];
            (reached.first() == Some(&version.number)).then(|| Needing {
                name: runtime.name.clone(),
                devices: runtime.devices,
                falls_back_to: reached.get(1).copied(),
            })
        };
        let runtimes: Vec<Needing> = runtimes.iter().enumerate().filter_map(needing).collect();
        let devices = runtimes.iter().map(|one| one.devices).sum();
        (!runtimes.is_empty()).then_some(BlockingVersion {
            version: version.number,
            devices,
            runtimes,
        })
    };
    versions.iter().filter_map(of).collect()
}
