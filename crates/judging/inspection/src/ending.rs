//! End of a child, and its last words.

use std::io::{self, Read as _};
use std::process::{Child, ChildStderr, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use unskew_abi::child::describe;

use crate::Allowance;

/// How much of the error output is kept.
const KEPT: usize = 2048;

/// Keeps the last of the error output, on a thread that ends with the child.
pub(crate) fn keep_words(mut errors: ChildStderr, said: &Arc<Mutex<Vec<u8>>>) -> io::Result<()> {
    let said = Arc::clone(said);
    let keep = move || {
        let mut buffer = [0; 1024];
        while let Ok(n @ 1..) = errors.read(&mut buffer) {
            let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
            said.extend_from_slice(&buffer[..n]);
            let surplus = said.len().saturating_sub(KEPT);
            said.drain(..surplus);
        }
    };
    std::thread::Builder::new().name("last words".to_owned()).spawn(keep).map(|_| ())
}

pub(crate) fn words(said: &Mutex<Vec<u8>>) -> String {
    let said = said.lock().unwrap_or_else(PoisonError::into_inner);
    String::from_utf8_lossy(&said).trim().to_owned()
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

/// Why a child ended over a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderEnding {
    /// What it was.
    pub cause: Cause,
    /// The same in words.
    pub why: String,
}

/// What a child ended by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It took more memory than it may.
    Memory,
    /// It took more time than it may.
    Time,
    /// A fault.
    Fault,
}

impl ReaderEnding {
    /// A child that takes more memory than it may.
    pub(crate) fn memory(why: String) -> Self {
        Self { cause: Cause::Memory, why }
    }

    /// A child that takes more time than it may.
    pub(crate) fn time(why: String) -> Self {
        Self { cause: Cause::Time, why }
    }

    /// A child that does what it should not.
    pub(crate) fn fault(why: String) -> Self {
        Self { cause: Cause::Fault, why }
    }

    /// Whether it was a budget.
    pub fn is_over_budget(&self) -> bool {
        self.cause != Cause::Fault
    }
}

/// The end of a child in words that say what to do about it.
pub(crate) fn reason(
    status: Option<ExitStatus>,
    words: &str,
    allowance: &Allowance,
) -> ReaderEnding {
    let memory = allowance.memory >> 20;
    if words.contains("memory allocation of") {
        return ReaderEnding::memory(format!("it takes more than {memory} MiB of memory"));
    }
    if words.contains("overflowed its stack") {
        return ReaderEnding::fault("it is nested too deeply to be read".to_owned());
    }
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        if status.and_then(|status| status.signal()) == Some(nix::sys::signal::SIGXCPU as i32) {
            let seconds = allowance.seconds;
            return ReaderEnding::time(format!("it takes more than {seconds} s of processor time"));
        }
    }
    let how = status.map_or_else(|| "unknown".to_owned(), describe);
    let mut text = format!("the process that read it ended: {how}");
    if let Some(line) = words.lines().rfind(|line| !line.trim().is_empty()) {
        let line: String = line.chars().filter(|char| !char.is_control()).take(200).collect();
        text.push_str(&format!("; it said: {line}"));
    }
    ReaderEnding::fault(text)
}
