//! The rules of this crate, family `CO`, made from the files in `rules/`.

#![allow(clippy::wildcard_imports, reason = "the generated file uses the model of this crate")]

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
