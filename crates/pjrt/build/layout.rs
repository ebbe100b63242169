//! Where fields lie: the rules of C on 64-bit machines, the only ones with plug-ins.

use std::collections::BTreeMap;
use std::error::Error;

use crate::model::{Abi, Field, Head, Struct};

/// A field with its place.
#[derive(Clone)]
pub struct Placed {
    pub name: String,
    /// Its type in the notation of the data files.
    pub r#type: String,
    pub at: usize,
    pub bytes: usize,
    pub since: i32,
    /// What it is for the callee: an input, an output, or both.
    pub direction: &'static str,
}

/// Where a struct's fields lie, as of today.
#[derive(Clone)]
pub struct Layout {
    pub fields: Vec<Placed>,
    /// Where the last field ends, in bytes: what `struct_size` means.
    pub end: usize,
    /// With the padding at the end.
    pub size: usize,
    pub align: usize,
}

/// The layouts of all structs and unions.
pub struct Layouts(pub BTreeMap<String, Layout>);

impl Layouts {
    pub fn of(abi: &Abi) -> Result<Self, Box<dyn Error>> {
        let mut layouts = Self(BTreeMap::new());
        for name in abi.structs.keys().chain(abi.unions.keys()) {
            layouts.place(abi, name)?;
        }
        for (name, record) in &abi.structs {
            let end = layouts.0.get(name).map(|layout| layout.end);
            let said = record.sizes.last().map(|size| size.end);
            if said.is_some() && said != end {
                return Err(format!("{name} ends at {end:?}, its sizes say {said:?}").into());
            }
        }
        Ok(layouts)
    }

    fn place(&mut self, abi: &Abi, name: &str) -> Result<Layout, Box<dyn Error>> {
        if let Some(known) = self.0.get(name) {
            return Ok(known.clone());
        }
        let mut layout = Layout { fields: Vec::new(), end: 0, size: 0, align: 1 };
        if let Some(record) = abi.structs.get(name) {
            for field in all_fields(record) {
                let (bytes, align) = self.measure(abi, &field.r#type)?;
                let at = layout.end.next_multiple_of(align);
                layout.end = at + bytes;
                layout.align = layout.align.max(align);
                layout.fields.push(Placed {
                    at,
                    bytes,
                    since: field.since.unwrap_or(record.since),
                    direction: direction(&field),
                    name: field.name,
                    r#type: field.r#type,
                });
            }
        } else if let Some(union) = abi.unions.get(name) {
            for field in &union.fields {
                let (bytes, align) = self.measure(abi, &field.r#type)?;
                layout.end = layout.end.max(bytes);
                layout.align = layout.align.max(align);
            }
        } else {
            return Err(format!("no type of this name: {name}").into());
        }
        layout.size = layout.end.next_multiple_of(layout.align);
        self.0.insert(name.to_owned(), layout.clone());
        Ok(layout)
    }

    /// Size and alignment of a type, in bytes.
    pub fn measure(&mut self, abi: &Abi, r#type: &str) -> Result<(usize, usize), Box<dyn Error>> {
        if let Some((element, count)) = array(r#type) {
            let (bytes, align) = self.measure(abi, element)?;
            return Ok((bytes * count, align));
        }
        let pointer = r#type.starts_with('*')
            || r#type.starts_with("fn(")
            || abi.callbacks.contains_key(r#type);
        Ok(match r#type {
            _ if pointer => (8, 8),
            "usize" | "isize" | "i64" | "u64" => (8, 8),
            "i32" | "u32" | "f32" => (4, 4),
            "bool" | "u8" => (1, 1),
            _ if abi.enums.contains_key(r#type) || r#type == "PJRT_Extension_Type" => (4, 4),
            _ => {
                let layout = self.place(abi, r#type)?;
                (layout.size, layout.align)
            }
        })
    }
}

/// `[bool; 4]` as its element and its count.
pub fn array(r#type: &str) -> Option<(&str, usize)> {
    let (element, count) = r#type.strip_prefix('[')?.strip_suffix(']')?.split_once("; ")?;
    Some((element, count.parse().ok()?))
}

/// The fields of a struct with those that `head` stands for.
fn all_fields(record: &Struct) -> Vec<Field> {
    let head = |name: &str, r#type: &str| Field {
        name: name.to_owned(),
        r#type: r#type.to_owned(),
        since: None,
        out: false,
        inout: false,
    };
    let mut fields = Vec::new();
    if record.head != Head::None {
        fields.push(head("struct_size", "usize"));
    }
    if record.head == Head::Extensible {
        fields.push(head("extension_start", "*mut PJRT_Extension_Base"));
    }
    fields.extend(record.fields.iter().map(|field| Field {
        since: field.since,
        out: field.out,
        inout: field.inout,
        ..head(&field.name, &field.r#type)
    }));
    fields
}

fn direction(field: &Field) -> &'static str {
    match (field.out, field.inout) {
        (_, true) => "InOut",
        (true, false) => "Out",
        (false, false) => "In",
    }
}
