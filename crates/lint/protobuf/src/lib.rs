//! Protobuf files, read without a compiler, and what changed between two states of them.
//!
//! On the wire a message is numbers and bytes: a field is its number and one of five wire types, and whatever
//! else a `.proto` says of it is known to the two sides only. So a change is judged by what happens to bytes that
//! are written by one side and read by the other, which need not be of the same age.
//!
//! [`ProtoFile`] is one file as it was read, from text or from a set of descriptors; [`Schema`] is all of them with
//! every name resolved. What cannot be read is a [`ProtoProblem`] with its line, and the declarations around it count.
//!
//! Not every message lives equally long. A [`MessageScope`] says whether its bytes are kept ([`MessageScope::Persisted`], what is
//! taken if nothing is said), exchanged between two processes ([`MessageScope::Rpc`], what the messages of a service
//! are), or live and die in one program ([`MessageScope::Scratch`]). It is said in a comment or in `unskew.toml`:
//!
//! ```text
//! // unskew: scratch
//! message TunedOnce { ... }
//! ```
//!
//! A message inside one that is kept is kept itself, whatever is said of it.
//!
//! ```
//! use unskew_source::Files;
//! use unskew_kinds::{InterfaceKind, CompareOptions};
//! use unskew_protobuf::Protobuf;
//!
//! let file = |text: &str| Files::from_iter([("thing.proto", text)]);
//! let old = file("syntax = \"proto3\"; message Thing { int32 size = 1; string name = 2; }");
//! let new = file("syntax = \"proto3\"; message Thing { sint32 size = 1; bytes data = 2; }");
//! let found = Protobuf.compare(&old, &new, &CompareOptions::default())?;
//! let codes: Vec<_> = found.changes.iter().map(|change| change.finding.rule.code).collect();
//! // The name is read as data, the size as another number.
//! assert_eq!(codes, ["PB101", "PB202"]);
//! # Ok::<(), unskew_source::NotRead>(())
//! ```
#![forbid(unsafe_code)]

mod change;
mod compatibility;
mod descriptor;
mod enumeration;
mod field;
mod index;
mod message;
mod model;
mod options;
mod parse;
mod proto_kind;
mod rename;
pub mod rules;
mod schema;
mod scope;
mod service;
mod token;
mod version;
mod weight;

pub use descriptor::Descriptors;
pub use model::{
    FieldCardinality, Method, Presence, ProtoEnum, ProtoEnumValue, ProtoField, ProtoFile,
    ProtoMessage, ProtoProblem, ProtoScalar, ProtoService, ProtoType, Range,
};
pub use proto_kind::Protobuf;
pub use schema::Schema;
pub use scope::MessageScope;
