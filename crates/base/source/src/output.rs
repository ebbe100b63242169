//! Files and folders that appear whole or not at all.
//!
//! Every output of Unskew is written here. What stands at its path decides how: see `destination`.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use tempfile::NamedTempFile;

use crate::Assembly;
use crate::destination::{Destination, Streams, destination, folder_destination, folder_of};
use crate::unfinished::{self, UnfinishedFolder};

/// A converted artifact, not yet written. Its files are sources, so it can be judged before.
#[derive(Clone)]
pub enum ConvertedArtifact {
    /// One file, renamed into its place when it is whole; a device or a named pipe is written into.
    File(Arc<Assembly>),
    /// A folder: its files by their paths below it, parts separated by `/`.
    Folder(Vec<(String, Arc<Assembly>)>),
}

impl ConvertedArtifact {
    /// Writes it at `place`. A file replaces whatever regular file stood there; a folder wants a place where nothing
    /// stands, or an empty folder.
    ///
    /// # Errors
    /// If a source cannot be read, a path leads out of the folder, or the place cannot be written. Then
    /// nothing has changed there, but for what a device or a pipe has got by then.
    pub fn write(&self, place: &Path) -> io::Result<()> {
        match self {
            Self::File(assembly) => {
                let mut output = OutputFile::create(place)?;
                assembly.write(output.file())?;
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
    folder_destination(place)?;
    let beside = folder_of(place);
    unfinished::sweep_once(beside);
    let folder = UnfinishedFolder::begin(beside, 0o777)?;
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
    folder.keep();
    Ok(())
}

/// A file that is written beside its place and put there in one step by [`OutputFile::commit`]; if
/// it is dropped before, nothing has changed. A device or a named pipe is written into at once.
///
/// Where the file system can, it has no name until it is whole, so that nothing is left of it when the process is
/// killed. Elsewhere the next output in the same folder takes away what is left ([`unfinished`]).
pub struct OutputFile {
    place: PathBuf,
    file: Begun,
}

enum Begun {
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Named(NamedTempFile),
    Stream(File),
}

impl OutputFile {
    /// Begins a file that will stand at `place`, or opens the device or the named pipe that stands there to write into it. Its
    /// folder must exist.
    ///
    /// # Errors
    /// If what stands there is neither, or a link that leads out of its folder; if the folder cannot be written.
    pub fn create(place: &Path) -> io::Result<Self> {
        match destination(place, Streams::Written)? {
            Destination::File(place) => Self::at(&place),
            Destination::Stream(file) => {
                Ok(Self { place: place.to_owned(), file: Begun::Stream(file) })
            }
        }
    }

    /// Begins a regular file of this name in a folder.
    ///
    /// # Errors
    /// If the name leads out of the folder, something else than a file has it, or the folder cannot be written.
    pub fn in_folder(folder: &Path, name: &str) -> io::Result<Self> {
        let mut parts = Path::new(name).components();
        if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
            let why = format!("a name that leads out of the folder: {name}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        match destination(&folder.join(name), Streams::Refused)? {
            Destination::File(place) => Self::at(&place),
            Destination::Stream(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn at(place: &Path) -> io::Result<Self> {
        let folder = folder_of(place);
        unfinished::sweep_once(folder);
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed::begin(folder) {
            return Ok(Self { place: place.to_owned(), file: Begun::Unnamed(file) });
        }
        Self::named(place)
    }

    /// The same with a name from the beginning.
    fn named(place: &Path) -> io::Result<Self> {
        // A temporary file is its owner's alone unless told otherwise; this one is an output, so the
        // umask decides as for any other.
        let file = unfinished::file(folder_of(place), 0o666)?;
        Ok(Self { place: place.to_owned(), file: Begun::Named(file) })
    }

    fn file(&mut self) -> &mut File {
        match &mut self.file {
            #[cfg(target_os = "linux")]
            Begun::Unnamed(file) => file,
            Begun::Named(file) => file.as_file_mut(),
            Begun::Stream(file) => file,
        }
    }

    /// Puts the file at its place, over the regular file that stood there.
    ///
    /// # Errors
    /// If the bytes cannot be made durable, or the file cannot be moved to its place.
    pub fn commit(mut self) -> io::Result<()> {
        if !matches!(self.file, Begun::Stream(_)) {
            self.file().sync_all()?;
            // What came there meanwhile is looked at as well.
            destination(&self.place, Streams::Refused)?;
        }
        match self.file {
            // There is nothing to move, and not every device can be synchronized.
            Begun::Stream(mut file) => file.flush(),
            #[cfg(target_os = "linux")]
            Begun::Unnamed(file) => unnamed::put(&file, &self.place),
            Begun::Named(file) => Ok(file.persist(&self.place).map(|_| ())?),
        }
    }
}

/// Files without a name, that get one when they are whole.
#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    use std::path::{Path, PathBuf};

    use nix::errno::Errno;
    use nix::fcntl::{AT_FDCWD, AtFlags, OFlag};
    use nix::unistd::linkat;

    use super::{folder_of, unfinished};

    /// Where the system shows the open files of a process: the way to name one that has no name.
    fn shown(file: &File) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }

    /// A file in a folder; none if the file system has no such files, or they could not be named later.
    pub(super) fn begin(folder: &Path) -> Option<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).mode(0o666).custom_flags(OFlag::O_TMPFILE.bits());
        options.open(folder).ok().filter(|file| shown(file).exists())
    }

    fn name(file: &File, place: &Path) -> nix::Result<()> {
        linkat(AT_FDCWD, &shown(file), AT_FDCWD, place, AtFlags::AT_SYMLINK_FOLLOW)
    }

    /// Gives it its name, also if something has that already: then over a name of its own, which another run takes away if
    /// this one is killed in between.
    pub(super) fn put(file: &File, place: &Path) -> io::Result<()> {
        match name(file, place) {
            Err(Errno::EEXIST) => {}
            named => return Ok(named?),
        }
        // Nobody may take it away before it is moved.
        file.try_lock().map_err(io::Error::from)?;
        let between = unfinished::file(folder_of(place), 0o600)?.into_temp_path();
        std::fs::remove_file(&between)?;
        name(file, &between)?;
        std::fs::rename(&between, place)?;
        // Nothing is there any more.
        let _ = between.keep();
        Ok(())
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a file system has it, and as others do.
    fn kinds() -> [fn(&Path) -> io::Result<OutputFile>; 2] {
        [OutputFile::create, OutputFile::named]
    }

    #[test]
    fn what_is_not_committed_was_never_there() {
        for create in kinds() {
            let folder = tempfile::tempdir().unwrap();
            let place = folder.path().join("out");
            std::fs::write(&place, "old").unwrap();
            let mut output = create(&place).unwrap();
            output.write_all(b"half").unwrap();
            drop(output);
            assert_eq!(std::fs::read_to_string(&place).unwrap(), "old");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
            for (place, count) in [(place, 1), (folder.path().join("other"), 2)] {
                let mut output = create(&place).unwrap();
                output.write_all(b"new").unwrap();
                output.commit().unwrap();
                assert_eq!(std::fs::read_to_string(&place).unwrap(), "new");
                assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), count);
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn where_the_file_system_can_nothing_has_a_name_before_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        if unnamed::begin(folder.path()).is_none() {
            return eprintln!("SKIPPED: no files without a name here");
        }
        let mut output = OutputFile::create(&folder.path().join("out")).unwrap();
        output.write_all(&[0; 100_000]).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        output.commit().unwrap();
        assert_eq!(std::fs::read(folder.path().join("out")).unwrap().len(), 100_000);
    }

    #[test]
    fn the_next_output_takes_away_what_a_killed_one_left() {
        let folder = tempfile::tempdir().unwrap();
        let left = unfinished::file(folder.path(), 0o600).unwrap();
        let (file, path) = left.keep().unwrap();
        // Its lock ends with its process.
        drop(file);
        assert!(path.exists());
        let output = OutputFile::create(&folder.path().join("out")).unwrap();
        assert!(!path.exists());
        output.commit().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
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
        assert!(ConvertedArtifact::Folder(bad).write(&place).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let good = vec![("a".to_owned(), part(b"1")), ("v/b".to_owned(), part(b"2"))];
        let good = ConvertedArtifact::Folder(good);
        assert_eq!(good.size(), 2);
        good.write(&place).unwrap();
        assert_eq!(std::fs::read(place.join("v/b")).unwrap(), b"2");
        assert!(good.write(&place).is_err(), "a folder is not written over another");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_named_pipe_is_written_into_and_stays_one() {
        use std::os::unix::fs::FileTypeExt as _;
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let mut assembly = Assembly::new("stream");
        assembly.push_bytes(b"12".to_vec());
        let file = folder.path().join("file");
        std::fs::write(&file, vec![7; 10_000]).unwrap();
        let source: Arc<dyn crate::Source> = Arc::new(crate::FileSource::open(&file).unwrap());
        assembly.push_copy(&source, 0..10_000).unwrap();
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read(pipe).unwrap()
        });
        ConvertedArtifact::File(Arc::new(assembly)).write(&pipe).unwrap();
        let read = reader.join().unwrap();
        assert_eq!((read.len(), &read[..3]), (10_002, &b"12\x07"[..]));
        assert!(pipe.symlink_metadata().unwrap().file_type().is_fifo());
        assert!(OutputFile::in_folder(folder.path(), "pipe").is_err());
        assert!(ConvertedArtifact::Folder(Vec::new()).write(&pipe).is_err());
        assert!(pipe.symlink_metadata().unwrap().file_type().is_fifo());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_within_the_folder_stays_and_what_it_leads_to_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        let mut output = OutputFile::create(&link).unwrap();
        output.write_all(b"new").unwrap();
        output.commit().unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn what_came_meanwhile_is_not_replaced_unless_it_is_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("out");
        for create in kinds() {
            let output = create(&place).unwrap();
            std::os::unix::fs::symlink("gone", &place).unwrap();
            assert!(output.commit().is_err());
            assert!(place.is_symlink());
            std::fs::remove_file(&place).unwrap();
        }
    }

    #[test]
    fn a_name_in_a_folder_leads_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", "..", "a/b", "/a", "../a"] {
            assert!(OutputFile::in_folder(folder.path(), name).is_err(), "{name}");
        }
        OutputFile::in_folder(folder.path(), "a").unwrap().commit().unwrap();
        assert!(folder.path().join("a").is_file());
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
