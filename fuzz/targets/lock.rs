//! Lock files: the first line is the name of the file, which says its format; all else is its text.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use unskew_core::Context;
use unskew_environments::{Fetch, LockTarget, LockedFile, PackageLock, judge};
use unskew_fuzz::source;
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

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (name, text) = text.split_once('\n').unwrap_or(("requirements.txt", &text));
    let Ok(lock) = PackageLock::of_text(name, text) else { return };
    for fetch in [None, Some(&Broken as &dyn Fetch)] {
        let (environment, _) = lock.environment(LockTarget::default(), fetch);
        let _ = judge(&environment, &Context::for_tests());
    }
});
