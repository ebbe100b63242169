//! Question that is asked of every artifact.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use unskew_artifact::{OpenOptions, open, open_uri};
use unskew_core::{Date, Party};
use unskew_releases::select;
use unskew_source::budget::count_file;

use crate::ScanError;

/// What is asked of every artifact: with which runtimes, on which day, and by which version of Unskew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The runtimes, as [`Question::new`] was given them.
    pub with: Vec<String>,
    /// The runtimes that these are: `torch` is every release of it.
    pub runtimes: Vec<String>,
    /// The day on which promises are judged.
    #[serde(with = "day")]
    pub as_of: Date,
    /// The version of Unskew.
    pub unskew: String,
}

impl Question {
    /// The question of these runtimes: releases, families of them, or paths and URIs of operator tables, wheels,
    /// plug-ins.
    ///
    /// # Errors
    /// If one of them is nothing of this kind.
    pub fn new<S: AsRef<str>>(with: &[S], as_of: Date) -> Result<Self, ScanError> {
        let with: Vec<String> = with.iter().map(|name| name.as_ref().to_owned()).collect();
        let runtimes = runtimes(&with)?.into_iter().map(|(label, _)| label).collect();
        Ok(Self { with, runtimes, as_of, unskew: env!("CARGO_PKG_VERSION").to_owned() })
    }
}

mod day {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};
    use unskew_core::Date;

    pub(super) fn serialize<S: Serializer>(day: &Date, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(day)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Date, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// The runtimes of these names, each once, by their labels.
pub(crate) fn runtimes(names: &[String]) -> Result<Vec<(String, Arc<Party>)>, ScanError> {
    let mut all: Vec<(String, Arc<Party>)> = Vec::new();
    for name in names {
        let found = match select(name) {
            Ok(releases) => {
                // The tables of a release take as much as a small file.
                releases.iter().for_each(|_| count_file(1 << 20));
                releases.into_iter().map(|one| (one.to_string(), one.party())).collect()
            }
            Err(_) if unskew_artifact::is_uri(name) => {
                pieces(open_uri(name, &OpenOptions::default()))?
            }
            Err(_) if Path::new(name).exists() => {
                pieces(open(Path::new(name), &OpenOptions::default()))?
            }
            Err(error) => return Err(ScanError::Runtime(error.to_string())),
        };
        for (label, party) in found {
            if all.iter().all(|(known, _)| *known != label) {
                all.push((label, party));
            }
        }
    }
    match all.is_empty() {
        true => Err(ScanError::Runtime("no runtime is named".to_owned())),
        false => Ok(all),
    }
}

/// What can be checked in an opened runtime.
fn pieces(
    opened: Result<unskew_artifact::Artifact, unskew_artifact::OpenError>,
) -> Result<Vec<(String, Arc<Party>)>, ScanError> {
    let artifact = opened.map_err(|error| ScanError::Runtime(error.to_string()))?;
    if let Some(problem) = artifact.problems.first() {
        return Err(ScanError::Runtime(problem.to_string()));
    }
    Ok(artifact.pieces.into_iter().map(|piece| (piece.label, piece.party)).collect())
}
