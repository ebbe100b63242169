//! Versioned serialization for readers of any age.
//!
//! A *family* of formats has one version line, with dates. It is incremented whenever any type of
//! the family is written in a new way. A writer is told for which version to write, by whoever knows
//! the reader; the value and everything in it is written for that version, or not at all. A reader is
//! told nothing: every value carries the number of its own format.
//!
//! ```
//! use unskew_serdes::{Format, default_version, family, read, write};
//!
//! family!(/** What our service stores. */ pub Stored = "examples/stored.history.toml");
//!
//! #[derive(Debug, PartialEq, Format)]
//! #[format(family = Stored)]
//! struct Sharding {
//!     axes: Vec<u32>,
//!     // Readers of version 0 do not know it: a value that has some is refused for them.
//!     #[format(since = 1)]
//!     unreduced: Vec<u32>,
//! }
//!
//! let sharding = Sharding { axes: vec![2, 4], unreduced: vec![] };
//! let mut bytes = Vec::new();
//! write(&sharding, default_version::<Stored>(), &mut bytes).unwrap();
//! assert_eq!(read::<Stored, Sharding>(&bytes).unwrap(), sharding);
//! ```
//!
//! # How a version is come by
//!
//! There is no version to write but from an accessor, and nested values have none to choose:
//!
//! * [`default_version`]: the current one, for readers of the same build. In bad-default mode it
//!   fails, so that a test finds where a requested version was forgotten;
//! * [`WeekNOld`]: one that builds of some weeks ago read, computed from the days on which versions
//!   landed and from the day that the caller says it is;
//! * [`Any`]: any that is still written, range-checked; usually what [`negotiate`] agreed on.
//!
//! The last two are capabilities, which only the module that declares the family can hand out:
//!
//! ```compile_fail,E0624
//! mod formats {
//!     unskew_serdes::family!(pub Stored = "examples/stored.history.toml");
//! }
//! // `access` is private to the module `formats`.
//! let old = formats::Stored::access().any().get(0);
//! ```
//!
//! and a writer's version is its own: what is nested cannot be written in another.
//!
//! ```compile_fail,E0451
//! use unskew_serdes::{Family, Format, EncodeError, Encoder, default_version};
//! fn write_nested<F: Family, T: Format<F>>(
//!     value: &T,
//!     to: &mut Encoder<'_, F>,
//! ) -> Result<(), EncodeError> {
//!     // The fields of a writer are private: there is no other writer on the same output.
//!     let mut other = Encoder { version: default_version::<F>(), ..*to };
//!     value.write(&mut other)
//! }
//! ```
//!
//! # What a derive is told
//!
//! Of a type: `family = Stored`; `since = 2` if it is younger than the family; `view` for a borrowed
//! view too; of an enumeration `plain` if it has no format of its own.
//!
//! Of a field: `since = 1` and `until = 3`, the versions that have it; `default = 1.0`, what a reader of
//! another version puts there; `skippable`; and if its type changed, the older one with the ways there
//! and back, which may fail:
//!
//! ```
//! # use unskew_serdes::{Format, family};
//! # family!(Stored = "examples/stored.history.toml");
//! #[derive(Format)]
//! #[format(family = Stored)]
//! struct Shape {
//!     #[format(was(Vec<u32>, until = 0, read = widened, write = narrowed))]
//!     extents: Vec<u64>,
//! }
//!
//! fn widened(extents: Vec<u32>) -> Result<Vec<u64>, String> {
//!     Ok(extents.into_iter().map(u64::from).collect())
//! }
//!
//! fn narrowed(extents: &[u64]) -> Result<Vec<u32>, std::num::TryFromIntError> {
//!     extents.iter().map(|extent| u32::try_from(*extent)).collect()
//! }
//! ```
//!
//! Of a variant: `id = 7`, the number that it keeps; `since` and `until`.
//!
//! # What is recorded
//!
//! A type's *formats* are the versions at which its own fields changed. What is recorded is the
//! number of a format, never the requested version: the lowest format that holds the value
//! ([`FormatRecording::Lowest`]), so that the most readers take it, or the newest that was requested
//! ([`FormatRecording::AsRequested`]).
//!
//! A field that the requested version does not have, and that holds something else than its default,
//! is an [`EncodeError`] with its path. A field marked `skippable` is written for every version, behind
//! the others: readers that do not know it skip it, by the policy of whoever marked it. Unknown
//! formats, enumeration values and trailing bytes are errors, never defaults.
//!
//! # Reading without allocating
//!
//! [`read`] makes a value; [`read_into`] fills one that is there, and makes room only where it is too small; [`view`] leaves
//! texts and lists where they lie, and checks all that the others check.
//!
//! # Removing
//!
//! Raising the family's floor makes every `since` and `until` that no living version needs a compile
//! error with the edit to make:
//!
//! ```compile_fail,E0080
//! use unskew_serdes::{Format, family};
//! // Its floor is 1: nothing below is read any more.
//! family!(Raised = "examples/raised.history.toml");
//!
//! #[derive(Format)]
//! #[format(family = Raised)]
//! struct Sharding {
//!     axes: Vec<u32>,
//!     // "every version that is still read has it: remove its since, and say since = 1 at the type"
//!     #[format(since = 1)]
//!     unreduced: Vec<u32>,
//! }
//! ```
//!
//! and the same holds for an `until` that no living version needs. The type keeps counting its formats
//! from there, so that bytes with the field are never read as bytes without it:
//!
//! ```compile_fail,E0080
//! use unskew_serdes::{Format, family};
//! family!(Raised = "examples/raised.history.toml");
//!
//! #[derive(Format)]
//! #[format(family = Raised)]
//! struct Sharding {
//!     axes: Vec<u32>,
//!     // "no version that is still read has it: remove the field, and say since = 1 at the type"
//!     #[format(until = 0)]
//!     legacy: Vec<u32>,
//! }
//! ```
//!
//! The module [`guard`] holds a family against what earlier builds wrote.
//!
//! This crate needs nothing else of Unskew. It implements the document *IFRT SerDes Version
//! Management* for any types.
#![deny(unsafe_code)]

mod access;
mod container;
#[doc(hidden)]
pub mod derive_support;
mod family;
mod format;
pub mod guard;
mod negotiate;
mod number;
pub mod proto;
mod read;
mod registry;
mod schema;
mod text;
mod view;
mod write;

pub use access::{Access, Any, BAD_DEFAULT_VARIABLE, OutOfRange, WeekNOld, default_version};
pub use family::{Family, FamilyVersion, VersionEntry};
pub use format::Format;
/// The days in this crate's API are `jiff::civil::Date`, of this release of `jiff`.
pub use jiff;
pub use negotiate::{NegotiationError, VersionFloor, VersionOffer, negotiate};
pub use read::{DecodeError, DecodeProblem, Decoder, read, read_into};
pub use registry::{Polymorphic, StableName, TypeRegistry};
pub use schema::FormatSchema;
#[cfg(feature = "derive")]
pub use unskew_serdes_derive::{Format, family};
pub use view::{NumberList, Viewed, ViewedList, ViewedNumber, view};
pub use write::{
    EncodeError, EncodeProblem, Encoder, FieldPath, FormatRecording, MAX_DEPTH, write, write_as,
};
