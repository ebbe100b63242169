//! C headers as contracts: what two sides of an interface must agree on, and what changed in it.
//!
//! A promise about versions is kept or broken in a header: a field is appended or inserted, a size
//! macro is moved along or forgotten, the version number is raised or not. Three steps lead to a verdict:
//!
//! 1. [`header`] reads the declarations of C headers without a compiler, because several of the headers
//!    that matter do not compile on their own: they lack a `struct`, or are C++ in one branch and C in the
//!    other;
//! 2. [`contract`] finds in them what two sides must agree on: structs that may grow and the sizes that are
//!    announced for them, tables of functions, extensions, enumerations, versions;
//! 3. [`change`] compares two contracts, says of every change what it does and which number it raises under
//!    a policy, and whether that number was raised.
//!
//! [`Headers`] puts the three together as a kind of files; [`debug`] reads the same contract from the debug information
//! of a shared object, which knows where the compiler put every field.
//!
//! Every kind of change in a header is a rule of the family `HD`, a file in `rules/` with a pair of headers on which it
//! fires and one on which it does not; policies are files in `data/policies/`.
//!
//! ```
//! use unskew_c_headers::header::{Header, Layouts};
//!
//! let header = Header::read(b"
//!     // Asks for the name of a thing.
//!     struct Thing_Name_Args {
//!       size_t struct_size;
//!       const char* name;  // out
//!       bool known;        // out
//!     };
//!     DEFINE_STRUCT_TRAITS(Thing_Name_Args, name);
//! ");
//! assert!(header.problems.is_empty());
//! let mut layouts = Layouts::for_headers([&header]);
//! let layout = layouts.layout("Thing_Name_Args")?;
//! assert_eq!((layout.end, layout.size), (17, 24));
//! // The macro that announces the size names another field than the last one.
//! let announced = header.announced().next().ok_or("none")?;
//! assert_eq!(layout.end_of(&announced.last_field), Some(16));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod change;
pub mod contract;
pub mod debug;
pub mod header;
mod header_kind;
pub mod rules;

pub use header_kind::Headers;
