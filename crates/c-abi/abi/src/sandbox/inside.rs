//! The child's side: takes the greeting, and answers.
#![allow(unsafe_code, reason = "closing what the parent left open")]

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::Confinement;
use super::handshake_message::HandshakeMessage;
use super::listen::marker;

/// The way to the parent, once the process has entered.
static ANSWERS: OnceLock<Answers> = OnceLock::new();

struct Answers {
    /// The socket as a file, which is written by `write`: a confined process may not `send`.
    stream: Mutex<File>,
    token: String,
}

/// Takes the parent's greeting from standard output, closes all that was inherited, and binds the end of this process to that of
/// its parent. To be called before anything is loaded, by a process without threads.
///
/// # Errors
/// If the process was not started by a [`SandboxedChild`](super::SandboxedChild).
pub(super) fn enter() -> Result<Confinement, String> {
    let stream = io::stdout().as_fd().try_clone_to_owned().map_err(|error| error.to_string())?;
    let mut stream = UnixStream::from(stream);
    let unasked = || "this command is for child processes of Unskew".to_owned();
    stream.peer_addr().map_err(|_| unasked())?;
    let greeting = HandshakeMessage::read(&mut stream).ok_or_else(unasked)?;
    close_all_but(&stream).map_err(|error| error.to_string())?;
    // It fails only for a process that leads a session already.
    let _ = nix::unistd::setsid();
    end_with(greeting.parent);
    let stream = Mutex::new(File::from(std::os::fd::OwnedFd::from(stream)));
    let _ = ANSWERS.set(Answers { stream, token: greeting.token });
    Ok(greeting.confinement)
}

/// Says one line to the parent. If the parent is gone, nobody needs it.
pub fn say(line: &str) {
    tell(marker::LINE, line);
}

/// Says to the parent why nothing is loaded.
pub(super) fn refuse(cause: &str) {
    // One line, whatever the kernel or a library says.
    tell(marker::REFUSED, &cause.replace(['\n', '\r'], " "));
}

fn tell(kind: &str, line: &str) {
    if let Some(answers) = ANSWERS.get() {
        let text = format!("\n{} {kind} {line}\n", answers.token);
        let mut stream = answers.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = stream.write_all(text.as_bytes());
    }
}

/// Closes what was inherited, but for the error output and this stream; input and output are empty from now on.
fn close_all_but(stream: &UnixStream) -> io::Result<()> {
    let nothing: File = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    nix::unistd::dup2_stdin(&nothing)?;
    nix::unistd::dup2_stdout(&nothing)?;
    drop(nothing);
    #[cfg(target_os = "linux")]
    {
        let kept = u32::try_from(stream.as_raw_fd()).unwrap_or_default();
        for (first, last) in [(3, kept.saturating_sub(1)), (kept + 1, u32::MAX)] {
            if first <= last {
                // SAFETY: nothing in this process uses a descriptor but the standard ones and the stream: it was started
                // for this, and has opened nothing else.
                unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
            }
        }
    }
    let _ = stream;
    Ok(())
}

/// Has the kernel end this process when its parent ends.
pub(super) fn end_with(parent: u32) {
    #[cfg(target_os = "linux")]
    {
        let set = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
        if set.is_err() || std::os::unix::process::parent_id() != parent {
            // The parent ended before this could be set.
            std::process::exit(3);
        }
    }
    let _ = parent;
}
