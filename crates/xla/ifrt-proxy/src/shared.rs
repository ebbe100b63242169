//! Large buffers in a folder that a client on the same machine shares with this server.
//!
//! Both find the folder in one environment variable, as the makers of the protocol have it. The client writes
//! a file and calls; the server reads it and removes it. The file's name has no session in it, so clients
//! that are there at the same time need folders of their own, and servers; the size that was announced is
//! what tells a mix-up.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

use crate::aligned::Pool;
use crate::status::{Status, StatusCode};

/// The variable that names the folder.
pub(crate) const VARIABLE: &str = "IFRT_PROXY_GRPC_LARGE_TRANSFER_OPTIMIZATION_DIRECTORY";

/// The folder that this server shares.
///
/// # Errors
/// FAILED_PRECONDITION if it shares none.
pub(crate) fn folder() -> Result<PathBuf, Status> {
    folder_of(std::env::var_os(VARIABLE))
}

fn folder_of(value: Option<OsString>) -> Result<PathBuf, Status> {
    let folder = value.filter(|value| !value.is_empty()).map(PathBuf::from);
    folder.ok_or_else(|| {
        let text =
            "the client sends large arrays through a shared folder, and this server has none: set";
        Status::new(StatusCode::FailedPrecondition, format!("{text} {VARIABLE} for the server too"))
    })
}

/// Takes the buffer of a handle, which has so many bytes, out of the folder.
///
/// # Errors
/// NOT_FOUND if there is no such file; INVALID_ARGUMENT if it has another size.
pub(crate) fn read(
    folder: &Path,
    handle: u64,
    size: u64,
    pool: &Arc<Pool>,
) -> Result<Bytes, Status> {
    // As C++ has it, where the handle becomes an `int`.
    let path = folder.join(format!("lt_{}", handle as u32 as i32));
    let missing = |error: std::io::Error| {
        Status::new(StatusCode::NotFound, format!("cannot read {}: {error}", path.display()))
    };
    let found = path.symlink_metadata().map_err(missing)?;
    if !found.is_file() || found.len() != size {
        let (text, there) = ("a shared buffer of another size than was announced", found.len());
        return Err(Status::invalid(format!("{text}: {size}, and {there} are there")));
    }
    let most = usize::try_from(size).unwrap_or(usize::MAX);
    let none = || Status::new(StatusCode::ResourceExhausted, format!("no room for {size} bytes"));
    let mut data = pool.room(most).ok_or_else(none)?;
    let file = File::open(&path).map_err(missing)?;
    if data.read(file.take(size)).map_err(missing)? != most {
        return Err(Status::invalid(format!("a shared buffer that was cut short: {size}")));
    }
    // Clients leave it there. Where it cannot be removed, the next one of its name takes its place.
    let _ = std::fs::remove_file(&path);
    Ok(data.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_without_a_folder_says_what_to_set() {
        for none in [None, Some(OsString::new())] {
            let error = folder_of(none).unwrap_err();
            assert_eq!(error.code, StatusCode::FailedPrecondition);
            assert!(error.message.contains(VARIABLE), "{}", error.message);
        }
        assert_eq!(folder_of(Some("/x".into())).unwrap(), PathBuf::from("/x"));
    }

    #[test]
    fn a_file_is_read_if_it_has_the_size_that_was_announced() {
        let folder = tempfile::tempdir().unwrap();
        let read = |handle, size| read(folder.path(), handle, size, &Arc::default());
        std::fs::write(folder.path().join("lt_7"), b"there").unwrap();
        std::fs::create_dir(folder.path().join("lt_8")).unwrap();
        assert_eq!(read(7, 6).unwrap_err().code, StatusCode::InvalidArgument);
        assert_eq!(read(7, 5).unwrap(), "there");
        assert_eq!(read(7, 5).unwrap_err().code, StatusCode::NotFound);
        assert_eq!(read(8, 5).unwrap_err().code, StatusCode::InvalidArgument);
        assert_eq!(read(9, 5).unwrap_err().code, StatusCode::NotFound);
    }
}
