//! Wheels, from their records. A wheel is opened by its path, so it is written first.

use std::sync::LazyLock;
use tempfile::TempDir;
use crate::records;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a folder"));
    let Some(archive) = records::archive(&records::parse(bytes)) else { return };
    let path = FOLDER.path().join("f-1-py3-none-any.whl");
    if std::fs::write(&path, archive).is_ok() {
        let _ = unskew_artifact::open(&path, &unskew_artifact::OpenOptions::default());
    }
}
