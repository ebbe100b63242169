//! The rules of the family `HD`, made from the files in `rules/`.

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
