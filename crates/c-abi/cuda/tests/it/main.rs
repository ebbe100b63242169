//! Integration tests of this crate, one program.

mod made;
mod objects;
