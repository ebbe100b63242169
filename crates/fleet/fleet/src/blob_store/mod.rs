//! Blob store of artifacts: on disk or in an object store, under the digest of what is in them.
//!
//! The digest of a file is the SHA-256 of its bytes. That of a folder is the SHA-256 of a list: the line
//! `unskew folder 1`, then for each file, by the bytes of its path, its SHA-256 in hexadecimal digits, its size
//! and its path, with spaces between.
//!
//! What lies under a digest is whole from the moment on that it is there, and until it is gone; how, is the
//! matter of each [`BlobBackend`]: [`disk`] moves what is complete to its place, [`objects`] writes last what the others
//! are found by. What lies there already is not written again. Names never become paths.

mod disk;
mod objects;
mod whole;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use unskew_artifact::Content;
use unskew_objects::{ObjectPlace, Objects};
use unskew_source::{ConvertedArtifact, Source};

use crate::{Digest, FleetError};

/// How much is read at a time.
const CHUNK: usize = 1 << 20;

/// Artifacts under their digests.
#[derive(Clone)]
pub struct BlobStore {
    shelf: Arc<dyn BlobBackend>,
}

/// What the depot has of an artifact that was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredArtifact {
    /// The digest by which it is found again.
    pub digest: Digest,
    /// The bytes of all its files.
    pub size: u64,
    /// Whether it was not there before.
    pub new: bool,
}

/// A file on its way in.
struct Incoming {
    /// Its path below the folder, none if the artifact is this one file.
    name: Option<String>,
    source: Arc<dyn Source>,
    /// What somebody says that it is.
    announced: Option<Digest>,
}

impl Incoming {
    fn new(name: Option<String>, source: Arc<dyn Source>) -> Self {
        Self { name, source, announced: None }
    }

    /// Whether it is what was announced.
    fn is(&self, found: Digest) -> Result<(), FleetError> {
        match self.announced {
            Some(announced) if announced != found => {
                let name = self.name.clone().unwrap_or_else(|| self.source.name().to_owned());
                Err(FleetError::Differs { name, announced, found })
            }
            _ => Ok(()),
        }
    }
}

/// A file of a folder: its path, its digest and its size.
type FolderMember = (String, Digest, u64);

/// A kind of place for artifacts.
trait BlobBackend: Send + Sync {
    /// Adds an artifact, which is there whole or not at all whenever this ends.
    fn put(&self, files: Vec<Incoming>) -> Result<StoredArtifact, FleetError>;

    fn has(&self, digest: &Digest) -> Result<bool, FleetError>;

    /// The artifact under a name, if it is there.
    fn content(&self, digest: &Digest, name: &str) -> Result<Option<Content>, FleetError>;

    /// Takes the artifact away: it is there whole or not at all whenever this ends. One that is not there is no error.
    fn remove(&self, digest: &Digest) -> Result<(), FleetError>;

    fn digests(&self) -> Result<Vec<Digest>, FleetError>;

    /// Takes away what writers left behind that did not come to an end; what may be somebody else's only if it is some days
    /// old. Says how many such things there were.
    fn sweep(&self) -> Result<usize, FleetError>;

    /// Where an artifact lies in the file system of this machine, if that is where artifacts lie.
    fn path(&self, digest: &Digest) -> Option<PathBuf>;

    /// Where they lie, for people.
    fn shown(&self) -> String;
}

impl BlobStore {
    /// The depot in a folder, which is made if it is not there.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(root: &Path) -> Result<Self, FleetError> {
        Ok(Self { shelf: Arc::new(disk::Disk::open(root)?) })
    }

    /// The depot at an address: a folder, or a place of an object store as `s3://bucket/prefix`, whose credentials
    /// stand in the environment (`AWS_...`).
    ///
    /// # Errors
    /// If the address is none, or a folder cannot be made. A store is not asked yet.
    pub fn at(address: &str) -> Result<Self, FleetError> {
        let place = ObjectPlace::parse(address)?;
        match place.path() {
            Some(folder) => Self::open(&folder),
            None => Ok(Self::over(Objects::open(address)?)),
        }
    }

    /// The depot below a place of an object store.
    pub fn over(objects: Objects) -> Self {
        Self { shelf: Arc::new(objects::Store::over(objects)) }
    }

    /// Where the artifact of this digest lies, if it does; none if artifacts do not lie in files of this machine.
    pub fn path(&self, digest: &Digest) -> Option<PathBuf> {
        self.shelf.path(digest)
    }

    /// The artifact of this digest, under the name that users know, to be read by ranges.
    ///
    /// # Errors
    /// If it is not there or cannot be read.
    pub fn content(&self, digest: &Digest, name: &str) -> Result<Content, FleetError> {
        let gone = || FleetError::Damaged { digest: *digest, what: "not there".to_owned() };
        self.shelf.content(digest, name)?.ok_or_else(gone)
    }

    /// The artifact of this digest, to be read as a whole from the first byte to the last: what is no longer what
    /// its name says is an error at the last byte at the latest.
    ///
    /// # Errors
    /// As [`BlobStore::content`]; [`FleetError::Damaged`] if it is a folder that is no longer what it was.
    pub fn whole(&self, digest: &Digest, name: &str) -> Result<Content, FleetError> {
        let mut content = self.content(digest, name)?;
        match &mut content {
            Content::File(part) => {
                part.source = Arc::new(whole::Whole::new(part.source.clone(), *digest));
            }
            // What its files should be stands nowhere but in the digest of all.
            Content::Folder { .. } => self.verify(digest)?,
        }
        Ok(content)
    }

    /// Whether the artifact of this digest is there.
    ///
    /// # Errors
    /// If that cannot be asked.
    pub fn has(&self, digest: &Digest) -> Result<bool, FleetError> {
        self.shelf.has(digest)
    }

    /// Adds an artifact.
    ///
    /// # Errors
    /// If it cannot be read or written; then nothing was added.
    pub fn add(&self, content: &Content) -> Result<StoredArtifact, FleetError> {
        self.shelf.put(files(content))
    }

    /// Adds an artifact whose parts were announced with these digests, in the order of [`Content::parts`]. Each is read
    /// once, and held against what was announced while it is kept.
    ///
    /// # Errors
    /// As [`BlobStore::add`]; [`FleetError::Differs`] if a part is something else, and then nothing was added.
    pub fn add_announced(
        &self,
        content: &Content,
        announced: &[Digest],
    ) -> Result<StoredArtifact, FleetError> {
        let mut files = files(content);
        for (file, digest) in files.iter_mut().zip(announced) {
            file.announced = Some(*digest);
        }
        self.shelf.put(files)
    }

    /// Adds what a conversion made.
    ///
    /// # Errors
    /// As [`BlobStore::add`].
    pub fn add_output(&self, output: &ConvertedArtifact) -> Result<StoredArtifact, FleetError> {
        let files = match output {
            ConvertedArtifact::File(file) => vec![Incoming::new(None, file.clone())],
            ConvertedArtifact::Folder(files) => files
                .iter()
                .map(|(name, file)| Incoming::new(Some(name.clone()), file.clone()))
                .collect(),
        };
        self.shelf.put(files)
    }

    /// Takes an artifact away, at once: whoever reads it may find it cut off. [`Fleet::prune`](crate::Fleet::prune)
    /// knows which, and when.
    ///
    /// # Errors
    /// If that fails; then it is there as before, or not at all.
    pub fn remove(&self, digest: &Digest) -> Result<(), FleetError> {
        self.shelf.remove(digest)
    }

    /// All artifacts that are there, in no order.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn digests(&self) -> Result<Vec<Digest>, FleetError> {
        self.shelf.digests()
    }

    /// Takes away what interrupted writers left behind, and says how many such things there were.
    ///
    /// # Errors
    /// If it cannot be listed or taken away.
    pub fn sweep(&self) -> Result<usize, FleetError> {
        self.shelf.sweep()
    }

    /// Whether the artifact of this digest is still what its name says.
    ///
    /// # Errors
    /// [`FleetError::Damaged`] if not; or if it cannot be read.
    pub fn verify(&self, digest: &Digest) -> Result<(), FleetError> {
        let content = self.content(digest, "artifact")?;
        let mut rows = Vec::new();
        for part in content.parts() {
            let own = copy(&*part.source, &mut io::sink());
            let own = own.map_err(at(Path::new(part.source.name())))?;
            rows.push((part.name.clone(), own, part.source.size()));
        }
        match digest_of(&content, &mut rows) {
            found if found == Some(*digest) => Ok(()),
            _ => Err(FleetError::Damaged { digest: *digest, what: "no longer what it was".into() }),
        }
    }
}

impl fmt::Debug for BlobStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Depot").field(&self.shelf.shown()).finish()
    }
}

impl fmt::Display for BlobStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shelf.shown())
    }
}

fn files(content: &Content) -> Vec<Incoming> {
    match content {
        Content::File(part) => vec![Incoming::new(None, part.source.clone())],
        Content::Folder { parts, .. } => parts
            .iter()
            .map(|part| Incoming::new(Some(part.name.clone()), part.source.clone()))
            .collect(),
    }
}

/// Whether files are an artifact of one file, and no folder.
fn is_one(files: &[Incoming]) -> bool {
    matches!(files, [Incoming { name: None, .. }])
}

fn digest_of(content: &Content, rows: &mut [FolderMember]) -> Option<Digest> {
    match content {
        Content::File(_) => rows.first().map(|row| row.1),
        Content::Folder { .. } => Some(list_digest(rows)),
    }
}

/// The digest of a folder, from the path, the digest and the size of each file.
pub fn list_digest(rows: &mut [(String, Digest, u64)]) -> Digest {
    Digest::sha256(list(rows))
}

/// The list of a folder, whose digest is that of the folder.
fn list(rows: &mut [FolderMember]) -> String {
    rows.sort();
    let mut list = "unskew folder 1\n".to_owned();
    for (name, digest, size) in rows {
        list.push_str(&format!("{} {size} {name}\n", digest.hex()));
    }
    list
}

/// A path in a folder, if it is one that stays there.
fn checked(name: &str) -> Result<&str, FleetError> {
    let pieces = || name.split('/');
    let plain = pieces().all(|piece| !matches!(piece, "" | "." | ".."));
    if !plain || name.contains(['\n', '\0', '\\']) {
        return Err(FleetError::Path(name.to_owned()));
    }
    Ok(name)
}

/// Copies a source, and says what it was.
fn copy(source: &dyn Source, to: &mut dyn io::Write) -> io::Result<Digest> {
    let (mut hasher, mut done) = (Sha256::new(), 0);
    let mut buffer = vec![0; CHUNK.min(usize::try_from(source.size()).unwrap_or(CHUNK)).max(1)];
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

fn at(path: &Path) -> impl FnOnce(io::Error) -> FleetError {
    let path = path.to_owned();
    |source| FleetError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use super::checked;

    #[test]
    fn what_leads_out_of_a_folder_is_refused() {
        for name in ["../x", "/etc/x", "a/../../x", "", "a\nb", "a//b", "a/./b", "a/"] {
            assert!(checked(name).is_err(), "{name}");
        }
        assert!(checked("variables/x.index").is_ok());
    }
}
