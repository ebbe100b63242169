//! The parent's side: starts a child, hears what it says, and ends it with all that it started.

use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

use super::handshake_message::HandshakeMessage;
use super::{ChildOutput, Confinement, listen};

/// The variables that a confined child keeps of its parent's environment: where libraries lie, the
/// language of messages, and how much plug-ins built from XLA and TensorFlow log.
const KEPT: [&str; 6] = [
    "LD_LIBRARY_PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TF_CPP_MIN_LOG_LEVEL",
    "TF_CPP_MAX_VLOG_LEVEL",
];

/// How long a child whose output has ended gets to end by itself.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// How long the processes that a killed child has started get to be gone. A confined one is gone in a millisecond or,
/// on a busy machine, a few hundred; one that was not confined may have left processes behind that keep the pipe.
const LAST_PROCESSES: Duration = Duration::from_secs(2);

/// A child process that runs foreign code. Dropped, it is killed with everything that it started.
#[derive(Debug)]
pub struct SandboxedChild {
    child: Child,
    heard: Receiver<ChildOutput>,
    said: Arc<Mutex<Vec<u8>>>,
    /// Closed when the error output of the child is.
    silent: Receiver<()>,
    ended: bool,
}

impl SandboxedChild {
    /// Starts `command`, which must end up in [`super::Supervisor::enter`]. The variables that were set on the command stay;
    /// a confined child has few others.
    ///
    /// # Errors
    /// If the process cannot be started.
    pub fn start(mut command: Command, confinement: Confinement) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let greeting = HandshakeMessage::new(confinement)?;
        (&ours).write_all(greeting.line().as_bytes())?;
        if confinement == Confinement::Sandbox {
            clear(&mut command);
        }
        command.stdin(Stdio::null()).stdout(OwnedFd::from(theirs)).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        // It holds the child's end of the socket, whose other end would never close.
        drop(command);
        let said = Arc::new(Mutex::new(Vec::new()));
        let (close, silent) = sync_channel(1);
        if let Some(errors) = child.stderr.take() {
            let said = Arc::clone(&said);
            std::thread::spawn(move || {
                listen::keep_errors(errors, &said);
                drop(close);
            });
        }
        let (sender, heard) = sync_channel(64);
        std::thread::spawn(move || listen::answers(ours, &greeting.token, &sender));
        Ok(Self { child, heard, said, silent, ended: false })
    }

    /// What the child says next, within `left`.
    pub fn hear(&self, left: Duration) -> ChildOutput {
        match self.heard.recv_timeout(left) {
            Ok(heard) => heard,
            Err(RecvTimeoutError::Timeout) => ChildOutput::Late,
            Err(RecvTimeoutError::Disconnected) => ChildOutput::Closed,
        }
    }

    /// Ends the child and everything that it started. A child that has `closed` its answers is about to end by
    /// itself and gets a moment for it, so that one learns how. Returns how it ended, and the last of what was written to
    /// its error output.
    pub fn end(mut self, closed: bool) -> (io::Result<ExitStatus>, String) {
        let begun = Instant::now();
        while closed && !self.is_over() && begun.elapsed() < LAST_MOMENT {
            std::thread::sleep(Duration::from_millis(2));
        }
        let status = self.kill();
        // The pipe may still hold the plug-in's last words, and closes when the last process that was killed is gone:
        // only the supervisor can be waited for.
        let _ = self.silent.recv_timeout(LAST_PROCESSES);
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        (status, String::from_utf8_lossy(&said).trim().to_owned())
    }

    /// Whether it has ended; it is not waited for, so that its number stays its own.
    fn is_over(&self) -> bool {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        !matches!(waitid(Id::Pid(self.pid()), flags), Ok(WaitStatus::StillAlive))
    }

    fn kill(&mut self) -> io::Result<ExitStatus> {
        self.ended = true;
        // The group first: the child leads it, and until it is waited for nobody else has its number. It has none
        // before it has entered. What it supervises ends with it.
        let _ = killpg(self.pid(), Signal::SIGKILL);
        let _ = self.child.kill();
        self.child.wait()
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }
}

impl Drop for SandboxedChild {
    fn drop(&mut self) {
        if !self.ended {
            let _ = self.kill();
        }
    }
}

/// Takes from a command what it would inherit of the environment, but for the variables of the short list.
fn clear(command: &mut Command) {
    let set = |(name, value): (&std::ffi::OsStr, Option<&std::ffi::OsStr>)| {
        Some((name.to_owned(), value?.to_owned()))
    };
    let set: Vec<_> = command.get_envs().filter_map(set).collect();
    command.env_clear();
    command.envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command.envs(set);
}
