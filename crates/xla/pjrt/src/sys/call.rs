//! Traits that the structs of the interface have in common.

use super::bindings::Function;
use crate::layout::{self, StructHistory};

/// A struct of the interface.
///
/// # Safety
/// It is `repr(C)`, and all its bytes may be zero.
pub unsafe trait Record: Copy + 'static {
    /// Its place among [`layout::structs`].
    const INDEX: usize;
    /// Whether its first word is `struct_size`.
    const ANNOUNCES_SIZE: bool;

    /// How the struct grew, from minor to minor.
    fn history() -> &'static StructHistory {
        &layout::structs()[Self::INDEX]
    }

    /// The struct with every field zero, null or none.
    fn zeroed() -> Self {
        // SAFETY: whoever implements the trait says that zeros are a value of it.
        unsafe { std::mem::zeroed() }
    }
}

/// The arguments of a function of the table.
pub trait Call: Record {
    /// The function that takes these arguments.
    const FUNCTION: Function;
}

/// The arguments of a function of an extension.
pub trait ExtensionCall: Record {
    /// The name of the extension that has it.
    const EXTENSION: &'static str;
    /// The function's name in the header.
    const SLOT: &'static str;
    /// Its place after the head of the extension, counted from 0.
    const INDEX: usize;
    /// Whether it returns an error or null, rather than nothing.
    const RETURNS_ERROR: bool;
}
