//! File that a macro names, read while the crate is compiled.

use std::path::Path;
use std::{env, fs};

use proc_macro::{Delimiter, Group, Literal, TokenStream, TokenTree};

/// What `made` makes of the text of a file, whose path stands in the source in quotes; else an error of the compiler that
/// names the file.
pub(crate) fn embed(
    input: &str,
    made: impl FnOnce(&str) -> Result<TokenStream, String>,
) -> TokenStream {
    let embedded = expression(input, made);
    embedded.unwrap_or_else(|fault| quoted("compile_error!(", &fault, ")"))
}

/// The compiler reads the file a second time, so that it knows when to compile again.
fn expression(
    input: &str,
    made: impl FnOnce(&str) -> Result<TokenStream, String>,
) -> Result<TokenStream, String> {
    let path = input.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let path = path.ok_or("one path in quotes is wanted")?;
    let (root, path) = match path.strip_prefix("OUT_DIR/") {
        Some(path) => ("OUT_DIR", path),
        None => ("CARGO_MANIFEST_DIR", path),
    };
    let root = env::var(root).map_err(|error| format!("{root}: {error}"))?;
    let file = Path::new(&root).join(path);
    let fault = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = fs::read_to_string(&file).map_err(|error| fault(&error))?;
    let watched = file.to_str().ok_or_else(|| fault(&"the path is not UTF-8"))?;
    let mut body = quoted("const _: &[u8] = ::core::include_bytes!(", watched, ");");
    body.extend(made(&text).map_err(|error| fault(&error))?);
    Ok(TokenTree::from(Group::new(Delimiter::Brace, body)).into())
}

/// Source text with a string literal in its middle.
fn quoted(before: &str, text: &str, after: &str) -> TokenStream {
    format!("{before}{}{after}", Literal::string(text)).parse().unwrap_or_default()
}
