//! The rules of changes of operators, family `OP`, made from the files in `rules/`.

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
