//! Shared objects that are copied out of an archive or a store, and that leave nothing behind.
//!
//! A copy has no name, so nothing is left in the temporary folder even if this process is killed. Where one is to be run,
//! the loader finds it among the open files of this process.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use unskew_core::Party;
use unskew_source::{FileSource, Slice, Source};

use crate::location::Location;
use crate::{OpenError, OpenOptions, RunPolicy, recognize};

pub(crate) struct Copy {
    file: File,
    /// Where the loader finds it, if it may be run.
    path: Option<PathBuf>,
    /// Elsewhere than on Linux open files cannot be loaded, so it has a name there.
    #[cfg(not(target_os = "linux"))]
    _named: Option<tempfile::TempPath>,
}

impl Copy {
    /// An empty one.
    ///
    /// # Errors
    /// If there is no room for temporary files.
    #[cfg(target_os = "linux")]
    pub(crate) fn new(options: &OpenOptions) -> io::Result<Self> {
        use std::os::fd::AsRawFd as _;

        let file = tempfile::tempfile()?;
        let own = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
        let path = (options.running == RunPolicy::All).then(|| PathBuf::from(own));
        Ok(Self { file, path })
    }

    /// An empty one.
    ///
    /// # Errors
    /// If there is no room for temporary files.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn new(options: &OpenOptions) -> io::Result<Self> {
        if options.running != RunPolicy::All {
            return Ok(Self { file: tempfile::tempfile()?, path: None, _named: None });
        }
        let (file, path) = tempfile::Builder::new().suffix(".so").tempfile()?.into_parts();
        Ok(Self { file, path: Some(path.to_path_buf()), _named: Some(path) })
    }

    /// What the bytes are written to.
    pub(crate) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// What is in it, which is called `label`.
    ///
    /// # Errors
    /// If it cannot be read, or is broken.
    pub(crate) fn parties(
        &self,
        label: &str,
        options: &OpenOptions,
    ) -> Result<Vec<Party>, OpenError> {
        let io = |source| OpenError::Io { path: PathBuf::from(label), source };
        let file = self.file.try_clone().map_err(io)?;
        let file: Arc<dyn Source> = Arc::new(FileSource::of_file(label, file).map_err(io)?);
        let size = file.size();
        let named: Arc<dyn Source> = Arc::new(Slice::new(label, file, 0, size)?);
        let location = match &self.path {
            None => Location::Within,
            Some(path) => Location::Found(path),
        };
        Ok(recognize::parties(&named, location, options)?)
    }
}
