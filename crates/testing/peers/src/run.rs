//! A process with a time limit.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::{ProbeOutcome, ProcessEnd};

/// Runs a probe, whatever it is written for, for at most this long.
///
/// # Errors
/// If the process cannot be started or watched. Whatever becomes of it after that is the outcome.
pub fn run_probe(command: &mut Command, limit: Duration) -> io::Result<ProbeOutcome> {
    let scratch = tempfile::tempdir()?;
    let (printed, errors) = (scratch.path().join("printed"), scratch.path().join("errors"));
    // Files, not pipes: what a library writes may be more than a pipe holds.
    let mut child = command
        .stdin(Stdio::null())
        .stdout(File::create(&printed)?)
        .stderr(File::create(&errors)?)
        .spawn()?;
    let begun = Instant::now();
    let end = loop {
        if let Some(status) = child.try_wait()? {
            break ended(status);
        }
        if begun.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            break ProcessEnd::TimedOut;
        }
        thread::sleep(Duration::from_millis(20));
    };
    Ok(ProbeOutcome::new(&text(&printed)?, &text(&errors)?, end))
}

fn text(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}

#[cfg(unix)]
fn ended(status: ExitStatus) -> ProcessEnd {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(0), _) => ProcessEnd::Finished,
        (Some(code), _) => ProcessEnd::Code(code),
        (None, signal) => ProcessEnd::Signal(signal.unwrap_or(0)),
    }
}

#[cfg(not(unix))]
fn ended(status: ExitStatus) -> ProcessEnd {
    match status.code() {
        Some(0) => ProcessEnd::Finished,
        code => ProcessEnd::Code(code.unwrap_or(-1)),
    }
}
