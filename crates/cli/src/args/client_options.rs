//! Options of a PJRT client, which the plug-in defines: `--option NAME=VALUE`.

use unskew_pjrt::{Attribute, PjrtValue};

/// Typed client options: integers, then `true` and `false`, else strings.
pub fn attributes(options: &[(String, String)]) -> Vec<Attribute> {
    let value = |text: &str| match (text.parse(), text) {
        (Ok(number), _) => PjrtValue::Number(number),
        (_, "true") => PjrtValue::Bool(true),
        (_, "false") => PjrtValue::Bool(false),
        _ => PjrtValue::Text(text.to_owned()),
    };
    let option =
        |(name, text): &(String, String)| Attribute { name: name.clone(), value: value(text) };
    options.iter().map(option).collect()
}

/// An option as it is given, `NAME=VALUE`.
pub fn client_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
