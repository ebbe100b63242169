//! Limits of what is taken into memory of a file. A real file stays far below; a hostile one is refused.

/// The most bytes of one structural record: a code file, a pickle, a JSON description.
pub const RECORD: u64 = 64 << 20;

/// How deep messages, pickles and types may nest.
pub const DEPTH: usize = 100;

/// The most members of an archive.
pub const MEMBERS: usize = 400_000;
