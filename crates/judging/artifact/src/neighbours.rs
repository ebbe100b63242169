//! Neighbours of a file: what lies beside it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unskew_source::{FileSource, Source};

/// The files that lie beside another, by names relative to its folder, such as `variables/variables.index`.
pub trait NeighbouringFiles: Send + Sync {
    /// Opens one; none if there is no such file, or it cannot be read.
    fn open(&self, name: &str) -> Option<Arc<dyn Source>>;

    /// What links do to one that can be opened.
    fn links(&self, name: &str) -> Links {
        let _ = name;
        Links::default()
    }

    /// Where the file lies beside which they are, with the names of the folders that it lies in, if it is a file of this
    /// machine.
    fn path(&self) -> Option<String> {
        None
    }
}

/// How links lead to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Whether it is a link itself.
    pub link: bool,
    /// Whether links lead from it out of its folder, and out of the folder in which the file really lies that it is beside:
    /// in the cache of the Hugging Face hub both are links into one folder.
    pub outside: bool,
}

impl<F: Fn(&str) -> Option<Arc<dyn Source>> + Send + Sync> NeighbouringFiles for F {
    fn open(&self, name: &str) -> Option<Arc<dyn Source>> {
        self(name)
    }
}

/// The files beside another, for all who read it.
pub type Neighbours = Arc<dyn NeighbouringFiles>;

/// The files beside one of this machine.
pub(crate) struct FilesBeside(pub(crate) PathBuf);

impl NeighbouringFiles for FilesBeside {
    fn open(&self, name: &str) -> Option<Arc<dyn Source>> {
        Some(Arc::new(FileSource::open(&self.0.with_file_name(name)).ok()?))
    }

    fn links(&self, name: &str) -> Links {
        let folder = match self.0.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let file = folder.join(name);
        let link = file.is_symlink();
        let Ok(file) = file.canonicalize() else { return Links { link, outside: false } };
        let real = self.0.canonicalize().ok();
        let real = real.as_deref().and_then(Path::parent).map(Path::to_owned);
        let inside = [folder.canonicalize().ok(), real];
        let outside = !inside.iter().flatten().any(|folder| file.starts_with(folder));
        Links { link, outside }
    }

    fn path(&self) -> Option<String> {
        Some(std::path::absolute(&self.0).ok()?.display().to_string())
    }
}
