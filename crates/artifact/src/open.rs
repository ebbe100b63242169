//! From a path to what is in it.

use std::path::Path;
use std::sync::Arc;

use unskew_source::{Archive, FileSource, Source};

use crate::{Artifact, Container, OpenError, Options, Piece, folder, recognize, wheel};

/// Opens the file or folder at `path`.
///
/// # Errors
/// If it cannot be read, or nothing in it is of a kind that Unskew knows.
pub fn open(path: &Path, options: &Options) -> Result<Artifact, OpenError> {
    let io = |source| OpenError::Io { path: path.to_owned(), source };
    let metadata = path.metadata().map_err(io)?;
    if metadata.is_dir() {
        return folder::open(path, options);
    }
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let is_wheel = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("whl"));
    if is_wheel && Archive::recognizes(&*source) {
        return wheel::open(source, options);
    }
    let mut artifact = Artifact::new(source.name(), Container::File);
    let parties = recognize::parties(&source, Some(path), options)?;
    if parties.is_empty() {
        let path = source.name().to_owned();
        return Err(OpenError::Unknown { path, looked_for: recognize::LOOKED_FOR.into() });
    }
    let piece = |party| Piece { label: source.name().to_owned(), party: Arc::new(party) };
    artifact.pieces.extend(parties.into_iter().map(piece));
    Ok(artifact)
}
