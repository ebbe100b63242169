//! From files to artifacts: most are one file, a SavedModel is several.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

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
            let ListedFile { key, size, etag } = file.clone();
            groups.push(Group { key, folder: false, size, etag, files: vec![at] });
        }
    }
    groups.extend(saved.into_iter().map(|(key, places)| folder(key, places, files)));
    groups.sort_by(|a, b| a.key.cmp(&b.key));
    groups
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
        let ListedFile { key, size, etag } = &files[*at];
        state.update(format!("{key}\n{size}\n{}\n", etag.as_deref().unwrap_or_default()));
    }
    let digest: String =
        state.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    Group { key, folder: true, size, etag: Some(format!("folder-{digest}")), files: places }
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
        let file = |key: &&str| ListedFile { key: (*key).to_owned(), size: 1, etag: None };
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
        let file = |etag: &str| ListedFile {
            key: "m/saved_model.pb".into(),
            size: 1,
            etag: Some(etag.into()),
        };
        assert_ne!(groups(&[file("1")])[0].etag, groups(&[file("2")])[0].etag);
    }
}
