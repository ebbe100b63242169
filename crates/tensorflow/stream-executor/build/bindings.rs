//! C bindings of the newest layout: what `bindings` includes.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write;

use unskew_abi_build::{ident, rust_type};

use crate::model::{Abi, RELEASES};

/// Objects of the plug-in, passed as addresses.
const HANDLES: [&str; 3] = ["SP_Stream", "SP_Event", "SP_Timer"];

pub fn render(abi: &Abi) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    for (name, r#enum) in &abi.enums {
        writeln!(out, "/// {}\n#[repr(transparent)]", r#enum.doc)?;
        writeln!(
            out,
            "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\npub struct {name}(pub i32);"
        )?;
        writeln!(out, "impl {name} {{")?;
        for value in &r#enum.values {
            writeln!(out, "    /// {} in C.", value.value)?;
            writeln!(out, "    pub const {}: Self = Self({});", value.name, value.value)?;
        }
        writeln!(out, "}}")?;
    }
    for (name, callback) in &abi.callbacks {
        writeln!(out, "/// {}\npub type {name} = {};", callback.doc, rust_type(&callback.r#type))?;
    }
    for name in HANDLES {
        writeln!(
            out,
            "/// What {name} points to: an object of the plug-in.\n#[repr(C)]\n#[derive(Debug)]"
        )?;
        writeln!(out, "pub struct {name}_st {{ opaque: [u8; 0] }}")?;
        writeln!(out, "/// An object of the plug-in.\npub type {name} = *mut {name}_st;")?;
    }
    for name in opaque(abi) {
        writeln!(out, "/// Belongs to TensorFlow: only its address is ever used.")?;
        writeln!(out, "#[repr(C)]\n#[derive(Debug)]\npub struct {name} {{ opaque: [u8; 0] }}")?;
    }
    for (name, record) in &abi.structs {
        let fields = record.fields_in(RELEASES.1)?.unwrap_or_default();
        writeln!(
            out,
            "/// {}\n///\n/// The layout of the newest release; see [`crate::layout`] for others.",
            record.doc
        )?;
        writeln!(out, "#[repr(C)]\n#[derive(Clone, Copy, Debug)]\npub struct {name} {{")?;
        writeln!(
            out,
            "    /// Where the last field ends that its maker knows, in bytes.\n    pub struct_size: usize,"
        )?;
        for field in fields {
            writeln!(out, "    /// {}", field.doc)?;
            writeln!(out, "    pub {}: {},", ident(&field.name), rust_type(&field.r#type))?;
        }
        writeln!(out, "}}")?;
    }
    for entry in &abi.entries {
        let arguments = entry.arguments.as_ref().map(|name| format!("*mut {name}, *mut TF_Status"));
        writeln!(out, "/// {}", entry.doc)?;
        let (name, arguments) = (&entry.name, arguments.unwrap_or_default());
        writeln!(out, "pub type {name} = unsafe extern \"C\" fn({arguments});")?;
    }
    writeln!(
        out,
        "/// The functions by which a host enters a plug-in, in the order of the calls."
    )?;
    let names: Vec<String> = abi.entries.iter().map(|entry| format!("{:?}", entry.name)).collect();
    writeln!(out, "pub const ENTRIES: [&str; {}] = [{}];", names.len(), names.join(", "))?;
    Ok(out)
}

/// The types that are only pointed to.
fn opaque(abi: &Abi) -> BTreeSet<String> {
    let fields = abi.structs.values().flat_map(|record| &record.fields);
    let callbacks = abi.callbacks.values().map(|callback| callback.r#type.as_str());
    let texts = fields.map(|field| field.r#type.as_str()).chain(callbacks);
    let words = texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let named = words.filter(|word| word.starts_with("TF_"));
    named
        .filter(|name| !abi.structs.contains_key(*name) && !abi.enums.contains_key(*name))
        .map(str::to_owned)
        .collect()
}
