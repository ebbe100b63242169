//! Destination of an output: what stands at its path decides.
//!
//! | at the path | an output that is one stream of bytes | a file of a folder, or a folder |
//! | --- | --- | --- |
//! | nothing | is made | is made |
//! | a regular file | is replaced | is replaced; a folder is not put there |
//! | a character device, a named pipe, an open file of this process (`/dev/stdout`) | is written into | refused |
//! | a link to one of these | as what it leads to | refused |
//! | a link to a regular file in the same folder, or below it | that file is replaced, and the link stays | the same |
//! | a link out of the folder, or to nothing | refused | refused |
//! | a block device, a socket, a folder | refused | refused |
//!
//! A rename puts a file over whatever has the name, a device too, and writing through a link changes a file that nobody named.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// What an output is written to.
#[derive(Debug)]
pub(crate) enum Destination {
    /// A file that is made, or replaced, at this path.
    File(PathBuf),
    /// Something that is written into as it stands.
    Stream(File),
}

/// Whether something may be written into that is no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Streams {
    Written,
    Refused,
}

/// The folder in which `place` lies.
pub(crate) fn folder_of(place: &Path) -> &Path {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

fn refused(place: &Path, what: &str) -> io::Error {
    let text = format!("{what}, over which nothing is written: {}", place.display());
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

/// What an output at `place` is written to.
pub(crate) fn destination(place: &Path, streams: Streams) -> io::Result<Destination> {
    let there = match place.symlink_metadata() {
        Ok(there) => there,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Destination::File(place.to_owned()));
        }
        Err(error) => return Err(error),
    };
    if !there.is_symlink() && there.is_file() {
        return Ok(Destination::File(place.to_owned()));
    }
    if streams == Streams::Written
        && let Some(open) = own::open(place)?
    {
        return Ok(Destination::Stream(open));
    }
    let led = match place.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(refused(place, "a link that leads to nothing"));
        }
        led => led?,
    };
    if led.is_file() {
        let (folder, target) = (folder_of(place).canonicalize()?, place.canonicalize()?);
        return match target.starts_with(folder) {
            true => Ok(Destination::File(target)),
            false => {
                let what = format!("a link out of its folder, to {}", target.display());
                Err(refused(place, &what))
            }
        };
    }
    match streams {
        Streams::Written if is_stream(&led) => stream(place),
        _ => Err(refused(place, kind(&led))),
    }
}

/// Says whether a new folder may be put at `place`: where nothing stands, or an empty folder.
pub(crate) fn folder_destination(place: &Path) -> io::Result<()> {
    match place.symlink_metadata() {
        Ok(there) if there.is_symlink() => Err(refused(place, "a link")),
        Ok(there) if !there.is_dir() => Err(refused(place, kind(&there))),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes the folder that `folder` names, and those around it, for files that are put into it. A link to a folder is that
/// folder.
///
/// # Errors
/// If something else stands there, or it cannot be made.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    match folder.metadata() {
        Ok(there) if !there.is_dir() => {
            let text = format!("{}, not a folder: {}", kind(&there), folder.display());
            Err(io::Error::new(io::ErrorKind::NotADirectory, text))
        }
        Ok(_) => Ok(()),
        Err(_) => std::fs::create_dir_all(folder),
    }
}

/// Opens something that is written into. What it is, is asked again of what was opened.
fn stream(place: &Path) -> io::Result<Destination> {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        nix::fcntl::OFlag::O_NOCTTY.bits(),
    );
    let file = options.open(place)?;
    let opened = file.metadata()?;
    match is_stream(&opened) {
        true => Ok(Destination::Stream(file)),
        false => Err(refused(place, kind(&opened))),
    }
}

#[cfg(unix)]
fn is_stream(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = metadata.file_type();
    kind.is_char_device() || kind.is_fifo()
}

#[cfg(not(unix))]
fn is_stream(_: &Metadata) -> bool {
    false
}

/// In words, what stands where no output can.
fn kind(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a named pipe";
        }
        if kind.is_char_device() {
            return "a device";
        }
        if kind.is_block_device() {
            return "a block device";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    match kind.is_dir() {
        true => "a folder",
        false if kind.is_file() => "a file",
        false => "something that is no file",
    }
}

/// Files that this process has open, by the names that the system gives them.
#[cfg(unix)]
mod own {
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::fd::AsFd as _;
    use std::path::{Path, PathBuf};

    use super::folder_of;

    /// More links than this lead nowhere.
    const LINKS: usize = 40;

    /// The open file that `place` names, such as `/dev/stdout` or `/dev/fd/3`, if it names one. It is neither emptied nor replaced,
    /// whatever it is: the shell, or whoever started this process, has chosen it.
    pub(super) fn open(place: &Path) -> io::Result<Option<File>> {
        Ok(match number(place) {
            Some(1) => Some(io::stdout().as_fd().try_clone_to_owned()?.into()),
            Some(2) => Some(io::stderr().as_fd().try_clone_to_owned()?.into()),
            Some(other) => {
                let path = format!("/dev/fd/{other}");
                Some(OpenOptions::new().append(true).open(path)?)
            }
            None => None,
        })
    }

    fn number(place: &Path) -> Option<u32> {
        let mut place = place.to_owned();
        let own = PathBuf::from(format!("/proc/{}/fd", std::process::id()));
        for _ in 0..LINKS {
            let folder = folder_of(&place).canonicalize().ok()?;
            if folder == own || folder == Path::new("/dev/fd") {
                return place.file_name()?.to_str()?.parse().ok();
            }
            place = folder.join(place.read_link().ok()?);
        }
        None
    }
}

#[cfg(not(unix))]
mod own {
    pub(super) fn open(_: &std::path::Path) -> std::io::Result<Option<std::fs::File>> {
        Ok(None)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn file(place: &Path, streams: Streams) -> Result<PathBuf, String> {
        match destination(place, streams) {
            Ok(Destination::File(path)) => Ok(path),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn a_link_is_followed_within_its_folder_only() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (folder, other) =
            (folder.path().canonicalize().unwrap(), other.path().canonicalize().unwrap());
        fs::create_dir(folder.join("below")).unwrap();
        for path in [folder.join("file"), folder.join("below/file"), other.join("file")] {
            fs::write(path, "").unwrap();
        }
        let link = |name: &str, to: &Path| {
            symlink(to, folder.join(name)).unwrap();
            folder.join(name)
        };
        for streams in [Streams::Written, Streams::Refused] {
            let inside = link(&format!("a{streams:?}"), Path::new("file"));
            assert_eq!(file(&inside, streams), Ok(folder.join("file")));
            let below = link(&format!("b{streams:?}"), &folder.join("below/file"));
            assert_eq!(file(&below, streams), Ok(folder.join("below/file")));
            let out = link(&format!("c{streams:?}"), &other.join("file"));
            let error = file(&out, streams).unwrap_err();
            assert!(error.contains("a link out of its folder"), "{error}");
            assert!(error.contains(&out.display().to_string()), "{error}");
            let gone = link(&format!("d{streams:?}"), Path::new("gone"));
            let error = file(&gone, streams).unwrap_err();
            assert!(error.contains("leads to nothing"), "{error}");
            let error = file(&link(&format!("e{streams:?}"), &other), streams).unwrap_err();
            assert!(error.contains("a folder"), "{error}");
            assert_eq!(file(&folder.join("new"), streams), Ok(folder.join("new")));
        }
    }

    #[test]
    fn an_open_file_of_this_process_is_known_by_each_of_its_names() {
        let open = |place: &str| own::open(Path::new(place)).unwrap().is_some();
        for place in ["/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/2"] {
            if Path::new(place).symlink_metadata().is_ok() {
                assert!(open(place), "{place}");
            }
        }
        let folder = tempfile::tempdir().unwrap();
        symlink("/dev/stdout", folder.path().join("out")).unwrap();
        assert!(own::open(&folder.path().join("out")).unwrap().is_some());
        assert!(!open("/dev/null") && !open("/proc/1/fd/1") && !open("."));
    }

    #[test]
    fn a_folder_is_put_over_nothing_but_an_empty_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "").unwrap();
        symlink(".", at("link")).unwrap();
        assert!(
            folder_destination(&at("new")).is_ok() && folder_destination(folder.path()).is_ok()
        );
        assert!(folder_destination(&at("file")).unwrap_err().to_string().contains("a file"));
        assert!(folder_destination(&at("link")).unwrap_err().to_string().contains("a link"));
        assert!(make_folder(&at("file")).unwrap_err().to_string().contains("not a folder"));
        make_folder(&at("link")).unwrap();
        make_folder(&at("a/b")).unwrap();
        assert!(at("a/b").is_dir());
    }
}
