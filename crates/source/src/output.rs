//! Files that appear whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// A file that is written beside its place and put there in one step by [`OutputFile::commit`]; if
/// it is dropped before, nothing has changed.
pub struct OutputFile {
    place: PathBuf,
    file: NamedTempFile,
}

impl OutputFile {
    /// Begins a file that will stand at `place`; its folder must exist.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn create(place: &Path) -> io::Result<Self> {
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = Builder::new();
        // A temporary file is its owner's alone unless told otherwise; this one is an output, so the
        // umask decides as for any other.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        Ok(Self { place: place.to_owned(), file })
    }

    /// Puts the file at its place, over whatever stood there.
    ///
    /// # Errors
    /// If the bytes cannot be made durable, or the file cannot be moved to its place.
    pub fn commit(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist(&self.place)?;
        Ok(())
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_committed_was_never_there() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("out");
        std::fs::write(&place, "old").unwrap();
        let mut output = OutputFile::create(&place).unwrap();
        output.write_all(b"half").unwrap();
        drop(output);
        assert_eq!(std::fs::read_to_string(&place).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let mut output = OutputFile::create(&place).unwrap();
        output.write_all(b"new").unwrap();
        output.commit().unwrap();
        assert_eq!(std::fs::read_to_string(&place).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn an_output_has_the_permissions_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let mode =
            |name: &str| folder.path().join(name).metadata().unwrap().permissions().mode() & 0o777;
        std::fs::write(folder.path().join("usual"), "").unwrap();
        OutputFile::create(&folder.path().join("ours")).unwrap().commit().unwrap();
        assert_eq!(mode("ours"), mode("usual"));
    }
}
