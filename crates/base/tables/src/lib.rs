//! Embeds data files in a form that a program reads faster, or that is smaller.
//!
//! # TOML as JSON
//!
//! People write the data files of a boundary in TOML; a program that reads one when it starts spends most of its time
//! in the lexer of TOML. So the file is read when the crate is compiled, and what the program holds is the same in
//! JSON. A file that is not TOML is an error of the compiler, with the line.
//!
//! ```
//! let text: &str = unskew_tables::toml_as_json!("tests/data/example.toml");
//! assert_eq!(text, r#"{"row":[{"landed":"2024-11-07","number":1,"share":0.5}],"title":"one \"row\""}"#);
//! ```
//!
//! The path begins at the folder of the crate's `Cargo.toml`. Keys are sorted. A date becomes text, `"2024-11-07"`. TOML has numbers
//! that JSON lacks, infinity and NaN: they are refused.
//!
//! ```compile_fail
//! let text: &str = unskew_tables::toml_as_json!("tests/data/missing.toml");
//! ```
//!
//! [`toml_table`](toml_table!) reads it too: the value has the type of its place. A file that is not of that type ends the program,
//! so that a broken table is found by the first test, and not taken for an empty one.
//!
//! ```
//! #[derive(serde::Deserialize)]
//! struct Example {
//!     title: String,
//! }
//! let example: Example = unskew_tables::toml_table!("tests/data/example.toml");
//! assert_eq!(example.title, "one \"row\"");
//! ```
//!
//! # A compressed text
//!
//! What few commands read lies in the program by LZ4, and is decompressed when it is first asked for. The path may begin with
//! `OUT_DIR/`, for what a build script makes.
//!
//! ```
//! let packed: &'static unskew_core::CompressedText = unskew_tables::packed_text!("tests/data/rows.tsv");
//! assert!(packed.text().starts_with("#releases\t1.10.2 1.13.1\n"));
//! ```
//!
//! # Rows in compressed blocks
//!
//! The definitions of all releases of a runtime are a sorted text that is ten times as large as what is in it. It is
//! compressed in blocks, so that a program decompresses those of the names that it looks for.
//!
//! ```
//! let blocks = unskew_tables::packed_rows!("tests/data/rows.tsv");
//! let rows = unskew_definitions::Rows::from_text(blocks).unwrap();
//! assert_eq!(rows.named("aten::gelu").count(), 2);
//! ```
//!
//! A file whose first line does not begin with `#releases` is an error of the compiler.
//!
//! ```compile_fail
//! let blocks = unskew_tables::packed_rows!("tests/data/example.toml");
//! ```
#![forbid(unsafe_code)]

mod file;
mod packed;

use proc_macro::{Literal, TokenStream, TokenTree};
use serde_json::{Map, Number, Value};

/// The contents of a TOML file, as `&'static str` of JSON.
#[proc_macro]
pub fn toml_as_json(input: TokenStream) -> TokenStream {
    file::embed(&input.to_string(), |text| {
        let table: toml::Table = text.parse().map_err(|error| format!("{error}"))?;
        let json = json(toml::Value::Table(table)).map_err(str::to_owned)?.to_string();
        Ok(TokenTree::from(Literal::string(&json)).into())
    })
}

/// The value that a TOML file describes, of the type of its place. The crate that calls it depends on `serde_json`.
///
/// # Panics
/// What it expands to does, if the file is not of that type.
#[proc_macro]
pub fn toml_table(input: TokenStream) -> TokenStream {
    let name = input.to_string();
    let json = toml_as_json(input);
    let fault = Literal::string(&format!("a table of this program: {}", name.trim_matches('"')));
    format!(
        "{{ #[expect(clippy::expect_used, reason = \"part of the program\")] \
         let table = ::serde_json::from_str({json}).expect({fault}); table }}"
    )
    .parse()
    .unwrap_or_default()
}

/// The contents of a file, as `&'static unskew_core::CompressedText`. The crate that calls it depends on `unskew-core`.
#[proc_macro]
pub fn packed_text(input: TokenStream) -> TokenStream {
    file::embed(&input.to_string(), packed::whole)
}

/// The rows of a file, as `&'static unskew_definitions::Blocks`. The crate that calls it depends on `unskew-definitions` and
/// `unskew-core`.
#[proc_macro]
pub fn packed_rows(input: TokenStream) -> TokenStream {
    file::embed(&input.to_string(), packed::in_blocks)
}

fn json(value: toml::Value) -> Result<Value, &'static str> {
    Ok(match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Boolean(truth) => Value::Bool(truth),
        toml::Value::Datetime(day) => Value::String(day.to_string()),
        toml::Value::Float(number) => {
            Value::Number(Number::from_f64(number).ok_or("JSON has no such number")?)
        }
        toml::Value::Array(rows) => rows.into_iter().map(json).collect::<Result<_, _>>()?,
        toml::Value::Table(table) => {
            let entries = table.into_iter().map(|(key, value)| Ok((key, json(value)?)));
            Value::Object(entries.collect::<Result<Map<_, _>, &'static str>>()?)
        }
    })
}
