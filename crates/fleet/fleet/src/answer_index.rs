//! Index of answers: what is known of many models and runtimes at once, without asking anybody.
//!
//! A page that shows a model on all runtimes, or all models on a runtime, must not open artifacts and convert them
//! while somebody waits. An [`AnswerIndex`] looks up the answers that are kept, many in one statement, and says of the
//! others that nobody asked. What says the same is read once: thousands of answers have few different bodies.

use std::collections::HashMap;
use std::sync::Arc;

use crate::answer::ArtifactAnswer;
use crate::decision::{DeliveryMode, DeliveryPolicy};
use crate::store::{KeptRuntime, PublishedVersion};
use crate::{Fleet, FleetError};

/// The most answers that are kept in memory.
const KEPT: usize = 20_000;

/// What a runtime gets of a model, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuntimeAnswer {
    /// This version, in this way.
    Version(i64, DeliveryMode),
    /// No version works on the runtime.
    Nothing,
    /// No version has anything in common with it.
    Unrelated,
    /// An answer that decides is not kept: nobody asked yet.
    NotAsked,
}

/// How far the devices of a fleet are served with a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Devices that get something.
    pub served: u64,
    /// Those of them that get an older version than the newest.
    pub older: u64,
    /// Devices for which nothing fits.
    pub unserved: u64,
    /// Devices of runtimes that were not asked.
    pub not_asked: u64,
    /// Devices of runtimes that have nothing in common with the model.
    pub unrelated: u64,
}

impl Coverage {
    /// The devices that the model concerns, as far as that is known.
    pub fn concerned(&self) -> u64 {
        self.served + self.unserved + self.not_asked
    }
}

/// Looks up what is kept. It remembers what it read, so it is made once and used again.
#[derive(Default)]
pub struct AnswerIndex {
    read: HashMap<([u8; 16], String), Option<Arc<ArtifactAnswer>>>,
}

impl AnswerIndex {
    /// What is kept about some pairs of versions and runtimes, in their order; none for those that were not asked.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn answers(
        &mut self,
        fleet: &mut Fleet,
        pairs: &[(&PublishedVersion, &KeptRuntime)],
        policy: &DeliveryPolicy,
    ) -> Result<Vec<Option<Arc<ArtifactAnswer>>>, FleetError> {
        let key = |(version, runtime): &(&PublishedVersion, &KeptRuntime)| {
            fleet.answer_key(&version.artifact, &version.file, &runtime.digest, policy)
        };
        let keys: Vec<Vec<u8>> = pairs.iter().map(key).collect();
        let noted = fleet.store().noted(&keys)?;
        let day = policy.as_of.to_string();
        let bodies: Vec<Option<[u8; 16]>> = keys
            .iter()
            .map(|key| {
                let (known, body) = noted.get(key)?;
                known.as_ref().is_none_or(|known| *known == day).then_some(*body)
            })
            .collect();
        self.read(fleet, pairs, &bodies)?;
        let find =
            |((version, _), body): (&(&PublishedVersion, &KeptRuntime), &Option<[u8; 16]>)| {
                self.read.get(&((*body)?, version.file.clone()))?.clone()
            };
        Ok(pairs.iter().zip(&bodies).map(find).collect())
    }

    /// Reads the answers that are not in memory.
    fn read(
        &mut self,
        fleet: &mut Fleet,
        pairs: &[(&PublishedVersion, &KeptRuntime)],
        bodies: &[Option<[u8; 16]>],
    ) -> Result<(), FleetError> {
        if self.read.len() > KEPT {
            self.read.clear();
        }
        let mut wanted: Vec<([u8; 16], String)> = Vec::new();
        for ((version, _), body) in pairs.iter().zip(bodies) {
            let Some(body) = body else { continue };
            let name = (*body, version.file.clone());
            if !self.read.contains_key(&name) {
                wanted.push(name);
            }
        }
        wanted.sort();
        wanted.dedup();
        let mut names: Vec<[u8; 16]> = wanted.iter().map(|(body, _)| *body).collect();
        names.dedup();
        let texts = fleet.store().bodies(&names)?;
        for (body, file) in wanted {
            let text = texts.get(&body);
            let answer = text.and_then(|text| ArtifactAnswer::unpack(text, &file)).map(Arc::new);
            self.read.insert((body, file), answer);
        }
        Ok(())
    }

    /// What each runtime gets of a model, whose versions stand newest first, as [`Fleet::decide_for`] would say it.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn gets(
        &mut self,
        fleet: &mut Fleet,
        versions: &[PublishedVersion],
        runtimes: &[KeptRuntime],
        policy: &DeliveryPolicy,
    ) -> Result<Vec<RuntimeAnswer>, FleetError> {
        let pairs: Vec<(&[PublishedVersion], &KeptRuntime)> =
            runtimes.iter().map(|runtime| (versions, runtime)).collect();
        self.gets_of(fleet, &pairs, policy)
    }

    /// What runtimes get of models, each of a model with its versions, newest first.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn gets_of(
        &mut self,
        fleet: &mut Fleet,
        pairs: &[(&[PublishedVersion], &KeptRuntime)],
        policy: &DeliveryPolicy,
    ) -> Result<Vec<RuntimeAnswer>, FleetError> {
        let mut found: Vec<Option<RuntimeAnswer>> = vec![None; pairs.len()];
        let mut unrelated = vec![true; pairs.len()];
        let mut open: Vec<usize> = (0..pairs.len()).collect();
        for depth in 0.. {
            // Those for which this version is the next to be asked; the others have no more.
            open.retain(|at| {
                let more = depth < pairs[*at].0.len();
                if !more && found[*at].is_none() {
                    let kind = if unrelated[*at] {
                        RuntimeAnswer::Unrelated
                    } else {
                        RuntimeAnswer::Nothing
                    };
                    found[*at] = Some(kind);
                }
                more
            });
            if open.is_empty() {
                break;
            }
            let asked: Vec<(&PublishedVersion, &KeptRuntime)> =
                open.iter().map(|at| (&pairs[*at].0[depth], pairs[*at].1)).collect();
            let answers = self.answers(fleet, &asked, policy)?;
            let mut next = Vec::new();
            for ((at, (version, _)), answer) in open.iter().zip(&asked).zip(answers) {
                match answer {
                    None => found[*at] = Some(RuntimeAnswer::NotAsked),
                    Some(answer) => match policy.way(&answer) {
                        Some(way) => found[*at] = Some(RuntimeAnswer::Version(version.number, way)),
                        None => {
                            unrelated[*at] &= answer.is_unrelated();
                            next.push(*at);
                        }
                    },
                }
            }
            open = next;
        }
        let none = |one: Option<RuntimeAnswer>| one.unwrap_or(RuntimeAnswer::NotAsked);
        Ok(found.into_iter().map(none).collect())
    }
}

/// What some runtimes get, in devices; `newest` is the newest version of the model.
pub fn coverage<'a>(
    gets: impl IntoIterator<Item = (&'a KeptRuntime, RuntimeAnswer)>,
    newest: Option<i64>,
) -> Coverage {
    let mut all = Coverage::default();
    for (runtime, gets) in gets {
        let count = match gets {
            RuntimeAnswer::Version(version, _) => {
                if Some(version) != newest {
                    all.older = all.older.saturating_add(runtime.devices);
                }
                &mut all.served
            }
            RuntimeAnswer::Nothing => &mut all.unserved,
            RuntimeAnswer::Unrelated => &mut all.unrelated,
            RuntimeAnswer::NotAsked => &mut all.not_asked,
        };
        *count = count.saturating_add(runtime.devices);
    }
    all
}
