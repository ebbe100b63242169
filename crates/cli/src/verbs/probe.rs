//! `unskew __probe PATH [SECONDS]`: loads a plug-in and prints what it says about itself, or, with `--programs`, whether it
//! compiles them. The other verbs run it as a child process, because a plug-in may abort, crash or block whoever loads it.

use std::path::Path;
use std::time::Duration;

/// Ends the process, with the plug-in in whatever state it is.
pub fn run(path: &Path, seconds: Option<u64>) -> ! {
    std::process::exit(unskew_artifact::probe_main(path, seconds.map(Duration::from_secs)))
}

/// Ends the process after the plug-in has said what it makes of the programs.
pub fn compile(path: &Path, programs: &Path, from: usize) -> ! {
    std::process::exit(unskew_artifact::compile_main(path, programs, from))
}
