//! Shared objects that were built at another time: what they say without being run, how they are
//! loaded, and how a C struct is read that may be longer or shorter than one expects.
//!
//! Device plug-ins are shared objects with a C interface. Two questions come before every other:
//!
//! * *What is it?* [`SharedObject::read`] answers from the file alone: the format and the machine,
//!   the exported and imported symbols, the libraries that it needs. Plug-ins have up to 640 MB; only
//!   headers and dynamic tables are read, by range, so the answer costs a few milliseconds.
//! * *What does it say of itself?* That takes running it: [`Library::open`] loads it, with every
//!   symbol bound at once and none of them visible to others. Foreign code runs from then on, so
//!   tools that only look do this in a child process, confined by
//!   the [`sandbox`].
//!
//! Both C interfaces that Unskew speaks grow by the same **extensible struct contract**: the first
//! word of every struct is `struct_size`, its size as its maker knew it. Fields are only ever
//! appended, so the reader compares: a field that ends at or before `struct_size` is there, a later
//! one is absent. [`has_field`] is that rule, and [`ForeignStruct`] reads by no other.
//!
//! ```
//! use std::sync::Arc;
//! use unskew_abi::{SharedObject, has_field};
//! use unskew_source::{BytesSource, Source};
//!
//! // A text is no shared object, and that is no error.
//! let source: Arc<dyn Source> = Arc::new(BytesSource::new("notes.txt", b"not a library".to_vec()));
//! assert!(SharedObject::read(&source).unwrap().is_none());
//!
//! // An 80-byte struct has the field that ends at 80, not the one that was appended up to 88.
//! assert!(has_field(80, 80));
//! assert!(!has_field(80, 88));
//! ```
//!
//! The module [`contract`] is the whole of it: structs that are declared once, for producers and
//! consumers of any age.
//!
//! `unsafe` is allowed in the modules of [`ForeignStruct`] and [`Library`], in those of `contract`
//! that read and write foreign memory, and in those of `sandbox` that talk to the kernel.

#[cfg(feature = "objects")]
pub mod child;
pub mod contract;
mod extensible;
pub mod fingerprints;
#[cfg(feature = "objects")]
mod library;
mod panic;
#[cfg(feature = "objects")]
pub mod sandbox;
#[cfg(feature = "objects")]
mod shared_object;

/// The days in this crate's API are `jiff::civil::Date`, of this release of `jiff`.
pub use jiff;

pub use extensible::{ForeignStruct, Implausible, LARGEST_STRUCT, has_field};
#[cfg(feature = "objects")]
pub use library::{Library, LibraryError};
pub use panic::{Panicked, caught};
#[cfg(feature = "objects")]
pub use shared_object::{Import, ObjectFormat, SharedObject, code_around, sections};
