//! How a child ended, and its last words.

use std::io::{self, Read as _};
use std::process::{Child, ChildStderr, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use unskew_abi::child::describe;

use super::allowance::Allowance;

/// How much of the error output is kept.
const KEPT: usize = 2048;

/// Keeps the last of the error output, on a thread that ends with the child.
pub(super) fn keep_words(mut errors: ChildStderr, said: &Arc<Mutex<Vec<u8>>>) -> io::Result<()> {
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

pub(super) fn words(said: &Mutex<Vec<u8>>) -> String {
    let said = said.lock().unwrap_or_else(PoisonError::into_inner);
    String::from_utf8_lossy(&said).trim().to_owned()
}

/// Whether the child, whose output has ended, ends by itself within a moment.
pub(super) fn ended_soon(child: &mut Child) -> bool {
    for _ in 0..100 {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            _ => return true,
        }
    }
    false
}

/// The end of a child in words that say what to do about it.
pub(super) fn reason(status: Option<ExitStatus>, words: &str, allowance: &Allowance) -> String {
    let memory = allowance.memory >> 20;
    if words.contains("memory allocation of") {
        return format!("it takes more than {memory} MiB of memory");
    }
    if words.contains("overflowed its stack") {
        return "it is nested too deeply to be read".to_owned();
    }
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        if status.and_then(|status| status.signal()) == Some(nix::sys::signal::SIGXCPU as i32) {
            return format!("it takes more than {} s of processor time", allowance.seconds);
        }
    }
    let how = status.map_or_else(|| "unknown".to_owned(), describe);
    let mut text = format!("the process that read it ended: {how}");
    if let Some(line) = words.lines().rfind(|line| !line.trim().is_empty()) {
        let line: String = line.chars().filter(|char| !char.is_control()).take(200).collect();
        text.push_str(&format!("; it said: {line}"));
    }
    text
}
