//! Artifacts on disk.
//!
//! ```text
//! artifacts/
//!   incoming/          what is being written, or taken away
//!   3f/3f9a1c...       a file
//!   a0/a04bd2...       a folder, with its files below
//! ```
//!
//! What is added is written in `incoming`, made durable and moved to its place in one step; what is taken away goes
//! the other way. So whatever lies under a digest is whole.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use unskew_artifact::Content;
use unskew_source::Source;
use unskew_source::unfinished::{self, UnfinishedFolder};

use super::{BlobBackend, Incoming, StoredArtifact, at, checked, copy, is_one, list};
use crate::{Digest, FleetError};

/// When something in `incoming` is no longer being written.
const OLD: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// A folder of artifacts.
pub(super) struct Disk {
    root: PathBuf,
}

impl Disk {
    pub(super) fn open(root: &Path) -> Result<Self, FleetError> {
        let disk = Self { root: root.to_owned() };
        let incoming = disk.incoming();
        fs::create_dir_all(&incoming).map_err(at(&incoming))?;
        Ok(disk)
    }

    fn incoming(&self) -> PathBuf {
        self.root.join("incoming")
    }

    fn place(&self, digest: &Digest) -> PathBuf {
        let hex = digest.hex();
        self.root.join(&hex[..2]).join(hex)
    }

    fn scratch(&self) -> Result<UnfinishedFolder, FleetError> {
        let incoming = self.incoming();
        UnfinishedFolder::begin(&incoming, 0o700).map_err(at(&incoming))
    }

    /// Moves what was written to its place; false if that is taken, then by the same content.
    fn settle(&self, whole: &Path, digest: &Digest) -> Result<bool, FleetError> {
        let place = self.place(digest);
        if place.exists() {
            return Ok(false);
        }
        let shelf = place.parent().unwrap_or(&self.root);
        fs::create_dir_all(shelf).map_err(at(shelf))?;
        match fs::rename(whole, &place) {
            Ok(()) => {}
            // Somebody else was faster.
            Err(_) if place.exists() => return Ok(false),
            Err(error) => return Err(at(&place)(error)),
        }
        for folder in [shelf, &self.root] {
            sync(folder).map_err(at(folder))?;
        }
        Ok(true)
    }
}

impl BlobBackend for Disk {
    fn put(&self, files: Vec<Incoming>) -> Result<StoredArtifact, FleetError> {
        let folder = self.scratch()?;
        let (whole, one) = (folder.path().join("whole"), is_one(&files));
        let mut rows = Vec::new();
        for file in files {
            let path = match &file.name {
                None => whole.clone(),
                Some(name) => whole.join(checked(name)?),
            };
            let digest = write(&*file.source, &path).map_err(at(&path))?;
            file.is(digest)?;
            rows.push((file.name.unwrap_or_default(), digest, file.source.size()));
        }
        let size = rows.iter().map(|row| row.2).sum();
        let digest = match rows.first() {
            Some(row) if one => row.1,
            _ => Digest::sha256(list(&mut rows)),
        };
        let new = self.settle(&whole, &digest)?;
        Ok(StoredArtifact { digest, size, new })
    }

    fn has(&self, digest: &Digest) -> Result<bool, FleetError> {
        let place = self.place(digest);
        place.try_exists().map_err(at(&place))
    }

    fn content(&self, digest: &Digest, name: &str) -> Result<Option<Content>, FleetError> {
        match self.has(digest)? {
            true => Ok(Some(Content::named(&self.place(digest), name)?)),
            false => Ok(None),
        }
    }

    fn remove(&self, digest: &Digest) -> Result<(), FleetError> {
        let (place, folder) = (self.place(digest), self.scratch()?);
        match fs::rename(&place, folder.path().join("gone")) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(at(&place)(error)),
        }
        let shelf = place.parent().unwrap_or(&self.root);
        sync(shelf).map_err(at(shelf))?;
        // The folder goes with what is in it.
        let incoming = folder.path().to_owned();
        folder.close().map_err(at(&incoming))
    }

    fn digests(&self) -> Result<Vec<Digest>, FleetError> {
        let mut all = Vec::new();
        for shelf in entries(&self.root)? {
            if shelf.file_name().is_some_and(|name| name.len() == 2) {
                let names = entries(&shelf)?;
                all.extend(
                    names.iter().filter_map(|path| Digest::from_hex(path.file_name()?.to_str()?)),
                );
            }
        }
        Ok(all)
    }

    fn sweep(&self) -> Result<usize, FleetError> {
        let incoming = self.incoming();
        // What a killed writer left, at once; and what has another name, when it is old.
        let mut swept = unfinished::sweep(&incoming).map_err(at(&incoming))?;
        for path in entries(&incoming)? {
            let written = fs::metadata(&path).and_then(|metadata| metadata.modified());
            let old = written.is_ok_and(|day| day.elapsed().is_ok_and(|age| age > OLD));
            if old {
                fs::remove_dir_all(&path).map_err(at(&path))?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    fn path(&self, digest: &Digest) -> Option<PathBuf> {
        Some(self.place(digest))
    }

    fn shown(&self) -> String {
        self.root.display().to_string()
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, FleetError> {
    let entries = fs::read_dir(folder).map_err(at(folder))?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(at(folder))).collect()
}

/// Writes a source to a new file and makes it durable.
fn write(source: &dyn Source, path: &Path) -> io::Result<Digest> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut file = File::create_new(path)?;
    let digest = copy(source, &mut file)?;
    file.sync_all()?;
    if let Some(parent) = path.parent() {
        sync(parent)?;
    }
    Ok(digest)
}

fn sync(folder: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}
