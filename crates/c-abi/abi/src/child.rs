//! Ends of child processes that run foreign code.

use std::process::ExitStatus;

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
