//! An artifact by its bytes, wherever they lie and whatever they are called.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unskew_core::Party;
use unskew_source::{FileSource, Slice, Source};

use crate::copy::Copy;
use crate::location::Location;
use crate::neighbours::FilesBeside;
use crate::wheel::LARGEST_LIBRARY;
use crate::{
    Artifact, Container, Neighbours, OpenError, OpenOptions, RunPolicy, boundaries, folder,
    not_a_model, plugin, recognize,
};

/// One file of an artifact.
#[derive(Clone)]
pub struct ArtifactFile {
    /// Its name; in a folder its path below that, parts separated by `/`.
    pub name: String,
    /// Read by range; nothing is read before it is asked for.
    pub source: Arc<dyn Source>,
    /// Where it lies, if it is a file of its own: what lies beside it is looked at too.
    pub path: Option<PathBuf>,
    /// What lies beside it, where there is no path.
    pub beside: Option<Neighbours>,
}

impl ArtifactFile {
    /// The file at `path`, called `name` in its artifact and `shown` in messages.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(name: &str, shown: &str, path: &Path) -> Result<Self, OpenError> {
        let file: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
        let size = file.size();
        let source: Arc<dyn Source> =
            if file.name() == shown { file } else { Arc::new(Slice::new(shown, file, 0, size)?) };
        Ok(Self { name: name.to_owned(), source, path: Some(path.to_owned()), beside: None })
    }

    /// What lies beside it, if that is looked at.
    pub fn neighbours(&self) -> Option<Neighbours> {
        match &self.path {
            Some(path) => Some(Arc::new(FilesBeside(path.clone()))),
            None => self.beside.clone(),
        }
    }

    fn location(&self) -> Location<'_> {
        match (&self.path, &self.beside) {
            (Some(path), _) => Location::Found(path),
            (None, Some(neighbours)) => Location::Among(neighbours),
            (None, None) => Location::Within,
        }
    }

    /// What can be checked in it. A plug-in that may be asked, and lies in a store, is copied to a temporary file first:
    /// only a file can be loaded.
    pub(crate) fn parties(&self, options: &OpenOptions) -> Result<Vec<Party>, OpenError> {
        let library = recognize::is_library(&self.name) && self.source.size() <= LARGEST_LIBRARY;
        if self.path.is_some()
            || options.running != RunPolicy::All
            || !library
            || !plugin::needs_file(&self.source)
        {
            return Ok(recognize::parties(&self.source, self.location(), options)?);
        }
        let io = |source| OpenError::Io { path: self.source.name().into(), source };
        let mut copy = Copy::new(options).map_err(io)?;
        self.source.copy_to(0..self.source.size(), copy.file()).map_err(io)?;
        copy.parties(self.source.name(), options)
    }
}

/// An artifact by its bytes. A store that keeps artifacts under digests hands them over under the names that
/// users know.
#[derive(Clone)]
pub enum Content {
    /// A single file, which may itself be an archive.
    File(ArtifactFile),
    /// A folder: a SavedModel.
    Folder {
        /// The name of the folder.
        name: String,
        /// All files below the folder, by their paths in it.
        parts: Vec<ArtifactFile>,
    },
}

impl Content {
    /// What lies at `path`, under the name that it has there.
    ///
    /// # Errors
    /// If it cannot be read, or is a folder that is too large or has links in it.
    pub fn at(path: &Path) -> Result<Self, OpenError> {
        Self::named(path, &path.display().to_string())
    }

    /// What lies at `path`, under another name.
    ///
    /// # Errors
    /// As [`Content::at`].
    pub fn named(path: &Path, name: &str) -> Result<Self, OpenError> {
        if !path.is_dir() {
            return Ok(Self::File(ArtifactFile::open(name, name, path)?));
        }
        let mut parts = Vec::new();
        for file in folder::files(path)? {
            let below = file.strip_prefix(path).unwrap_or(&file);
            let below: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
            let below = below.join("/");
            let shown = format!("{}/{below}", name.trim_end_matches('/'));
            parts.push(ArtifactFile::open(&below, &shown, &file)?);
        }
        parts.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self::Folder { name: name.to_owned(), parts })
    }

    /// The name under which it was opened.
    pub fn name(&self) -> &str {
        match self {
            Self::File(part) => &part.name,
            Self::Folder { name, .. } => name,
        }
    }

    /// One part for a file, all files below it for a folder.
    pub fn parts(&self) -> &[ArtifactFile] {
        match self {
            Self::File(part) => std::slice::from_ref(part),
            Self::Folder { parts, .. } => parts,
        }
    }

    /// What can be checked in it; never empty.
    ///
    /// # Errors
    /// If a part is broken, or nothing in it is of a kind that Unskew knows.
    pub fn parties(&self, options: &OpenOptions) -> Result<Vec<Arc<Party>>, OpenError> {
        let looked_for = boundaries::looked_for;
        let mut artifact = Artifact::new(self.name(), Container::Folder);
        for part in self.parts() {
            let many = matches!(self, Self::Folder { .. });
            if many && !recognize::is_candidate(&part.name) {
                continue;
            }
            for party in part.parties(options)? {
                artifact.add(part.source.name().to_owned(), party);
            }
        }
        if artifact.pieces.is_empty() {
            let (path, files) = (self.name().to_owned(), self.parts().len());
            return Err(match self {
                Self::File(part) => OpenError::Unknown {
                    path,
                    instead: not_a_model::instead(&part.source),
                    looked_for: looked_for(),
                },
                Self::Folder { .. } => {
                    let looked_for = looked_for();
                    OpenError::Nothing { path, container: "folder", files, looked_for }
                }
            });
        }
        Ok(artifact.pieces.into_iter().map(|piece| piece.party).collect())
    }
}
