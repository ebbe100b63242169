//! Threads that read what a child says. A plug-in may write without end, so each reads a bounded amount and ends
//! with the child.

use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, PoisonError};

use super::ChildOutput;

/// The longest line that is read from a child, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// The most bytes that are read from a child in all, from each of its outputs.
const LONGEST_OUTPUT: u64 = 16 << 20;

/// How much of the error output is kept, in bytes.
const KEPT_ERRORS: usize = 2048;

/// What a child says, behind its token.
pub(super) mod marker {
    pub(in super::super) const LINE: &str = "line";
    /// It could not be confined.
    pub(in super::super) const REFUSED: &str = "refused";
}

/// Keeps the last of the error output.
pub(super) fn keep_errors(errors: impl Read, said: &Mutex<Vec<u8>>) {
    let mut errors = errors.take(LONGEST_OUTPUT);
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = errors.read(&mut buffer) {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.extend_from_slice(&buffer[..n]);
        let surplus = said.len().saturating_sub(KEPT_ERRORS);
        said.drain(..surplus);
    }
}

/// Passes on what the child says, until it says nothing more, or too much, or nobody listens.
pub(super) fn answers(stream: UnixStream, token: &str, sender: &SyncSender<ChildOutput>) {
    let mut output = BufReader::new(stream.take(LONGEST_OUTPUT));
    let mut line = Vec::new();
    loop {
        line.clear();
        match output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            _ => return,
        }
        let text = String::from_utf8_lossy(&line);
        // What does not begin with the token was written by the plug-in.
        let Some(text) = text.trim_end().strip_prefix(token) else { continue };
        let (word, payload) = text.trim_start().split_once(' ').unwrap_or((text.trim(), ""));
        let heard = match word {
            marker::LINE => ChildOutput::Line(payload.to_owned()),
            marker::REFUSED => ChildOutput::Refused(payload.to_owned()),
            _ => continue,
        };
        if sender.send(heard).is_err() {
            return;
        }
    }
}
