//! Artifacts are read in processes of their own ([`unskew_inspection`]), which this module asks.
//!
//! A child opens no file and no connection: its parent reads for it, from wherever the artifact lies, and writes for it what a
//! conversion made: ranges of the artifact, and new bytes. A child takes many questions, because building a runtime takes
//! much longer than asking it: the one that has an artifact open is asked about it again.
//!
//! A decision that was made before is a look-up, and starts nothing.

mod error;
mod message;
mod process;
mod result;

use std::process::Command;
use std::sync::Arc;

use unskew_artifact::Content;
use unskew_core::Date;
use unskew_inspection::{ArtifactFiles, Described, Failure, ReaderProcess, Readers, Stopped};
use unskew_source::ConvertedArtifact;

pub use error::InspectionError;
pub use process::main as inspection_main;
pub use unskew_inspection::Allowance;

use crate::answer::{ArtifactAnswer, Attempt, VerdictRecord};
use crate::examine::{Given, nothing};
use crate::store::KeptRuntime;
use crate::{BlobStore, Digest, FleetError, JudgeIdentity};
use message::{Ask, Question, Reply};
use result::Coming;

/// Children that read artifacts, for any number of fleets.
#[derive(Debug)]
pub struct Inspectors(Readers);

impl Inspectors {
    /// Children that are started by a command; it has to come to [`inspection_main`] with the same allowance, in the same
    /// version of the program.
    pub fn new(
        allowance: Allowance,
        start: impl Fn(&Allowance) -> Command + Send + Sync + 'static,
    ) -> Arc<Self> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let fingerprint = JudgeIdentity::of_this_program().fingerprint;
        Arc::new(Self(Readers::new(allowance, fingerprint, cores, start)))
    }

    /// What each of them may use.
    pub fn allowance(&self) -> &Allowance {
        self.0.allowance()
    }

    /// Ends those that nobody has asked for a while.
    pub fn rest(&self) {
        self.0.rest();
    }

    fn with<T>(
        &self,
        content: &Content,
        artifact: Option<&str>,
        work: impl FnMut(&mut ReaderProcess) -> Result<T, Stopped>,
    ) -> Result<T, FleetError> {
        let name = || content.name().to_owned();
        self.0.with(artifact, work).map_err(|failure| match failure {
            Failure::NotStarted(why) => InspectionError::NotStarted(why).into(),
            Failure::Ended(ended) => InspectionError::Ended { name: name(), why: ended.why }.into(),
            Failure::Unread(source) => FleetError::Io { path: name().into(), source },
        })
    }

    /// Whether something can be read at all.
    ///
    /// # Errors
    /// [`FleetError::Unreadable`] with the reason if not; [`InspectionError`] if nobody could find out.
    pub fn look(&self, content: &Content) -> Result<(), FleetError> {
        let question = question(content, None, Ask::Look);
        let mut files = ArtifactFiles::from_content(content);
        let looked = self.with(content, None, |inspector| {
            inspector.ask(&question, None)?;
            match inspector.reply(&mut files)? {
                Reply::Looked(error) => Ok(error),
                _ => Err(inspector.unexpected()),
            }
        });
        looked?.map_or(Ok(()), |error| Err(FleetError::Unreadable(error)))
    }

    /// What a runtime says to an artifact of a depot, and what a conversion makes of it, which is put into the depot.
    pub(crate) fn answer(
        &self,
        content: &Content,
        artifact: &Digest,
        runtime: &KeptRuntime,
        as_of: Date,
        conversion: Option<(&BlobStore, bool)>,
    ) -> Result<Given, FleetError> {
        let ask = Ask::Answer {
            profile: runtime.profile.clone(),
            digest: runtime.digest,
            as_of: as_of.to_string(),
            conversion: conversion.map(|(_, lossy)| lossy),
        };
        let question = question(content, Some(*artifact), ask);
        let mut files = ArtifactFiles::from_content(content);
        let name = format!("{artifact} {}", content.name());
        let held = self.with(content, Some(&name), |inspector| {
            inspector.ask(&question, None)?;
            held(inspector, &mut files)
        });
        let given = |answer, always: bool| Given { answer, day: (!always).then_some(as_of) };
        match held {
            Ok(ChildAnswer::Unreadable(error)) => Ok(given(unreadable(error), true)),
            Ok(ChildAnswer::Judged { as_is, mut converted, output, always }) => {
                if let (Some(attempt), Some(output), Some((depot, _))) =
                    (&mut converted, output, conversion)
                {
                    let stored = depot.add_output(&output)?;
                    (attempt.result, attempt.size) = (Some(stored.digest), Some(stored.size));
                }
                Ok(given(ArtifactAnswer { as_is, converted }, always))
            }
            // It stands against this artifact and no other: an older version may do. Asked again on the next day.
            Err(FleetError::Inspection(error @ InspectionError::Ended { .. })) => {
                Ok(given(unreadable(error.to_string()), false))
            }
            Err(error) => Err(error),
        }
    }
}

/// The answer to an artifact that cannot be read.
fn unreadable(error: String) -> ArtifactAnswer {
    ArtifactAnswer { as_is: nothing(), converted: Some(Attempt::failed(error)) }
}

/// What a child says about an artifact and a runtime.
#[allow(clippy::large_enum_variant, reason = "there is one at a time, and it is moved once")]
enum ChildAnswer {
    /// It cannot be read.
    Unreadable(String),
    /// It was held against the runtime.
    Judged {
        as_is: VerdictRecord,
        converted: Option<Attempt>,
        output: Option<ConvertedArtifact>,
        /// Whether the day makes no difference.
        always: bool,
    },
}

fn held(inspector: &mut ReaderProcess, files: &mut ArtifactFiles) -> Result<ChildAnswer, Stopped> {
    let fresh = inspector.is_first();
    let (as_is, always) = match inspector.reply(files)? {
        Reply::AsIs(as_is, always) => (as_is, always),
        Reply::Unreadable(error) => return Ok(ChildAnswer::Unreadable(error)),
        _ => return Err(inspector.unexpected()),
    };
    match converted(inspector, files) {
        Ok((converted, output, same)) => {
            Ok(ChildAnswer::Judged { as_is, converted, output, always: always && same })
        }
        // What was said before holds. With more memory a conversion may work on another day.
        Err(Stopped::Ended(ended)) if fresh => {
            let converted = Some(Attempt::failed(format!("it cannot be converted: {}", ended.why)));
            Ok(ChildAnswer::Judged { as_is, converted, output: None, always: false })
        }
        Err(stopped) => Err(stopped),
    }
}

fn converted(
    inspector: &mut ReaderProcess,
    files: &mut ArtifactFiles,
) -> Result<(Option<Attempt>, Option<ConvertedArtifact>, bool), Stopped> {
    let Reply::Converted(attempt, always, made) = inspector.reply(files)? else {
        return Err(inspector.unexpected());
    };
    let Some(made) = made else { return Ok((attempt, None, always)) };
    let mut coming = Coming::for_files(&made).ok_or_else(|| inspector.unexpected())?;
    while !coming.is_whole() {
        let bytes = inspector.bytes(files)?;
        match coming.take(&bytes) {
            Ok(true) => {}
            // More than it announced.
            Ok(false) => return Err(inspector.unexpected()),
            Err(error) => return Err(inspector.unread(error)),
        }
    }
    inspector.all_was_read()?;
    let output = coming.output(made, files.sources()).map_err(|_| inspector.unexpected())?;
    Ok((attempt, Some(output), always))
}

/// A question about an artifact.
fn question(content: &Content, artifact: Option<Digest>, ask: Ask) -> Question {
    Question { described: Described::from_content(content), artifact, ask }
}
