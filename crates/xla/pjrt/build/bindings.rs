//! C bindings: what `sys::bindings` includes.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write;

use unskew_abi_build::ident;

use crate::layout::Layouts;
use crate::model::{Abi, Head};

/// Renders every type of the ABI, and which struct belongs to which function.
pub fn render(abi: &Abi, layouts: &Layouts) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    enums(abi, &mut out)?;
    for (name, callback) in &abi.callbacks {
        writeln!(out, "/// {}", callback.doc)?;
        writeln!(out, "pub type {name} = {};", rust_type(&callback.r#type))?;
    }
    for name in opaque(abi, layouts) {
        writeln!(out, "/// Belongs to the other side: only its address is ever used.")?;
        writeln!(out, "#[repr(C)]\n#[derive(Debug)]\npub struct {name} {{ opaque: [u8; 0] }}")?;
    }
    for (name, union) in &abi.unions {
        writeln!(out, "/// {}\n#[repr(C)]\n#[derive(Clone, Copy)]", union.doc)?;
        writeln!(out, "pub union {name} {{")?;
        for field in &union.fields {
            writeln!(out, "    /// `{}`.", field.r#type)?;
            writeln!(out, "    pub {}: {},", field.name, rust_type(&field.r#type))?;
        }
        writeln!(out, "}}")?;
    }
    for (index, name) in abi.structs.keys().enumerate() {
        record(abi, layouts, name, index, &mut out)?;
    }
    for (name, extension) in &abi.extensions {
        for (i, slot) in extension.slots.iter().enumerate() {
            let Some(args) = &slot.args else { continue };
            writeln!(out, "impl ExtensionCall for {args} {{")?;
            writeln!(out, "    const EXTENSION: &'static str = {name:?};")?;
            writeln!(out, "    const SLOT: &'static str = {:?};", slot.name)?;
            writeln!(out, "    const INDEX: usize = {i};")?;
            writeln!(out, "    const RETURNS_ERROR: bool = {};\n}}", !slot.void)?;
        }
    }
    Ok(out)
}

fn record(
    abi: &Abi,
    layouts: &Layouts,
    name: &str,
    index: usize,
    out: &mut String,
) -> Result<(), Box<dyn Error>> {
    let record = abi.structs.get(name).ok_or("struct")?;
    let layout = layouts.0.get(name).ok_or("layout")?;
    writeln!(out, "/// {} Since 0.{}.", doc_of(abi, name), record.since)?;
    writeln!(out, "#[repr(C)]\n#[derive(Clone, Copy)]\npub struct {name} {{")?;
    for field in &layout.fields {
        let what = match field.direction {
            "Out" => "; an output",
            "InOut" => "; an input and an output",
            _ => "",
        };
        let since = match field.since {
            since if since > record.since => format!("; since 0.{since}"),
            _ => String::new(),
        };
        writeln!(out, "    /// At {}, {} bytes{what}{since}.", field.at, field.bytes)?;
        writeln!(out, "    pub {}: {},", ident(&field.name), rust_type(&field.r#type))?;
    }
    writeln!(out, "}}")?;
    writeln!(out, "const _: () = assert!(size_of::<{name}>() == {});", layout.size)?;
    let sized = layout.fields.first().is_some_and(|field| field.name == "struct_size");
    writeln!(
        out,
        "// SAFETY: made of integers, pointers and functions that may be null: zeros are a value.\nunsafe impl Record for {name} {{"
    )?;
    writeln!(out, "    const INDEX: usize = {index};")?;
    writeln!(out, "    const ANNOUNCES_SIZE: bool = {sized};\n}}")?;
    if let Some(function) = abi.function_of(name) {
        writeln!(out, "impl Call for {name} {{")?;
        writeln!(out, "    const FUNCTION: Function = Function::{};\n}}", function.name)?;
    }
    debug_assert!(record.head != Head::Extensible || sized);
    Ok(())
}

/// What a struct is for: its own words, or those of its function.
pub fn doc_of(abi: &Abi, name: &str) -> String {
    let own = abi.structs.get(name).and_then(|record| record.doc.clone());
    let function = abi.function_of(name);
    own.or_else(|| function.map(|f| format!("Arguments of `{}`: {}", f.name, f.doc)))
        .unwrap_or_else(|| format!("Arguments of `{}`.", name.trim_end_matches("_Args")))
}

fn enums(abi: &Abi, out: &mut String) -> Result<(), Box<dyn Error>> {
    for (name, r#enum) in &abi.enums {
        writeln!(out, "/// {} A value may be from a later version than this crate.", r#enum.doc)?;
        writeln!(out, "#[repr(transparent)]")?;
        writeln!(out, "#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]")?;
        writeln!(out, "pub struct {name}(pub i32);")?;
        writeln!(out, "impl {name} {{")?;
        for value in &r#enum.values {
            writeln!(
                out,
                "    /// `{}{}` in C, since 0.{}.",
                r#enum.prefix, value.name, value.since
            )?;
            writeln!(out, "    pub const {}: Self = Self({});", value.name, value.value)?;
        }
        writeln!(out, "    /// Its name without the prefix of C; none if it is not known.")?;
        writeln!(out, "    pub const fn name(self) -> Option<&'static str> {{")?;
        writeln!(out, "        match self.0 {{")?;
        for value in &r#enum.values {
            writeln!(out, "            {} => Some({:?}),", value.value, value.name)?;
        }
        writeln!(out, "            _ => None,\n        }}\n    }}")?;
        writeln!(out, "    /// The first minor that has it; none if it is not known.")?;
        writeln!(out, "    pub const fn since(self) -> Option<i32> {{")?;
        writeln!(out, "        match self.0 {{")?;
        for value in &r#enum.values {
            writeln!(out, "            {} => Some({}),", value.value, value.since)?;
        }
        writeln!(out, "            _ => None,\n        }}\n    }}\n}}")?;
    }
    writeln!(out, "/// A function of the table, by its name in C.")?;
    writeln!(out, "#[repr(u8)]\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]")?;
    writeln!(out, "pub enum Function {{")?;
    for function in &abi.functions {
        writeln!(out, "    /// {} Since 0.{}.", function.doc, function.since)?;
        writeln!(out, "    {},", function.name)?;
    }
    writeln!(out, "}}")?;
    writeln!(out, "impl Function {{\n    /// Every function, in the order of the table.")?;
    writeln!(out, "    pub const ALL: [Self; {}] = [", abi.functions.len())?;
    for function in &abi.functions {
        writeln!(out, "        Self::{},", function.name)?;
    }
    writeln!(out, "    ];\n}}")?;
    writeln!(
        out,
        "/// Calls the named macro with the names of all functions, in the order of the table."
    )?;
    writeln!(out, "#[macro_export]\nmacro_rules! every_function {{ ($then:ident) => {{ $then! {{")?;
    for function in &abi.functions {
        writeln!(out, "    {}", function.name)?;
    }
    writeln!(out, "}} }}; }}")?;
    Ok(())
}

/// The types that are only pointed to.
fn opaque(abi: &Abi, layouts: &Layouts) -> BTreeSet<String> {
    let mut texts: Vec<&str> = Vec::new();
    texts.extend(layouts.0.values().flat_map(|l| &l.fields).map(|f| f.r#type.as_str()));
    texts.extend(abi.unions.values().flat_map(|u| &u.fields).map(|f| f.r#type.as_str()));
    texts.extend(abi.callbacks.values().map(|callback| callback.r#type.as_str()));
    let words = texts.iter().flat_map(|t| t.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let named = words.filter(|w| w.starts_with("PJRT_") || w.starts_with("PLUGIN_"));
    let known = |name: &str| {
        abi.structs.contains_key(name)
            || abi.unions.contains_key(name)
            || abi.callbacks.contains_key(name)
            || abi.enums.contains_key(name)
            || name == "PJRT_Extension_Type"
    };
    named.filter(|name| !known(name)).map(str::to_owned).collect()
}

/// The type in Rust; the numbers of extensions are not an enumeration there.
fn rust_type(r#type: &str) -> String {
    unskew_abi_build::rust_type(&r#type.replace("PJRT_Extension_Type", "i32"))
}
