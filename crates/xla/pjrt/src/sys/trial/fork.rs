//! A call in a copy of this process, which it may end.
//!
//! A process that has loaded a plug-in and made nothing of it is cheap to copy: a call that may end it
//! costs a millisecond in a copy, against a tenth of a second for a new process that loads the plug-in
//! again.

use std::io::{self, PipeReader, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use unskew_abi::sandbox::copy_process;

/// How long one call gets, in seconds.
pub(super) const LIMIT: u32 = 5;

/// The most that is read of an answer, and of what the plug-in wrote, in bytes.
const MOST: u64 = 64 << 10;

/// What a plug-in may have caught: in the copy they end the process at once, without a report.
const DEADLY: [libc::c_int; 7] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGABRT,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGALRM,
];

/// How a copy ended.
pub(super) enum Ended {
    Answered(Vec<u8>),
    /// It died; with how, and what it wrote.
    Died(ExitStatus, String),
    /// It did not end in time.
    Late,
}

/// Runs `call` in a copy of this process.
///
/// # Errors
/// If the process cannot be copied.
pub(super) fn in_a_copy(call: impl FnOnce() -> Vec<u8>) -> io::Result<Ended> {
    let (answers, mut answer) = io::pipe()?;
    let (words, said) = io::pipe()?;
    // SAFETY: the copy does nothing but what follows, and never returns from here.
    let process = unsafe { copy_process() }?;
    if process == 0 {
        prepare(said.as_raw_fd());
        let _ = answer.write_all(&call());
        // SAFETY: this ends the copy without what the original has registered for its end.
        unsafe { libc::_exit(0) }
    }
    drop((answer, said));
    let answered = whole(answers);
    let said = String::from_utf8_lossy(&whole(words)).into_owned();
    let status = wait(process)?;
    Ok(match status.signal() {
        None if status.success() => Ended::Answered(answered),
        Some(libc::SIGALRM) => Ended::Late,
        _ => Ended::Died(status, said),
    })
}

/// In the copy: its error output goes to the pipe, it ends with the first deadly signal, and when its
/// time is up.
fn prepare(said: libc::c_int) {
    let no_dump = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: these change only the copy. A pipe that is full takes no more, and does not block.
    unsafe {
        libc::fcntl(said, libc::F_SETFL, libc::O_NONBLOCK);
        libc::dup2(said, libc::STDERR_FILENO);
        libc::setrlimit(libc::RLIMIT_CORE, &raw const no_dump);
        for signal in DEADLY {
            libc::signal(signal, libc::SIG_DFL);
        }
        libc::alarm(LIMIT);
    }
}

fn whole(pipe: PipeReader) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What cannot be read has not been said.
    let _ = pipe.take(MOST).read_to_end(&mut bytes);
    bytes
}

fn wait(process: libc::pid_t) -> io::Result<ExitStatus> {
    let mut status = 0;
    loop {
        // SAFETY: the process is a copy of this one that nobody else waits for.
        if unsafe { libc::waitpid(process, &raw mut status, 0) } == process {
            return Ok(ExitStatus::from_raw(status));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
