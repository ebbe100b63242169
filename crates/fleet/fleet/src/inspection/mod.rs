//! Artifacts are read in processes of their own.
//!
//! Whoever uploads a file chooses every byte of it. A reader has budgets, and may still have a fault; so a service does
//! not read artifacts itself. It starts children, of the same program, that do nothing else:
//!
//! ```text
//! service ── question: files with sizes, what is asked ─▶ child
//!         ◀── wanted: file 0, from byte 4096, 65536 bytes ──
//!         ── data ─▶
//!         ◀── answer; ranges and new bytes of what a conversion made ──
//! ```
//!
//! A child opens no file and no connection: its parent reads for it, from wherever the artifact lies, and writes for it.
//! It has no environment, and limits on memory, processor time and open files ([`Allowance`]). Nothing in an
//! artifact is ever run. When a child ends in the middle of a question, the question has an answer ([`InspectionError`]),
//! and the next one goes to another child.
//!
//! A child takes many questions, because building a runtime takes much longer than asking it: the one that has an artifact
//! open is asked about it again, and one that was asked often enough is ended. What a child did before cannot be
//! held against an artifact: if a child that was asked before ends, the question is asked once more in a new one.
//!
//! A decision that was made before is a look-up, and starts nothing.

mod allowance;
mod child;
mod ending;
mod error;
mod frame;
mod message;
mod process;
mod remote;
mod result;

use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use unskew_artifact::{Content, Part};
use unskew_core::Date;
use unskew_source::{Output, Source};

pub use allowance::Allowance;
pub use error::InspectionError;
pub use process::main as inspection_main;

use crate::answer::{Answer, Attempt, Judged};
use crate::examine::{Given, nothing};
use crate::store::KeptRuntime;
use crate::{Depot, Digest, FleetError, Judge};
use child::{Inspector, Stopped};
use message::{Ask, File, Question, Reply};
use result::Coming;

/// After how many questions a child is ended.
const MOST_QUESTIONS: u32 = 512;

/// For how long a child is kept that nobody asks.
const IDLE: Duration = Duration::from_secs(60);

/// Makes the command that is a child.
type Start = Arc<dyn Fn(&Allowance) -> Command + Send + Sync>;

/// Children that read artifacts, for any number of fleets.
pub struct Inspectors {
    start: Start,
    allowance: Allowance,
    fingerprint: String,
    idle: Mutex<Vec<Inspector>>,
    most_idle: usize,
}

impl std::fmt::Debug for Inspectors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inspectors").field("allowance", &self.allowance).finish_non_exhaustive()
    }
}

impl Inspectors {
    /// Children that are started by a command; it has to come to [`inspection_main`] with the same allowance, in the same
    /// version of the program.
    pub fn new(
        allowance: Allowance,
        start: impl Fn(&Allowance) -> Command + Send + Sync + 'static,
    ) -> Arc<Self> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        Arc::new(Self {
            start: Arc::new(start),
            allowance,
            fingerprint: Judge::of_this_program().fingerprint,
            idle: Mutex::new(Vec::new()),
            most_idle: cores,
        })
    }

    /// What each of them may use.
    pub fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    /// Ends those that nobody has asked for a while.
    pub fn rest(&self) {
        let resting = {
            let mut idle = self.idle();
            let (rest, busy) = idle.drain(..).partition(|one| one.last.elapsed() > IDLE);
            *idle = busy;
            rest
        };
        let resting: Vec<Inspector> = resting;
        drop(resting);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Inspector>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One that has the artifact open, or else any that is idle, or else a new one.
    fn lend(&self, wanted: Option<&(Digest, String)>) -> Result<Inspector, InspectionError> {
        let known = {
            let mut idle = self.idle();
            let has = |one: &Inspector| wanted.is_some() && one.opened.as_ref() == wanted;
            let at = idle.iter().position(has).or_else(|| idle.len().checked_sub(1));
            at.map(|at| idle.remove(at))
        };
        known.map_or_else(|| self.begin(), Ok)
    }

    fn begin(&self) -> Result<Inspector, InspectionError> {
        Inspector::start((self.start)(&self.allowance), self.allowance, &self.fingerprint)
    }

    fn give_back(&self, inspector: Inspector) {
        if inspector.is_over || inspector.asked >= MOST_QUESTIONS {
            return;
        }
        let mut idle = self.idle();
        if idle.len() < self.most_idle {
            idle.push(inspector);
        }
    }

    /// Asks a child; if that ends and was asked before, then a new one.
    fn with<T>(
        &self,
        content: &Content,
        artifact: Option<&(Digest, String)>,
        mut work: impl FnMut(&mut Inspector) -> Result<T, Stopped>,
    ) -> Result<T, FleetError> {
        let mut inspector = self.lend(artifact)?;
        loop {
            let fresh = inspector.asked == 0;
            match work(&mut inspector) {
                Ok(done) => {
                    inspector.opened = artifact.cloned();
                    self.give_back(inspector);
                    return Ok(done);
                }
                Err(Stopped::Ended(_)) if !fresh => inspector = self.begin()?,
                Err(Stopped::Ended(why)) => {
                    return Err(
                        InspectionError::Ended { name: content.name().to_owned(), why }.into()
                    );
                }
                Err(Stopped::Unread(source)) => {
                    return Err(FleetError::Io { path: content.name().into(), source });
                }
            }
        }
    }

    /// Whether something can be read at all.
    ///
    /// # Errors
    /// [`FleetError::Unreadable`] with the reason if not; [`InspectionError`] if nobody could find out.
    pub fn look(&self, content: &Content) -> Result<(), FleetError> {
        let (question, sources) = question(content, None, Ask::Look);
        let looked = self.with(content, None, |inspector| {
            inspector.ask(&question)?;
            match inspector.reply(&sources)? {
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
        conversion: Option<(&Depot, bool)>,
    ) -> Result<Given, FleetError> {
        let ask = Ask::Answer {
            profile: runtime.profile.clone(),
            digest: runtime.digest,
            as_of: as_of.to_string(),
            conversion: conversion.map(|(_, lossy)| lossy),
        };
        let (question, sources) = question(content, Some(*artifact), ask);
        let name = (*artifact, content.name().to_owned());
        let held = self.with(content, Some(&name), |inspector| {
            inspector.ask(&question)?;
            held(inspector, &sources)
        });
        let given = |answer, always: bool| Given { answer, day: (!always).then_some(as_of) };
        match held {
            Ok(Held::Unreadable(error)) => Ok(given(unreadable(error), true)),
            Ok(Held::Judged { as_is, mut converted, output, always }) => {
                if let (Some(attempt), Some(output), Some((depot, _))) =
                    (&mut converted, output, conversion)
                {
                    let stored = depot.add_output(&output)?;
                    (attempt.result, attempt.size) = (Some(stored.digest), Some(stored.size));
                }
                Ok(given(Answer { as_is, converted }, always))
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
fn unreadable(error: String) -> Answer {
    Answer { as_is: nothing(), converted: Some(Attempt::failed(error)) }
}

/// What a child says about an artifact and a runtime.
#[allow(clippy::large_enum_variant, reason = "there is one at a time, and it is moved once")]
enum Held {
    /// It cannot be read.
    Unreadable(String),
    /// It was held against the runtime.
    Judged {
        as_is: Judged,
        converted: Option<Attempt>,
        output: Option<Output>,
        /// Whether the day makes no difference.
        always: bool,
    },
}

fn held(inspector: &mut Inspector, sources: &[Arc<dyn Source>]) -> Result<Held, Stopped> {
    let (as_is, always) = match inspector.reply(sources)? {
        Reply::AsIs(as_is, always) => (as_is, always),
        Reply::Unreadable(error) => return Ok(Held::Unreadable(error)),
        _ => return Err(inspector.unexpected()),
    };
    match converted(inspector, sources) {
        Ok((converted, output, same)) => {
            Ok(Held::Judged { as_is, converted, output, always: always && same })
        }
        // What was said before holds. With more memory a conversion may work on another day.
        Err(Stopped::Ended(why)) if inspector.asked == 1 => {
            let converted = Some(Attempt::failed(format!("it cannot be converted: {why}")));
            Ok(Held::Judged { as_is, converted, output: None, always: false })
        }
        Err(stopped) => Err(stopped),
    }
}

fn converted(
    inspector: &mut Inspector,
    sources: &[Arc<dyn Source>],
) -> Result<(Option<Attempt>, Option<Output>, bool), Stopped> {
    let Reply::Converted(attempt, always, files) = inspector.reply(sources)? else {
        return Err(inspector.unexpected());
    };
    let Some(files) = files else { return Ok((attempt, None, always)) };
    let mut coming = Coming::of(&files).ok_or_else(|| inspector.unexpected())?;
    inspector.bytes(&mut coming, sources)?;
    let output = coming.output(files, sources).map_err(|_| inspector.unexpected())?;
    Ok((attempt, Some(output), always))
}

/// A question about an artifact, and its files in the order in which the question has them.
fn question(
    content: &Content,
    artifact: Option<Digest>,
    ask: Ask,
) -> (Question, Vec<Arc<dyn Source>>) {
    let file = |part: &Part| File {
        name: part.name.clone(),
        shown: part.source.name().to_owned(),
        size: part.source.size(),
    };
    let question = Question {
        name: content.name().to_owned(),
        folder: matches!(content, Content::Folder { .. }),
        parts: content.parts().iter().map(file).collect(),
        artifact,
        ask,
    };
    (question, content.parts().iter().map(|part| Arc::clone(&part.source)).collect())
}
