//! From what a user names to the parties that stand on that side.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use unskew_artifact::{Artifact, Options, Running};
use unskew_core::Party;
use unskew_releases::{Release, select};
use unskew_report::Subject;

/// One party of a side.
#[derive(Clone, Debug)]
pub struct Member {
    /// Where it came from; none for a release.
    pub path: Option<String>,
    /// As a user names it: the path, or `torch@2.1.2`.
    pub label: String,
    /// The release, if it is one.
    pub release: Option<Release>,
    /// What it is.
    pub party: Arc<Party>,
}

impl Member {
    /// The member as one side of a pair.
    pub fn subject(&self) -> Subject {
        Subject { path: self.path.clone(), side: self.party.side() }
    }
}

/// What one name stands for.
#[derive(Debug)]
pub struct Side {
    /// Everything that can be judged, never empty.
    pub members: Vec<Member>,
    /// What was found and could not be read.
    pub failures: Vec<unskew_report::Failure>,
}

/// The options by which files are opened: plug-ins that may run are asked in a child process of this command.
pub fn options(running: impl Into<Running>) -> Options {
    match std::env::current_exe() {
        Ok(command) => Options::probing(running.into(), move |path: &Path| {
            let mut child = std::process::Command::new(&command);
            child.arg("__probe").arg(path);
            child
        }),
        Err(_) => Options::default(),
    }
}

/// The side that `name` names: a release, the releases of a family, or whatever lies at a path or URI.
///
/// # Errors
/// If it is neither, or cannot be read.
pub fn side(name: &OsStr, options: &Options) -> anyhow::Result<Side> {
    let path = Path::new(name);
    // What is not UTF-8 is no release, and may well be a file.
    let release = name.to_str().map(select);
    match release {
        Some(Ok(releases)) => Ok(of_releases(releases)),
        Some(Err(error))
            if name.as_encoded_bytes().contains(&b'@')
                && !name.to_str().is_some_and(unskew_artifact::is_uri)
                && !path.exists() =>
        {
            Err(error.into())
        }
        _ if name.to_str().is_some_and(unskew_artifact::is_uri) => {
            let uri = name.to_str().unwrap_or_default();
            of_artifact(unskew_artifact::open_uri(uri, options)?)
        }
        _ if !path.exists() => {
            let name = path.display();
            bail!("no such file, and no release either (those are named like torch@2.1): {name}")
        }
        _ => of_artifact(unskew_artifact::open(path, options)?),
    }
}

/// The side that something opened is.
///
/// # Errors
/// If nothing in it could be read.
fn of_artifact(artifact: Artifact) -> anyhow::Result<Side> {
    let failures = failures(&artifact);
    if artifact.pieces.is_empty() {
        let first = artifact.problems.into_iter().next().context("nothing to check")?;
        return Err(anyhow::Error::new(first));
    }
    let release = artifact.release;
    let members = artifact
        .pieces
        .into_iter()
        .map(|piece| Member {
            path: Some(piece.label.clone()),
            label: piece.label,
            release,
            party: piece.party,
        })
        .collect();
    Ok(Side { members, failures })
}

fn of_releases(releases: Vec<Release>) -> Side {
    let member = |release: Release| Member {
        path: None,
        label: release.to_string(),
        release: Some(release),
        party: release.party(),
    };
    Side { members: releases.into_iter().map(member).collect(), failures: Vec::new() }
}

fn failures(artifact: &Artifact) -> Vec<unskew_report::Failure> {
    let failure = |error: &unskew_artifact::OpenError| unskew_report::Failure {
        path: artifact.path.clone(),
        message: error.to_string(),
    };
    artifact.problems.iter().map(failure).collect()
}
