//! The reference of the StreamExecutor C API by release, from the data of `unskew-stream-executor`.

use std::fmt::Write as _;

use unskew_lab_harness::pages::MARK;
use unskew_stream_executor::layout::{
    NEWEST, NullFieldEffect, ReleaseGroup, StructLayout, Structure, contract, demands,
};
use unskew_stream_executor::preflight::eras;

/// The page, from the root of the repository.
pub const PAGE: &str = "docs/reference/stream-executor-abi.md";

/// The text of the page.
pub fn page() -> String {
    let mut text = format!("{MARK}# The StreamExecutor C API by release\n\n");
    text.push_str(
        "What TensorFlow and a pluggable device say to each other. Every struct begins with `struct_size`, where its\n\
         last field ends, in bytes, which is not `sizeof`: that counts padding. The interface has called itself 0.0.1\n\
         in every release. [How it is checked](stream-executor-abi-check.md).\n\n\
         ## Eras\n\nWithin an era every release hands out the same structs and demands the same of them; the sizes tell a\n\
         plug-in in which era its host is. TensorFlow 2.4 has the header and loads no plug-in.\n\n",
    );
    eras_table(&mut text);
    text.push_str("\n## Structs\n");
    for structure in Structure::ALL {
        structure_table(&mut text, structure);
    }
    text.push_str("\n---\n\nMade from `crates/tensorflow/stream-executor/data/abi`.\n");
    text
}

const IN_ERAS: [Structure; 3] =
    [Structure::SP_Platform, Structure::SP_PlatformFns, Structure::SP_StreamExecutor];

fn eras_table(text: &mut String) {
    let names: Vec<&str> = IN_ERAS.iter().map(|structure| structure.name()).collect();
    let _ = writeln!(text, "| releases | {} | fields demanded |", names.join(" | "));
    let _ = writeln!(text, "| --- | --: | --: | --: | --: |");
    for ReleaseGroup { first, last } in eras() {
        let size = |structure| contract(structure, first).map_or(0, |contract| contract.size());
        let sizes: Vec<String> = IN_ERAS.iter().map(|it| size(*it).to_string()).collect();
        let devices = Structure::ALL.into_iter().filter(|it| it.name().starts_with('S'));
        let demanded: usize = devices
            .map(|it| {
                demands(it, first).filter(|d| d.otherwise == NullFieldEffect::Refused).count()
            })
            .sum();
        let last =
            if last == NEWEST { format!("{last}, the newest known") } else { last.to_string() };
        let _ = writeln!(text, "| {first} to {last} | {} | {demanded} |", sizes.join(" | "));
    }
}

fn structure_table(text: &mut String, structure: Structure) {
    let history = structure.history();
    let Some(newest) = history.last() else { return };
    let _ = writeln!(text, "\n### {}\n\n{}\n", structure.name(), newest.contract.doc);
    let heads: Vec<String> = history.iter().map(|layout| format!("at, {}", span(layout))).collect();
    let _ = writeln!(text, "| field | type | {} | if null | |", heads.join(" | "));
    let _ = writeln!(text, "| --- | --- | {}--- | --- |", "--: | ".repeat(history.len()));
    for (name, r#type, doc) in fields(history) {
        let place = |layout: &StructLayout| {
            let mut there = layout.contract.fields.iter();
            let field = there.find(|field| field.name == name && field.type_name == r#type);
            field.map_or_else(String::new, |field| field.offset.to_string())
        };
        let places: Vec<String> = history.iter().map(place).collect();
        let null = null(structure, name);
        let r#type = shown(r#type);
        let _ = writeln!(text, "| `{name}` | `{type}` | {} | {null} | {doc} |", places.join(" | "));
    }
    let sizes: Vec<String> = history.iter().map(|it| it.contract.size().to_string()).collect();
    let _ = writeln!(text, "| struct_size | | {} | | |", sizes.join(" | "));
}

/// Every field that a struct has had, in the order of its memory.
fn fields(history: &[StructLayout]) -> Vec<(&'static str, &'static str, &'static str)> {
    let mut all: Vec<(&str, &str, &str)> = Vec::new();
    for layout in history.iter().rev() {
        let mut at = 0;
        for field in layout.contract.fields {
            let known = all
                .iter()
                .position(|(name, r#type, _)| (*name, *r#type) == (field.name, field.type_name));
            match known {
                Some(known) => at = known + 1,
                None => {
                    all.insert(at, (field.name, field.type_name, field.doc));
                    at += 1;
                }
            }
        }
    }
    all
}

fn span(layout: &StructLayout) -> String {
    let StructLayout { since, until, .. } = layout;
    if since == until { since.to_string() } else { format!("{since} to {until}") }
}

/// What a host does if the field is null.
fn null(structure: Structure, field: &str) -> String {
    let mut rows: Vec<String> = Vec::new();
    for minor in 4..=NEWEST.minor {
        let release = unskew_abi::contract::InterfaceVersion::new(2, minor);
        for demand in demands(structure, release).filter(|demand| demand.field == field) {
            let word = match demand.otherwise {
                NullFieldEffect::Refused => "refused",
                NullFieldEffect::Crash => "called",
            };
            let (since, until) = (demand.since, demand.until);
            let row = match until == NEWEST {
                true => format!("{word} since {since}"),
                false if since == until => format!("{word} in {since}"),
                false => format!("{word} {since} to {until}"),
            };
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    rows.join(", ")
}

fn shown(r#type: &str) -> String {
    let inner =
        r#type.strip_prefix("Option<unsafe extern \"C\" ").and_then(|it| it.strip_suffix('>'));
    inner.unwrap_or(r#type).replace("std::ffi::", "")
}
