//! The C declarations of the newest layout, made from `data/abi/`. Types only: nothing here is called.
#![allow(non_camel_case_types, reason = "the names of C")]

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
