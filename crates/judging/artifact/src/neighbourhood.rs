//! Neighbourhood of a file: what lies beside it, for boundaries whose artifacts are more than one file.

use std::path::Path;
use std::sync::Arc;

use unskew_source::{FileSource, Source};

use crate::location::Location;

/// A file, and what lies beside it.
pub(crate) struct Neighbourhood<'a> {
    /// The file itself.
    pub(crate) source: &'a Arc<dyn Source>,
    location: Location<'a>,
}

impl<'a> Neighbourhood<'a> {
    pub(crate) fn new(source: &'a Arc<dyn Source>, location: Location<'a>) -> Self {
        Self { source, location }
    }

    /// Whether it is known what lies beside the file; otherwise nothing is found there, and nothing is missing.
    pub(crate) fn is_known(&self) -> bool {
        !matches!(self.location, Location::Within)
    }

    /// The file of this name beside it; none if there is none that can be read.
    pub(crate) fn open(&self, name: &str) -> Option<Arc<dyn Source>> {
        match self.location {
            Location::Within => None,
            Location::At(path) | Location::Found(path) => {
                let file = FileSource::open(&path.with_file_name(name)).ok()?;
                Some(Arc::new(file))
            }
            Location::Among(neighbours) => neighbours(name),
        }
    }

    /// Whether a file beside it is a link; and whether links lead from it out of its folder, and out of the folder in
    /// which this file really lies: in the cache of the Hugging Face hub both are links into one folder.
    pub(crate) fn links(&self, name: &str) -> (bool, bool) {
        let (Location::At(path) | Location::Found(path)) = self.location else {
            return (false, false);
        };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let file = folder.join(name);
        let link = file.is_symlink();
        let Ok(file) = file.canonicalize() else { return (link, false) };
        let real = path.canonicalize().ok();
        let real = real.as_deref().and_then(Path::parent).map(Path::to_owned);
        let inside = [folder.canonicalize().ok(), real];
        (link, !inside.iter().flatten().any(|folder| file.starts_with(folder)))
    }

    /// The path of the file, with the names of the folders that it lies in where they are known.
    pub(crate) fn path(&self) -> String {
        match self.location {
            Location::At(path) | Location::Found(path) => std::path::absolute(path)
                .map_or_else(|_| self.source.name().to_owned(), |path| path.display().to_string()),
            Location::Within | Location::Among(_) => self.source.name().to_owned(),
        }
    }
}
