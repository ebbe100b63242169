//! Artifact: what a path turned out to be.

use std::sync::Arc;

use unskew_core::Party;
use unskew_releases::Release;

use crate::OpenError;

/// The files that make a folder a SavedModel.
const SAVED_MODELS: [&str; 2] = ["saved_model.pb", "saved_model.pbtxt"];

/// What holds the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// The path is the piece.
    File,
    /// A folder in a file system.
    Folder,
    /// An archive of models: zip, or tar that may be compressed.
    Packed,
    /// A Python wheel, a zip archive that ends in `.whl`.
    Wheel,
}

/// One thing that can be checked.
#[derive(Clone, Debug)]
pub struct LabeledParty {
    /// How a user finds it: the path, and for a member of a wheel its name after a `!`.
    pub label: String,
    /// What the piece provides and requires.
    pub party: Arc<Party>,
}

/// A path that was opened and recognized: one piece for a file, any number for a folder or wheel.
#[derive(Debug)]
pub struct Artifact {
    /// The path as the user named it.
    pub path: String,
    /// What holds the pieces.
    pub container: Container,
    /// What can be checked; never empty unless `problems` is not.
    pub pieces: Vec<LabeledParty>,
    /// What was recognized and could not be read.
    pub problems: Vec<OpenError>,
    /// The release whose package this is, if it is one; then it is the only piece.
    pub release: Option<Release>,
}

impl Artifact {
    pub(crate) fn new(path: impl Into<String>, container: Container) -> Self {
        Self {
            path: path.into(),
            container,
            pieces: Vec::new(),
            problems: Vec::new(),
            release: None,
        }
    }

    /// Adds the party of the file called `label`. A SavedModel is known by its folder, because all of
    /// them have the same file name.
    pub(crate) fn add(&mut self, label: String, mut party: Party) {
        let label = match label.rsplit_once(['/', '\\']) {
            Some((folder, file)) if SAVED_MODELS.contains(&file) => {
                let name = folder.rsplit(['/', '\\', '!']).next().unwrap_or(folder);
                party.name = name.to_owned();
                folder.to_owned()
            }
            _ => label,
        };
        self.pieces.push(LabeledParty { label, party: Arc::new(party) });
    }
}
