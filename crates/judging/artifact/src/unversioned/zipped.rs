//! SavedModels in a zip file.

use std::sync::Arc;

use unskew_source::{Archive, Source};

/// A SavedModel in a zip file, from which nothing loads it. [`crate::archives`] opens it where there is one artifact a path.
pub(crate) const ZIPPED: &str = "SavedModel in a zip file";

/// Whether it is one, by its name, its first bytes and the names of its members.
pub(super) fn is_zipped(source: &Arc<dyn Source>, head: &[u8]) -> bool {
    if !head.starts_with(b"PK") || !source.name().ends_with(".zip") {
        return false;
    }
    let Ok(archive) = Archive::open(source.clone()) else { return false };
    let model = |name: &str| name.rsplit('/').next() == Some("saved_model.pb");
    archive.entries().iter().any(|entry| model(&entry.name))
}
