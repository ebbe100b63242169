//! Staging of uploads until they are an artifact: beside the artifacts, on disk or in an object store, so that
//! every process that serves them takes the next piece and can finish.
//!
//! A piece has a random name and lies there whole before the database knows of it. What the database does not know
//! is nothing, and is swept away.

mod disk;
mod objects;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tempfile::NamedTempFile;
use unskew_fleet::store::UploadChunk;
use unskew_objects::{ObjectError, ObjectPlace, Objects};
use unskew_source::{Assembly, ReadError, Source};

use crate::problem::{HttpProblem, ProblemKind};

/// The pieces of all uploads.
#[derive(Clone)]
pub(crate) struct Staging {
    ground: Arc<dyn UploadBackend>,
}

/// Says which uploads are open.
pub(crate) type Open<'a> = &'a mut dyn FnMut() -> Result<Vec<String>, HttpProblem>;

/// A kind of place for pieces.
trait UploadBackend: Send + Sync {
    /// A file of this machine for a piece that comes.
    fn begin(&self) -> io::Result<NamedTempFile>;

    /// Keeps a piece that has come, so that it survives a loss of power.
    fn keep(&self, upload: &str, blob: &str, piece: NamedTempFile) -> Result<(), HttpProblem>;

    fn open(&self, upload: &str, blob: &str) -> Result<Arc<dyn Source>, Missing>;

    fn drop_piece(&self, upload: &str, blob: &str);

    fn forget(&self, upload: &str);

    /// Takes everything away that was not touched for `age` and is of no upload in `open`, which is asked after it
    /// was seen: whatever is of an upload came after that was begun.
    fn sweep(&self, age: Duration, open: Open<'_>) -> Result<(), HttpProblem>;
}

/// Why a piece cannot be opened.
enum Missing {
    /// It is not there.
    Lost(String),
    /// Whether it is there cannot be said now.
    Away(HttpProblem),
}

impl Staging {
    /// The staging beside artifacts. Nothing is made or asked before something comes.
    ///
    /// # Errors
    /// If that is no address.
    pub(crate) fn beside(artifacts: &str) -> Result<Self, ObjectError> {
        let place = ObjectPlace::parse(artifacts)?;
        let ground: Arc<dyn UploadBackend> = match place.path() {
            Some(folder) => Arc::new(disk::Disk::at(folder.join("staging"))),
            None => Arc::new(objects::Store::over(Objects::open(artifacts)?)),
        };
        Ok(Self { ground })
    }

    /// The staging below a place of an object store.
    #[cfg(test)]
    pub(crate) fn over(objects: Objects) -> Self {
        Self { ground: Arc::new(objects::Store::over(objects)) }
    }

    pub(crate) fn begin(&self) -> io::Result<NamedTempFile> {
        self.ground.begin()
    }

    /// Keeps a piece that has come, so that it survives a loss of power.
    pub(crate) fn keep(
        &self,
        upload: &str,
        blob: &str,
        piece: NamedTempFile,
    ) -> Result<(), HttpProblem> {
        self.ground.keep(upload, blob, piece)
    }

    /// Takes a piece away that the database does not want.
    pub(crate) fn drop_piece(&self, upload: &str, blob: &str) {
        self.ground.drop_piece(upload, blob);
    }

    pub(crate) fn forget(&self, upload: &str) {
        self.ground.forget(upload);
    }

    /// What the pieces of an upload are together, under the name of its file.
    ///
    /// # Errors
    /// [`ProblemKind::Conflict`] if one of them is not there, or not as long as it was; or if the place does not answer.
    pub(crate) fn whole(
        &self,
        upload: &str,
        file: &str,
        pieces: &[UploadChunk],
    ) -> Result<Arc<dyn Source>, HttpProblem> {
        let lost = |what: String| {
            HttpProblem::new(
                ProblemKind::Conflict,
                "a chunk of the upload was lost: begin it again",
            )
            .because(what)
        };
        let mut whole = Assembly::new(file);
        for piece in pieces {
            let source =
                self.ground.open(upload, &piece.blob).map_err(|missing| match missing {
                    Missing::Lost(what) => lost(what),
                    Missing::Away(problem) => problem,
                })?;
            let cut = |error: ReadError| lost(error.to_string());
            whole.push_copy(&source, 0..piece.size).map_err(cut)?;
        }
        Ok(Arc::new(whole))
    }

    /// Takes everything away that was not touched for `age` and is of no upload in `open`, whatever clock says how old it is.
    pub(crate) fn sweep(&self, age: Duration, open: Open<'_>) -> Result<(), HttpProblem> {
        self.ground.sweep(age, open)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use unskew_objects::StoreSettings;
    use unskew_source::SourceExt as _;

    use super::*;

    fn holds(staging: &Staging) {
        let mut pieces = Vec::new();
        for (start, text) in [(0, "one "), (4, "two")] {
            let mut file = staging.begin().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            staging.keep("u", &format!("b{start}"), file).unwrap();
            let size = text.len() as u64;
            pieces.push(UploadChunk { start, size, blob: format!("b{start}") });
        }
        let whole = staging.whole("u", "net.pt", &pieces).unwrap();
        assert_eq!((whole.name(), whole.all().unwrap()), ("net.pt", b"one two".to_vec()));
        staging.sweep(Duration::from_secs(3600), &mut || Ok(Vec::new())).unwrap();
        assert!(staging.whole("u", "net.pt", &pieces).is_ok(), "young");
        // Stores tell whole seconds.
        std::thread::sleep(Duration::from_millis(1100));
        staging.sweep(Duration::ZERO, &mut || Ok(vec!["u".to_owned()])).unwrap();
        assert!(staging.whole("u", "net.pt", &pieces).is_ok(), "known");
        staging.sweep(Duration::ZERO, &mut || Ok(Vec::new())).unwrap();
        let lost = staging.whole("u", "net.pt", &pieces).err().unwrap();
        assert_eq!(lost.kind, ProblemKind::Conflict, "{lost}");
    }

    #[test]
    fn pieces_are_one_whole_until_they_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        holds(&Staging::beside(&folder.path().display().to_string()).unwrap());
    }

    #[test]
    fn pieces_in_an_object_store_are_one_whole_until_they_are_forgotten() {
        let server = match unskew_test_servers::S3Server::start() {
            Ok(server) => server,
            Err(error) => return eprintln!("SKIPPED: {error}"),
        };
        server.make_bucket("pieces").unwrap();
        let settings: StoreSettings = server.settings().into_iter().collect();
        let place = ObjectPlace::parse("s3://pieces/fleet").unwrap();
        let objects = Objects::at(&place, &settings).unwrap();
        holds(&Staging::over(objects.clone()));
        assert_eq!(objects.list("").count(), 0, "nothing stays");
        drop(server);
        // Nobody says that a piece is lost because nobody answers.
        let piece = UploadChunk { start: 0, size: 1, blob: "b".to_owned() };
        let away = Staging::over(objects).whole("u", "net.pt", &[piece]).err().unwrap();
        assert_eq!(away.kind, ProblemKind::Unavailable, "{away}");
    }
}
