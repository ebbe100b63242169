//! The macros of `unskew-serdes`; see there for what they make and why.
//!
//! * `family!` reads a dated history and makes a family of it, or a compile error that says what is
//!   wrong with the history;
//! * `#[derive(Format)]` makes the writer and the reader of a type, for every version from the
//!   family's minimum on. Fields and variants that no living version lacks or has are compile errors:
//!   raising the minimum shows every line that is to go;
//! * `#[derive(Message)]` and `#[derive(Enumeration)]` make the same of protobuf messages that others
//!   defined, and a description of them as data.
#![forbid(unsafe_code)]

mod attributes;
mod choice;
mod enumeration;
mod family;
mod formats;
mod message;
mod numbers;
mod proto_attributes;
mod structure;
mod view;

use proc_macro::TokenStream;
use syn::{Data, DeriveInput, parse_macro_input};

/// Makes a family of formats of a dated history: see `unskew_serdes::family!`.
#[proc_macro]
pub fn family(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as family::FamilyInput);
    family::expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes the writer and the reader of a type: see `unskew_serdes::Format`.
#[proc_macro_derive(Format, attributes(format))]
pub fn format(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let expanded = match &input.data {
        Data::Struct(data) => structure::expand(&input, data),
        Data::Enum(data) => enumeration::expand(&input, data),
        Data::Union(_) => Err(syn::Error::new_spanned(&input, "a union cannot be written")),
    };
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes the writer, the reader and the description of a protobuf message: see
/// `unskew_serdes::proto`.
#[proc_macro_derive(Message, attributes(message, field))]
pub fn message(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let expanded = match &input.data {
        _ if !input.generics.params.is_empty() => {
            Err(syn::Error::new_spanned(&input.generics, "a message has no parameters"))
        }
        Data::Struct(data) => message::expand(&input, data),
        Data::Enum(data) => choice::expand(&input, data),
        Data::Union(_) => Err(syn::Error::new_spanned(&input, "a union cannot be written")),
    };
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes the numbers of an enumeration in a protobuf message: see `unskew_serdes::proto`.
#[proc_macro_derive(Enumeration, attributes(enumeration, value))]
pub fn enumeration(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let expanded = match &input.data {
        Data::Enum(data) => numbers::expand(&input, data),
        _ => Err(syn::Error::new_spanned(&input, "wanted an enumeration")),
    };
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}
