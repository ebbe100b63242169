//! Pieces on disk.
//!
//! ```text
//! artifacts/
//!   staging/
//!     coming/          what is being written
//!     5f1c.../         an upload, with its pieces
//! ```

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tempfile::NamedTempFile;
use unskew_source::{FileSource, Source, unfinished};

use super::{Missing, Open, UploadBackend};
use crate::problem::HttpProblem;

/// A folder of pieces, which is made when something comes.
pub(super) struct Disk {
    root: PathBuf,
}

impl Disk {
    pub(super) fn at(root: PathBuf) -> Self {
        Self { root }
    }
}

impl UploadBackend for Disk {
    fn begin(&self) -> io::Result<NamedTempFile> {
        let coming = self.root.join("coming");
        fs::create_dir_all(&coming)?;
        unfinished::file(&coming, 0o600)
    }

    fn keep(&self, upload: &str, blob: &str, piece: NamedTempFile) -> Result<(), HttpProblem> {
        piece.as_file().sync_all()?;
        let folder = self.root.join(upload);
        fs::create_dir_all(&folder)?;
        piece.persist(folder.join(blob)).map_err(|error| error.error)?;
        if cfg!(unix) {
            fs::File::open(&folder)?.sync_all()?;
        }
        Ok(())
    }

    fn open(&self, upload: &str, blob: &str) -> Result<Arc<dyn Source>, Missing> {
        let path = self.root.join(upload).join(blob);
        match path.try_exists() {
            Ok(true) => {}
            Ok(false) => return Err(Missing::Lost(blob.to_owned())),
            Err(error) => return Err(Missing::Away(error.into())),
        }
        match FileSource::open(&path) {
            Ok(source) => Ok(Arc::new(source)),
            Err(error) => Err(Missing::Away(io::Error::other(error).into())),
        }
    }

    fn drop_piece(&self, upload: &str, blob: &str) {
        // What stays is swept away with its upload.
        let _ = fs::remove_file(self.root.join(upload).join(blob));
    }

    fn forget(&self, upload: &str) {
        let _ = fs::remove_dir_all(self.root.join(upload));
    }

    fn sweep(&self, age: Duration, open: Open<'_>) -> Result<(), HttpProblem> {
        let old = |entry: &fs::DirEntry| {
            let touched = entry.metadata().and_then(|meta| meta.modified());
            // A file of the future, by this clock, is not old.
            touched.is_ok_and(|at| at.elapsed().is_ok_and(|since| since > age))
        };
        let coming = self.root.join("coming");
        if coming.is_dir() {
            // What a killed process was writing.
            unfinished::sweep(&coming)?;
        }
        for entry in entries(&coming)?.into_iter().filter(old) {
            let _ = fs::remove_file(entry.path());
        }
        let seen: Vec<fs::DirEntry> = entries(&self.root)?.into_iter().filter(old).collect();
        let open = open()?;
        for entry in seen {
            let name = entry.file_name();
            let is_open = |name: &str| open.iter().any(|one| one == name);
            if !name.to_str().is_some_and(|name| name == "coming" || is_open(name)) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Ok(())
    }
}

/// What lies in a folder; nothing if that is not there.
fn entries(folder: &std::path::Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
