//! Allowance of the child. It takes these limits upon itself before it sees the first byte of an artifact.

use std::io;
use std::sync::PoisonError;
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::remote::{Parent, SharedParent};

/// What one child may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// How many bytes of memory, counted as the system counts address space.
    pub memory: u64,
    /// How many seconds of processor time one question may take.
    pub seconds: u64,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { memory: 2 << 30, seconds: 60 }
    }
}

/// What a child keeps besides its memory and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReaderConfinement {
    /// Its standard streams (on Linux): it can open no file and no socket, and start nothing.
    Streams,
    /// Temporary files, into which large members of archives are inflated.
    TemporaryFiles,
}

impl Allowance {
    /// How long the parent waits for it in one question, besides the time that the parent itself needs for reading. A busy
    /// machine gives a process less than all of a processor.
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_secs(self.seconds.saturating_mul(4).saturating_add(10))
    }
}

/// The child: takes its limits, tells its parent that it is ready and by what it judges (`fingerprint`), and has `answer`
/// answer each question, until the parent at the other end of the standard input and output is gone. The process ends
/// then, or at a limit.
///
/// # Errors
/// If the limits cannot be taken, or the parent does not keep to the protocol.
pub fn serve<Q: DeserializeOwned>(
    allowance: Allowance,
    confinement: ReaderConfinement,
    fingerprint: &str,
    mut answer: impl FnMut(Q, &SharedParent) -> io::Result<()>,
) -> io::Result<()> {
    end_with_the_parent()?;
    take(&allowance, confinement)?;
    // Where the kernel does not take away the rest, nothing is read.
    #[cfg(target_os = "linux")]
    if confinement == ReaderConfinement::Streams {
        unskew_abi::sandbox::keep_to_streams().map_err(io::Error::other)?;
    }
    let parent = Parent::shared();
    let lock = || parent.lock().unwrap_or_else(PoisonError::into_inner);
    lock().say(&fingerprint)?;
    loop {
        let Some(question) = lock().question()? else { return Ok(()) };
        take_time(&allowance)?;
        answer(question, &parent)?;
    }
}

/// How many files it may have open: the pipes, what the system reads for itself, and temporary files.
#[cfg(unix)]
const FILES: [u64; 2] = [16, 64];

/// The limits of the whole process: memory, open files, no memory dump, and no byte written to any file if it keeps none.
#[cfg(unix)]
fn take(allowance: &Allowance, confinement: ReaderConfinement) -> io::Result<()> {
    use nix::sys::resource::{Resource, setrlimit};
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    let files = match confinement {
        ReaderConfinement::Streams => {
            setrlimit(Resource::RLIMIT_FSIZE, 0, 0)?;
            FILES[0]
        }
        ReaderConfinement::TemporaryFiles => FILES[1],
    };
    setrlimit(Resource::RLIMIT_NOFILE, files, files)?;
    setrlimit(Resource::RLIMIT_AS, allowance.memory, allowance.memory)?;
    Ok(())
}

/// The processor time of the next question. The system ends the process when it is over.
#[cfg(unix)]
fn take_time(allowance: &Allowance) -> io::Result<()> {
    use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let used = usage.user_time().tv_sec() + usage.system_time().tv_sec();
    let until =
        u64::try_from(used).unwrap_or(0).saturating_add(allowance.seconds).saturating_add(1);
    let (_, hard) = getrlimit(Resource::RLIMIT_CPU)?;
    setrlimit(Resource::RLIMIT_CPU, until.min(hard), hard)?;
    Ok(())
}

/// Ends the process when its parent is gone, whatever it is doing.
#[cfg(unix)]
fn end_with_the_parent() -> io::Result<()> {
    use std::os::fd::AsFd as _;

    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    let (begun, begins) = std::sync::mpsc::sync_channel(1);
    let watch = move || {
        let input = io::stdin();
        let _ = begun.send(());
        loop {
            let mut watched = [PollFd::new(input.as_fd(), PollFlags::empty())];
            let _ = poll(&mut watched, PollTimeout::NONE);
            let gone = PollFlags::POLLHUP | PollFlags::POLLERR;
            if watched[0].revents().is_some_and(|now| now.intersects(gone)) {
                std::process::exit(0);
            }
        }
    };
    std::thread::Builder::new().stack_size(64 << 10).spawn(watch)?;
    // The memory of a thread is taken when it begins: before the limits, and not at any moment after them.
    begins.recv().map_err(io::Error::other)
}

/// Other systems have no such limits; the parent's patience is the only one.
#[cfg(not(unix))]
fn take(_: &Allowance, _: ReaderConfinement) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn take_time(_: &Allowance) -> io::Result<()> {
    Ok(())
}

/// A read from its parent ends it too.
#[cfg(not(unix))]
fn end_with_the_parent() -> io::Result<()> {
    Ok(())
}
