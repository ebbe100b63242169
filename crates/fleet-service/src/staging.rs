//! Where the pieces of uploads lie until they are an artifact.
//!
//! ```text
//! artifacts/
//!   staging/
//!     coming/          what is being written
//!     5f1c.../         an upload, with its pieces
//! ```
//!
//! A piece has a random name and lies there whole before the database knows of it. What the database does not know
//! is nothing, and is swept away.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::NamedTempFile;
use unskew_fleet::store::Piece;
use unskew_source::{Assembly, FileSource, ReadError, Source};

use crate::problem::{Kind, Problem};

/// The pieces of all uploads.
#[derive(Clone, Debug)]
pub(crate) struct Staging {
    root: PathBuf,
}

impl Staging {
    /// The staging beside artifacts, which is made when something comes.
    pub(crate) fn beside(artifacts: &str) -> Self {
        Self { root: Path::new(artifacts).join("staging") }
    }

    /// A file for a piece that comes.
    pub(crate) fn begin(&self) -> io::Result<NamedTempFile> {
        let coming = self.root.join("coming");
        fs::create_dir_all(&coming)?;
        NamedTempFile::new_in(coming)
    }

    /// Keeps a piece that has come, so that it survives a loss of power.
    pub(crate) fn keep(&self, upload: &str, blob: &str, piece: NamedTempFile) -> io::Result<()> {
        piece.as_file().sync_all()?;
        let folder = self.root.join(upload);
        fs::create_dir_all(&folder)?;
        piece.persist(folder.join(blob)).map_err(|error| error.error)?;
        if cfg!(unix) {
            fs::File::open(&folder)?.sync_all()?;
        }
        Ok(())
    }

    /// Takes a piece away that the database does not want.
    pub(crate) fn drop_piece(&self, upload: &str, blob: &str) {
        // What stays is swept away with its upload.
        let _ = fs::remove_file(self.root.join(upload).join(blob));
    }

    /// Takes all pieces of an upload away.
    pub(crate) fn forget(&self, upload: &str) {
        let _ = fs::remove_dir_all(self.root.join(upload));
    }

    /// What the pieces of an upload are together, under the name of its file.
    ///
    /// # Errors
    /// If one of them is not there, or not as long as it was.
    pub(crate) fn whole(
        &self,
        upload: &str,
        file: &str,
        pieces: &[Piece],
    ) -> Result<Arc<dyn Source>, Problem> {
        let lost = |error: ReadError| {
            Problem::new(Kind::Conflict, format!("a piece of the upload was lost: {error}"))
        };
        let mut whole = Assembly::new(file);
        for piece in pieces {
            let path = self.root.join(upload).join(&piece.blob);
            let source: Arc<dyn Source> = Arc::new(FileSource::open(&path).map_err(lost)?);
            whole.push_copy(&source, 0..piece.size).map_err(lost)?;
        }
        Ok(Arc::new(whole))
    }

    /// Takes everything away that is of no upload in `open` and was not touched for `age`.
    pub(crate) fn sweep(&self, open: &[&str], age: Duration) -> io::Result<()> {
        let old = |entry: &fs::DirEntry| {
            let touched = entry.metadata().and_then(|meta| meta.modified());
            // A file of the future, by this clock, is not old.
            touched.is_ok_and(|at| at.elapsed().is_ok_and(|since| since > age))
        };
        let coming = self.root.join("coming");
        for entry in entries(&coming)?.into_iter().filter(old) {
            let _ = fs::remove_file(entry.path());
        }
        for entry in entries(&self.root)?.into_iter().filter(old) {
            let name = entry.file_name();
            let known = name.to_str().is_some_and(|name| name == "coming" || open.contains(&name));
            if !known {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Ok(())
    }
}

/// What lies in a folder; nothing if that is not there.
fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use unskew_source::SourceExt as _;

    use super::*;

    #[test]
    fn pieces_are_one_whole_until_they_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let staging = Staging::beside(&folder.path().display().to_string());
        let mut pieces = Vec::new();
        for (start, text) in [(0, "one "), (4, "two")] {
            let mut file = staging.begin().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            staging.keep("u", &format!("b{start}"), file).unwrap();
            let size = text.len() as u64;
            pieces.push(Piece { start, size, blob: format!("b{start}") });
        }
        let whole = staging.whole("u", "net.pt", &pieces).unwrap();
        assert_eq!((whole.name(), whole.all().unwrap()), ("net.pt", b"one two".to_vec()));
        staging.sweep(&[], Duration::from_secs(3600)).unwrap();
        assert!(staging.whole("u", "net.pt", &pieces).is_ok(), "young");
        staging.sweep(&["u"], Duration::ZERO).unwrap();
        assert!(staging.whole("u", "net.pt", &pieces).is_ok(), "known");
        staging.sweep(&[], Duration::ZERO).unwrap();
        assert!(staging.whole("u", "net.pt", &pieces).is_err());
    }
}
