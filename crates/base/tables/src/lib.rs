//! Embeds a TOML data file as JSON, which a program reads faster.
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
#![forbid(unsafe_code)]

use std::path::Path;
use std::{env, fs};

use proc_macro::{Delimiter, Group, Literal, TokenStream, TokenTree};
use serde_json::{Map, Number, Value};

/// The contents of a TOML file, as `&'static str` of JSON.
#[proc_macro]
pub fn toml_as_json(input: TokenStream) -> TokenStream {
    expand(&input.to_string()).unwrap_or_else(|fault| quoted("compile_error!(", &fault, ")"))
}

/// The expression for a path as it stands in the source, in quotes. The compiler reads the file a second time, so that
/// it knows when to compile again.
fn expand(input: &str) -> Result<TokenStream, String> {
    let path = input.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let path = path.ok_or("one path in quotes is wanted")?;
    let root = env::var("CARGO_MANIFEST_DIR").map_err(|error| error.to_string())?;
    let file = Path::new(&root).join(path);
    let fault = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = fs::read_to_string(&file).map_err(|error| fault(&error))?;
    let table: toml::Table = text.parse().map_err(|error| fault(&error))?;
    let json = json(toml::Value::Table(table)).map_err(|error| fault(&error))?.to_string();
    let watched = file.to_str().ok_or_else(|| fault(&"the path is not UTF-8"))?;
    let mut body = quoted("const _: &[u8] = ::core::include_bytes!(", watched, ");");
    body.extend([TokenTree::from(Literal::string(&json))]);
    Ok(TokenTree::from(Group::new(Delimiter::Brace, body)).into())
}

/// Source text with a string literal in its middle.
fn quoted(before: &str, text: &str, after: &str) -> TokenStream {
    format!("{before}{}{after}", Literal::string(text)).parse().unwrap_or_default()
}

fn json(value: toml::Value) -> Result<Value, String> {
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
            Value::Object(entries.collect::<Result<Map<_, _>, String>>()?)
        }
    })
}
