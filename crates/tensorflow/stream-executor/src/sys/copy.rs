//! A host in a copy of this process, which a plug-in may end or spoil.
//!
//! A process that has loaded a plug-in and called nothing of it is cheap to copy; loading some hundred
//! megabytes again for each host is not.

use std::io::{self, PipeReader, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use unskew_abi::sandbox::copy_process;

/// The most that is read of what a copy says, in bytes.
const MOST: usize = 1 << 20;

/// How often it is looked whether a copy has ended that left its pipes to others, in milliseconds.
const GLANCE: i32 = 20;

/// What a plug-in may have caught: in the copy they end the process at once, without a report.
const DEADLY: [libc::c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP];

/// What a copy left behind.
pub(crate) struct CopyResult {
    pub(crate) said: Vec<u8>,
    /// What it wrote to its error output.
    pub(crate) words: Vec<u8>,
    /// How it ended; none if its time was up.
    pub(crate) status: Option<ExitStatus>,
}

/// Runs `body` in a copy of this process, for at most `limit`. What it says arrives whatever becomes of
/// the copy.
///
/// # Errors
/// If the process cannot be copied.
pub(crate) fn in_a_copy(
    limit: Duration,
    body: impl FnOnce(&mut dyn FnMut(&[u8])),
) -> io::Result<CopyResult> {
    let (mut answers, mut answer) = io::pipe()?;
    let (mut errors, error) = io::pipe()?;
    // SAFETY: the copy does nothing but what follows, and never returns from here.
    let process = unsafe { copy_process() }?;
    if process == 0 {
        prepare(error.as_raw_fd());
        // If nobody reads it any more, nobody needs it.
        body(&mut |bytes| drop(answer.write_all(bytes)));
        // SAFETY: this ends the copy without what the original has registered for its end.
        unsafe { libc::_exit(0) }
    }
    drop((answer, error));
    for pipe in [&answers, &errors] {
        // SAFETY: changes a descriptor of this process only.
        unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    }
    let mut ended = CopyResult { said: Vec::new(), words: Vec::new(), status: None };
    let begun = Instant::now();
    loop {
        ended.status = ended_as(process)?;
        // In this order: what was written before it ended is there now.
        let open = drain(&mut answers, &mut ended.said) | drain(&mut errors, &mut ended.words);
        if ended.status.is_some() {
            return Ok(ended);
        }
        if begun.elapsed() >= limit {
            wait(process)?;
            return Ok(ended);
        }
        if open {
            glance(&answers, &errors);
        } else {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// In the copy: its error output goes to the pipe, it ends with the first deadly signal, and with the
/// original.
fn prepare(error: libc::c_int) {
    let no_dump = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: these change only the copy. A pipe that is full takes no more, and does not block.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::fcntl(error, libc::F_SETFL, libc::O_NONBLOCK);
        libc::dup2(error, libc::STDERR_FILENO);
        libc::setrlimit(libc::RLIMIT_CORE, &raw const no_dump);
        for signal in DEADLY {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}

/// Reads what is there; says whether more may come.
fn drain(pipe: &mut PipeReader, into: &mut Vec<u8>) -> bool {
    let mut block = [0; 4096];
    loop {
        match pipe.read(&mut block) {
            Ok(0) => return false,
            Ok(n) => {
                let room = MOST.saturating_sub(into.len());
                into.extend_from_slice(&block[..n.min(room)]);
                if room == 0 {
                    return false;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
        }
    }
}

/// Waits a moment, or until one of the pipes has something.
fn glance(one: &PipeReader, other: &PipeReader) {
    let on =
        |pipe: &PipeReader| libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut pipes = [on(one), on(other)];
    // SAFETY: the list has two entries and lives through the call.
    unsafe { libc::poll(pipes.as_mut_ptr(), 2, GLANCE) };
    if pipes.iter().any(|pipe| pipe.revents & libc::POLLIN == 0 && pipe.revents != 0) {
        // Closed by the copy, which is about to end.
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn ended_as(process: libc::pid_t) -> io::Result<Option<ExitStatus>> {
    reap(process, libc::WNOHANG)
}

/// Ends the copy. What it started outside the sandbox, where it can start something, ends with the child, whose group
/// it is in.
fn wait(process: libc::pid_t) -> io::Result<Option<ExitStatus>> {
    // SAFETY: the copy was not waited for, so the number is its own.
    unsafe { libc::kill(process, libc::SIGKILL) };
    reap(process, 0)
}

fn reap(process: libc::pid_t, options: libc::c_int) -> io::Result<Option<ExitStatus>> {
    let mut status = 0;
    loop {
        // SAFETY: the process is a copy of this one that nobody else waits for.
        match unsafe { libc::waitpid(process, &raw mut status, options) } {
            0 => return Ok(None),
            found if found == process => return Ok(Some(ExitStatus::from_raw(status))),
            _ => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
}
