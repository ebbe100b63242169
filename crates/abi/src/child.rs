//! Child processes that run foreign code: what they write, and how they end.
//!
//! A plug-in may write anything, end the process in any way, or not end at all. Whoever starts such a
//! child reads a bounded amount of what it says, on threads that end with it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The longest line that is read from a child, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// The most bytes that are read from a child in all.
const LONGEST_OUTPUT: u64 = 16 << 20;

/// How much of the error output is kept, in bytes.
const KEPT_ERRORS: usize = 2048;

/// Reads both outputs of the child on threads of their own: lines arrive at the receiver, the last of
/// the error output in `said`. They end with the child, or when
/// nobody listens any more, or when it has written more than is believed; a grandchild that keeps a
/// pipe open keeps only them.
pub fn listen(child: &mut Child, said: &Arc<Mutex<Vec<u8>>>) -> Receiver<String> {
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
pub fn ended_soon(child: &mut Child) -> bool {
    for _ in 0..100 {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            _ => return true,
        }
    }
    false
}

/// The last words of a child, from what [`listen`] keeps of its error output.
pub fn tail(said: &Mutex<Vec<u8>>) -> String {
    let said = said.lock().unwrap_or_else(PoisonError::into_inner);
    String::from_utf8_lossy(&said).trim().to_owned()
}

/// How a process ended, in words: `segmentation fault (SIGSEGV)`.
#[cfg(unix)]
pub fn describe(status: ExitStatus) -> String {
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

/// How a process ended, in words.
#[cfg(not(unix))]
pub fn describe(status: ExitStatus) -> String {
    status.to_string()
}
