//! Opens whatever a path names and says what can be checked in it.
//!
//! | path | becomes |
//! | --- | --- |
//! | a model file, a checkpoint, a plug-in | one piece: the first boundary that recognizes it |
//! | a SavedModel folder | one piece under the folder's name, and its checkpoint |
//! | another folder | a piece for every file in it that a boundary recognizes |
//! | a wheel | the same for its members; the wheel of a released runtime is that [`Release`] |
//! | a format without a version (TensorFlow Lite, HDF5, ...) | one piece with nothing to check, and a note |
//!
//! What lies in an object store is opened by its URI ([`open_uri`]) if the feature `cloud` is on, and whatever has bytes by these ([`open_content`]):
//! the same readers judge it, by range.
//!
//! Boundaries are asked in the order of how sure their signs are: magic numbers first, bare protobuf
//! messages, which have none, last. A boundary that says "mine, but broken" ends the search with its
//! error; in a folder or a wheel that error stands beside the other pieces in
//! [`Artifact::problems`]. Folders are walked up to a depth and a number of files, and symbolic links
//! are not followed, but for those to pluggable devices of TensorFlow, which follows them too: two of the same
//! platform in one folder end its process. Members of a wheel are read where they lie; a shared object that must be loaded
//! to be known is copied to a temporary file.
//!
//! A plug-in is foreign code that may crash whoever loads it, so this crate loads none. What only
//! running code can tell comes from a child process, whose command the caller gives in [`OpenOptions`].
//!
//! ```
//! use unskew_artifact::{OpenOptions, open};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("notes.txt");
//! std::fs::write(&path, "no model").unwrap();
//! let error = open(&path, &OpenOptions::default()).unwrap_err();
//! assert!(error.to_string().ends_with("text, not a model"), "{error}");
//! ```
#![forbid(unsafe_code)]

mod archives;
mod artifact;
mod boundaries;
mod colocated_plugins;
mod compiler;
mod content;
mod convert;
mod copy;
mod device;
mod error;
mod folder;
mod hub_blobs;
mod ifrt;
mod location;
mod neighbourhood;
mod neighbours;
mod not_a_model;
mod open;
mod operators;
mod options;
mod other_kinds;
mod plugin;
mod recognize;
pub mod rules;
#[cfg(feature = "cloud")]
mod store;
#[cfg(not(feature = "cloud"))]
#[path = "no_store.rs"]
mod store;
mod target_name;
mod unversioned;
mod verify;
mod wheel;
mod wheel_path;

pub use artifact::{Artifact, Container, LabeledParty};
pub use boundaries::{endings_of, names_a_format};
pub use content::{ArtifactFile, Content};
pub use convert::{ConvertOptions, PlannedConversion, convert, convert_content};
pub use error::OpenError;
pub use hub_blobs::HubBlobs;
pub use neighbours::{Links, NeighbouringFiles, Neighbours};
pub use open::{open, open_content};
pub use operators::operators;
pub use options::{OpenOptions, RunPolicy};
pub use plugin::{compile_main, conform_main, probe_main};
pub use recognize::is_candidate;
pub use store::{is_uri, open_uri};
pub use target_name::TargetName;
pub use unskew_releases::Release;
pub use unskew_tensorflow::convert::{TEXT_TO_BYTES, VersionOptions};
pub use unskew_torch::PLAIN_CHECKPOINT;
pub use wheel_path::WheelPath;

/// Every rule of Unskew, in the order of the codes.
pub fn every_rule() -> impl Iterator<Item = &'static unskew_core::Rule> {
    let below = [
        unskew_c_headers::rules::RULES,
        unskew_core::rules::RULES,
        unskew_environments::rules::RULES,
        unskew_history::rules::RULES,
        unskew_lint::rules::RULES,
        unskew_protobuf::rules::RULES,
    ];
    let mut all: Vec<&unskew_core::Rule> = below.concat();
    all.extend(boundaries::rules());
    all.sort_by_key(|rule| rule.code);
    all.into_iter()
}
