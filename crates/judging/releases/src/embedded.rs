//! Tables that are part of the program. One that cannot be read ends it: an empty one would make every verdict "compatible".

use std::fmt::Debug;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use unskew_core::Date;

use crate::ReleaseRow;

/// What a table says that the compiler made JSON of.
#[expect(clippy::expect_used, reason = "part of the program")]
pub(crate) fn table<T: DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).expect("a table of releases")
}

/// The releases that a table lists, each as `T`.
pub(crate) fn releases<T: DeserializeOwned>(json: &str) -> Vec<T> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Releases<T> {
        release: Vec<T>,
    }
    table::<Releases<T>>(json).release
}

/// The releases of a table that says nothing of them but their versions and days.
pub(crate) fn release_rows(json: &str) -> Vec<ReleaseRow> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Release {
        version: String,
        released: Date,
    }
    let row = |Release { version, released }: Release| {
        Some(ReleaseRow { version: version.parse().ok()?, released })
    };
    releases(json).into_iter().filter_map(row).collect()
}

/// Rows that were read, to be shared.
#[expect(clippy::expect_used, reason = "part of the program")]
pub(crate) fn rows<T, E: Debug>(read: Result<T, E>) -> Option<Arc<T>> {
    Some(Arc::new(read.expect("rows of releases")))
}
