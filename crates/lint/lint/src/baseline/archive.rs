//! Archives: zip files and wheels, and tar files, packed by gzip or not.

use std::collections::BTreeMap;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use unskew_source::{Archive, FileSource, open_regular};

use super::{Address, BaselineError, FILES, SIZE, Snapshot, Store, is_below, too_large};

/// What all files of a tar file together may have in bytes.
const WHOLE: u64 = 4 << 30;

/// Whether a file is an archive, by its first bytes.
pub fn is_archive(path: &Path) -> bool {
    form(path).is_some()
}

#[derive(Clone, Copy)]
enum ArchiveFormat {
    Zip,
    Tar,
    TarGz,
}

fn form(path: &Path) -> Option<ArchiveFormat> {
    let mut head = Vec::new();
    open_regular(path).ok()?.0.take(512).read_to_end(&mut head).ok()?;
    match head.as_slice() {
        [b'P', b'K', 3 | 5, 4 | 6, ..] => Some(ArchiveFormat::Zip),
        [0x1f, 0x8b, ..] => Some(ArchiveFormat::TarGz),
        head if head.get(257..262) == Some(b"ustar".as_slice()) => Some(ArchiveFormat::Tar),
        _ => None,
    }
}

/// The files of an archive.
pub fn open(path: &Path, label: &str, origin: String) -> Result<Snapshot, BaselineError> {
    let (names, store): (BTreeMap<String, Address>, Box<dyn Store>) = match form(path) {
        Some(ArchiveFormat::Zip) => {
            let zip = Zip::open(path)?;
            (zip.names(), Box::new(zip))
        }
        Some(form) => {
            let tar = Tar { path: path.to_owned(), packed: matches!(form, ArchiveFormat::TarGz) };
            (tar.names()?, Box::new(tar))
        }
        None => {
            let why = "neither a zip file nor a tar file".to_owned();
            return Err(BaselineError::Archive { path: path.to_owned(), why });
        }
    };
    too_large(label, names.len() as u64, FILES as u64)?;
    Ok(Snapshot { label: label.to_owned(), origin, day: None, single: false, names, store })
}

struct Zip {
    path: PathBuf,
    archive: Archive,
}

impl Zip {
    fn open(path: &Path) -> Result<Self, BaselineError> {
        let broken = |why: String| BaselineError::Archive { path: path.to_owned(), why };
        let source = FileSource::open(path).map_err(|error| broken(error.to_string()))?;
        let archive = Archive::open(Arc::new(source)).map_err(|error| broken(error.to_string()))?;
        Ok(Self { path: path.to_owned(), archive })
    }

    fn names(&self) -> BTreeMap<String, Address> {
        let files = self.archive.entries().iter().enumerate();
        let files = files.filter(|(_, entry)| !entry.name.ends_with('/') && is_below(&entry.name));
        let mut names = BTreeMap::new();
        for (index, entry) in files {
            let address = Address { key: index.to_string(), size: Some(entry.size) };
            names.insert(entry.name.clone(), address);
        }
        names
    }
}

impl Store for Zip {
    fn read(&self, files: &[&Address]) -> Result<Vec<Vec<u8>>, BaselineError> {
        let read = |address: &&Address| {
            let broken = |why: String| BaselineError::Archive { path: self.path.clone(), why };
            let entry =
                address.key.parse().ok().and_then(|index: usize| self.archive.entries().get(index));
            let entry = entry.ok_or_else(|| broken("a member is gone".to_owned()))?;
            self.archive.read(entry).map_err(|error| broken(error.to_string()))
        };
        files.iter().map(read).collect()
    }
}

struct Tar {
    path: PathBuf,
    packed: bool,
}

impl Tar {
    fn broken(&self, error: &std::io::Error) -> BaselineError {
        BaselineError::Archive { path: self.path.clone(), why: error.to_string() }
    }

    /// Every file in order, as far as `visit` wants to go on.
    fn walk(
        &self,
        mut visit: impl FnMut(usize, &str, u64, &mut dyn std::io::Read) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let file = BufReader::new(open_regular(&self.path).map_err(std::io::Error::other)?.0);
        let bytes: Box<dyn std::io::Read> = match self.packed {
            true => Box::new(MultiGzDecoder::new(file)),
            false => Box::new(file),
        };
        let mut archive = tar::Archive::new(bytes.take(WHOLE));
        for (index, entry) in archive.entries()?.enumerate() {
            let mut entry = entry?;
            if index > FILES {
                return Err(std::io::Error::other(format!("more than {FILES} files")));
            }
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let name = name.trim_start_matches("./").to_owned();
            let size = entry.size();
            if is_below(&name) {
                visit(index, &name, size, &mut entry)?;
            }
        }
        Ok(())
    }

    fn names(&self) -> Result<BTreeMap<String, Address>, BaselineError> {
        let mut names = BTreeMap::new();
        let walked = self.walk(|index, name, size, _| {
            names.insert(name.to_owned(), Address { key: index.to_string(), size: Some(size) });
            Ok(())
        });
        walked.map_err(|error| self.broken(&error))?;
        Ok(names)
    }
}

impl Store for Tar {
    fn read(&self, files: &[&Address]) -> Result<Vec<Vec<u8>>, BaselineError> {
        let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
        for (at, file) in files.iter().enumerate() {
            wanted.insert(file.key.clone(), at);
        }
        let mut found = vec![Vec::new(); files.len()];
        let walked = self.walk(|index, _, size, bytes| {
            if let Some(at) = wanted.remove(&index.to_string())
                && let Some(place) = found.get_mut(at)
            {
                bytes.take(size.min(SIZE)).read_to_end(place)?;
            }
            Ok(())
        });
        walked.map_err(|error| self.broken(&error))?;
        Ok(found)
    }
}
