//! Pieces in an object store.
//!
//! ```text
//! PREFIX/staging/5f1c.../9a1c...    a piece of an upload
//! ```
//!
//! A piece comes into a temporary file of this machine first, so that what breaks off in the middle is known before
//! the store has any of it. The store then has it whole or not at all.

use std::fs::File;
use std::io::{self, Seek as _};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tempfile::NamedTempFile;
use unskew_objects::{ListedObject, ObjectError, Objects};
use unskew_source::{Source, unfinished};

use super::{Missing, Open, UploadBackend};
use crate::problem::HttpProblem;

const STAGING: &str = "staging";

pub(super) struct Store {
    objects: Objects,
}

impl Store {
    /// The pieces of what lies below a place.
    pub(super) fn over(objects: Objects) -> Self {
        Self { objects }
    }

    fn delete(&self, listed: Result<ListedObject, ObjectError>) -> Result<(), ObjectError> {
        self.objects.delete(&listed?.key)
    }
}

fn key(upload: &str, blob: &str) -> String {
    format!("{STAGING}/{upload}/{blob}")
}

impl UploadBackend for Store {
    fn begin(&self) -> io::Result<NamedTempFile> {
        unfinished::file(&std::env::temp_dir(), 0o600)
    }

    fn keep(&self, upload: &str, blob: &str, piece: NamedTempFile) -> Result<(), HttpProblem> {
        let mut file: File = piece.into_file();
        file.rewind()?;
        let mut object = self.objects.upload(&key(upload, blob))?;
        io::copy(&mut file, &mut object)?;
        object.finish()?;
        Ok(())
    }

    fn open(&self, upload: &str, blob: &str) -> Result<Arc<dyn Source>, Missing> {
        match self.objects.object(&key(upload, blob)) {
            Ok(object) => Ok(Arc::new(object)),
            Err(error) if error.is_missing() => Err(Missing::Lost(blob.to_owned())),
            Err(error) => Err(Missing::Away(error.into())),
        }
    }

    fn drop_piece(&self, upload: &str, blob: &str) {
        // What stays is swept away with its upload.
        let _ = self.objects.delete(&key(upload, blob));
    }

    fn forget(&self, upload: &str) {
        for listed in self.objects.list(&format!("{STAGING}/{upload}")) {
            let _ = self.delete(listed);
        }
    }

    fn sweep(&self, age: Duration, open: Open<'_>) -> Result<(), HttpProblem> {
        // What a killed process was receiving.
        let _ = unfinished::sweep(&std::env::temp_dir());
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let seen = self.objects.list(STAGING).collect::<Result<Vec<ListedObject>, _>>()?;
        let open = open()?;
        for listed in seen {
            let written = Duration::from_millis(u64::try_from(listed.modified).unwrap_or(0));
            // An object of the future, by this clock, is not old.
            let old = now.checked_sub(written).is_some_and(|since| since > age);
            let upload = listed.key.split('/').nth(1).unwrap_or_default();
            if old && !open.iter().any(|one| one == upload) {
                self.objects.delete(&listed.key)?;
            }
        }
        Ok(())
    }
}
