//! The rules of a registry that does not bridge what changed, family `OP3`, made from the files in `rules/`.

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
