//! Where fields lie: the rules of C on 64-bit machines, the only ones with plug-ins.

use std::collections::BTreeMap;
use std::error::Error;

use unskew_abi_build::FieldPlacement;

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
        let mut places = FieldPlacement::default();
        if let Some(record) = abi.structs.get(name) {
            for field in all_fields(record) {
                let (bytes, align) = self.measure(abi, &field.r#type)?;
                let at = places.put(bytes, align);
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
                // All fields of a union begin at the same place.
                places.end = places.end.max(bytes);
                places.align = places.align.max(align);
            }
        } else {
            return Err(format!("no type of this name: {name}").into());
        }
        (layout.end, layout.align, layout.size) = (places.end, places.align, places.size());
        self.0.insert(name.to_owned(), layout.clone());
        Ok(layout)
    }

    /// Size and alignment of a type, in bytes.
    pub fn measure(&mut self, abi: &Abi, r#type: &str) -> Result<(usize, usize), Box<dyn Error>> {
        unskew_abi_build::measure(r#type, &mut |name| {
            if abi.callbacks.contains_key(name) {
                return Ok((8, 8));
            }
            if abi.enums.contains_key(name) || name == "PJRT_Extension_Type" {
                return Ok((4, 4));
            }
            let layout = self.place(abi, name)?;
            Ok((layout.size, layout.align))
        })
    }
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
