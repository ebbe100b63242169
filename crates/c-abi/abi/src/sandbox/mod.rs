//! Plug-ins on trial: a child process that runs foreign code, what it may do, and what it answers.
//!
//! A plug-in may crash, block, or be malicious. So [`SandboxedChild`] starts and ends a child process, the [`Supervisor`], which loads
//! nothing: it copies itself, and the copy gives up what a plug-in must not have before it loads anything. With
//! [`Confinement::Sandbox`] the copy has:
//!
//! | what | how it is kept |
//! | --- | --- |
//! | the parent's environment | only the variables of a short list |
//! | the parent's files, pipes and sockets | all closed; input and output are `/dev/null` |
//! | files | Landlock: system libraries, the plug-in and the libraries beside it may be read, nothing may be written |
//! | the network, other programs, new processes, debugging, mounts, keys, io_uring | seccomp: only calls that are listed are allowed |
//! | signals to others, abstract sockets | Landlock scopes |
//! | threads | seccomp: the supervisor is asked about each, and counts; a fixed number in all |
//! | memory | resource limits; no shared memory and no files in memory; the supervisor looks at what is there |
//! | open files, processor time, core files | resource limits |
//! | privileges | `no_new_privs`; of root's capabilities, only that to read files of others |
//! | a life after the trial | it dies with the supervisor, and the supervisor with the parent; session and process group are killed as a whole |
//!
//! If the kernel refuses any of this, nothing is loaded: the trial says [`ChildOutput::Refused`]. Linux 6.12 and later have all of
//! it.
//!
//! # Answers
//!
//! The child answers on a socket of its own, not on its output, and begins every line with a number that the parent drew
//! for this trial. A plug-in that writes to its output, or blindly to every descriptor, forges nothing. One that searches
//! the memory of its own process for that number can, and no process can keep that from code that it runs: **a malicious
//! plug-in can lie about itself.** It cannot do more than that: the number is good for nothing else.
//!
//! A process that only reads a file needs less than a plug-in, and gets less: `keep_to_streams`, on Linux.
//!
//! With [`Confinement::None`] the copy has the rights of whoever started it, and only the way of answering, the process
//! group and the limit on output stay.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod capabilities;
#[cfg(target_os = "linux")]
mod files;
#[cfg(unix)]
mod handshake_message;
#[cfg(unix)]
mod inside;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(unix)]
mod listen;
#[cfg(target_os = "linux")]
mod memory;
mod readable;
#[cfg(unix)]
mod sandboxed_child;
#[cfg(target_os = "linux")]
mod streams;
#[cfg(unix)]
mod supervisor;
#[cfg(target_os = "linux")]
mod threads;
mod time;
#[cfg(not(unix))]
mod unsupported;

pub use readable::{Readable, readable};
pub use time::{TimeLimits, WHOLE};

#[cfg(unix)]
pub use inside::say;
#[cfg(unix)]
pub use sandboxed_child::SandboxedChild;
#[cfg(target_os = "linux")]
pub use streams::keep_to_streams;
#[cfg(unix)]
pub use supervisor::{Ended, Errors, Supervisor, die_of_faults, end_as};
#[cfg(not(unix))]
pub use unsupported::{SandboxedChild, Supervisor, say};

/// What a child process that runs foreign code may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// What the sandbox leaves it. Where there is no sandbox, nothing is run.
    Sandbox,
    /// Whatever the user may do.
    None,
}

/// What came from a child process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildOutput {
    /// A line that the child said.
    Line(String),
    /// The child could not be confined, and has loaded nothing: why.
    Refused(String),
    /// Nothing within the time.
    Late,
    /// The child says nothing any more.
    Closed,
}

/// The most that a confined child may use.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Memory of a process, in bytes.
    pub memory: u64,
    /// Addresses of a process, in bytes: mapped libraries count here.
    pub addresses: u64,
    /// Processor time of a process, in seconds: a backstop, the parent's own limit comes first.
    pub seconds: u64,
}

impl Bounds {
    /// For a plug-in that is loaded and asked, and makes no client.
    pub const LOOK: Self = Self { memory: 2 << 30, addresses: 16 << 30, seconds: 120 };
    /// For a plug-in that computes: its runtime reserves addresses for every thread.
    pub const WORK: Self = Self { memory: 8 << 30, addresses: 256 << 30, seconds: 1200 };
}

/// The sentence for a kernel that gives no sandbox.
pub fn no_sandbox(cause: &str) -> String {
    format!("there is no sandbox here to run it in ({cause})")
}

/// Whether what a loader says comes from the sandbox: the file is there, and may not be opened.
pub fn is_refusal(message: &str) -> bool {
    ["Permission denied", "Operation not permitted"].iter().any(|text| message.contains(text))
}
