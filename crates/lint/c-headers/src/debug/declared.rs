//! From the entries of compilation units to the declarations of headers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gimli::constants as dw;
use gimli::{AttributeValue, Dwarf, Unit};

use super::types::{Types, name, number};
use super::{Bytes, DebugError};
use crate::contract::HeaderContract;
use crate::header::{CType, Declaration, Header, HeaderItem, HeaderPlace, RecordLayout};

type DebugEntry<'a> = gimli::DebuggingInformationEntry<Bytes<'a>>;

/// What was declared, by header.
#[derive(Default)]
pub struct Declared {
    headers: BTreeMap<String, Header>,
    layouts: BTreeMap<String, RecordLayout>,
    seen: BTreeSet<(u8, String)>,
    exports: BTreeSet<String>,
}

impl Declared {
    /// Nothing yet, of an object that exports symbols of these names.
    pub fn exporting(exports: BTreeSet<String>) -> Self {
        Self { exports, ..Self::default() }
    }

    /// Adds what one compilation unit knows. Several units know the same; the first counts.
    pub fn enter(
        &mut self,
        dwarf: &Dwarf<Bytes<'_>>,
        unit: &Unit<Bytes<'_>>,
        left: &mut usize,
    ) -> Result<(), DebugError> {
        let mut types = Types { dwarf, unit, left };
        let mut tree = unit.header.entries_tree(&unit.abbreviations, None)?;
        let mut children = tree.root()?.children();
        while let Some(child) = children.next()? {
            types.count()?;
            let entry = child.entry();
            // A function is declared where it is defined, if that was the same source file.
            let function = matches!(entry.tag(), dw::DW_TAG_subprogram | dw::DW_TAG_variable);
            if let Some((file, place)) = place(dwarf, unit, entry, function) {
                self.declare(&mut types, entry, file, place)?;
            }
        }
        Ok(())
    }

    fn declare(
        &mut self,
        types: &mut Types<'_, '_>,
        entry: &DebugEntry<'_>,
        file: String,
        place: HeaderPlace,
    ) -> Result<(), DebugError> {
        let Some(name) = name(types.dwarf, types.unit, entry).filter(|name| !name.contains('<'))
        else {
            return Ok(());
        };
        let (tag, mut layout) = (entry.tag(), None);
        let item = match tag {
            dw::DW_TAG_structure_type | dw::DW_TAG_union_type => {
                let Some((record, placed)) = types.record(entry, &name, 0)? else {
                    return Ok(());
                };
                layout = Some(placed);
                HeaderItem::Record(record)
            }
            dw::DW_TAG_enumeration_type => HeaderItem::Enum(types.enumeration(entry, &name)?),
            dw::DW_TAG_typedef => match types.named_by_typedef(entry, &name)? {
                Some((item, placed)) => {
                    layout = placed;
                    item
                }
                None => {
                    let r#type = types.target(entry, 0)?;
                    // `typedef struct Thing Thing` says nothing more, unless that is all that there is.
                    match &r#type {
                        CType::Named { name: of, .. } if *of == name => {
                            if !types.is_opaque(entry)? {
                                return Ok(());
                            }
                            HeaderItem::Opaque(name.clone())
                        }
                        _ => HeaderItem::Typedef { name: name.clone(), r#type },
                    }
                }
            },
            dw::DW_TAG_subprogram if self.exports.contains(&name) => {
                let r#type = types.function(entry, 0)?;
                let label = String::new();
                HeaderItem::Function { name: name.clone(), r#type, label, internal: false }
            }
            dw::DW_TAG_variable if self.exports.contains(&name) => {
                let (r#type, value) = (types.target(entry, 0)?, String::new());
                HeaderItem::Variable { name: name.clone(), r#type, value, external: true }
            }
            _ => return Ok(()),
        };
        let space =
            u8::from(matches!(item, HeaderItem::Function { .. } | HeaderItem::Variable { .. }));
        if self.seen.insert((space, name.clone())) {
            if let Some(layout) = layout {
                self.layouts.insert(name, layout);
            }
            let header = self.headers.entry(file).or_default();
            let conditions = Arc::default();
            let doc = String::new();
            header.declarations.push(Declaration { place, doc, conditions, item });
        }
        Ok(())
    }

    /// The declarations as a contract, with the layouts of the compiler.
    pub fn contract(mut self) -> HeaderContract {
        for header in self.headers.values_mut() {
            header.declarations.sort_by_key(|declaration| declaration.place);
        }
        let (names, headers): (Vec<String>, Vec<Header>) = self.headers.into_iter().unzip();
        let names: Vec<Arc<str>> = names.into_iter().map(Arc::from).collect();
        let mut contract = HeaderContract::of_headers(headers, &names, &Header::default());
        contract.place(self.layouts);
        contract
    }
}

/// The header in which an entry was declared, by its name without folders, and the place in it; none for what
/// was declared in a source file or in a header of the system, unless that is wanted `anywhere`.
fn place(
    dwarf: &Dwarf<Bytes<'_>>,
    unit: &Unit<Bytes<'_>>,
    entry: &DebugEntry<'_>,
    anywhere: bool,
) -> Option<(String, HeaderPlace)> {
    let index = match entry.attr_value(dw::DW_AT_decl_file)? {
        AttributeValue::FileIndex(index) => index,
        other => other.udata_value()?,
    };
    let program = unit.line_program.as_ref()?.header();
    let file = program.file(index)?;
    let text = |value| {
        let bytes: Bytes<'_> = dwarf.attr_string(unit, value).ok()?;
        Some(String::from_utf8_lossy(bytes.slice()).into_owned())
    };
    let (path, folder) = (text(file.path_name())?, file.directory(program).and_then(text));
    let whole = format!("{}/{path}", folder.unwrap_or_default());
    let system = ["/usr/", "/opt/rh/", "<"]
        .iter()
        .any(|start| whole.trim_start_matches("//").starts_with(start))
        || path.starts_with("/usr/");
    let name = path.rsplit('/').next()?.to_owned();
    let header = matches!(name.rsplit_once('.')?.1, "h" | "hh" | "hpp" | "hxx" | "inc");
    let line = u32::try_from(number(entry, dw::DW_AT_decl_line).unwrap_or(0)).unwrap_or(u32::MAX);
    ((header && !system) || anywhere).then_some((name, HeaderPlace { line, column: 1 }))
}
