//! Where artifacts lie: on disk, under the digest of what is in them.
//!
//! ```text
//! artifacts/
//!   incoming/          what is being written
//!   3f/3f9a1c...       a file
//!   a0/a04bd2...       a folder, with its files below
//! ```
//!
//! The digest of a file is the SHA-256 of its bytes. That of a folder is the SHA-256 of a list: the line
//! `unskew folder 1`, then for each file, by the bytes of its path, its SHA-256 in hexadecimal digits, its size
//! and its path, with spaces between.
//!
//! What is added is written beside its place, made durable and moved there in one step, so that whatever lies
//! under a digest is whole. What lies there already is not written again. Names never become paths.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use unskew_artifact::Content;
use unskew_source::{Output, Source};

use crate::{Digest, FleetError};

/// How much is read at a time.
const CHUNK: usize = 1 << 20;

/// Artifacts under their digests.
#[derive(Clone, Debug)]
pub struct Depot {
    root: PathBuf,
}

/// What was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its name.
    pub digest: Digest,
    /// The bytes of all its files.
    pub size: u64,
    /// Whether it was not there before.
    pub new: bool,
}

/// A file on its way in: its path below the folder, none if the artifact is this one file.
type Incoming = (Option<String>, Arc<dyn Source>);

impl Depot {
    /// The depot in `root`, which is made if it is not there.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(root: &Path) -> Result<Self, FleetError> {
        let depot = Self { root: root.to_owned() };
        let incoming = depot.incoming();
        fs::create_dir_all(&incoming).map_err(at(&incoming))?;
        Ok(depot)
    }

    /// Where the artifact of this digest lies, if it does.
    pub fn path(&self, digest: &Digest) -> PathBuf {
        let hex = digest.hex();
        self.root.join(&hex[..2]).join(hex)
    }

    /// The artifact of this digest, under the name that users know.
    ///
    /// # Errors
    /// If it is not there or cannot be read.
    pub fn content(&self, digest: &Digest, name: &str) -> Result<Content, FleetError> {
        let path = self.path(digest);
        if !path.exists() {
            return Err(FleetError::Damaged { digest: *digest, what: "not there".to_owned() });
        }
        Ok(Content::named(&path, name)?)
    }

    /// Adds an artifact.
    ///
    /// # Errors
    /// If it cannot be read or written; then nothing was added.
    pub fn add(&self, content: &Content) -> Result<Stored, FleetError> {
        let files = match content {
            Content::File(part) => vec![(None, part.source.clone())],
            Content::Folder { parts, .. } => {
                parts.iter().map(|part| (Some(part.name.clone()), part.source.clone())).collect()
            }
        };
        self.take(files)
    }

    /// Adds what a conversion made.
    ///
    /// # Errors
    /// As [`Depot::add`].
    pub fn add_output(&self, output: &Output) -> Result<Stored, FleetError> {
        let files = match output {
            Output::File(file) => vec![(None, file.clone() as Arc<dyn Source>)],
            Output::Folder(files) => files
                .iter()
                .map(|(name, file)| (Some(name.clone()), file.clone() as Arc<dyn Source>))
                .collect(),
        };
        self.take(files)
    }

    /// Whether the artifact of this digest is still what its name says.
    ///
    /// # Errors
    /// [`FleetError::Damaged`] if not; or if it cannot be read.
    pub fn verify(&self, digest: &Digest) -> Result<(), FleetError> {
        let content = self.content(digest, "artifact")?;
        let mut rows = Vec::new();
        for part in content.parts() {
            let own = copy(&*part.source, &mut io::sink()).map_err(at(&self.path(digest)))?;
            rows.push((part.name.clone(), own, part.source.size()));
        }
        let found = match &content {
            Content::File(_) => rows.first().map(|row| row.1),
            Content::Folder { .. } => Some(list_digest(&mut rows)),
        };
        match found {
            Some(found) if found == *digest => Ok(()),
            _ => Err(FleetError::Damaged { digest: *digest, what: "no longer what it was".into() }),
        }
    }

    fn incoming(&self) -> PathBuf {
        self.root.join("incoming")
    }

    fn take(&self, files: Vec<Incoming>) -> Result<Stored, FleetError> {
        let incoming = self.incoming();
        let folder = tempfile::Builder::new().tempdir_in(&incoming).map_err(at(&incoming))?;
        let (whole, one) = (folder.path().join("whole"), matches!(files[..], [(None, _)]));
        let mut rows = Vec::new();
        for (name, source) in files {
            let path = match &name {
                None => whole.clone(),
                Some(name) => inside(&whole, name)?,
            };
            let digest = write(&*source, &path).map_err(at(&path))?;
            rows.push((name.unwrap_or_default(), digest, source.size()));
        }
        let size = rows.iter().map(|row| row.2).sum();
        let digest = match rows.first() {
            Some(row) if one => row.1,
            _ => list_digest(&mut rows),
        };
        let new = self.put(&whole, &digest)?;
        Ok(Stored { digest, size, new })
    }

    /// Moves what was written to its place; false if that is taken, then by the same content.
    fn put(&self, whole: &Path, digest: &Digest) -> Result<bool, FleetError> {
        let place = self.path(digest);
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

/// The place of a file in a folder.
fn inside(folder: &Path, name: &str) -> Result<PathBuf, FleetError> {
    let path = Path::new(name);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || !plain || name.contains(['\n', '\0', '\\']) {
        return Err(FleetError::Path(name.to_owned()));
    }
    Ok(folder.join(path))
}

/// The digest of a folder, from the path, the digest and the size of each file.
pub fn list_digest(rows: &mut [(String, Digest, u64)]) -> Digest {
    rows.sort();
    let mut list = "unskew folder 1\n".to_owned();
    for (name, digest, size) in rows {
        list.push_str(&format!("{} {size} {name}\n", digest.hex()));
    }
    Digest::of(list)
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

/// Copies a source, and says what it was.
fn copy(source: &dyn Source, to: &mut dyn io::Write) -> io::Result<Digest> {
    let (mut hasher, mut done) = (Sha256::new(), 0);
    let mut buffer = vec![0; CHUNK];
    while done < source.size() {
        match source.read_at(done, &mut buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                let n = n.min(usize::try_from(source.size() - done).unwrap_or(n));
                hasher.update(&buffer[..n]);
                to.write_all(&buffer[..n])?;
                done += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Digest::finish(hasher))
}

/// Makes the entries of a folder durable.
fn sync(folder: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> FleetError {
    let path = path.to_owned();
    |source| FleetError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depot() -> (tempfile::TempDir, Depot) {
        let folder = tempfile::tempdir().unwrap();
        let depot = Depot::open(&folder.path().join("artifacts")).unwrap();
        (folder, depot)
    }

    #[test]
    fn the_same_content_lies_once_whatever_it_is_called() {
        let (folder, depot) = depot();
        for name in ["a.pt", "b.pt"] {
            fs::write(folder.path().join(name), b"weights").unwrap();
        }
        let add = |name| depot.add(&Content::at(&folder.path().join(name)).unwrap()).unwrap();
        let (a, b) = (add("a.pt"), add("b.pt"));
        assert_eq!((a.new, b.new, a.size), (true, false, 7));
        assert_eq!((a.digest, b.digest), (Digest::of(b"weights"), Digest::of(b"weights")));
        depot.verify(&a.digest).unwrap();
        assert_eq!(fs::read_dir(depot.incoming()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_has_a_digest_of_its_paths_and_contents() {
        let (folder, depot) = depot();
        let make = |name: &str, below: &str, text: &str| {
            let root = folder.path().join(name);
            fs::create_dir_all(root.join(below).parent().unwrap()).unwrap();
            fs::write(root.join(below), text).unwrap();
            depot.add(&Content::at(&root).unwrap()).unwrap().digest
        };
        let one = make("one", "v/x", "1");
        assert_eq!(one, make("two", "v/x", "1"));
        assert_ne!(one, make("three", "v/y", "1"));
        assert_ne!(one, make("four", "v/x", "2"));
        depot.verify(&one).unwrap();
        fs::write(depot.path(&one).join("v/x"), "9").unwrap();
        assert!(matches!(depot.verify(&one), Err(FleetError::Damaged { .. })));
    }

    #[test]
    fn what_leads_out_of_a_folder_is_refused() {
        for name in ["../x", "/etc/x", "a/../../x", "", "a\nb"] {
            assert!(inside(Path::new("f"), name).is_err(), "{name}");
        }
        assert!(inside(Path::new("f"), "variables/x.index").is_ok());
    }
}
