//! The rules of this crate, made from `rules/*.toml`.

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
