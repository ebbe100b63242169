//! The rules of the family `PB`, made from the files in `rules/`.

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
