//! A limit of all readers.

/// How deeply declarators, records and expressions may be nested.
pub(crate) const DEPTH: usize = 64;
