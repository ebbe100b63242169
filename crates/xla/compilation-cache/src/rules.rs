//! The rules of this crate, family `JC`, made from the files in `rules/`.

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
