//! Modules of Python itself.
//!
//! Which modules have no file depends on how an interpreter was built: those of this list are written in C and may be
//! part of it. Where the folder of Python's own modules was not found, all of them count as there, and none is read.

use std::collections::BTreeSet;

/// Modules written in C: `sys.builtin_module_names` of several builds, and what lies in `lib-dynload` of others.
const WRITTEN_IN_C: &str = include_str!("written-in-c.txt");

/// The other modules at the top of Python's own: `sys.stdlib_module_names` of 3.10 to 3.14, with those that went away.
const WRITTEN_IN_PYTHON: &str = include_str!("written-in-python.txt");

/// The modules that are there without a file.
pub(super) fn modules(has_folder: bool) -> BTreeSet<&'static str> {
    let written_in_python = if has_folder { "" } else { WRITTEN_IN_PYTHON };
    WRITTEN_IN_C.split_whitespace().chain(written_in_python.split_whitespace()).collect()
}

/// Whether a module is one of Python's own, in any release.
pub(super) fn is_standard(module: &str) -> bool {
    let top = module.split('.').next().unwrap_or(module);
    let mut all = WRITTEN_IN_C.split_whitespace().chain(WRITTEN_IN_PYTHON.split_whitespace());
    all.any(|one| one == top)
}
