//! The same rules on protobuf: for formats that others defined as messages.
//!
//! A message records the number of its format in a field of its own. What is written is byte for
//! byte what protobuf's own serializers write: fields in the order of their numbers, and nothing for
//! what is zero or empty, unless its presence means something. What is read may stand in any order; a
//! field that the format does not have, a field that stands twice where it may stand once, a nested
//! message that is not there, and an unknown number are errors.
//!
//! ```
//! use unskew_serdes::proto::{Message, decode, encode};
//! use unskew_serdes::{default_version, family};
//!
//! family!(Stored = "examples/stored.history.toml");
//!
//! #[derive(Debug, PartialEq, Message)]
//! #[message(family = Stored, name = "store.Sharding", version = 4)]
//! struct Sharding {
//!     #[field(1, repeated, int64)]
//!     axes: Vec<i64>,
//!     #[field(2, optional, string)]
//!     memory: Option<String>,
//!     // Readers of version 0 do not know it: a value that has some is refused for them.
//!     #[field(5, repeated, int64, since = 1)]
//!     unreduced: Vec<i64>,
//! }
//!
//! let sharding = Sharding { axes: vec![2, -1], memory: None, unreduced: vec![7] };
//! let bytes = encode(&sharding, default_version::<Stored>()).unwrap();
//! assert_eq!(bytes[..2], [0x0a, 11]); // a negative number takes ten bytes
//! assert_eq!(bytes[13..], [0x20, 1, 0x2a, 1, 7]); // its format, and the field that needs it
//! assert_eq!(decode::<Stored, Sharding>(&bytes).unwrap(), sharding);
//! ```
//!
//! # Deriving
//!
//! `#[derive(Message)]` makes the writer, the reader and the [`MessageDescription`] of a type from one
//! declaration. `#[message(...)]` says of the type:
//!
//! | | |
//! | --- | --- |
//! | `family = F`, `name = "..."` | where it belongs, and its name in descriptors |
//! | `version = N` | the field that holds the number of its format; without it, it has none of its own |
//! | `since = N` | the first version that has the type |
//! | `silent_since = N` | the same for a type that came without a number of its own |
//! | `removed_with_minimum = N` | builds whose minimum is N or later do not know it |
//! | `also = N` | another number that some writer recorded, read as the format below it |
//! | `as_requested` | what is recorded is the newest format that was requested, not the lowest |
//! | `type_name = "..."` | its name among types that are told apart by one |
//! | `check = path` | a function of the value that says what is wrong with it, for writer and reader |
//! | `serialized`, `serialized(N, "...")` | of an enumeration: one of several types by their `type_name`, alone or in a field |
//!
//! and `#[field(N, ...)]` of a field:
//!
//! | | |
//! | --- | --- |
//! | `int32`, `int64`, `bool`, `sfixed64`, `fixed64`, `float`, `string`, `bytes`, `enumeration`, `message` | its kind |
//! | `opaque = "..."` | a message of others, kept as bytes: a type that is made of them and gives them |
//! | `optional`, `repeated`, `always` | it may be absent; there are many; it is written even if it is empty |
//! | `since = N` | its first version; a value that has it is recorded with that number |
//! | `silent_since = N` | the same for a field that came without a number: older readers drop it, so they are not given it |
//! | `oneof = "..."` | the choice that it belongs to; of these fields one may be there |
//! | `name = "..."` | its name in descriptors, if it has another here |
//!
//! An enumeration with a field for each variant is a message that is one choice. `#[derive(Enumeration)]`
//! makes the numbers of an `enumeration`.
//!
//! Raising the family's floor makes every `since` that no living version needs a compile error, as for
//! types of our own format:
//!
//! ```compile_fail,E0080
//! use unskew_serdes::{family, proto::Message};
//! // Its floor is 1: nothing below is read any more.
//! family!(Raised = "examples/raised.history.toml");
//!
//! #[derive(Message)]
//! #[message(family = Raised, name = "store.Sharding", version = 4)]
//! struct Sharding {
//!     // "every version that is still read has it: remove its since"
//!     #[field(5, repeated, int64, since = 1)]
//!     unreduced: Vec<i64>,
//! }
//! ```

mod describe;
mod read;
mod write;

pub use describe::{
    Enumeration, EnumerationDescription, FieldDescription, FieldKind, FieldLabel,
    MessageDescription, NamedMessage, SinceVersion, ValueDescription,
};
pub use read::{NamedContents, WireField, WireFields, WireValue};
#[cfg(feature = "derive")]
pub use unskew_serdes_derive::{Enumeration, Message};
pub use write::ProtoEncoder;

use crate::{DecodeError, EncodeError, Family, FamilyVersion};

/// A type that is written as a protobuf message.
pub trait Message<F: Family>: Sized {
    /// Its name in errors.
    const NAME: &'static str;

    /// What it looks like at every version.
    const DESCRIPTION: &'static MessageDescription;

    /// Writes its fields, rising, in the version of the writer.
    ///
    /// # Errors
    /// [`EncodeError`] if that version cannot hold the value.
    fn write(&self, to: &mut ProtoEncoder<'_, F>) -> Result<(), EncodeError>;

    /// Reads its fields.
    ///
    /// # Errors
    /// [`DecodeError`] with the place.
    fn read(from: WireFields<'_, F>) -> Result<Self, DecodeError>;
}

/// Writes a message for readers of `version`.
///
/// # Errors
/// [`EncodeError`] with the path of the field that the version cannot hold.
pub fn encode<F: Family, M: Message<F>>(
    message: &M,
    version: FamilyVersion<F>,
) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::new();
    message.write(&mut ProtoEncoder::new(&mut out, version))?;
    Ok(out)
}

/// Reads a message, which takes all of `bytes`.
///
/// # Errors
/// [`DecodeError`] with the place.
pub fn decode<F: Family, M: Message<F>>(bytes: &[u8]) -> Result<M, DecodeError> {
    M::read(WireFields::new(bytes, M::NAME))
}

/// What a box holds: messages that can stand in themselves.
impl<F: Family, M: Message<F>> Message<F> for Box<M> {
    const NAME: &'static str = M::NAME;
    const DESCRIPTION: &'static MessageDescription = M::DESCRIPTION;

    fn write(&self, to: &mut ProtoEncoder<'_, F>) -> Result<(), EncodeError> {
        M::write(self, to)
    }

    fn read(from: WireFields<'_, F>) -> Result<Self, DecodeError> {
        M::read(from).map(Self::new)
    }
}
