//! `unskew __probe PATH`: loads a plug-in and prints what it says about itself. The other verbs run
//! it as a child process, because a plug-in may abort, crash or block whoever loads it.

use std::path::Path;

use crate::exit::Status;

pub fn run(path: &Path) -> anyhow::Result<Status> {
    anyhow::bail!("cannot load plug-ins: {}", path.display())
}
