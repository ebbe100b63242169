//! From a path to what is in it.

use std::path::Path;
use std::sync::Arc;

use unskew_source::{Archive, FileSource, Source};

use crate::location::Location;
use crate::{
    Artifact, Container, Content, LabeledParty, OpenError, OpenOptions, WheelPath, archives,
    boundaries, colocated_plugins, folder, not_a_model, recognize, wheel,
};

/// Opens the file or folder at `path`, or a member of a wheel: `a-1.0-py3-none-any.whl/a/plugin.so`.
///
/// # Errors
/// If it cannot be read, or nothing in it is of a kind that Unskew knows.
pub fn open(path: &Path, options: &OpenOptions) -> Result<Artifact, OpenError> {
    let io = |source| OpenError::Io { path: path.to_owned(), source };
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) => {
            return match WheelPath::find(path) {
                Some(member) => member.open(options),
                None => Err(io(error)),
            };
        }
    };
    if metadata.is_dir() {
        return folder::open(path, options);
    }
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let is_wheel = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("whl"));
    if is_wheel && Archive::recognizes(&*source) {
        return wheel::open(source, None, options);
    }
    let mut artifact = Artifact::new(source.name(), Container::File);
    let parties = recognize::parties(&source, Location::At(path), options)?;
    if let Some(packed) = archives::open(&source, &parties, options)? {
        return Ok(packed);
    }
    if parties.is_empty() {
        let (path, instead) = (source.name().to_owned(), not_a_model::instead(&source));
        return Err(OpenError::Unknown { path, instead, looked_for: boundaries::looked_for() });
    }
    let piece = |party| LabeledParty { label: source.name().to_owned(), party: Arc::new(party) };
    artifact.pieces.extend(parties.into_iter().map(piece));
    Ok(artifact)
}

/// Opens an artifact by its bytes, wherever they lie. A part of a folder that cannot be read stands in
/// [`Artifact::problems`].
///
/// # Errors
/// If nothing in it is of a kind that Unskew knows, or its only file is broken.
pub fn open_content(content: &Content, options: &OpenOptions) -> Result<Artifact, OpenError> {
    let looked_for = boundaries::looked_for;
    match content {
        Content::File(part) => {
            if part.name.to_ascii_lowercase().ends_with(".whl")
                && Archive::recognizes(&*part.source)
            {
                return wheel::open(part.source.clone(), None, options);
            }
            let mut artifact = Artifact::new(&*part.name, Container::File);
            let parties = part.parties(options)?;
            if let Some(packed) = archives::open(&part.source, &parties, options)? {
                return Ok(packed);
            }
            for party in parties {
                artifact
                    .pieces
                    .push(LabeledParty { label: part.name.clone(), party: Arc::new(party) });
            }
            match artifact.pieces.is_empty() {
                true => Err(OpenError::Unknown {
                    path: artifact.path,
                    instead: not_a_model::instead(&part.source),
                    looked_for: looked_for(),
                }),
                false => Ok(artifact),
            }
        }
        Content::Folder { name, parts } => {
            let mut artifact = Artifact::new(&**name, Container::Folder);
            for party in folder::parts_as_one(name, parts) {
                artifact.add(name.clone(), party);
            }
            for part in parts.iter().filter(|part| recognize::is_candidate(&part.name)) {
                match part.parties(options) {
                    Ok(parties) => {
                        let label = part.source.name();
                        parties.into_iter().for_each(|party| artifact.add(label.to_owned(), party));
                    }
                    Err(error) => artifact.problems.push(error),
                }
            }
            colocated_plugins::mark(&mut artifact.pieces);
            if artifact.pieces.is_empty() && artifact.problems.is_empty() {
                let (path, files) = (name.clone(), parts.len());
                let looked_for = looked_for();
                return Err(OpenError::Nothing { path, container: "folder", files, looked_for });
            }
            Ok(artifact)
        }
    }
}
