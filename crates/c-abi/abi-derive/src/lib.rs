//! The macro of `unskew-abi`; see its module `contract` for what it makes and why.
//!
//! `#[derive(Extensible)]` reads the declaration of a `#[repr(C)]` struct and makes its contract as data,
//! a reader and a writer for structs of other producers, and compile errors for what no declaration may
//! break.
#![forbid(unsafe_code)]

mod attributes;
mod expand;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Declares a struct that grows: see `unskew_abi::contract`.
#[proc_macro_derive(Extensible, attributes(extensible))]
pub fn extensible(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
