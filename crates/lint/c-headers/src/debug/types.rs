//! Types of debug information as types of headers.

use std::sync::Arc;

use gimli::constants as dw;
use gimli::{AttributeValue, DwAt, Dwarf, Unit, UnitOffset};

use super::{Bytes, DebugError};
use crate::header::{
    CParameter, CType, EnumDeclaration, Enumerator, FieldDeclaration, HeaderItem, HeaderPlace,
    PlacedField, RecordDeclaration, RecordKind, RecordLayout,
};

type DebugEntry<'a> = gimli::DebuggingInformationEntry<Bytes<'a>>;

/// How deeply types are nested.
const DEPTH: usize = 64;

/// The name of an entry.
pub fn name(
    dwarf: &Dwarf<Bytes<'_>>,
    unit: &Unit<Bytes<'_>>,
    entry: &DebugEntry<'_>,
) -> Option<String> {
    let bytes = dwarf.attr_string(unit, entry.attr_value(dw::DW_AT_name)?).ok()?;
    Some(String::from_utf8_lossy(bytes.slice()).into_owned())
}

/// A number of an entry.
pub fn number(entry: &DebugEntry<'_>, what: DwAt) -> Option<u64> {
    entry.attr_value(what)?.udata_value()
}

/// Reads types of one compilation unit.
pub struct Types<'u, 'a> {
    pub dwarf: &'u Dwarf<Bytes<'a>>,
    pub unit: &'u Unit<Bytes<'a>>,
    pub left: &'u mut usize,
}

impl<'a> Types<'_, 'a> {
    pub fn count(&mut self) -> Result<(), DebugError> {
        *self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| DebugError::Broken("more entries than any plug-in has".to_owned()))?;
        Ok(())
    }

    fn deeper(&mut self, depth: usize) -> Result<usize, DebugError> {
        self.count()?;
        match depth {
            DEPTH.. => Err(DebugError::Broken("types that are nested too deeply".to_owned())),
            depth => Ok(depth + 1),
        }
    }

    fn name(&self, entry: &DebugEntry<'_>) -> Option<String> {
        name(self.dwarf, self.unit, entry)
    }

    /// The entry of the type of an entry; none for `void`, and for types of other units.
    fn type_entry(&self, entry: &DebugEntry<'_>) -> Result<Option<DebugEntry<'a>>, DebugError> {
        match entry.attr_value(dw::DW_AT_type) {
            Some(AttributeValue::UnitRef(at)) => Ok(Some(self.unit.entry(at)?)),
            Some(AttributeValue::DebugInfoRef(at)) => match at.to_unit_offset(&self.unit.header) {
                Some(at) => Ok(Some(self.unit.entry(at)?)),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// The entries below one.
    fn below(&mut self, at: UnitOffset) -> Result<Vec<DebugEntry<'a>>, DebugError> {
        let mut tree = self.unit.header.entries_tree(&self.unit.abbreviations, Some(at))?;
        let mut children = tree.root()?.children();
        let mut found = Vec::new();
        while let Some(child) = children.next()? {
            self.count()?;
            found.push(child.entry().clone());
        }
        Ok(found)
    }

    /// The type that an entry has.
    pub fn target(&mut self, entry: &DebugEntry<'_>, depth: usize) -> Result<CType, DebugError> {
        match self.type_entry(entry)? {
            Some(target) => self.read(&target, depth),
            None => Ok(CType::named("void")),
        }
    }

    /// The type that an entry is.
    fn read(&mut self, entry: &DebugEntry<'a>, depth: usize) -> Result<CType, DebugError> {
        let depth = self.deeper(depth)?;
        match entry.tag() {
            dw::DW_TAG_base_type | dw::DW_TAG_typedef => {
                Ok(CType::named(plain(&self.name(entry).unwrap_or_default())))
            }
            dw::DW_TAG_const_type => Ok(constant(self.target(entry, depth)?)),
            dw::DW_TAG_pointer_type
            | dw::DW_TAG_reference_type
            | dw::DW_TAG_rvalue_reference_type => Ok(self.target(entry, depth)?.pointer()),
            dw::DW_TAG_array_type => self.array(entry, depth),
            dw::DW_TAG_subroutine_type => self.function(entry, depth),
            dw::DW_TAG_structure_type | dw::DW_TAG_union_type => match self.name(entry) {
                Some(name) => Ok(CType::named(&name)),
                None => match self.record(entry, "", depth)? {
                    Some((record, _)) => Ok(CType::Record(Box::new(record))),
                    None => Ok(CType::named("void")),
                },
            },
            dw::DW_TAG_enumeration_type => match self.name(entry) {
                Some(name) => Ok(CType::named(&name)),
                None => Ok(CType::Enum(Box::new(self.enumeration(entry, "")?))),
            },
            // volatile, restrict, atomic: the same to the other side.
            _ => self.target(entry, depth),
        }
    }

    fn array(&mut self, entry: &DebugEntry<'a>, depth: usize) -> Result<CType, DebugError> {
        let mut r#type = self.target(entry, depth)?;
        let below = self.below(entry.offset())?;
        for range in below.iter().rev().filter(|entry| entry.tag() == dw::DW_TAG_subrange_type) {
            let last = number(range, dw::DW_AT_upper_bound).and_then(|last| last.checked_add(1));
            let count = number(range, dw::DW_AT_count).or(last);
            let length = String::new();
            r#type = CType::Array { of: Box::new(r#type), count, length };
        }
        Ok(r#type)
    }

    /// The type of a function: what it returns is the type of its entry.
    pub fn function(&mut self, entry: &DebugEntry<'_>, depth: usize) -> Result<CType, DebugError> {
        let depth = self.deeper(depth)?;
        let result = Box::new(self.target(entry, depth)?);
        let (mut parameters, mut variadic) = (Vec::new(), false);
        for below in self.below(entry.offset())? {
            match below.tag() {
                dw::DW_TAG_formal_parameter => parameters.push(CParameter {
                    name: self.name(&below).unwrap_or_default(),
                    r#type: self.target(&below, depth)?,
                }),
                dw::DW_TAG_unspecified_parameters => variadic = true,
                _ => {}
            }
        }
        Ok(CType::Function { result, parameters, variadic })
    }

    /// A struct or union with the places of its fields; none if it is only named.
    pub fn record(
        &mut self,
        entry: &DebugEntry<'_>,
        name: &str,
        depth: usize,
    ) -> Result<Option<(RecordDeclaration, RecordLayout)>, DebugError> {
        let depth = self.deeper(depth)?;
        if entry.attr_value(dw::DW_AT_declaration).is_some() {
            return Ok(None);
        }
        let kind = match entry.tag() {
            dw::DW_TAG_union_type => RecordKind::Union,
            _ => RecordKind::Struct,
        };
        let mut record = RecordDeclaration {
            kind,
            name: name.to_owned(),
            fields: Vec::new(),
            attributes: Vec::new(),
        };
        let size = number(entry, dw::DW_AT_byte_size).unwrap_or_default();
        let mut layout = RecordLayout { size, align: 1, ..RecordLayout::default() };
        for member in self.below(entry.offset())? {
            if member.tag() != dw::DW_TAG_member {
                continue;
            }
            let bits = number(&member, dw::DW_AT_bit_size);
            let in_bits = number(&member, dw::DW_AT_data_bit_offset).map(|bits| bits / 8);
            let offset = number(&member, dw::DW_AT_data_member_location).or(in_bits).unwrap_or(0);
            let (size, align) = match self.type_entry(&member)? {
                Some(of) => self.measure(&of, depth)?,
                None => (0, 1),
            };
            let name = self.name(&member).unwrap_or_default();
            let place = HeaderPlace { line: line(&member), column: 1 };
            record.fields.push(FieldDeclaration {
                place,
                name: name.clone(),
                r#type: self.target(&member, depth)?,
                bits: bits.and_then(|bits| u32::try_from(bits).ok()),
                attributes: Vec::new(),
                doc: String::new(),
                remark: String::new(),
                conditions: Arc::default(),
            });
            layout.end = layout.end.max(offset.saturating_add(size));
            layout.align = layout.align.max(align);
            layout.fields.push(PlacedField { name, offset, size });
        }
        Ok(Some((record, layout)))
    }

    /// Size and alignment in bytes.
    fn measure(&mut self, entry: &DebugEntry<'a>, depth: usize) -> Result<(u64, u64), DebugError> {
        let depth = self.deeper(depth)?;
        let own = number(entry, dw::DW_AT_byte_size);
        match entry.tag() {
            dw::DW_TAG_structure_type | dw::DW_TAG_union_type => {
                let mut align = 1;
                for member in self.below(entry.offset())? {
                    if let Some(of) =
                        self.type_entry(&member)?.filter(|_| member.tag() == dw::DW_TAG_member)
                    {
                        align = align.max(self.measure(&of, depth)?.1);
                    }
                }
                Ok((own.unwrap_or(0), align))
            }
            dw::DW_TAG_array_type => {
                let (size, align) = match self.type_entry(entry)? {
                    Some(of) => self.measure(&of, depth)?,
                    None => (0, 1),
                };
                let r#type = self.array(entry, depth)?;
                Ok((size.saturating_mul(elements(&r#type)), align))
            }
            dw::DW_TAG_pointer_type
            | dw::DW_TAG_reference_type
            | dw::DW_TAG_rvalue_reference_type => {
                let size = own.unwrap_or_else(|| u64::from(self.unit.encoding().address_size));
                Ok((size, size.max(1)))
            }
            _ => match (own, self.type_entry(entry)?) {
                (Some(size), _) => Ok((size, size.max(1))),
                (None, Some(of)) => self.measure(&of, depth),
                (None, None) => Ok((0, 1)),
            },
        }
    }

    pub fn enumeration(
        &mut self,
        entry: &DebugEntry<'_>,
        name: &str,
    ) -> Result<EnumDeclaration, DebugError> {
        let mut enumerators = Vec::new();
        for below in self.below(entry.offset())? {
            if below.tag() == dw::DW_TAG_enumerator {
                enumerators.push(Enumerator {
                    place: HeaderPlace { line: line(&below), column: 1 },
                    name: self.name(&below).unwrap_or_default(),
                    value: below
                        .attr_value(dw::DW_AT_const_value)
                        .and_then(|value| value.sdata_value()),
                    expression: String::new(),
                    doc: String::new(),
                    remark: String::new(),
                    conditions: Vec::new(),
                });
            }
        }
        Ok(EnumDeclaration { name: name.to_owned(), underlying: String::new(), enumerators })
    }

    /// Whether the type of an entry is only named.
    pub fn is_opaque(&mut self, entry: &DebugEntry<'_>) -> Result<bool, DebugError> {
        Ok(self.type_entry(entry)?.is_some_and(|of| of.attr_value(dw::DW_AT_declaration).is_some()))
    }

    /// The struct, union or enumeration that has its name from a `typedef` alone.
    pub fn named_by_typedef(
        &mut self,
        entry: &DebugEntry<'_>,
        name: &str,
    ) -> Result<Option<(HeaderItem, Option<RecordLayout>)>, DebugError> {
        let Some(target) = self.type_entry(entry)?.filter(|target| self.name(target).is_none())
        else {
            return Ok(None);
        };
        match target.tag() {
            dw::DW_TAG_structure_type | dw::DW_TAG_union_type => {
                let found = self.record(&target, name, 0)?;
                Ok(found.map(|(record, layout)| (HeaderItem::Record(record), Some(layout))))
            }
            dw::DW_TAG_enumeration_type => {
                Ok(Some((HeaderItem::Enum(self.enumeration(&target, name)?), None)))
            }
            _ => Ok(None),
        }
    }
}

fn line(entry: &DebugEntry<'_>) -> u32 {
    number(entry, dw::DW_AT_decl_line).and_then(|line| u32::try_from(line).ok()).unwrap_or(0)
}

fn elements(r#type: &CType) -> u64 {
    match r#type {
        CType::Array { of, count, .. } => count.unwrap_or(0).saturating_mul(elements(of)),
        _ => 1,
    }
}

fn constant(r#type: CType) -> CType {
    match r#type {
        CType::Named { name, .. } => CType::Named { name, constant: true },
        CType::Pointer { to, .. } => CType::Pointer { to, constant: true },
        other => other,
    }
}

/// A type of the language as headers write it; compilers write the words in another order.
fn plain(name: &str) -> &str {
    match name {
        "long int" => "long",
        "short int" => "short",
        "long long int" => "long long",
        "long unsigned int" => "unsigned long",
        "short unsigned int" => "unsigned short",
        "long long unsigned int" => "unsigned long long",
        "_Bool" => "bool",
        other => other,
    }
}
