//! The tables of sizes, slots and names: what `layout` includes.

use std::error::Error;
use std::fmt::Write;

use crate::bindings::doc_of;
use crate::layout::Layouts;
use crate::model::{Abi, Struct};

/// Renders the tables as Rust source.
pub fn render(abi: &Abi, layouts: &Layouts) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    writeln!(out, "static STRUCTS: [StructHistory; {}] = [", abi.structs.len())?;
    for (name, record) in &abi.structs {
        structure(abi, layouts, name, record, &mut out)?;
    }
    writeln!(out, "];\nstatic SLOTS: [Slot; {}] = [", abi.functions.len())?;
    for f in &abi.functions {
        let (name, offset, since) = (&f.name, f.offset, f.since);
        let landed = date(&f.day)?;
        writeln!(
            out,
            "Slot {{ function: Function::{name}, name: {name:?}, offset: {offset}, since: {since}, landed: {landed}, doc: {:?} }},",
            f.doc
        )?;
    }
    writeln!(out, "];\nstatic TABLE_SIZES: [TableSize; {}] = [", abi.table.len())?;
    for size in &abi.table {
        let (since, end, declared) = (size.since, size.end, size.declared);
        writeln!(out, "TableSize {{ since: {since}, end: {end}, declared: {declared} }},")?;
    }
    let kinds = &abi.extension_types;
    writeln!(out, "];\nstatic EXTENSIONS: [ExtensionType; {}] = [", kinds.len())?;
    for kind in kinds {
        let (number, since, name) = (kind.kind, kind.since, &kind.name);
        let described = abi.extensions.get(name);
        if let Some(found) = described
            && (found.kind != number || found.since != since)
        {
            return Err(format!("extension {name}: kind or since differ").into());
        }
        let doc = described.map(|extension| extension.doc.as_str()).unwrap_or_default();
        writeln!(
            out,
            "ExtensionType {{ kind: {number}, since: {since}, name: {name:?}, doc: {doc:?}, slots: &["
        )?;
        for slot in described.iter().flat_map(|extension| &extension.slots) {
            let since = slot.since.unwrap_or(since);
            writeln!(
                out,
                "ExtensionSlot {{ name: {:?}, since: {since}, function: {}, args: {:?} }},",
                slot.name,
                slot.data.is_none(),
                slot.args
            )?;
        }
        writeln!(out, "] }},")?;
    }
    writeln!(out, "];\nstatic ENUMS: [EnumHistory; {}] = [", abi.enums.len())?;
    for (name, r#enum) in &abi.enums {
        let (prefix, doc) = (&r#enum.prefix, &r#enum.doc);
        writeln!(
            out,
            "EnumHistory {{ name: {name:?}, prefix: {prefix:?}, doc: {doc:?}, values: &["
        )?;
        for value in &r#enum.values {
            let (name, number, since) = (&value.name, value.value, value.since);
            writeln!(out, "EnumValue {{ name: {name:?}, value: {number}, since: {since} }},")?;
        }
        writeln!(out, "] }},")?;
    }
    writeln!(out, "];\nstatic UNBOUND: [Unbound; {}] = [", abi.unbound.len())?;
    for (prefix, why) in &abi.unbound {
        writeln!(out, "Unbound {{ prefix: {prefix:?}, why: {why:?} }},")?;
    }
    writeln!(out, "];")?;
    Ok(out)
}

fn structure(
    abi: &Abi,
    layouts: &Layouts,
    name: &str,
    record: &Struct,
    out: &mut String,
) -> Result<(), Box<dyn Error>> {
    let layout = layouts.0.get(name).ok_or("layout")?;
    let call = record.call.as_deref().or(abi.function_of(name).map(|f| f.name.as_str()));
    let call = call.map_or("None".to_owned(), |name| format!("Some(Function::{name})"));
    let used = match &record.r#use {
        Some(r#use) => format!("Some(StructUse::{})", camel(r#use)),
        None => "None".to_owned(),
    };
    writeln!(
        out,
        "StructHistory {{ name: {name:?}, doc: {:?}, call: {call}, used: {used}, subject: {:?}, extension: {:?},",
        doc_of(abi, name),
        record.subject,
        record.extension
    )?;
    writeln!(out, "since: {}, sizes: &[", record.since)?;
    if record.sizes.is_empty() {
        let landed = match abi.function_of(name) {
            Some(function) if function.since > crate::model::FLOOR => date(&function.day)?,
            _ => "FLOOR_LANDED".to_owned(),
        };
        let (since, end) = (record.since, layout.end);
        writeln!(
            out,
            "Size {{ since: {since}, until: None, landed: {landed}, end: {end}, declared: {end} }},"
        )?;
    }
    for size in &record.sizes {
        let (since, until, end) = (size.since, size.until, size.end);
        let (landed, declared) = (date(&size.landed.to_string())?, size.declared.unwrap_or(end));
        writeln!(
            out,
            "Size {{ since: {since}, until: {until:?}, landed: {landed}, end: {end}, declared: {declared} }},"
        )?;
    }
    writeln!(out, "], accepts: &[")?;
    for accepts in &record.accepts {
        let (since, until, end) = (accepts.since, accepts.until, accepts.end);
        writeln!(out, "Accepts {{ since: {since}, until: {until:?}, end: {end} }},")?;
    }
    writeln!(out, "], fields: &[")?;
    for field in &layout.fields {
        let (name, r#type, at, bytes) = (&field.name, &field.r#type, field.at, field.bytes);
        let (since, direction) = (field.since, field.direction);
        writeln!(
            out,
            "FieldHistory {{ name: {name:?}, kind: {type:?}, at: {at}, bytes: {bytes}, since: {since}, direction: FieldDirection::{direction} }},"
        )?;
    }
    writeln!(out, "] }},")?;
    Ok(())
}

/// `2024-02-29` as an expression.
fn date(text: &str) -> Result<String, Box<dyn Error>> {
    let parts: Vec<i16> = text.split('-').map(str::parse).collect::<Result<_, _>>()?;
    match parts.as_slice() {
        [year, month, day] => Ok(format!("Date::constant({year}, {month}, {day})")),
        _ => Err(format!("not a day: {text}").into()),
    }
}

/// A name in camel case: `ImportBuffer` of `import_buffer`.
fn camel(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').map(capital).collect()
}
