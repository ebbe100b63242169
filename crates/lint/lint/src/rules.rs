//! The rules of the families `PO` and `SD`, made from the files in `rules/`.

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
