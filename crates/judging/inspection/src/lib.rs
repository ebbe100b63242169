//! Artifacts are read in processes of their own.
//!
//! Whoever made a file chose every byte of it. A reader has budgets, and may still have a fault; so a service, and a scan of
//! what nobody has vetted, do not read artifacts themselves. They start children, of the same program, that do nothing else:
//!
//! ```text
//! parent ── question: files with sizes, what is asked ─▶ child
//!        ◀── wanted: file 0, from byte 4096, 65536 bytes ──
//!        ── data ─▶
//!        ◀── wanted: what lies beside file 0 as weights.bin ──
//!        ── its size ─▶
//!        ◀── answer ──
//! ```
//!
//! * [`Readers`]: children that wait for questions, on the side of the parent; [`ReaderProcess`] is one of them;
//! * [`serve`]: the child, which has limits ([`Allowance`], [`ReaderConfinement`]), no environment, and the artifact only as
//!   [`Parent::content`];
//! * [`ProcessBudget`]: what a process may take for the files that it looks at. The command watches itself by it, and a parent
//!   each question to a child.
//!
//! Questions and answers are JSON of types of the caller; the bytes of a file go as they are. A child takes many
//! questions. When it ends in the middle of one, the question has an answer ([`Failure`]), and the next one goes to another
//! child. What a child did before cannot be held against an artifact: if a child that was asked before ends, the question is
//! asked once more in a new one.
#![forbid(unsafe_code)]

mod allowance;
mod budget;
mod ending;
mod frame;
mod message;
mod reader_process;
mod readers;
mod remote;
mod usage;

pub use allowance::{Allowance, ReaderConfinement, serve};
pub use budget::ProcessBudget;
pub use ending::{Cause, ReaderEnding};
pub use message::Described;
pub use reader_process::{ArtifactFiles, ReaderProcess, Stopped};
pub use readers::{Failure, Readers};
pub use remote::{LARGEST_FRAME, Parent, SharedParent};
pub use usage::{processor_time, resident};
