//! The files of a folder on this machine.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use unskew_artifact::HubBlobs;

use crate::ScanError;
use crate::group::ListedFile;

/// The files below `root`, in the order of their keys; or `root` itself, if it is a file. Of links only those of the
/// cache of the Hugging Face hub are followed. What cannot be opened is listed with the reason; a link to what lies
/// below `root` is not, because that is listed where it lies.
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
        return Ok(vec![ListedFile::readable(key, metadata.len(), Some(state(&metadata)))]);
    }
    if !metadata.is_dir() {
        let what = "a named pipe or a device; name a file or a folder of files";
        return Err(error(root, io::Error::other(what)));
    }
    let blobs = HubBlobs::around(root);
    let whole = root.canonicalize().map_err(|e| error(root, e))?;
    let mut open: Vec<(PathBuf, String)> = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = open.pop() {
        let entries = folder.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>);
        for entry in entries.map_err(|e| error(&folder, e))? {
            let own = entry.file_name();
            let key = |name: &str| match prefix.is_empty() {
                true => name.to_owned(),
                false => format!("{prefix}/{name}"),
            };
            let Some(name) = own.to_str() else {
                // Two such names can look the same in a table, so none of them is opened by its key.
                let why = "a name that is not UTF-8; give the file another one";
                found.push(ListedFile::unreadable(key(&own.to_string_lossy()), why));
                continue;
            };
            let key = key(name);
            let Ok(metadata) = entry.metadata() else {
                found.push(ListedFile::unreadable(key, "its metadata cannot be read"));
                continue;
            };
            if metadata.is_dir() {
                open.push((entry.path(), key));
            } else if metadata.is_file() {
                found.push(ListedFile::readable(key, metadata.len(), Some(state(&metadata))));
            } else if metadata.is_symlink() {
                found.extend(link(&entry.path(), key, &whole, blobs.as_ref()));
            } else {
                let why = "a named pipe, a socket or a device, which is not opened";
                found.push(ListedFile::unreadable(key, why));
            }
        }
    }
    found.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(found)
}

fn link(path: &Path, key: String, root: &Path, blobs: Option<&HubBlobs>) -> Option<ListedFile> {
    let (target, metadata) = match (path.canonicalize(), path.metadata()) {
        (Ok(target), Ok(metadata)) => (target, metadata),
        _ => return Some(ListedFile::unreadable(key, "a link to what is not there")),
    };
    if blobs.is_some_and(|blobs| blobs.has(path)) {
        return Some(ListedFile::readable(key, metadata.len(), Some(state(&metadata))));
    }
    let why = "a link out of the folder, which is not followed; scan what it leads to";
    (!target.starts_with(root)).then(|| ListedFile::unreadable(key, why))
}

/// What names the state of a file as long as nobody sets its clock back: its size, and when it was written.
pub(crate) fn state(metadata: &Metadata) -> String {
    let written = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    format!("{:x}-{:x}", metadata.len(), written.map_or(0, |since| since.as_nanos()))
}
