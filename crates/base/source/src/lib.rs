//! Ranged reading: a local file, a member of an archive and a value in memory are one [`Source`].
//!
//! A check costs what the *structure* of a file costs, not what its weights cost. So nothing here
//! reads a whole file, and nothing maps one into memory (a file that shrinks under a map kills the
//! process): readers ask for ranges, and skip what they do not need.
//!
//! * [`Source`]: positioned reads; [`FileSource`], [`BytesSource`], [`Slice`] (a part of another);
//! * [`Archive`]: a zip archive over a source; a stored member is again a source of its own, so the
//!   tensors in it are never read;
//! * [`ArchiveOutput`]: a zip archive that is mostly made of the members of others, copied as they stand;
//! * [`wire`]: the fields of a protobuf message over a source, payloads skipped unless asked for;
//! * [`flatbuffer`]: the tables of a flatbuffer over a source;
//! * [`Assembly`]: an output of copied ranges and new bytes, which is a source too; [`ConvertedArtifact`]: a file or a
//!   folder of them; [`OutputFile`]: a file that appears whole or not at all;
//! * [`unfinished`]: what is being written, and what killed writers leave behind;
//! * [`Files`]: texts of a folder, read whole, for whoever compares two states of them;
//! * [`ReadError`]: what could not be read, with the file, the record, the byte and the cause.
//!
//! Input is hostile until parsed. Every read into memory has a limit ([`limits`]), all reads of a file and of
//! what lies in it have a [`Budget`] together, every addition of offsets is checked, nothing panics on any
//! bytes. Only regular files are opened ([`open_regular`]): a pipe would wait, a device would never end.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_source::{BytesSource, Source, SourceExt};
//!
//! let file: Arc<dyn Source> = Arc::new(BytesSource::new("net.pt", b"PK\x03\x04...".to_vec()));
//! assert_eq!(file.bytes(0, 4).unwrap(), b"PK\x03\x04");
//! let error = file.bytes(4, 100).unwrap_err();
//! assert_eq!(error.to_string(), "net.pt, byte 4: ends after 7 bytes, 104 needed");
//! ```
#![forbid(unsafe_code)]

#[cfg(feature = "archives")]
mod archive;
#[cfg(feature = "archives")]
mod archive_output;
mod assembly;
pub mod budget;
mod cache_folder;
mod copy;
#[cfg(feature = "output")]
mod destination;
mod error;
mod files;
pub mod flatbuffer;
#[cfg(feature = "archives")]
mod inflater;
#[cfg(feature = "archives")]
mod inflating;
#[cfg(feature = "json")]
mod json;
pub mod limits;
#[cfg(feature = "output")]
mod output;
mod regular;
mod rope;
mod source;
mod source_reader;
#[cfg(feature = "output")]
pub mod unfinished;
pub mod wire;

#[cfg(feature = "archives")]
pub use archive::{Archive, ArchiveMember, Directory, RawMember};
#[cfg(feature = "archives")]
pub use archive_output::ArchiveOutput;
pub use assembly::{Assembly, AssemblyPiece};
pub use budget::{Budget, Exhausted, Resource};
#[cfg(feature = "output")]
pub use cache_folder::cache_folder;
pub use destination::make_folder;
pub use error::{ReadError, SourceProblem};
pub use files::{Files, LARGEST_TEXT, NotRead};
#[cfg(feature = "json")]
pub use json::read_json;
#[cfg(feature = "output")]
pub use output::{ConvertedArtifact, OutputFile};
pub use regular::{open_regular, read_regular, read_text};
pub use rope::Rope;
pub use source::{BytesSource, FileSource, Slice, Source, SourceExt};
pub use source_reader::{ChargedReader, SourceReader};
