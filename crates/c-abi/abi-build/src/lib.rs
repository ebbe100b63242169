//! Build-script helper: C types as data files write them, and where the rules of C put them.
//!
//! Crates that describe a C interface as data write its types in Rust's notation, with C's `bool`,
//! `c_char` and `c_void`, and `fn(...)` for functions, which may be null. From that they make bindings
//! ([`rust_type`]) and layouts ([`measure`], [`FieldPlacement`]), by the rules of C on 64-bit machines, the only
//! ones with plug-ins.
//!
//! ```
//! use unskew_abi_build::{FieldPlacement, measure, rust_type};
//!
//! assert_eq!(
//!     rust_type("fn(*mut c_void, bool) -> i32"),
//!     "Option<unsafe extern \"C\" fn(*mut std::ffi::c_void, u8) -> i32>"
//! );
//! let mut places = FieldPlacement::default();
//! for (r#type, at) in [("usize", 0), ("bool", 8), ("i32", 12), ("*const c_char", 16)] {
//!     let (bytes, align) = measure(r#type, &mut |name| Err(name.into())).unwrap();
//!     assert_eq!(places.put(bytes, align), at);
//! }
//! assert_eq!((places.end, places.size()), (24, 24));
//! ```
#![forbid(unsafe_code)]

use std::error::Error;

/// Where the fields of a struct lie that were put so far.
#[derive(Clone, Copy, Debug)]
pub struct FieldPlacement {
    /// Where the last field ends, in bytes: what `struct_size` means.
    pub end: usize,
    /// The strictest alignment of all fields, in bytes.
    pub align: usize,
}

impl Default for FieldPlacement {
    fn default() -> Self {
        Self { end: 0, align: 1 }
    }
}

impl FieldPlacement {
    /// Puts a field behind the others, and says where it begins.
    pub fn put(&mut self, bytes: usize, align: usize) -> usize {
        let at = self.end.next_multiple_of(align);
        self.end = at + bytes;
        self.align = self.align.max(align);
        at
    }

    /// The size with the padding at the end, in bytes: what `sizeof` says.
    pub fn size(&self) -> usize {
        self.end.next_multiple_of(self.align)
    }
}

/// Size and alignment of a type, in bytes, or why it has none.
pub type SizeAndAlign = Result<(usize, usize), Box<dyn Error>>;

/// Measures a type; `named` measures what is declared elsewhere.
///
/// # Errors
/// Those of `named`.
pub fn measure(r#type: &str, named: &mut dyn FnMut(&str) -> SizeAndAlign) -> SizeAndAlign {
    if let Some((element, count)) = array(r#type) {
        let (bytes, align) = measure(element, named)?;
        return Ok((bytes * count, align));
    }
    if r#type.starts_with('*') || r#type.starts_with("fn(") {
        return Ok((8, 8));
    }
    Ok(match r#type {
        "usize" | "isize" | "i64" | "u64" | "f64" => (8, 8),
        "i32" | "u32" | "f32" => (4, 4),
        "bool" | "u8" | "i8" | "c_char" => (1, 1),
        other => named(other)?,
    })
}

/// `[bool; 4]` as its element and its count.
pub fn array(r#type: &str) -> Option<(&str, usize)> {
    let (element, count) = r#type.strip_prefix('[')?.strip_suffix(']')?.split_once("; ")?;
    Some((element, count.parse().ok()?))
}

/// The type in Rust. C's `bool` and `char` are bytes there: a foreign byte may hold anything, and texts
/// are bytes.
pub fn rust_type(r#type: &str) -> String {
    if let Some((element, count)) = array(r#type) {
        return format!("[{}; {count}]", rust_type(element));
    }
    for pointer in ["*const ", "*mut "] {
        if let Some(target) = r#type.strip_prefix(pointer) {
            return format!("{pointer}{}", rust_type(target));
        }
    }
    if let Some(rest) = r#type.strip_prefix("fn(") {
        let (parameters, result) = rest.rsplit_once(')').unwrap_or((rest, ""));
        let parameters: Vec<String> = split(parameters).iter().map(|p| rust_type(p)).collect();
        let result = result.strip_prefix(" -> ").map(rust_type);
        let result = result.map(|r| format!(" -> {r}")).unwrap_or_default();
        return format!("Option<unsafe extern \"C\" fn({}){result}>", parameters.join(", "));
    }
    match r#type {
        "bool" | "c_char" => "u8".to_owned(),
        "c_void" => "std::ffi::c_void".to_owned(),
        other => other.to_owned(),
    }
}

/// The parameters of a function, at the commas that are in no inner parentheses.
fn split(parameters: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in parameters.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(parameters[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(parameters[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// A name in C as a name in Rust.
pub fn ident(name: &str) -> String {
    match name {
        "type" | "priv" => format!("r#{name}"),
        _ => name.to_owned(),
    }
}
