//! Neighbourhood of a file: the file and what lies beside it, for boundaries whose artifacts are more than one file.

use std::sync::Arc;

use unskew_source::Source;

use crate::location::Location;
use crate::neighbours::{FilesBeside, Links, Neighbours};

/// A file, and what lies beside it.
pub(crate) struct Neighbourhood<'a> {
    /// The file itself.
    pub(crate) source: &'a Arc<dyn Source>,
    files: Option<Neighbours>,
}

impl<'a> Neighbourhood<'a> {
    pub(crate) fn new(source: &'a Arc<dyn Source>, location: Location<'_>) -> Self {
        let files: Option<Neighbours> = match location {
            Location::Within => None,
            Location::At(path) | Location::Found(path) => {
                Some(Arc::new(FilesBeside(path.to_owned())))
            }
            Location::Among(neighbours) => Some(neighbours.clone()),
        };
        Self { source, files }
    }

    /// Whether it is known what lies beside the file; otherwise nothing is found there, and nothing is missing.
    pub(crate) fn is_known(&self) -> bool {
        self.files.is_some()
    }

    /// The file of this name beside it; none if there is none that can be read.
    pub(crate) fn open(&self, name: &str) -> Option<Arc<dyn Source>> {
        self.files.as_ref()?.open(name)
    }

    /// What links do to a file beside it.
    pub(crate) fn links(&self, name: &str) -> Links {
        self.files.as_ref().map_or_else(Links::default, |files| files.links(name))
    }

    /// The path of the file, with the names of the folders that it lies in where they are known.
    pub(crate) fn path(&self) -> String {
        let path = self.files.as_ref().and_then(|files| files.path());
        path.unwrap_or_else(|| self.source.name().to_owned())
    }
}
