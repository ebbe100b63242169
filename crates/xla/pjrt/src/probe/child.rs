//! Looking at a plug-in in a process of its own.
//!
//! Real plug-ins abort, fail in their constructors, or wait for minutes for a device that is not
//! there. The parent starts a copy of the program with a command of its own choosing; the child
//! calls [`child_main`], which writes one line per stage. Whatever happens to the child, the parent
//! knows how far it came and what was seen until then.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use unskew_abi::SharedObject;
use unskew_abi::child::describe;
use unskew_abi::sandbox::{self, Bounds, ChildOutput, Confinement, SandboxedChild, Supervisor};

use super::{Probe, ProbeError, ProbeFailure, ProbeStage, files};
use crate::sys::look::{look, sizes};
use crate::sys::trial::in_copies;

/// How long a plug-in gets, unless the caller says otherwise.
pub const DEFAULT_LIMIT: Duration = Duration::from_secs(10);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Begins(ProbeStage, Probe),
    /// The sizes that it accepts: the last of what is asked.
    Accepts(BTreeMap<String, u64>),
    Failed(ProbeFailure),
}

/// The main function of the child: looks at the plug-in at `path`, says what it sees to the parent, and returns the exit
/// code: 0 if it was seen to the end, 1 if not.
///
/// `object` is what was read of the file without running it, if the caller has that: it lets the
/// answer name every missing library and not only the first.
pub fn child_main(path: &Path, object: Option<&SharedObject>) -> i32 {
    let Ok(supervisor) = Supervisor::enter(Bounds::LOOK, files(path, object)) else { return 1 };
    #[cfg(unix)]
    if let Some(code) = look_in_a_copy(&supervisor, path, object) {
        return code;
    }
    in_copies(&supervisor, 0, |_, mut questions| match sizes(path, &mut questions) {
        Some(accepted) => {
            say(&Line::Accepts(accepted));
            0
        }
        None => 1,
    })
}

/// Looks at the plug-in in a copy of this process, and says what is seen. Returns the exit code if that is all; a plug-in
/// that ends the copy ends this process.
#[cfg(unix)]
fn look_in_a_copy(
    supervisor: &Supervisor,
    path: &Path,
    object: Option<&SharedObject>,
) -> Option<i32> {
    use std::io::Write as _;
    use unskew_abi::sandbox::{Errors, end_as};

    let seen = |stage, probe: &Probe| say(&Line::Begins(stage, probe.clone()));
    let ended = supervisor.run(Errors::Passed, &mut |_| false, |mut supervisor| {
        match look(path, object, seen) {
            Ok(probe) => {
                seen(ProbeStage::Sizes, &probe);
                // Whoever ends before this has not come to the end.
                i32::from(supervisor.write_all(b"seen").is_err())
            }
            Err(failure) => {
                say(&Line::Failed(failure));
                1
            }
        }
    });
    match ended {
        Ok(ended) if ended.said.is_empty() => end_as(&ended),
        Ok(_) => None,
        Err(error) => {
            let cause = format!("the process cannot be copied: {error}");
            say(&Line::Failed(ProbeFailure::NotAsked(cause)));
            Some(1)
        }
    }
}

fn say(line: &Line) {
    if let Ok(json) = serde_json::to_string(line) {
        sandbox::say(&json);
    }
}

/// Runs `command`, which must end up in [`child_main`], for at most `limit`; the child is killed, with all that it
/// started, when it has answered or when its time is up.
///
/// # Errors
/// [`ProbeError`] with what happened, in which stage, and what was seen before.
pub fn probe_in_child(
    command: Command,
    limit: Duration,
    confinement: Confinement,
) -> Result<Probe, ProbeError> {
    let mut watch = Watch { stage: ProbeStage::Start, so_far: None };
    let program = command.get_program().to_owned();
    let child = match SandboxedChild::start(command, confinement) {
        Ok(child) => child,
        Err(error) => {
            let cause = format!("cannot start {}: {error}", program.display());
            return Err(watch.error(ProbeFailure::NotAsked(cause), String::new()));
        }
    };
    let answer = watch.follow(&child, limit);
    let died = matches!(answer, Some(Err(ProbeFailure::Died(_))));
    let (status, said) = child.end(died);
    // Sizes are measured in copies, which may end. What the plug-in said before that holds, whatever happens then.
    if watch.stage == ProbeStage::Sizes
        && !matches!(answer, Some(Ok(_)))
        && let Some(probe) = watch.so_far.take()
    {
        return Ok(*probe);
    }
    let failure = match (answer, status) {
        (Some(Ok(probe)), _) => return Ok(probe),
        (Some(Err(ProbeFailure::Died(_))), Ok(status)) => ProbeFailure::Died(describe(status)),
        (Some(Err(ProbeFailure::Died(_))), Err(error)) => {
            ProbeFailure::NotAsked(format!("cannot wait for the child: {error}"))
        }
        (Some(Err(failure)), _) => failure,
        (None, _) => ProbeFailure::TimedOut(limit.as_secs()),
    };
    Err(watch.error(confined(failure, confinement), said))
}

/// What a plug-in could not do because the sandbox does not let it says nothing of the plug-in.
fn confined(failure: ProbeFailure, confinement: Confinement) -> ProbeFailure {
    match failure {
        ProbeFailure::NotLoaded(cause)
            if confinement == Confinement::Sandbox && sandbox::is_refusal(&cause) =>
        {
            ProbeFailure::NotRun(format!("it does not load in the sandbox: {cause}"))
        }
        other => other,
    }
}

struct Watch {
    stage: ProbeStage,
    so_far: Option<Box<Probe>>,
}

impl Watch {
    /// What the child answers: its result, [`ProbeFailure::Died`] if its output ends before one, or
    /// nothing within `limit`.
    fn follow(
        &mut self,
        child: &SandboxedChild,
        limit: Duration,
    ) -> Option<Result<Probe, ProbeFailure>> {
        let start = Instant::now();
        loop {
            let left = limit.checked_sub(start.elapsed())?;
            let line = match child.hear(left) {
                ChildOutput::Line(line) => line,
                ChildOutput::Late => return None,
                ChildOutput::Refused(cause) => {
                    return Some(Err(ProbeFailure::NotRun(sandbox::no_sandbox(&cause))));
                }
                ChildOutput::Closed => return Some(Err(ProbeFailure::Died(String::new()))),
            };
            match serde_json::from_str(&line) {
                Ok(Line::Begins(stage, probe)) => {
                    self.stage = stage;
                    self.so_far = (stage > ProbeStage::Table).then(|| Box::new(probe));
                }
                Ok(Line::Accepts(sizes)) => {
                    let Some(probe) = self.so_far.take() else { continue };
                    return Some(Ok(Probe { accepted_sizes: sizes, ..*probe }));
                }
                Ok(Line::Failed(failure)) => return Some(Err(failure)),
                Err(_) => {}
            }
        }
    }

    fn error(self, cause: ProbeFailure, said: String) -> ProbeError {
        ProbeError { cause, stage: self.stage, so_far: self.so_far, said }
    }
}
