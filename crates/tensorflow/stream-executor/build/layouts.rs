//! A contract for every layout that a struct has had.

use std::error::Error;
use std::fmt::Write;

use unskew_abi_build::{FieldPlacement, measure, rust_type};

use crate::model::{Abi, Field, RELEASES, Struct, minor, span};

pub fn render(abi: &Abi) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    writeln!(out, "/// A struct of the interface.")?;
    writeln!(out, "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]")?;
    writeln!(
        out,
        "#[allow(non_camel_case_types, reason = \"the names of C\")]\npub enum Structure {{"
    )?;
    for (name, record) in &abi.structs {
        writeln!(out, "    /// {}\n    {name},", record.doc)?;
    }
    writeln!(out, "}}\nimpl Structure {{\n    /// All of them.")?;
    writeln!(out, "    pub const ALL: [Self; {}] = [", abi.structs.len())?;
    for name in abi.structs.keys() {
        writeln!(out, "        Self::{name},")?;
    }
    writeln!(out, "    ];\n}}")?;
    writeln!(out, "static HISTORIES: [&[StructLayout]; {}] = [", abi.structs.len())?;
    for (name, record) in &abi.structs {
        writeln!(out, "    &[")?;
        for (first, last) in spans(record)? {
            layout(abi, name, record, (first, last), &mut out)?;
        }
        writeln!(out, "    ],")?;
    }
    writeln!(out, "];")?;
    demands(abi, &mut out)?;
    Ok(out)
}

fn spans(record: &Struct) -> Result<Vec<(u32, u32)>, Box<dyn Error>> {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    let mut before: Option<Vec<(&str, &str)>> = None;
    for release in RELEASES.0..=RELEASES.1 {
        let fields = record.fields_in(release)?;
        // A function that takes other arguments is another field in the same place.
        let forms = fields.map(|all| {
            all.into_iter().map(|field| (field.name.as_str(), field.r#type.as_str())).collect()
        });
        match (&forms, spans.last_mut()) {
            (Some(_), Some(last)) if forms == before => last.1 = release,
            (Some(_), _) => spans.push((release, release)),
            (None, _) => {}
        }
        before = forms;
    }
    Ok(spans)
}

fn layout(
    abi: &Abi,
    name: &str,
    record: &Struct,
    (first, last): (u32, u32),
    out: &mut String,
) -> Result<(), Box<dyn Error>> {
    writeln!(
        out,
        "        StructLayout {{ since: {}, until: {}, contract: StructContract {{",
        version(first),
        version(last)
    )?;
    writeln!(
        out,
        "            name: {name:?}, doc: {:?}, deprecated: None, fields: &[",
        record.doc
    )?;
    let mut places = FieldPlacement::default();
    let head = Field {
        name: "struct_size".to_owned(),
        r#type: "usize".to_owned(),
        doc: "Where the last field ends that its maker knows, in bytes.".to_owned(),
        since: None,
        until: None,
        required: None,
        crash: false,
    };
    let own = record.fields_in(first)?.unwrap_or_default();
    for field in std::iter::once(&head).chain(own) {
        let (bytes, align) = measure(&field.r#type, &mut |named| named_type(abi, named))?;
        let at = places.put(bytes, align);
        let since = field.since.as_deref().or(record.since.as_deref()).unwrap_or("2.4");
        // Null is no-op for what is called or read through; a number may be zero.
        let zero =
            if bytes == 8 && field.r#type.starts_with(['*', 'f']) { "NoOp" } else { "Value" };
        writeln!(
            out,
            "            FieldContract {{ name: {:?}, doc: {:?}, type_name: {:?}, offset: {at}, bytes: {bytes}, since: {}, zero: Zero::{zero}, deprecated: None, replaces: None }},",
            field.name,
            field.doc,
            rust_type(&field.r#type),
            version(minor(since)?)
        )?;
    }
    writeln!(out, "        ] }} }},")?;
    Ok(())
}

fn named_type(abi: &Abi, name: &str) -> Result<(usize, usize), Box<dyn Error>> {
    if abi.enums.contains_key(name) {
        return Ok((4, 4));
    }
    if abi.callbacks.contains_key(name) || name.starts_with("SP_") {
        return Ok((8, 8));
    }
    Err(format!("no type of this name: {name}").into())
}

fn demands(abi: &Abi, out: &mut String) -> Result<(), Box<dyn Error>> {
    writeln!(out, "static DEMANDS: &[RequiredField] = &[")?;
    for (name, record) in &abi.structs {
        for field in &record.fields {
            let (kind, (first, last)) = match &field.required {
                Some(required) => ("Refused", span(required)?),
                None if field.crash => {
                    let since = field.since.as_deref().map(minor).transpose()?;
                    ("Crash", (since.unwrap_or(5), RELEASES.1))
                }
                None => continue,
            };
            writeln!(
                out,
                "    RequiredField {{ structure: Structure::{name}, field: {:?}, since: {}, until: {}, otherwise: NullFieldEffect::{kind} }},",
                field.name,
                version(first),
                version(last)
            )?;
        }
    }
    writeln!(out, "];")?;
    Ok(())
}

fn version(minor: u32) -> String {
    format!("InterfaceVersion::new(2, {minor})")
}
