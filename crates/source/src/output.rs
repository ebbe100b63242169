//! Files and folders that appear whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use tempfile::{Builder, NamedTempFile};

use crate::Assembly;

/// A converted artifact, not yet written. Its files are sources, so it can be judged before.
#[derive(Clone)]
pub enum Output {
    /// One file.
    File(Arc<Assembly>),
    /// A folder: its files by their paths below it, parts separated by `/`.
    Folder(Vec<(String, Arc<Assembly>)>),
}

impl Output {
    /// Writes it at `place`. A file replaces whatever file stood there; a folder wants a place where nothing
    /// stands, or an empty folder.
    ///
    /// # Errors
    /// If a source cannot be read, a path leads out of the folder, or the place cannot be written. Then
    /// nothing has changed there.
    pub fn write(&self, place: &Path) -> io::Result<()> {
        match self {
            Self::File(assembly) => {
                let mut output = OutputFile::create(place)?;
                assembly.write(output.file.as_file_mut())?;
                output.commit()
            }
            Self::Folder(files) => write_folder(files, place),
        }
    }

    /// How many bytes it has.
    pub fn size(&self) -> u64 {
        use crate::Source as _;
        match self {
            Self::File(assembly) => assembly.size(),
            Self::Folder(files) => files.iter().map(|(_, assembly)| assembly.size()).sum(),
        }
    }
}

/// Fills a folder beside the place and moves it there.
fn write_folder(files: &[(String, Arc<Assembly>)], place: &Path) -> io::Result<()> {
    let beside = folder_of(place);
    let mut builder = Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    let folder = builder.tempdir_in(beside)?;
    for (path, assembly) in files {
        let inside = Path::new(path);
        if !inside.components().all(|part| matches!(part, Component::Normal(_))) {
            let why = format!("a path that leads out of the folder: {path}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let at = folder.path().join(inside);
        if let Some(parent) = at.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let mut file = File::create_new(at)?;
        assembly.write(&mut file)?;
        file.sync_all()?;
    }
    // A rename puts a folder over an empty one, and refuses to put it over anything else.
    std::fs::rename(folder.path(), place)?;
    let _ = folder.keep();
    Ok(())
}

/// The folder in which `place` lies.
fn folder_of(place: &Path) -> &Path {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

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
        let mut builder = Builder::new();
        // A temporary file is its owner's alone unless told otherwise; this one is an output, so the
        // umask decides as for any other.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder_of(place))?;
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

    #[test]
    fn a_folder_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("out");
        let part = |bytes: &[u8]| {
            let mut assembly = Assembly::new("part");
            assembly.push_bytes(bytes.to_vec());
            Arc::new(assembly)
        };
        let bad = vec![("a".to_owned(), part(b"1")), ("../b".to_owned(), part(b"2"))];
        assert!(Output::Folder(bad).write(&place).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let good = vec![("a".to_owned(), part(b"1")), ("v/b".to_owned(), part(b"2"))];
        let good = Output::Folder(good);
        assert_eq!(good.size(), 2);
        good.write(&place).unwrap();
        assert_eq!(std::fs::read(place.join("v/b")).unwrap(), b"2");
        assert!(good.write(&place).is_err(), "a folder is not written over another");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
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
