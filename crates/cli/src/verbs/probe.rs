//! `unskew __probe PATH [SECONDS]`: loads a plug-in and prints what it says about itself. The other verbs run
//! it as a child process, because a plug-in may abort, crash or block whoever loads it.

use std::path::Path;
use std::time::Duration;

/// Ends the process, with the plug-in in whatever state it is.
pub fn run(path: &Path, seconds: Option<u64>) -> ! {
    std::process::exit(unskew_artifact::probe_main(path, seconds.map(Duration::from_secs)))
}
