//! Opening what a path names, if it is a regular file.
//!
//! A path is foreign, too: it may name a pipe, on which opening alone waits for a writer, or a device whose
//! bytes never end. So the kind is asked before anything is opened, once more of what was opened, and opening
//! does not wait.

use std::fs::{File, Metadata, OpenOptions};
use std::io::Read as _;
use std::path::Path;

use crate::budget::count_file;
use crate::{ReadError, SourceProblem};

/// Opens a regular file for reading; returns it with its size.
///
/// # Errors
/// If it cannot be opened, or is anything but a regular file.
pub fn open_regular(path: &Path) -> Result<(File, u64), ReadError> {
    let at = |error: std::io::Error| ReadError::new(path.display().to_string(), error.into());
    regular(path, &path.metadata().map_err(at)?)?;
    let file = without_waiting().open(path).map_err(at)?;
    let metadata = file.metadata().map_err(at)?;
    regular(path, &metadata)?;
    count_file(metadata.len());
    Ok((file, metadata.len()))
}

/// All bytes of a regular file that a person writes: a configuration, a history, a list.
///
/// # Errors
/// As [`open_regular`], and [`SourceProblem::TooLarge`] if there are more than `limit`.
pub fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let error = |problem| ReadError::new(path.display().to_string(), problem);
    let (file, size) = open_regular(path)?;
    let too_large = |size| SourceProblem::TooLarge { what: "the file".to_owned(), size, limit };
    if size > limit {
        return Err(error(too_large(size)));
    }
    // One byte more shows that the file ends. Files of /proc have a size of 0 and bytes all the same; others may grow
    // while they are read.
    let mut bytes =
        Vec::with_capacity(usize::try_from(size).map_or(0, |size| size.saturating_add(1)));
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| error(e.into()))?;
    match bytes.len() as u64 {
        size if size > limit => Err(error(too_large(size))),
        _ => Ok(bytes),
    }
}

/// The text of such a file.
///
/// # Errors
/// As [`read_regular`], and if it is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    String::from_utf8(read_regular(path, limit)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to() as u64;
        ReadError::malformed(path.display().to_string(), "not UTF-8").at(at)
    })
}

fn without_waiting() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        nix::fcntl::OFlag::O_NONBLOCK.bits(),
    );
    options
}

fn regular(path: &Path, metadata: &Metadata) -> Result<(), ReadError> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = format!("{}, not a regular file; name a file or a folder of files", kind(metadata));
    Err(ReadError::new(path.display().to_string(), SourceProblem::Unsupported(what)))
}

fn kind(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a named pipe";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    if kind.is_dir() { "a folder" } else { "something else" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_above_the_limit_is_refused_with_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("unskew.toml");
        std::fs::write(&path, "0123456789").unwrap();
        assert_eq!(read_text(&path, 10).unwrap(), "0123456789");
        let error = read_regular(&path, 9).unwrap_err();
        assert!(
            matches!(*error.problem, SourceProblem::TooLarge { size: 10, limit: 9, .. }),
            "{error}"
        );
        std::fs::write(&path, b"ab\xff").unwrap();
        let error = read_text(&path, 10).unwrap_err().to_string();
        assert!(error.ends_with("unskew.toml, byte 2: not UTF-8"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_devices_and_links_to_them_are_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("x.pt");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let link = folder.path().join("z.pt");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let refused = |path: &Path| open_regular(path).unwrap_err().to_string();
        assert!(refused(&pipe).contains("a named pipe, not a regular file"));
        assert!(refused(&link).contains("a device, not a regular file"));
        assert!(refused(Path::new("/dev/zero")).contains("a device"));
        assert!(refused(folder.path()).contains("a folder"));
    }
}
