//! Names of an extension module that is not run: of one that Cython made, a name that does not stand in its file is not there.
//!
//! Other modules take names from libraries that they are linked against, or make them when they are loaded. Cython writes every name
//! that a module binds into the module itself, as a text; since 3.2 these may be compressed.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use foldhash::HashMap;
use memchr::memmem;
use unskew_source::read_regular;

/// The largest module that is read.
const LARGEST: u64 = 64 << 20;

/// Texts in modules of releases of Cython that do not compress names: the module in which their classes lie.
const READABLE: [&[u8]; 3] = [b"_cython_0_29", b"_cython_3_0", b"_cython_3_1"];

/// Which names extension modules may have, of those that were asked.
#[derive(Debug, Default)]
pub(super) struct ExtensionNames {
    asked: RefCell<HashMap<(PathBuf, String), bool>>,
}

impl ExtensionNames {
    /// Whether the extension module in this file may have a name.
    pub(super) fn may_have(&self, path: &Path, name: &str) -> bool {
        let key = (path.to_owned(), name.to_owned());
        *self.asked.borrow_mut().entry(key).or_insert_with(|| may_have(path, name))
    }
}

fn may_have(path: &Path, name: &str) -> bool {
    let Ok(module) = read_regular(path, LARGEST) else { return true };
    let has = |text: &[u8]| memmem::find(&module, text).is_some();
    !READABLE.into_iter().any(has) || has(name.as_bytes())
}
