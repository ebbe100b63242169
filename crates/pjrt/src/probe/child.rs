//! Looking at a plug-in in a process of its own.
//!
//! Real plug-ins abort, fail in their constructors, or wait for minutes for a device that is not
//! there. The parent starts a copy of the program with a command of its own choosing; the child
//! calls [`child_main`], which writes one line per stage. Whatever happens to the child, the parent
//! knows how far it came and what was seen until then.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use unskew_abi::SharedObject;
use unskew_abi::child::{describe, ended_soon, listen, tail};

use super::{Probe, ProbeError, ProbeFailure, Stage};
use crate::sys::look::look;

/// How long a plug-in gets, unless the caller says otherwise.
pub const DEFAULT_LIMIT: Duration = Duration::from_secs(10);

/// What the child's own lines begin with; plug-ins write to the same output.
const MARK: &str = "@unskew-probe ";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Begins(Stage, Probe),
    Done(Probe),
    Failed(ProbeFailure),
}

/// The main function of the child: looks at the plug-in at `path`, writes what it sees on standard
/// output, and returns the exit code: 0 if it was seen to the end, 1 if not.
///
/// `object` is what was read of the file without running it, if the caller has that: it lets the
/// answer name every missing library and not only the first.
pub fn child_main(path: &Path, object: Option<&SharedObject>) -> i32 {
    let seen = |stage, probe: &Probe| say(&Line::Begins(stage, probe.clone()));
    match look(path, object, seen) {
        Ok(probe) => {
            say(&Line::Done(probe));
            0
        }
        Err(failure) => {
            say(&Line::Failed(failure));
            1
        }
    }
}

/// Writes one line, apart from whatever the plug-in wrote before. If the parent is gone, nobody
/// needs it.
fn say(line: &Line) {
    if let Ok(json) = serde_json::to_string(line) {
        let mut output = std::io::stdout().lock();
        let _ = write!(output, "\n{MARK}{json}\n").and_then(|()| output.flush());
    }
}

/// Runs `command`, which must end up in [`child_main`], for at most `limit`; the child is killed
/// when it has answered or when its time is up.
///
/// # Errors
/// [`ProbeError`] with what happened, in which stage, and what was seen before.
pub fn probe_in_child(mut command: Command, limit: Duration) -> Result<Probe, ProbeError> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut watch = Watch { stage: Stage::Start, so_far: None };
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let cause = format!("cannot start {}: {error}", command.get_program().display());
            return Err(watch.error(ProbeFailure::NotAsked(cause), String::new()));
        }
    };
    let said = Arc::new(Mutex::new(Vec::new()));
    let lines = listen(&mut child, &said);
    let answer = watch.follow(&lines, limit);
    if !matches!(answer, Some(Err(ProbeFailure::Died(_)))) || !ended_soon(&mut child) {
        let _ = child.kill();
    }
    let status = child.wait();
    match answer {
        Some(Ok(probe)) => return Ok(probe),
        Some(Err(ProbeFailure::Died(_))) | None => {}
        Some(Err(failure)) => return Err(watch.error(failure, tail(&said))),
    }
    let failure = match (answer, status) {
        (None, _) => ProbeFailure::TimedOut(limit.as_secs()),
        (_, Ok(status)) => ProbeFailure::Died(describe(status)),
        (_, Err(error)) => ProbeFailure::NotAsked(format!("cannot wait for the child: {error}")),
    };
    // The pipe of the error output may still hold the plug-in's last words.
    std::thread::sleep(Duration::from_millis(10));
    Err(watch.error(failure, tail(&said)))
}

struct Watch {
    stage: Stage,
    so_far: Option<Box<Probe>>,
}

impl Watch {
    /// What the child answers: its result, [`ProbeFailure::Died`] if its output ends before one, or
    /// nothing within `limit`.
    fn follow(
        &mut self,
        lines: &Receiver<String>,
        limit: Duration,
    ) -> Option<Result<Probe, ProbeFailure>> {
        let start = Instant::now();
        loop {
            let left = limit.checked_sub(start.elapsed())?;
            let line = match lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => {
                    return Some(Err(ProbeFailure::Died(String::new())));
                }
            };
            // A plug-in that writes our mark itself gains nothing: what does not parse is skipped.
            match line.strip_prefix(MARK).and_then(|json| serde_json::from_str(json).ok()) {
                Some(Line::Begins(stage, probe)) => {
                    self.stage = stage;
                    self.so_far = (stage > Stage::Table).then(|| Box::new(probe));
                }
                Some(Line::Done(probe)) => return Some(Ok(probe)),
                Some(Line::Failed(failure)) => return Some(Err(failure)),
                None => {}
            }
        }
    }

    fn error(self, cause: ProbeFailure, said: String) -> ProbeError {
        ProbeError { cause, stage: self.stage, so_far: self.so_far, said }
    }
}
