//! The files of a folder on this machine.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::ScanError;
use crate::group::ListedFile;

/// How deep folders are walked.
const DEPTH: usize = 64;

/// The files below `root`, in the order of their keys; or `root` itself, if it is a file. Links are not followed: what they lead to may be scanned where it lies.
///
/// # Errors
/// If a folder cannot be read.
pub(crate) fn files(root: &Path) -> Result<Vec<ListedFile>, ScanError> {
    let error =
        |path: &Path, source| ScanError::Folder { path: path.display().to_string(), source };
    let metadata = root.metadata().map_err(|e| error(root, e))?;
    let mut found = Vec::new();
    if metadata.is_file() {
        let key = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(vec![ListedFile { key, size: metadata.len(), etag: Some(state(&metadata)) }]);
    }
    if !metadata.is_dir() {
        let what = "a named pipe or a device; name a file or a folder of files";
        return Err(error(root, io::Error::other(what)));
    }
    let mut open: Vec<(PathBuf, String, usize)> = vec![(root.to_owned(), String::new(), 0)];
    while let Some((folder, prefix, depth)) = open.pop() {
        let entries = folder.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>);
        for entry in entries.map_err(|e| error(&folder, e))? {
            // A name that is no UTF-8 could not be told apart from another in a table.
            let Ok(name) = entry.file_name().into_string() else { continue };
            let key = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() && depth < DEPTH {
                open.push((entry.path(), key, depth + 1));
            } else if metadata.is_file() {
                found.push(ListedFile { key, size: metadata.len(), etag: Some(state(&metadata)) });
            }
        }
    }
    found.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(found)
}

/// What names the state of a file as long as nobody sets its clock back: its size, and when it was written.
pub(crate) fn state(metadata: &Metadata) -> String {
    let written = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    format!("{:x}-{:x}", metadata.len(), written.map_or(0, |since| since.as_nanos()))
}
