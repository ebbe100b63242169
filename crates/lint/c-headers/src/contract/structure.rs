//! Structs and their fields as parts of a contract.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::placement::StructPlacement;
use super::{AnnouncedSize, Extent, Remark, Spot};
use crate::header::{
    CType, LayoutError, RecordDeclaration, RecordKind, RecordLayout, changes_layout,
};

/// Where a struct is used in a way that fixes its size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// The fields that hold it by value: `HeaderStruct.field`.
    pub embedded_in: BTreeSet<String>,
    /// The fields and parameters that point to several of them in a row: the size is the step.
    pub element_of: BTreeSet<String>,
    /// The functions that take or return it by value.
    pub by_value: BTreeSet<String>,
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct HeaderMember {
    /// Its name; a made one for an anonymous struct or union.
    pub name: String,
    /// The place of the declaration.
    pub spot: Spot,
    /// Its type, with array lengths and pointers.
    pub r#type: CType,
    /// Its offset in bytes; none if a type before it is not known.
    pub offset: Option<u64>,
    /// Its size in bytes; none if its type is not known.
    pub size: Option<u64>,
    /// Its width, if it is a bit-field.
    pub bits: Option<u32>,
    /// Whether it points to a function.
    pub is_function: bool,
    /// What its comments say.
    pub remark: Remark,
}

impl HeaderMember {
    /// Whether its name says that its bytes are for later.
    pub fn is_reserved(&self) -> bool {
        let word = b"reserved";
        self.name.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word))
    }

    /// Where it ends, in bytes.
    pub fn end(&self) -> Option<u64> {
        self.offset?.checked_add(self.size?)
    }
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct HeaderStruct {
    /// The tag or the typedef by which it is known.
    pub name: String,
    /// The place of the declaration.
    pub spot: Spot,
    /// Whether it is a struct or a union.
    pub kind: RecordKind,
    /// Its fields, in the order of their declaration.
    pub members: Vec<HeaderMember>,
    /// Attributes that change the layout.
    pub attributes: Vec<String>,
    /// The conditions of the preprocessor around it.
    pub conditions: Arc<[String]>,
    /// Where its fields lie, or why that cannot be told.
    pub layout: Result<RecordLayout, LayoutError>,
    /// The sizes that headers announce for it.
    pub announced: Vec<AnnouncedSize>,
    /// Where it is used.
    pub uses: Uses,
    /// What its comment says.
    pub remark: Remark,
    /// Whether it begins with the base of a chain of extensions, by value or written out.
    pub extension: bool,
    /// Whether that base says how large the whole is.
    pub sized_base: bool,
}

impl HeaderStruct {
    /// A struct without what only the whole contract can tell.
    pub(super) fn new(record: RecordDeclaration, spot: Spot, placement: StructPlacement) -> Self {
        let StructPlacement { layout, known } = placement;
        let file = Arc::clone(&spot.file);
        let mut placed = layout.as_ref().map(|l| l.fields.as_slice()).unwrap_or_default();
        let mut attributes = record.attributes;
        attributes.retain(|attribute| changes_layout(attribute));
        for field in &record.fields {
            let own = field.attributes.iter().map(|text| format!("{}: {text}", field.name));
            attributes.extend(own);
        }
        let mut members = Vec::with_capacity(record.fields.len());
        for (index, field) in record.fields.into_iter().enumerate() {
            let at = placed.iter().position(|p| p.name == field.name);
            let own = at.and_then(|at| placed.get(at));
            let own = own.map(|p| (p.offset, p.size)).or_else(|| known.get(index).copied());
            placed = at.and_then(|at| placed.get(at + 1..)).unwrap_or_default();
            let name = match field.name.is_empty() {
                true => format!("(unnamed, number {})", index + 1),
                false => field.name,
            };
            members.push(HeaderMember {
                name,
                spot: Spot { file: Arc::clone(&file), place: field.place },
                r#type: field.r#type,
                offset: own.map(|(offset, _)| offset),
                size: own.map(|(_, size)| size),
                bits: field.bits,
                is_function: false,
                remark: Remark::from_comments([field.doc.as_str(), field.remark.as_str()]),
            });
        }
        Self {
            name: record.name,
            spot,
            kind: record.kind,
            members,
            attributes,
            conditions: Arc::default(),
            layout,
            announced: Vec::new(),
            uses: Uses::default(),
            remark: Remark::default(),
            extension: false,
            sized_base: false,
        }
    }

    /// Whether it says how large it is, and so may grow: its first field is `struct_size`, or the base of
    /// an extension, which has one.
    pub fn is_extensible(&self) -> bool {
        self.kind == RecordKind::Struct
            && self.members.first().is_some_and(|first| {
                let own = first.name == "struct_size";
                (own && !matches!(first.r#type, CType::Pointer { .. })) || self.sized_base
            })
    }

    /// Whether it is what stands behind a handle: one pointer to nothing that is known, which its callers do not touch.
    pub fn is_behind_handle(&self) -> bool {
        let [only] = self.members.as_slice() else { return false };
        let pointer = matches!(&only.r#type, CType::Pointer { to, .. }
            if matches!(&**to, CType::Named { name, .. } if name == "void"));
        let uses = &self.uses;
        pointer && uses.embedded_in.is_empty() && uses.by_value.is_empty()
    }

    /// Whether it is one of a chain of extensions: it begins with a struct that has a type and a next one.
    pub fn is_extension(&self) -> bool {
        self.extension
    }

    /// Whether it is a table of functions: they are most of what stands behind its head.
    pub fn is_table(&self) -> bool {
        let functions = self.members.iter().filter(|member| member.is_function).count();
        functions > 0 && 2 * functions + 3 >= self.members.len() && self.is_extensible()
    }

    /// The last field; none if there are no fields.
    pub fn last(&self) -> Option<&HeaderMember> {
        self.members.last().filter(|_| self.kind == RecordKind::Struct)
    }

    /// Where the last field ends, in bytes.
    pub fn end(&self) -> Option<u64> {
        self.layout.as_ref().ok().map(|layout| layout.end)
    }

    /// The size with the padding behind the last field, in bytes.
    pub fn size(&self) -> Option<u64> {
        self.layout.as_ref().ok().map(|layout| layout.size)
    }

    /// The field of this name.
    pub fn member(&self, name: &str) -> Option<&HeaderMember> {
        self.members.iter().find(|member| member.name == name)
    }

    /// The size that an announcement stands for, in bytes; none if it names no field of this struct.
    pub fn extent(&self, extent: &Extent) -> Option<u64> {
        match extent {
            Extent::Field(name) => match &self.layout {
                Ok(layout) => layout.end_of(name),
                Err(_) => None,
            },
            Extent::Whole => self.size(),
        }
    }
}
