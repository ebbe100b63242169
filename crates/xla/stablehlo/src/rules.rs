//! The rules of this crate, family `SH`, made from the files in `rules/`.

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
