//! The process between the parent and foreign code: it loads nothing, and runs each piece of work in a copy of itself.
//!
//! Whoever has loaded a plug-in is the plug-in: what such a process may do, the plug-in may. So the process that starts
//! others is one that never loads it. Its copy gives up what a plug-in must not have, and only then loads it; it can start no
//! process, and cannot be told to. The supervisor watches its memory, counts its threads, and ends with the parent; the
//! copy ends with the supervisor. Copying costs a millisecond; a work that may end its copy goes on in the next one.
#![allow(unsafe_code, reason = "copying a process, and waiting for it")]

use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::readable::Readable;
use super::{Bounds, Confinement, inside};

/// The most that is read of what a copy says, in bytes.
const MOST: usize = 16 << 20;

/// How much of its error output is kept, in bytes.
const KEPT_ERRORS: usize = 64 << 10;

/// How often memory and time are looked at, in milliseconds.
const GLANCE: u16 = 20;

/// What a plug-in may have caught: without a handler they end the process at once, without a report.
const DEADLY: [libc::c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP];

/// A process that runs foreign code in copies of itself, one at a time.
#[derive(Debug)]
pub struct Supervisor {
    bounds: Bounds,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is confined there"))]
    files: Vec<Readable>,
    confined: bool,
}

/// Where the error output of a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    /// To that of this process.
    Passed,
    /// Into [`Ended::errors`].
    Kept,
}

/// What a copy left behind.
#[derive(Debug)]
pub struct Ended {
    /// What it said on its pipe.
    pub said: Vec<u8>,
    /// The last of what it wrote to its error output, if that is kept.
    pub errors: Vec<u8>,
    /// How it ended; none if it was late and was ended.
    pub status: Option<ExitStatus>,
}

impl Supervisor {
    /// Makes this process the supervisor of a [`SandboxedChild`](super::SandboxedChild): takes the parent's greeting, and closes all that was inherited.
    /// If the parent wants that, copies are confined to `bounds` and to reading `files`. To be called before anything is
    /// loaded, by a process without threads.
    ///
    /// # Errors
    /// If the process was not started by a trial.
    pub fn enter(bounds: Bounds, files: Vec<Readable>) -> Result<Self, String> {
        let confined = inside::enter()? == Confinement::Sandbox;
        Ok(Self { bounds, files, confined })
    }

    /// A supervisor whose copies are not confined, in a process that is part of no trial.
    pub fn unconfined() -> Self {
        Self { bounds: Bounds::LOOK, files: Vec::new(), confined: false }
    }

    /// Runs `body` in a copy of this process, which ends with the exit code that it returns. `is_late` is asked now and
    /// then with what the copy has said so far. If the copy cannot be confined, the parent is told, and this process ends.
    ///
    /// # Errors
    /// If the process cannot be copied, or not be waited for.
    pub fn run(
        &self,
        errors: Errors,
        is_late: &mut dyn FnMut(&[u8]) -> bool,
        body: impl FnOnce(PipeWriter) -> i32,
    ) -> io::Result<Ended> {
        #[cfg(not(target_os = "linux"))]
        if self.confined {
            inside::refuse("there is a sandbox on Linux only");
            leave(1);
        }
        let (answers, answer) = io::pipe()?;
        let (words, word) = io::pipe()?;
        #[cfg(target_os = "linux")]
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        let own = std::process::id();
        // SAFETY: the copy has one thread, does nothing but what follows, and never returns from here.
        let process = unsafe { libc::fork() };
        if process < 0 {
            return Err(io::Error::last_os_error());
        }
        if process == 0 {
            drop((answers, words));
            inside::end_with(own);
            #[cfg(target_os = "linux")]
            if self.confined {
                drop(ours);
                if let Err(cause) = self.confine(&theirs) {
                    let _ = (&theirs).write_all(cause.as_bytes());
                    leave(1);
                }
            }
            #[cfg(target_os = "linux")]
            drop(theirs);
            prepare((errors == Errors::Kept).then_some(&word));
            drop(word);
            leave(body(answer));
        }
        drop((answer, word));
        let mut copy = CopiedProcess { process, ended: false };
        #[cfg(not(target_os = "linux"))]
        let threads = None;
        #[cfg(target_os = "linux")]
        drop(theirs);
        #[cfg(target_os = "linux")]
        let threads = match self.confined.then(|| self.watch(process, &ours)).transpose() {
            Ok(threads) => threads,
            Err(cause) => {
                copy.end();
                inside::refuse(&cause);
                leave(1);
            }
        };
        self.follow(&mut copy, answers, words, threads, is_late)
    }

    /// Runs `body`, which answers the parent by itself, in a copy, and then ends this process as the copy ended.
    pub fn run_to_the_end(&self, body: impl FnOnce() -> i32) -> i32 {
        let alone = |answer| {
            drop(answer);
            body()
        };
        match self.run(Errors::Passed, &mut |_| false, alone) {
            Ok(ended) => end_as(&ended),
            Err(error) => {
                inside::refuse(&format!("the process cannot be copied: {error}"));
                1
            }
        }
    }

    fn follow(
        &self,
        copy: &mut CopiedProcess,
        mut answers: PipeReader,
        mut words: PipeReader,
        mut threads: Option<Threads>,
        is_late: &mut dyn FnMut(&[u8]) -> bool,
    ) -> io::Result<Ended> {
        for pipe in [&answers, &words] {
            // SAFETY: changes a descriptor of this process only.
            unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
        }
        let mut ended = Ended { said: Vec::new(), errors: Vec::new(), status: None };
        let (mut saying, mut writing) = (true, true);
        loop {
            ended.status = copy.has_ended()?;
            // In this order: what was written before it ended is there now.
            saying = saying && drain(&mut answers, &mut ended.said, Retention::First(MOST));
            writing = writing && drain(&mut words, &mut ended.errors, Retention::Last(KEPT_ERRORS));
            if ended.status.is_some() {
                return Ok(ended);
            }
            if is_late(&ended.said) {
                copy.end();
                return Ok(ended);
            }
            if self.confined && self.is_over(copy.process) {
                let limit = self.bounds.memory >> 20;
                let text = format!("\nended by Unskew: it has more than {limit} MiB of memory\n");
                ended.errors.extend_from_slice(text.as_bytes());
                // For a copy whose errors are those of this process.
                let _ = io::stderr().write_all(text.as_bytes());
                ended.status = copy.end();
                return Ok(ended);
            }
            let asked = wait(saying.then_some(&answers), writing.then_some(&words), &mut threads);
            if !asked {
                threads = None;
            }
        }
    }
}

#[cfg(target_os = "linux")]
use super::threads::Threads;

/// Elsewhere no process is confined, and none is counted.
#[cfg(not(target_os = "linux"))]
type Threads = ();

#[cfg(target_os = "linux")]
impl Supervisor {
    /// Gives up, in the copy, what foreign code must not have.
    fn confine(&self, supervisor: &std::os::unix::net::UnixStream) -> Result<(), String> {
        use super::{calls, capabilities, files, limits, threads};

        limits::set(self.bounds).map_err(|error| format!("resource limits: {error}"))?;
        capabilities::give_up().map_err(|error| format!("capabilities: {error}"))?;
        files::keep_to(&self.files).map_err(|error| format!("Landlock: {error}"))?;
        threads::hand_over(supervisor).map_err(|error| format!("seccomp notification: {error}"))?;
        calls::keep_to_the_list().map_err(|error| format!("seccomp: {error}"))
    }

    /// Waits until the copy is confined but for its calls, and lets it go on if it can be watched.
    fn watch(
        &self,
        process: libc::pid_t,
        mut copy: &std::os::unix::net::UnixStream,
    ) -> Result<Threads, String> {
        let threads = Threads::receive(copy)?;
        super::memory::memory_of_process(process).map_err(|error| format!("/proc: {error}"))?;
        copy.write_all(b"k").map_err(|error| format!("seccomp notification: {error}"))?;
        Ok(threads)
    }

    fn is_over(&self, process: libc::pid_t) -> bool {
        // It was there before; a process that is gone has nothing.
        super::memory::memory_of_process(process).unwrap_or_default() > self.bounds.memory
    }
}

#[cfg(not(target_os = "linux"))]
impl Supervisor {
    fn is_over(&self, _: libc::pid_t) -> bool {
        false
    }
}

/// A copy of this process. Dropped, it is killed.
struct CopiedProcess {
    process: libc::pid_t,
    ended: bool,
}

impl CopiedProcess {
    fn has_ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.reap(libc::WNOHANG)
    }

    fn end(&mut self) -> Option<ExitStatus> {
        if self.ended {
            return None;
        }
        // SAFETY: the copy was not waited for, so the number is its own.
        unsafe { libc::kill(self.process, libc::SIGKILL) };
        self.reap(0).ok().flatten()
    }

    fn reap(&mut self, options: libc::c_int) -> io::Result<Option<ExitStatus>> {
        let mut status = 0;
        loop {
            // SAFETY: the process is a copy of this one that nobody else waits for.
            match unsafe { libc::waitpid(self.process, &raw mut status, options) } {
                0 => return Ok(None),
                found if found == self.process => {
                    self.ended = true;
                    return Ok(Some(ExitStatus::from_raw(status)));
                }
                _ => {
                    let error = io::Error::last_os_error();
                    if error.kind() != io::ErrorKind::Interrupted {
                        return Err(error);
                    }
                }
            }
        }
    }
}

impl Drop for CopiedProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// Ends the process without what it has registered for its end.
fn leave(code: i32) -> ! {
    // SAFETY: it never returns.
    unsafe { libc::_exit(code) }
}

/// In the copy: no file is left of a crash, and its error output goes to the pipe if there is one.
fn prepare(errors: Option<&PipeWriter>) {
    let no_dump = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: changes only the copy. A pipe that is full takes no more, and does not block.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &raw const no_dump);
        if let Some(errors) = errors {
            libc::fcntl(errors.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK);
            libc::dup2(errors.as_raw_fd(), libc::STDERR_FILENO);
        }
    }
}

/// Takes back what a plug-in has caught, in a copy that is about to ask what may end it.
pub fn die_of_faults() {
    for signal in DEADLY {
        // SAFETY: the default is no function of anybody.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Ends this process as a copy has ended.
pub fn end_as(ended: &Ended) -> ! {
    let _ = io::stderr().write_all(&ended.errors);
    let signal = match ended.status {
        Some(status) => status.signal().ok_or_else(|| status.code().unwrap_or(1)),
        None => Ok(libc::SIGKILL),
    };
    match signal {
        Ok(signal) => {
            let no_dump = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: this ends the process, or else the next call does; the thread gets the signal before it goes on.
            unsafe {
                libc::setrlimit(libc::RLIMIT_CORE, &raw const no_dump);
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
            leave(128 + signal)
        }
        Err(code) => leave(code),
    }
}

/// What is kept of more than there is room for.
#[derive(Clone, Copy)]
enum Retention {
    First(usize),
    Last(usize),
}

/// Reads what is there; says whether more may come.
fn drain(pipe: &mut PipeReader, into: &mut Vec<u8>, retention: Retention) -> bool {
    let mut block = [0; 4096];
    // A copy that writes without end does not keep its supervisor from looking at its memory.
    for _ in 0..64 {
        match pipe.read(&mut block) {
            Ok(0) => return false,
            Ok(n) => match retention {
                Retention::First(most) => {
                    let room = most.saturating_sub(into.len());
                    into.extend_from_slice(&block[..n.min(room)]);
                    if room == 0 {
                        return false;
                    }
                }
                Retention::Last(most) => {
                    into.extend_from_slice(&block[..n]);
                    into.drain(..into.len().saturating_sub(most));
                }
            },
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
        }
    }
    true
}

/// Waits a moment, or until one of the pipes has something, or the kernel asks, which is answered. False if it will
/// not ask any more.
fn wait(
    answers: Option<&PipeReader>,
    words: Option<&PipeReader>,
    threads: &mut Option<Threads>,
) -> bool {
    let on = |descriptor| PollFd::new(descriptor, PollFlags::POLLIN);
    let mut ready: Vec<PollFd<'_>> =
        [answers, words].into_iter().flatten().map(|pipe| on(pipe.as_fd())).collect();
    #[cfg(target_os = "linux")]
    ready.extend(threads.as_ref().map(|threads| on(threads.descriptor().as_fd())));
    // What has closed all of them is about to end.
    let moment = if ready.is_empty() { 1 } else { GLANCE };
    let _ = poll(&mut ready, PollTimeout::from(moment));
    let events = ready.last().and_then(PollFd::revents).unwrap_or(PollFlags::empty());
    #[cfg(target_os = "linux")]
    if let Some(threads) = threads {
        if events.contains(PollFlags::POLLIN) {
            threads.answer();
        }
        return !events.contains(PollFlags::POLLHUP);
    }
    let _ = (threads, events);
    true
}
