//! Journal of sessions: what each is doing, in a file, for whoever has to say why the server ended.
//!
//! A plug-in that crashes takes the process with it, and with it everything that knew which request it was
//! doing. So the server notes each request in a file before it begins: one write without a wait, which the
//! system keeps whatever happens to the process. The process that started the server reads it afterwards.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// How long a line is, in bytes: the place of a session in the file.
const LINE: usize = 160;

/// The file of the running sessions, open for writing.
#[derive(Debug)]
pub struct SessionJournal {
    file: File,
    taken: Mutex<Vec<bool>>,
}

/// The place of one session in the file, which is empty again when this is dropped.
#[derive(Debug)]
pub struct SessionRecord {
    trail: Arc<SessionJournal>,
    place: usize,
}

impl SessionJournal {
    /// Writes into this file, and forgets what is in it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn create(path: &Path) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self { file: File::create(path)?, taken: Mutex::default() }))
    }

    /// The file of a process that shares a folder with others.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_slot(folder: &Path, slot: u64) -> std::path::PathBuf {
        folder.join(format!("trail-{slot}"))
    }

    /// What was being done when nothing was written any more: a line for each session.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path) -> io::Result<Vec<String>> {
        let bytes = std::fs::read(path)?;
        let text = |line: &[u8]| String::from_utf8_lossy(line).trim_matches(['\0', ' ']).to_owned();
        Ok(bytes.chunks(LINE).map(text).filter(|line| !line.is_empty()).collect())
    }

    /// A place that nobody has.
    pub fn mark(self: &Arc<Self>) -> SessionRecord {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let place = taken.iter().position(|taken| !taken).unwrap_or(taken.len());
        if place == taken.len() {
            taken.push(true);
        } else {
            taken[place] = true;
        }
        SessionRecord { trail: Arc::clone(self), place }
    }
}

impl SessionRecord {
    /// Writes a line over the one before. What does not fit is cut off; what cannot be written is missed
    /// only by somebody who has a crash to explain.
    pub fn write(&self, text: &str) {
        let mut line = [b' '; LINE];
        let bytes = text.as_bytes();
        let length = bytes.len().min(LINE);
        line[..length].copy_from_slice(&bytes[..length]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileExt as _;
            let _ = self.trail.file.write_at(&line, (self.place * LINE) as u64);
        }
    }
}

impl Drop for SessionRecord {
    fn drop(&mut self) {
        self.write("");
        let mut taken = self.trail.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = taken.get_mut(self.place) {
            *taken = false;
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_every_session_that_lives_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trail");
        let trail = SessionJournal::create(&path).unwrap();
        let (one, two) = (trail.mark(), trail.mark());
        one.write("a line that is longer");
        one.write("one");
        two.write(&"two ".repeat(100));
        let read = SessionJournal::read(&path).unwrap();
        assert_eq!((read.len(), read[0].as_str()), (2, "one"));
        assert!(read[1].len() <= LINE);
        drop(one);
        assert_eq!(SessionJournal::read(&path).unwrap().len(), 1);
        let three = trail.mark();
        assert_eq!(three.place, 0);
    }
}
