//! Integration tests, as one program.

mod explain;
