//! From files to artifacts: most are one file, a SavedModel is several.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use unskew_artifact::OpenError;

/// What makes a folder a SavedModel.
const SAVED_MODELS: [&str; 2] = ["saved_model.pb", "saved_model.pbtxt"];
/// What belongs to one beside these.
const BESIDE: [&str; 2] = ["fingerprint.pb", "keras_metadata.pb"];
/// The folders that belong to one.
const BELOW: [&str; 3] = ["variables/", "assets/", "assets.extra/"];

/// A file as an inventory finds it.
#[derive(Clone, Debug)]
pub(crate) struct ListedFile {
    /// Its path below the source, parts separated by `/`.
    pub key: String,
    pub size: u64,
    pub etag: Option<String>,
    /// Why it is not opened: a named pipe, a link that is not followed.
    pub unreadable: Option<&'static str>,
}

impl ListedFile {
    /// A file that is opened when its turn comes.
    pub(crate) fn readable(key: String, size: u64, etag: Option<String>) -> Self {
        Self { key, size, etag, unreadable: None }
    }

    /// Something that has the name of a file and is not opened.
    pub(crate) fn unreadable(key: String, why: &'static str) -> Self {
        Self { key, size: 0, etag: None, unreadable: Some(why) }
    }
}

/// An artifact: its key, and the places of its files in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// The file, or the folder of a SavedModel; empty if that is the source itself.
    pub key: String,
    pub folder: bool,
    pub size: u64,
    pub etag: Option<String>,
    pub files: Vec<usize>,
    /// Why one of its files is not opened.
    pub unreadable: Option<&'static str>,
}

/// The artifacts among files, in the order of their keys. Files of which no kind is known by name are left out.
pub(crate) fn groups(files: &[ListedFile]) -> Vec<Group> {
    let folder_of = |key: &str| key.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let mut saved: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for file in files {
        let name = file.key.rsplit('/').next().unwrap_or_default();
        if SAVED_MODELS.contains(&name) {
            saved.insert(folder_of(&file.key), Vec::new());
        }
    }
    let mut groups = Vec::new();
    for (at, file) in files.iter().enumerate() {
        if let Some(folder) = owner(&file.key, &saved) {
            saved.entry(folder).or_default().push(at);
        } else if unskew_artifact::is_candidate(&file.key) {
            let ListedFile { key, size, etag, unreadable } = file.clone();
            groups.push(Group { key, folder: false, size, etag, files: vec![at], unreadable });
        }
    }
    groups.extend(saved.into_iter().map(|(key, places)| folder(key, places, files)));
    groups.sort_by(|a, b| a.key.cmp(&b.key));
    groups
}

/// Fails for an artifact of which a file is not opened, with the reason.
///
/// # Errors
/// If there is such a reason.
pub(crate) fn refuse_unreadable(path: &Path, why: Option<&'static str>) -> Result<(), OpenError> {
    match why {
        Some(why) => {
            let source = io::Error::new(io::ErrorKind::Unsupported, why);
            Err(OpenError::Io { path: path.to_owned(), source })
        }
        None => Ok(()),
    }
}

/// The SavedModel that a file belongs to.
fn owner(key: &str, saved: &BTreeMap<String, Vec<usize>>) -> Option<String> {
    // From the nearest folder up; a SavedModel may lie among the assets of another.
    let mut folder = key;
    while !folder.is_empty() {
        folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
        if saved.contains_key(folder) {
            let below = key.get(folder.len()..).unwrap_or_default().trim_start_matches('/');
            let own = SAVED_MODELS.contains(&below) || BESIDE.contains(&below);
            if own || BELOW.iter().any(|start| below.starts_with(start)) {
                return Some(folder.to_owned());
            }
        }
    }
    None
}

fn folder(key: String, mut places: Vec<usize>, files: &[ListedFile]) -> Group {
    places.sort_by(|a, b| files[*a].key.cmp(&files[*b].key));
    let size = places.iter().map(|at| files[*at].size).fold(0, u64::saturating_add);
    // Its state is that of all its files.
    let mut state = Sha256::new();
    for at in &places {
        let ListedFile { key, size, etag, .. } = &files[*at];
        state.update(format!("{key}\n{size}\n{}\n", etag.as_deref().unwrap_or_default()));
    }
    let digest: String =
        state.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let unreadable = places.iter().find_map(|at| files[*at].unreadable);
    let etag = Some(format!("folder-{digest}"));
    Group { key, folder: true, size, etag, files: places, unreadable }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_model_is_one_artifact_and_its_neighbours_are_others() {
        let keys = [
            "a/fingerprint.pb",
            "a/saved_model.pb",
            "a/variables/variables.index",
            "a/variables/variables.data-00000-of-00001",
            "a/assets/words.bin",
            "a/other.pt",
            "a/deep/net.pt",
            "notes.txt",
            "variables/x.index",
        ];
        let file = |key: &&str| ListedFile::readable((*key).to_owned(), 1, None);
        let found = groups(&keys.iter().map(file).collect::<Vec<_>>());
        let found: Vec<_> =
            found.iter().map(|g| (g.key.as_str(), g.folder, g.files.len())).collect();
        assert_eq!(
            found,
            [
                ("a", true, 5),
                ("a/deep/net.pt", false, 1),
                ("a/other.pt", false, 1),
                ("variables/x.index", false, 1),
            ]
        );
        let root = groups(
            &["saved_model.pb", "variables/variables.index"].iter().map(file).collect::<Vec<_>>(),
        );
        assert_eq!((root.len(), root[0].key.as_str(), root[0].files.len()), (1, "", 2));
    }

    #[test]
    fn a_folder_is_another_once_one_of_its_files_is() {
        let file =
            |etag: &str| ListedFile::readable("m/saved_model.pb".into(), 1, Some(etag.into()));
        assert_ne!(groups(&[file("1")])[0].etag, groups(&[file("2")])[0].etag);
    }
}
