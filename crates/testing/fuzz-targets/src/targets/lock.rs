//! Lock files: the first line is the name of the file, which says its format; all else is its text.

use std::sync::Arc;

use unskew_core::Context;
use unskew_environments::{Fetch, PackageLock, LockedFile, LockTarget, judge};
use crate::source;
use unskew_source::Source;

/// An index that has a wheel of everything, and each wheel is broken.
struct Broken;

impl Fetch for Broken {
    fn list(&self, _: Option<&str>, package: &str) -> Result<Arc<[LockedFile]>, String> {
        let name = format!("{package}-1.0-py3-none-any.whl");
        Ok(Arc::new([LockedFile { location: Some(name.clone()), name, sha256: None }]))
    }

    fn open(&self, location: &str, _: &str) -> Result<Arc<dyn Source>, String> {
        Ok(source(location, b"PK\x05\x06"))
    }
}

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (name, text) = text.split_once('\n').unwrap_or(("requirements.txt", &text));
    let Ok(lock) = PackageLock::of_text(name, text) else { return };
    for fetch in [None, Some(&Broken as &dyn Fetch)] {
        let (environment, _) = lock.environment(LockTarget::default(), fetch);
        let _ = judge(&environment, &Context::for_tests());
    }
}
