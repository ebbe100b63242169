//! Files and folders of this machine.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use unskew_source::read_regular;

use super::{Address, BaselineError, FILES, SIDE, SIZE, Snapshot, Store, too_large};

/// How deeply folders are walked.
const DEPTH: usize = 32;

struct Folder(PathBuf);

impl Store for Folder {
    fn read(&self, files: &[&Address]) -> Result<Vec<Vec<u8>>, BaselineError> {
        let left = Cell::new(SIDE);
        let read = |address: &&Address| {
            let path = self.0.join(&address.key);
            let bytes = read_regular(&path, SIZE.min(left.get()))?;
            left.set(left.get().saturating_sub(bytes.len() as u64));
            Ok(bytes)
        };
        files.iter().map(read).collect()
    }
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> BaselineError {
    let path = path.to_owned();
    |cause| BaselineError::Io { path, cause }
}

/// The files below `folder`, in order. Folders whose name begins with a dot are left out, and symbolic links
/// are not followed.
///
/// # Errors
/// If a folder cannot be read, or there are more files than anybody lints.
pub fn walk(folder: &Path) -> Result<Vec<String>, BaselineError> {
    // The current folder has no name of its own.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (mut found, mut open) = (Vec::new(), vec![(PathBuf::new(), 0)]);
    while let Some((next, depth)) = open.pop() {
        let here = folder.join(&next);
        for entry in std::fs::read_dir(&here).map_err(at(&here))? {
            let entry = entry.map_err(at(&here))?;
            let kind = entry.file_type().map_err(at(&entry.path()))?;
            let name = next.join(entry.file_name());
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if kind.is_dir() && depth < DEPTH && !hidden {
                open.push((name, depth + 1));
            } else if kind.is_file() {
                found.push(name.to_string_lossy().replace('\\', "/"));
            }
        }
        too_large(&folder.display().to_string(), found.len() as u64, FILES as u64)?;
    }
    found.sort_unstable();
    Ok(found)
}

/// A folder, or one file.
pub fn open(path: &Path, label: &str) -> Result<Snapshot, BaselineError> {
    let single = !path.is_dir();
    let (root, names) = match (single, path.parent(), path.file_name()) {
        (false, ..) => (path.to_owned(), walk(path)?),
        (true, parent, name) => {
            std::fs::metadata(path).map_err(at(path))?;
            let name = name.unwrap_or_default().to_string_lossy().into_owned();
            (parent.unwrap_or(Path::new("")).to_owned(), vec![name])
        }
    };
    Ok(Snapshot {
        label: label.to_owned(),
        origin: String::new(),
        day: None,
        single,
        names: addresses(names, |name| {
            std::fs::metadata(root.join(name)).ok().filter(|_| single).map(|known| known.len())
        }),
        store: Box::new(Folder(root)),
    })
}

/// The files of these names below `root`, which need not be all that there are.
pub fn tree(root: &Path, names: Vec<String>, label: &str) -> Snapshot {
    Snapshot {
        label: label.to_owned(),
        origin: String::new(),
        day: None,
        single: false,
        names: addresses(names, |_| None),
        store: Box::new(Folder(root.to_owned())),
    }
}

fn addresses(names: Vec<String>, size: impl Fn(&str) -> Option<u64>) -> BTreeMap<String, Address> {
    let mut addresses = BTreeMap::new();
    for name in names {
        let size = size(&name);
        addresses.insert(name.clone(), Address { key: name, size });
    }
    addresses
}
