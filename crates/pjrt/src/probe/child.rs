//! Looking at a plug-in in a process of its own.
//!
//! Real plug-ins abort, fail in their constructors, or wait for minutes for a device that is not
//! there. The parent starts a copy of the program with a command of its own choosing; the child
//! calls [`child_main`], which writes one line per stage. Whatever happens to the child, the parent
//! knows how far it came and what was seen until then.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use unskew_abi::SharedObject;

use super::{Probe, ProbeError, ProbeFailure, Stage};
use crate::sys::look::look;

/// How long a plug-in gets, unless the caller says otherwise.
pub const DEFAULT_LIMIT: Duration = Duration::from_secs(10);

/// What the child's own lines begin with; plug-ins write to the same output.
const MARK: &str = "@unskew-probe ";

/// The longest line that is read from a child, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// The most bytes that are read from a child in all.
const LONGEST_OUTPUT: u64 = 16 << 20;

/// How much of the error output is kept, in bytes.
const KEPT_ERRORS: usize = 2048;

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

/// Reads both outputs of the child on threads of their own. They end with the child, or when
/// nobody listens any more, or when it has written more than is believed; a grandchild that keeps a
/// pipe open keeps only them.
pub(crate) fn listen(child: &mut Child, said: &Arc<Mutex<Vec<u8>>>) -> Receiver<String> {
    let (sender, receiver) = sync_channel(64);
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || read_lines(output, &sender));
    }
    if let Some(mut errors) = child.stderr.take() {
        let said = Arc::clone(said);
        std::thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(n @ 1..) = errors.read(&mut buffer) {
                let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
                said.extend_from_slice(&buffer[..n]);
                let surplus = said.len().saturating_sub(KEPT_ERRORS);
                said.drain(..surplus);
            }
        });
    }
    receiver
}

fn read_lines(output: impl Read, sender: &SyncSender<String>) {
    let mut output = BufReader::new(output.take(LONGEST_OUTPUT));
    let mut line = Vec::new();
    loop {
        line.clear();
        match output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            _ => return,
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if sender.send(text).is_err() {
            return;
        }
    }
}

/// Whether the child, whose output has ended, ends by itself within a moment.
pub(crate) fn ended_soon(child: &mut Child) -> bool {
    for _ in 0..100 {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            _ => return true,
        }
    }
    false
}

pub(crate) fn tail(said: &Mutex<Vec<u8>>) -> String {
    let said = said.lock().unwrap_or_else(PoisonError::into_inner);
    String::from_utf8_lossy(&said).trim().to_owned()
}

#[cfg(unix)]
pub(crate) fn describe(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.signal(), status.code()) {
        (Some(4), _) => "illegal instruction (SIGILL)".to_owned(),
        (Some(6), _) => "abort (SIGABRT)".to_owned(),
        (Some(7), _) => "bus error (SIGBUS)".to_owned(),
        (Some(8), _) => "arithmetic error (SIGFPE)".to_owned(),
        (Some(11), _) => "segmentation fault (SIGSEGV)".to_owned(),
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("exit with code {code}"),
        (None, None) => "unknown".to_owned(),
    }
}

#[cfg(not(unix))]
pub(crate) fn describe(status: ExitStatus) -> String {
    status.to_string()
}
