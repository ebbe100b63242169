//! Folders: a SavedModel, or whatever lies in it.

use std::collections::BTreeSet;
use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use unskew_compilation_cache::CacheFile;
use unskew_core::Party;
use unskew_source::{FileSource, Source};
use unskew_tensorflow::diff::ReleaseRegistry;

use crate::boundaries::{self, BOUNDARIES, Read};
use crate::hub_blobs::HubBlobs;
use crate::location::Location;
use crate::other_kinds;
use crate::{
    Artifact, ArtifactFile, Container, OpenError, OpenOptions, colocated_plugins, plugin, recognize,
};

/// How deep folders are walked.
const DEPTH: usize = 16;
/// How many files and folders are looked at.
const ENTRIES: usize = 100_000;

/// Opens the folder at `path`.
///
/// # Errors
/// If it cannot be read, is too large, or has nothing to check in it.
pub(crate) fn open(path: &Path, options: &OpenOptions) -> Result<Artifact, OpenError> {
    let name = path.display().to_string();
    let mut walk = FolderWalk::new(path)?;
    let files = walk.files.len();
    let mut artifact = Artifact::new(&*name, Container::Folder);
    for party in as_one(path, &walk.files) {
        artifact.add(name.clone(), party);
    }
    for file in walk.files.iter().filter(|file| recognize::is_candidate(&file.to_string_lossy())) {
        read(file, options, &mut artifact);
    }
    for link in walk.links.iter().filter(|link| plugin::is_device(link)) {
        read(link, options, &mut artifact);
    }
    artifact.problems.append(&mut walk.unread);
    colocated_plugins::mark(&mut artifact.pieces);
    if artifact.pieces.is_empty() && artifact.problems.is_empty() {
        let looked_for = boundaries::looked_for();
        return Err(match other_kinds::named(&name, &[]) {
            // A folder that is one model: `x.mlpackage`.
            instead @ Some(_) => OpenError::Unknown { path: name, instead, looked_for },
            None => OpenError::Nothing { path: name, container: "folder", files, looked_for },
        });
    }
    Ok(artifact)
}

/// The parties that a folder is as a whole.
fn as_one(path: &Path, files: &[PathBuf]) -> Vec<Party> {
    let mut listed = Vec::new();
    let mut folders = BTreeSet::new();
    for file in files {
        let Ok(below) = file.strip_prefix(path) else { continue };
        let mut parts = below.iter().map(|part| part.to_string_lossy().into_owned());
        match (parts.next(), parts.next()) {
            (Some(name), None) => listed.push(CacheFile::at(name, file)),
            (Some(folder), Some(_)) => {
                folders.insert(folder);
            }
            (None, _) => {}
        }
    }
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let whole: PathBuf = whole.components().collect();
    let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
    read_as_one(&name, Some(whole.display().to_string()), &listed, &folders)
}

/// The same for what lies in a store, or under other names: `parts` by their paths below the folder.
pub(crate) fn parts_as_one(folder: &str, parts: &[ArtifactFile]) -> Vec<Party> {
    let mut listed = Vec::new();
    let mut folders = BTreeSet::new();
    for part in parts {
        match part.name.split_once('/') {
            Some((folder, _)) => {
                folders.insert(folder.to_owned());
            }
            None => {
                let source = Arc::clone(&part.source);
                listed.push(CacheFile {
                    name: part.name.clone(),
                    size: source.size(),
                    modified: None,
                    open: Box::new(move || Ok(Arc::clone(&source))),
                });
            }
        }
    }
    let name = folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    read_as_one(name, None, &listed, &folders)
}

/// The parties of a folder by what lies in it directly; `path` is where it lies in this machine.
fn read_as_one(
    name: &str,
    path: Option<String>,
    files: &[CacheFile],
    folders: &BTreeSet<String>,
) -> Vec<Party> {
    let folders: Vec<String> = folders.iter().cloned().collect();
    let readers = BOUNDARIES.iter().filter_map(|boundary| match boundary.read {
        Read::Folder(read, _) => Some(read),
        Read::File(_) | Read::Plugin => None,
    });
    readers.filter_map(|read| read(name, path.clone(), files, &folders)).collect()
}

/// Every file in the folder at `path`, for those who need all of it.
///
/// # Errors
/// If it cannot be read, is too large or too deep, or has a link in it.
pub(crate) fn files(path: &Path) -> Result<Vec<PathBuf>, OpenError> {
    let walk = FolderWalk::new(path)?;
    match walk.passed {
        Some(passed) => {
            let why = "a link or a folder too deep, which is not followed; copy the folder with `cp -rL` first";
            let source = std::io::Error::new(std::io::ErrorKind::Unsupported, why);
            Err(OpenError::Io { path: passed, source })
        }
        None => Ok(walk.files),
    }
}

fn read(file: &Path, options: &OpenOptions, artifact: &mut Artifact) {
    let read = || -> Result<_, OpenError> {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(file)?);
        Ok(recognize::parties(&source, Location::Found(file), options)?)
    };
    match read() {
        Ok(parties) => {
            // A registry asks nothing of a release: `unskew diff` compares it with another.
            for party in parties.into_iter().filter(|p| p.capability::<ReleaseRegistry>().is_none())
            {
                artifact.add(file.display().to_string(), party);
            }
        }
        Err(error) => artifact.problems.push(error),
    }
}

/// A walk that ends. Links are not followed: one to a folder above would make it endless, and one
/// out of the folder would show what the user did not name. Those that look like shared objects are kept apart, and
/// those of a cache of the Hugging Face hub to its own files are files.
struct FolderWalk<'a> {
    root: &'a Path,
    /// Links to these are followed.
    blobs: Option<HubBlobs>,
    entries: usize,
    files: Vec<PathBuf>,
    /// The first thing that was passed by.
    passed: Option<PathBuf>,
    links: Vec<PathBuf>,
    /// What has the name of a model and is not opened.
    unread: Vec<OpenError>,
}

impl<'a> FolderWalk<'a> {
    fn new(root: &'a Path) -> Result<Self, OpenError> {
        let mut walk = Self {
            root,
            blobs: HubBlobs::around(root),
            entries: 0,
            files: Vec::new(),
            links: Vec::new(),
            unread: Vec::new(),
            passed: None,
        };
        walk.folder(root, 0)?;
        Ok(walk)
    }

    fn folder(&mut self, folder: &Path, depth: usize) -> Result<(), OpenError> {
        let io = |source| OpenError::Io { path: folder.to_owned(), source };
        let mut entries = Vec::new();
        for entry in folder.read_dir().map_err(io)? {
            self.entries += 1;
            if self.entries > ENTRIES {
                let path = self.root.display().to_string();
                return Err(OpenError::TooMany { path, limit: ENTRIES });
            }
            let entry = entry.map_err(io)?;
            entries.push((entry.path(), entry.file_type().map_err(io)?));
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        for (path, kind) in entries {
            if kind.is_dir() && depth < DEPTH {
                self.folder(&path, depth + 1)?;
            } else if kind.is_file()
                || kind.is_symlink() && self.blobs.as_ref().is_some_and(|blobs| blobs.has(&path))
            {
                self.files.push(path);
            } else {
                let name = path.to_string_lossy();
                if kind.is_symlink() && recognize::is_library(&name) {
                    self.links.push(path.clone());
                } else if !kind.is_dir() && recognize::is_candidate(&name) {
                    self.unread.extend(unread(&path, kind, self.root));
                }
                self.passed.get_or_insert(path);
            }
        }
        Ok(())
    }
}

/// Why what has the name of a model is not opened; nothing for a link to what is read where it lies.
fn unread(path: &Path, kind: FileType, root: &Path) -> Option<OpenError> {
    let why = if kind.is_symlink() {
        match path.canonicalize() {
            Ok(file) if root.canonicalize().is_ok_and(|root| file.starts_with(root)) => {
                return None;
            }
            Ok(_) => "a link out of the folder, which is not followed; name what it leads to",
            Err(_) => "a link to what is not there",
        }
    } else {
        "a named pipe, a socket or a device, which is not opened"
    };
    let source = std::io::Error::new(std::io::ErrorKind::Unsupported, why);
    Some(OpenError::Io { path: path.to_owned(), source })
}
