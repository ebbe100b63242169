//! The child's side: takes the greeting, gives up what it must not have, and answers.
#![allow(unsafe_code, reason = "copying a process, and closing what the parent left open")]

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::greeting::Greeting;
use super::listen::kind;
use super::{Bounds, Confinement};

/// The way to the parent, once the process has entered.
static ANSWERS: OnceLock<Answers> = OnceLock::new();

struct Answers {
    /// The socket as a file, which is written by `write`: a confined process may not `send`.
    stream: Mutex<File>,
    token: String,
    confined: bool,
}

/// Makes this process one that may run foreign code: takes the parent's greeting from standard output, closes all that was
/// inherited, and, if the parent wants that, confines itself to `bounds` and to reading `files`. To be called before
/// anything is loaded, by a process without threads.
///
/// # Errors
/// If the process was not started by a [`Trial`](super::Trial), or cannot be confined; the parent then knows.
pub fn enter(bounds: Bounds, files: &[PathBuf]) -> Result<(), String> {
    let stream = io::stdout().as_fd().try_clone_to_owned().map_err(|error| error.to_string())?;
    let mut stream = UnixStream::from(stream);
    let unasked = || "this command is for child processes of Unskew".to_owned();
    stream.peer_addr().map_err(|_| unasked())?;
    let greeting = Greeting::read(&mut stream).ok_or_else(unasked)?;
    close_all_but(&stream).map_err(|error| error.to_string())?;
    lead_a_group(&greeting);
    let confined = greeting.confinement == Confinement::Sandbox;
    let token = greeting.token;
    if confined && let Err(refusal) = confine(&mut stream, &token, bounds, files) {
        // One line, whatever the kernel or a library says.
        let text = refusal.to_string().replace(['\n', '\r'], " ");
        let _ = writeln!(stream, "\n{token} {} {text}", kind::REFUSED);
        return Err(text);
    }
    let stream = Mutex::new(File::from(std::os::fd::OwnedFd::from(stream)));
    let _ = ANSWERS.set(Answers { stream, token, confined });
    Ok(())
}

/// Says one line to the parent. If the parent is gone, nobody needs it.
pub fn say(line: &str) {
    if let Some(answers) = ANSWERS.get() {
        let text = format!("\n{} {} {line}\n", answers.token, kind::LINE);
        let mut stream = answers.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = stream.write_all(text.as_bytes());
    }
}

/// Copies this process, as `fork` does: 0 in the copy. The copy of a confined process ends with it, and can start no
/// process itself.
///
/// # Errors
/// If the system, or the parent, does not allow it.
///
/// # Safety
/// As that of `fork`: a copy of a process with threads may only do what is safe in a signal handler.
pub unsafe fn copy_process() -> io::Result<libc::pid_t> {
    let confined = ANSWERS.get().filter(|answers| answers.confined);
    #[cfg(target_os = "linux")]
    let filter = match confined {
        Some(_) => Some(super::calls::without_processes().map_err(io::Error::other)?),
        None => None,
    };
    if let Some(answers) = confined {
        let mut stream = answers.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.write_all(format!("\n{} {}\n", answers.token, kind::COPY).as_bytes())?;
        stream.read_exact(&mut [0])?;
    }
    // SAFETY: the caller knows what it means.
    let process = unsafe { libc::fork() };
    if process < 0 {
        return Err(io::Error::last_os_error());
    }
    #[cfg(target_os = "linux")]
    if process == 0 {
        let leashed = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL).is_ok();
        let kept = filter.is_none_or(|filter| super::calls::install(&filter).is_ok());
        if !leashed || !kept {
            // SAFETY: ends the copy, which has done nothing.
            unsafe { libc::_exit(3) };
        }
    }
    Ok(process)
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

/// Makes this process the first of a group and a session, by which it is killed with all that it starts; and ends it with its
/// parent.
fn lead_a_group(greeting: &Greeting) {
    // It fails only for a process that leads one already.
    let _ = nix::unistd::setsid();
    #[cfg(target_os = "linux")]
    {
        let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
        if std::os::unix::process::parent_id() != greeting.parent {
            // The parent ended before this could be set.
            std::process::exit(3);
        }
    }
    let _ = greeting;
}

/// Confines this process, and lets the parent decide about new ones.
#[cfg(target_os = "linux")]
fn confine(
    stream: &mut UnixStream,
    token: &str,
    bounds: Bounds,
    files: &[PathBuf],
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    use super::{calls, clones, files as landlock, limits};
    use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};

    limits::set(bounds).map_err(|error| format!("resource limits: {error}"))?;
    landlock::keep_to(files).map_err(|error| format!("Landlock: {error}"))?;
    let listener =
        clones::ask_for_every_clone().map_err(|error| format!("seccomp notification: {error}"))?;
    let text = format!("\n{token} clones\n");
    let descriptors = [listener.as_raw_fd()];
    let control = [ControlMessage::ScmRights(&descriptors)];
    let parts = [io::IoSlice::new(text.as_bytes())];
    sendmsg::<()>(stream.as_raw_fd(), &parts, &control, MsgFlags::empty(), None)?;
    stream.read_exact(&mut [0])?;
    drop(listener);
    calls::keep_to_the_list().map_err(|error| format!("seccomp: {error}"))?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn confine(
    _: &mut UnixStream,
    _: &str,
    _: Bounds,
    _: &[PathBuf],
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    Err("there is a sandbox on Linux only".into())
}
