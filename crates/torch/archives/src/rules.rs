//! The rules of this crate, families `PT` (archives) and `OP` (operators), made from `rules/`.

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
