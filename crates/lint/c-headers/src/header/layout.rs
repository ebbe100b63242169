//! Layout of records: the rules of C on 64-bit machines (LP64).

use foldhash::{HashMap, HashMapExt as _};
use thiserror::Error;

use super::depth::DEPTH;
use super::model::{CType, Header, HeaderItem, RecordDeclaration, RecordKind, changes_layout};
use super::pack::{self, AlignmentEffect};
use super::system_types::system_type;

/// A field with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedField {
    /// Its name; fields of an anonymous struct or union stand under their own names too.
    pub name: String,
    /// Its offset, in bytes.
    pub offset: u64,
    /// Its size, in bytes.
    pub size: u64,
}

/// Where the fields of a record lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordLayout {
    /// The fields, an anonymous record before its own.
    pub fields: Vec<PlacedField>,
    /// Where the last field ends, in bytes.
    pub end: u64,
    /// The size with the padding at the end, in bytes.
    pub size: u64,
    /// The alignment, in bytes.
    pub align: u64,
}

impl RecordLayout {
    /// Where the field of this name ends: what a size macro with it stands for.
    pub fn end_of(&self, field: &str) -> Option<u64> {
        let found = self.fields.iter().find(|placed| placed.name == field)?;
        found.offset.checked_add(found.size)
    }
}

/// Why there is no layout.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// Nothing of this name is declared, or only its name is.
    #[error("a type that is not declared: {0}")]
    Unknown(String),
    /// A record contains itself, or records are nested too deeply.
    #[error("a type that contains itself or is nested too deeply: {0}")]
    Endless(String),
    /// Bit-fields are placed by rules that differ between compilers.
    #[error("a bit-field: {0}")]
    BitField(String),
    /// An attribute that changes the layout.
    #[error("an attribute that changes the layout: {0}")]
    Attribute(String),
    /// An array without a length that was understood.
    #[error("an array of unknown length: {0}")]
    Length(String),
    /// More bytes than there are.
    #[error("larger than any memory: {0}")]
    TooLarge(String),
}

/// The layouts of what some headers declare. Of several declarations of a name the first counts.
pub struct Layouts<'a> {
    records: HashMap<&'a str, &'a RecordDeclaration>,
    /// The sizes of enumerations.
    enums: HashMap<&'a str, u64>,
    typedefs: HashMap<&'a str, &'a CType>,
    known: HashMap<&'a str, Result<RecordLayout, LayoutError>>,
    depth: usize,
}

impl<'a> Layouts<'a> {
    /// For the declarations of these headers together.
    pub fn for_headers(headers: impl IntoIterator<Item = &'a Header>) -> Self {
        let mut layouts = Self {
            records: HashMap::new(),
            enums: HashMap::new(),
            typedefs: HashMap::new(),
            known: HashMap::new(),
            depth: 0,
        };
        for declaration in headers.into_iter().flat_map(|header| &header.declarations) {
            match &declaration.item {
                HeaderItem::Record(record) => {
                    layouts.records.entry(&record.name).or_insert(record);
                }
                HeaderItem::Enum(r#enum) => {
                    layouts.enums.entry(&r#enum.name).or_insert_with(|| r#enum.size());
                }
                HeaderItem::Typedef { name, r#type } => {
                    layouts.typedefs.entry(name).or_insert(r#type);
                }
                _ => {}
            }
        }
        layouts
    }

    /// Where the fields of the struct or union of this name lie.
    ///
    /// # Errors
    /// If the header does not say enough to tell.
    pub fn layout(&mut self, name: &str) -> Result<RecordLayout, LayoutError> {
        self.find(name).cloned()
    }

    /// The same, which is not kept for the next question.
    pub(crate) fn take(&mut self, name: &str) -> Result<RecordLayout, LayoutError> {
        self.find(name)?;
        let unknown = || Err(LayoutError::Unknown(name.to_owned()));
        self.known.remove(name).unwrap_or_else(unknown)
    }

    /// The same, as it is kept.
    pub(crate) fn find(&mut self, name: &str) -> Result<&RecordLayout, LayoutError> {
        if !self.known.contains_key(name) {
            let (name, record) = self
                .records
                .get_key_value(name)
                .map(|(name, record)| (*name, *record))
                .ok_or_else(|| LayoutError::Unknown(name.to_owned()))?;
            // Found again while it is being placed, it contains itself.
            self.known.insert(name, Err(LayoutError::Endless(name.to_owned())));
            let found = self.place(record);
            self.known.insert(name, found);
        }
        match self.known.get(name) {
            Some(found) => found.as_ref().map_err(Clone::clone),
            None => Err(LayoutError::Unknown(name.to_owned())),
        }
    }

    fn place(&mut self, record: &'a RecordDeclaration) -> Result<RecordLayout, LayoutError> {
        let whole = effects(&record.attributes)?;
        let mut layout = RecordLayout { align: whole.least, ..RecordLayout::default() };
        for field in &record.fields {
            if field.bits.is_some() {
                return Err(LayoutError::BitField(field.name.clone()));
            }
            let too_large = || LayoutError::TooLarge(field.name.clone());
            let inner = match &field.r#type {
                CType::Record(inner) => Some(self.place(inner)?),
                _ => None,
            };
            let (size, align) = match &inner {
                Some(inner) => (inner.size, inner.align),
                None => self.measure(&field.r#type)?,
            };
            let own = effects(&field.attributes)?;
            let align = align.min(whole.most).min(own.most).max(own.least);
            let offset = match record.kind {
                RecordKind::Union => 0,
                RecordKind::Struct => {
                    layout.end.checked_next_multiple_of(align).ok_or_else(too_large)?
                }
            };
            let end = offset.checked_add(size).ok_or_else(too_large)?;
            layout.end = layout.end.max(end);
            layout.align = layout.align.max(align);
            let name = field.name.clone();
            layout.fields.push(PlacedField { name, offset, size });
            for placed in inner.filter(|_| field.name.is_empty()).into_iter().flat_map(|i| i.fields)
            {
                layout.fields.push(PlacedField { offset: placed.offset + offset, ..placed });
            }
        }
        let size = layout.end.checked_next_multiple_of(layout.align);
        layout.size = size.ok_or_else(|| LayoutError::TooLarge(record.name.clone()))?;
        Ok(layout)
    }

    /// Size and alignment of a type, in bytes.
    ///
    /// # Errors
    /// If the headers do not say enough to tell.
    pub fn measure(&mut self, r#type: &'a CType) -> Result<(u64, u64), LayoutError> {
        self.depth += 1;
        let found = if self.depth > 4 * DEPTH {
            Err(LayoutError::Endless(r#type.to_string().chars().take(80).collect()))
        } else {
            self.measure_inner(r#type)
        };
        self.depth -= 1;
        found
    }

    fn measure_inner(&mut self, r#type: &'a CType) -> Result<(u64, u64), LayoutError> {
        match r#type {
            CType::Pointer { .. } => Ok((8, 8)),
            CType::Enum(r#enum) => Ok((r#enum.size(), r#enum.size())),
            CType::Function { .. } => Err(LayoutError::Unknown(r#type.to_string())),
            CType::Record(record) => {
                let layout = self.place(record)?;
                Ok((layout.size, layout.align))
            }
            CType::Array { of, count, .. } => {
                let (size, align) = self.measure(of)?;
                let count = count.ok_or_else(|| LayoutError::Length(r#type.to_string()))?;
                let bytes = size.checked_mul(count);
                Ok((bytes.ok_or_else(|| LayoutError::TooLarge(r#type.to_string()))?, align))
            }
            CType::Named { name, .. } => {
                if let Some(bytes) = plain(name) {
                    return Ok((bytes, bytes));
                }
                if let Some(bytes) = self.enums.get(name.as_str()) {
                    return Ok((*bytes, *bytes));
                }
                if self.records.contains_key(name.as_str()) {
                    let layout = self.find(name)?;
                    return Ok((layout.size, layout.align));
                }
                match self.typedefs.get(name.as_str()) {
                    Some(r#type) => self.measure(r#type),
                    None => system_type(name).ok_or_else(|| LayoutError::Unknown(name.clone())),
                }
            }
        }
    }
}

/// What attributes do to alignment, together.
fn effects(attributes: &[String]) -> Result<AlignmentEffect, LayoutError> {
    let mut all = AlignmentEffect { most: u64::MAX, least: 1 };
    for attribute in attributes.iter().filter(|attribute| changes_layout(attribute)) {
        let one = pack::effect(attribute);
        let one = one.ok_or_else(|| LayoutError::Attribute(attribute.clone()))?;
        (all.most, all.least) = (all.most.min(one.most), all.least.max(one.least));
    }
    Ok(all)
}

/// The size of a type of the language or its library, which is its alignment too.
pub fn plain(name: &str) -> Option<u64> {
    Some(match name.strip_prefix("std::").unwrap_or(name) {
        "char" | "signed char" | "unsigned char" | "char8_t" | "bool" | "_Bool" | "int8_t"
        | "uint8_t" => 1,
        "short" | "char16_t" | "short int" | "unsigned short" | "unsigned short int"
        | "int16_t" | "uint16_t" => 2,
        "int" | "unsigned" | "unsigned int" | "signed" | "signed int" | "float" | "wchar_t"
        | "char32_t" | "int32_t" | "uint32_t" => 4,
        "long"
        | "long int"
        | "unsigned long"
        | "unsigned long int"
        | "long long"
        | "long long int"
        | "unsigned long long"
        | "unsigned long long int"
        | "double"
        | "intmax_t"
        | "uintmax_t"
        | "signed long"
        | "signed long long"
        | "int64_t"
        | "uint64_t"
        | "size_t"
        | "ssize_t"
        | "ptrdiff_t"
        | "intptr_t"
        | "uintptr_t" => 8,
        "long double" | "__int128" => 16,
        _ => return None,
    })
}
