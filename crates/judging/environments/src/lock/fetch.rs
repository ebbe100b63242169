//! Wheels of a lock that are read where they lie.

use std::sync::Arc;

use unskew_source::Source;

use super::{LockTarget, Locked, LockedFile, PackageLock, is_for};
use crate::InstalledPackage;

/// Who reads wheels that lie elsewhere: at a URL, on a path, in an index. Reasons of failure are shown to the user as they
/// are.
pub trait Fetch: Sync {
    /// The files of a package that an index has, of every release.
    ///
    /// # Errors
    /// Why the index does not say.
    fn list(&self, index: Option<&str>, package: &str) -> Result<Arc<[LockedFile]>, String>;

    /// Opens a file by its URL, or by its path as the lock `lock` has it.
    ///
    /// # Errors
    /// Why it is not read.
    fn open(&self, location: &str, lock: &str) -> Result<Arc<dyn Source>, String>;
}

/// Reads the wheel of a locked release that would be installed on the target.
pub(super) fn read(
    lock: &PackageLock,
    locked: &Locked,
    target: LockTarget,
    fetch: &dyn Fetch,
) -> Result<InstalledPackage, String> {
    let located = locked.files.iter().filter(|file| file.location.is_some());
    let mut files: Vec<LockedFile> = located.cloned().collect();
    if files.is_empty() {
        let index = locked.index.as_deref().or(lock.indexes.first().map(String::as_str));
        let all = fetch.list(index, &locked.name)?;
        let is_locked = |file: &&LockedFile| {
            let mut digests =
                locked.files.iter().filter_map(|one| one.sha256.as_deref()).peekable();
            // The digests say which files are meant; without them the version does.
            match digests.peek() {
                Some(_) => digests.any(|digest| file.sha256.as_deref() == Some(digest)),
                None => version_of(&file.name) == Some(locked.version.as_str()),
            }
        };
        files = all.iter().filter(is_locked).cloned().collect();
    }
    let fitting = files.iter().filter(|file| is_for(&file.name, target));
    let Some(file) = fitting.max_by_key(|file| preference(&file.name)) else {
        let what =
            if files.is_empty() { "no file of the release" } else { "no wheel for the target" };
        return Err(format!("{what} was found"));
    };
    let source = fetch.open(file.location.as_deref().unwrap_or_default(), &lock.path)?;
    let package = InstalledPackage::of_wheel(source).map_err(|error| error.to_string())?;
    if package.key() != unskew_extensions::wheels::normal(&locked.name) {
        return Err(format!("the wheel is of {}", package.label()));
    }
    Ok(package)
}

fn version_of(file: &str) -> Option<&str> {
    file.strip_suffix(".whl")?.split('-').nth(1)
}

/// Which of several wheels is read: the newest Python, the C library of most systems.
fn preference(file: &str) -> (bool, u32) {
    let tag = file.rsplit('-').nth(2).unwrap_or_default();
    let number = tag.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    (
        !file.contains("musllinux"),
        number.split('.').next().and_then(|n| n.parse().ok()).unwrap_or(0),
    )
}
