//! Types of C in the notation of the data.

use unskew_c_headers::header::{CType, HeaderItem};

use super::set::PjrtHeaders;

/// Whether a field of the headers has the type that the data says. What may be written through a pointer is
/// no part of the ABI and has changed without a word; what extensions are was not said before 0.44.
pub fn agrees(found: &CType, data: &str, set: &PjrtHeaders) -> bool {
    let named = match found {
        CType::Pointer { to, .. } => matches!(&**to, CType::Named { name, .. } if name == data),
        _ => false,
    };
    let found = kind(found, set).replace("*const", "*mut");
    let data = data.replace("*const", "*mut");
    let any = found == "*mut c_void" && data == "*mut PJRT_Extension_Base";
    named || any || found == data
}

/// A type as the data writes it.
pub fn kind(r#type: &CType, set: &PjrtHeaders) -> String {
    match r#type {
        CType::Named { name, .. } => plain(name).to_owned(),
        CType::Pointer { to, .. } => match function(to, set) {
            Some(function) => function,
            None => {
                let word = if is_constant(to) { "*const" } else { "*mut" };
                format!("{word} {}", kind(to, set))
            }
        },
        CType::Array { of, count, .. } => {
            format!("[{}; {}]", kind(of, set), count.unwrap_or_default())
        }
        other => other.to_string(),
    }
}

fn is_constant(r#type: &CType) -> bool {
    matches!(r#type, CType::Named { constant: true, .. } | CType::Pointer { constant: true, .. })
}

/// A function, itself or under a name of its own.
fn function(r#type: &CType, set: &PjrtHeaders) -> Option<String> {
    let named = match r#type {
        CType::Named { name, .. } => {
            set.all().flat_map(|h| &h.declarations).find_map(|d| match &d.item {
                HeaderItem::Typedef { name: own, r#type } if own == name => Some(r#type),
                _ => None,
            })
        }
        _ => None,
    };
    let CType::Function { result, parameters, .. } = named.unwrap_or(r#type) else { return None };
    let parameters: Vec<String> = parameters.iter().map(|p| kind(&p.r#type, set)).collect();
    let result = match kind(result, set).as_str() {
        "c_void" => String::new(),
        other => format!(" -> {other}"),
    };
    Some(format!("fn({}){result}", parameters.join(", ")))
}

fn plain(name: &str) -> &str {
    match name {
        "size_t" | "uintptr_t" => "usize",
        "intptr_t" => "isize",
        "int64_t" => "i64",
        "uint64_t" => "u64",
        "int" | "int32_t" => "i32",
        "unsigned int" | "uint32_t" => "u32",
        "uint8_t" => "u8",
        "float" => "f32",
        "char" => "c_char",
        "void" => "c_void",
        other => other,
    }
}
