//! Notices: no errors, and yet to be told.

use super::{InterfaceVersion, StructContract};

/// Something that a reader noticed of a struct of another producer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Notice {
    /// A field that is on its way out holds something.
    #[error("{structure}.{field} is deprecated since {since} and is set{}", instead(*replaced_by))]
    DeprecatedField {
        /// The name of the struct in C.
        structure: &'static str,
        /// The name of the deprecated field in C.
        field: &'static str,
        /// The version in which it was deprecated.
        since: InterfaceVersion,
        /// What to set in its place.
        replaced_by: Option<&'static str>,
    },
    /// The whole struct is on its way out.
    #[error("{structure} is deprecated since {since}{}", instead(*replaced_by))]
    DeprecatedStruct {
        /// The name of the struct in C.
        structure: &'static str,
        /// The version in which it was deprecated.
        since: InterfaceVersion,
        /// What to make in its place.
        replaced_by: Option<&'static str>,
    },
    /// The announced size is that of no version: it ends within a field.
    #[error(
        "{structure} announces {announced} bytes, which end within {field}; it is taken as absent"
    )]
    EndsWithinField {
        /// The name of the struct in C.
        structure: &'static str,
        /// The field within which the announced size ends.
        field: &'static str,
        /// What is announced, in bytes.
        announced: usize,
    },
    /// The producer set something that this side does not know.
    #[error(transparent)]
    UnknownTail(#[from] UnknownTail),
}

/// Bytes behind what this side knows of a struct, which are not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{structure} has {announced} bytes of which {known} are known here, and byte {at} is set: its producer is newer and relies on a field that would be ignored"
)]
pub struct UnknownTail {
    /// The name of the struct in C.
    pub structure: &'static str,
    /// What is announced, in bytes.
    pub announced: usize,
    /// Where what is known here ends.
    pub known: usize,
    /// The first byte behind that is not zero.
    pub at: usize,
}

fn instead(replaced_by: Option<&str>) -> String {
    replaced_by.map_or(String::new(), |name| format!("; use {name}"))
}

impl Notice {
    pub(super) fn of_struct(contract: &StructContract) -> Option<Self> {
        let deprecated = contract.deprecated?;
        Some(Self::DeprecatedStruct {
            structure: contract.name,
            since: deprecated.since,
            replaced_by: deprecated.replaced_by,
        })
    }
}
