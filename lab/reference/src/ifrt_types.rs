//! The reference of the IFRT types, from what they declare of themselves.

use std::fmt::Write as _;

use unskew_lab_harness::pages::MARK;
use unskew_serdes::proto::{
    FieldDescription, FieldKind, FieldLabel, MessageDescription, SinceVersion,
};

/// Where it stands, from the root of the repository.
pub const PAGE: &str = "docs/reference/ifrt-types.md";

/// The page as Markdown, from what the types declare.
pub fn page() -> String {
    let mut text = format!("{MARK}{HEAD}");
    versions(&mut text);
    text.push_str(
        "\n## Types\n\n| type | message | number in field | formats | since | name among types |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    let all = unskew_ifrt::types::all();
    for message in &all {
        let number = message.version.map_or_else(String::new, |number| number.to_string());
        let _ = writeln!(
            text,
            "| {} | {} | {number} | {} | {} | {} |",
            message.rust,
            if message.name.is_empty() { "" } else { message.name },
            formats(message),
            lifetime(message),
            name_among_types(message, &all),
        );
    }
    text.push_str("\n## Fields\n");
    for message in all.iter().filter(|message| !message.name.is_empty()) {
        let _ = write!(
            text,
            "\n### {}\n\n| field | name | kind | since |\n| --- | --- | --- | --- |\n",
            message.rust
        );
        message.fields.iter().for_each(|field| line(&mut text, field));
        if let Some(number) = message.version {
            let _ = writeln!(text, "| {number} | version_number | int32: its format | |");
        }
    }
    kinds(&mut text);
    text.push_str("\n---\n\nMade from the types in `crates/xla/ifrt/src/types` and the history in `crates/xla/ifrt/data`.\n");
    text
}

const HEAD: &str = "\
# IFRT types by version

What `unskew-ifrt` reads and writes, byte for byte as jaxlib does; [checked](ifrt-types-check.md) against the
descriptors in released packages. Fields are written in the order of their numbers, nothing for what is zero or
empty unless the field is optional, numbers of 32 bits that are negative as ten bytes.

A value records the number of its own format, not the version that was requested: the lowest format that has
every field that holds something (`XlaCompileOptions`: the newest that was requested, as its makers do). A format
above the current version, below the minimum, or negative, an unknown field, a field that stands twice, a nested
message that is missing, an unknown value of an enumeration or name of a type are errors with the byte at which
they are.

Some types, fields and values came *without* a number of their own: nothing in the bytes tells a reader that is
too old. It would drop or misread them, so they are not written for a version whose readers may not know them. Their
versions are in italics.

## Versions

";

fn versions(text: &mut String) {
    text.push_str("| version | landed | what changed |\n| --- | --- | --- |\n");
    let history = unskew_ifrt::serdes();
    for entry in history.map(|history| history.entries()).unwrap_or_default() {
        let _ = writeln!(text, "| {} | {} | {} |", entry.version, entry.landed, entry.change);
    }
    text.push_str(
        "\nVersion 6 is announced by clients since jax 0.11.2. No message changed with it, and such clients send the same bytes\n\
         at 6 as at 5; what else changed is not known, so it is neither written nor read, and 5 is agreed on with them.\n",
    );
}

/// The numbers that may stand in its version field.
fn formats(message: &MessageDescription) -> String {
    if message.version.is_none() {
        return String::new();
    }
    let first = if message.since.silent { 0 } else { message.since.version };
    let mut all = vec![first];
    all.extend(message.fields.iter().map(|f| f.since).filter(|s| !s.silent).map(|s| s.version));
    all.retain(|version| *version >= first);
    all.sort_unstable();
    all.dedup();
    all.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn since(since: SinceVersion) -> String {
    match since {
        SinceVersion { version: 0, .. } => String::new(),
        SinceVersion { version, silent: true } => format!("*{version}*"),
        SinceVersion { version, silent: false } => version.to_string(),
    }
}

fn lifetime(message: &MessageDescription) -> String {
    let removed = message.removed_with_minimum;
    let removed = removed.map(|minimum| format!(" until the minimum is {minimum}"));
    format!("{}{}", since(message.since), removed.unwrap_or_default()).trim().to_owned()
}

fn line(text: &mut String, field: &FieldDescription) {
    let kind = match field.kind {
        FieldKind::Int32 => "int32".to_owned(),
        FieldKind::Int64 => "int64".to_owned(),
        FieldKind::Bool => "bool".to_owned(),
        FieldKind::Sfixed64 => "sfixed64".to_owned(),
        FieldKind::Fixed64 => "fixed64".to_owned(),
        FieldKind::Float => "float".to_owned(),
        FieldKind::Text => "string".to_owned(),
        FieldKind::Bytes => "bytes".to_owned(),
        FieldKind::Opaque(name) => format!("`{name}`, kept as bytes"),
        FieldKind::Enumeration(values) => values().rust.to_owned(),
        FieldKind::Message(message) => message().rust.to_owned(),
        FieldKind::Serialized(types) => {
            let names: Vec<&str> = types.iter().map(|named| (named.description)().rust).collect();
            format!("by name: {}", names.join(", "))
        }
    };
    let label = match field.label {
        FieldLabel::Single => "",
        FieldLabel::Optional => "optional ",
        FieldLabel::Repeated => "repeated ",
    };
    let choice = field.oneof.map(|name| format!(", of {name}")).unwrap_or_default();
    let (number, name) = match field.number {
        0 => ("1, 2".to_owned(), "type_name, data"),
        number => (number.to_string(), field.name),
    };
    let _ =
        writeln!(text, "| {number} | {name} | {label}{kind}{choice} | {} |", since(field.since));
}

fn kinds(text: &mut String) {
    use unskew_serdes::proto::Enumeration as _;
    text.push_str("\n### DTypeKind\n\n| number | name | since |\n| --- | --- | --- |\n");
    for value in unskew_ifrt::types::DTypeKind::DESCRIPTION.values {
        let _ = writeln!(text, "| {} | {} | {} |", value.number, value.name, since(value.since));
    }
}

/// The name by which fields that hold any type know one; empty if none does.
fn name_among_types(of: &MessageDescription, all: &[&MessageDescription]) -> &'static str {
    for field in all.iter().flat_map(|description| description.fields) {
        let FieldKind::Serialized(types) = field.kind else { continue };
        let named = types.iter().find(|named| (named.description)().rust == of.rust);
        if let Some(named) = named {
            return named.name;
        }
    }
    ""
}
