//! From what a user names to the parties that stand on that side.

use unskew_artifact::{OpenOptions, RunPolicy};
#[cfg(feature = "fleet")]
pub use unskew_verbs::neither;
pub use unskew_verbs::{ResolvedParty, is_release, side};

/// The options by which files are opened: plug-ins that may run are asked in a child process of this command.
pub fn options(running: impl Into<RunPolicy>) -> OpenOptions {
    unskew_verbs::options(running.into(), std::env::current_exe().ok())
}
