//! What the child may use. It takes these limits upon itself before it sees the first byte of an artifact.

use std::time::Duration;

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

impl Allowance {
    /// How long the parent waits for it in one question, besides the time that the parent itself needs for reading. A busy
    /// machine gives a process less than all of a processor.
    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs(self.seconds.saturating_mul(4).saturating_add(10))
    }
}

/// How many files it may have open: the pipes, and what the system reads for itself.
#[cfg(unix)]
const FILES: u64 = 16;

/// The limits of the whole process: memory, open files, no byte written to any file, no memory dump.
#[cfg(unix)]
pub(super) fn take(allowance: &Allowance) -> std::io::Result<()> {
    use nix::sys::resource::{Resource, setrlimit};
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    setrlimit(Resource::RLIMIT_FSIZE, 0, 0)?;
    setrlimit(Resource::RLIMIT_NOFILE, FILES, FILES)?;
    setrlimit(Resource::RLIMIT_AS, allowance.memory, allowance.memory)?;
    Ok(())
}

/// The processor time of the next question. The system ends the process when it is over.
#[cfg(unix)]
pub(super) fn take_time(allowance: &Allowance) -> std::io::Result<()> {
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
pub(super) fn end_with_the_parent() -> std::io::Result<()> {
    use std::os::fd::AsFd as _;

    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    let (begun, begins) = std::sync::mpsc::sync_channel(1);
    let watch = move || {
        let input = std::io::stdin();
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
    begins.recv().map_err(std::io::Error::other)
}

/// Other systems have no such limits; the parent's patience is the only one.
#[cfg(not(unix))]
pub(super) fn take(_: &Allowance) -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn take_time(_: &Allowance) -> std::io::Result<()> {
    Ok(())
}

/// A read from its parent ends it too.
#[cfg(not(unix))]
pub(super) fn end_with_the_parent() -> std::io::Result<()> {
    Ok(())
}
