//! ELF: the dynamic section and the dynamic symbols, and nothing else of the file.

use std::collections::HashMap;

use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{Dyn, FileHeader, Rela as _, Sym};
use object::{Endianness, FileKind, ReadRef as _};

use super::bounded::Bounded;
use super::elf_tables::{Tables, Versions};
use super::limits::{LONGEST_NAME, Names};
use super::other::Broken;
use super::{Import, ObjectFormat, SharedObject};

type Data<'a> = &'a Bounded<'a>;

/// Reads an ELF file; none if it is not a position-independent one.
pub(super) fn read<'a>(data: Data<'a>, kind: FileKind) -> Result<Option<SharedObject>, Broken> {
    match kind {
        FileKind::Elf32 => of_class::<FileHeader32<Endianness>>(data),
        _ => of_class::<FileHeader64<Endianness>>(data),
    }
}

fn of_class<'a, Elf>(data: Data<'a>) -> Result<Option<SharedObject>, Broken>
where
    Elf: FileHeader<Endian = Endianness>,
{
    let header = Elf::parse(data)?;
    let endian = header.endian()?;
    if header.e_type(endian) != elf::ET_DYN {
        return Ok(None);
    }
    let tables = Tables::read(header, endian, data)?;
    let mut object = SharedObject {
        format: ObjectFormat::Elf,
        machine: machine(header.e_machine(endian)),
        loaded: tables.loaded,
        soname: None,
        needed: Vec::new(),
        rpaths: Vec::new(),
        also: Vec::new(),
        exports: Vec::new(),
        imports: Vec::new(),
    };
    let strings = tables.strings.bytes(data)?;
    let names = &mut Names::of_file(data.len().unwrap_or_default());
    dynamic::<Elf>(&tables, endian, data, strings, names, &mut object)?;
    symbols::<Elf>(&tables, endian, data, strings, names, &mut object)?;
    Ok(Some(object))
}

/// Fills in `needed`, `rpaths` and `soname`.
fn dynamic<Elf: FileHeader>(
    tables: &Tables,
    endian: Elf::Endian,
    data: Data<'_>,
    strings: &[u8],
    names: &mut Names,
    object: &mut SharedObject,
) -> Result<(), Broken> {
    for entry in tables.dynamic.items::<Elf::Dyn>(data)? {
        let mut text = || entry.val32(endian).map(|at| names.keep(string(strings, at))).transpose();
        match entry.tag(endian) {
            elf::DT_NULL => break,
            elf::DT_NEEDED => object.needed.extend(text()?),
            elf::DT_SONAME => object.soname = text()?,
            elf::DT_RPATH | elf::DT_RUNPATH => object.rpaths.extend(text()?),
            _ => {}
        }
    }
    Ok(())
}

/// Fills in `exports` and `imports`.
fn symbols<Elf: FileHeader>(
    tables: &Tables,
    endian: Elf::Endian,
    data: Data<'_>,
    strings: &[u8],
    names: &mut Names,
    object: &mut SharedObject,
) -> Result<(), Broken> {
    let symbols = tables.symbols.items::<Elf::Sym>(data)?;
    let versions = Versions::read::<Elf>(tables, endian, data, strings, symbols.len());
    let order = binding_order::<Elf>(tables, endian, data);
    for (index, symbol) in symbols.iter().enumerate() {
        let text = string(strings, symbol.st_name(endian));
        if text.is_empty() || symbol.st_bind() == elf::STB_LOCAL {
            continue;
        }
        if symbol.is_undefined(endian) {
            let weak = symbol.st_bind() == elf::STB_WEAK;
            let bound = order.get(&(index as u32)).copied().unwrap_or(u32::MAX);
            let name = names.keep(text)?;
            let version =
                versions.version_of_symbol(index).map(|text| names.keep(text)).transpose()?;
            object.imports.push(Import { name, library: None, version, weak, bound });
        } else if matches!(symbol.st_visibility(), elf::STV_DEFAULT | elf::STV_PROTECTED) {
            object.exports.push(names.keep(text)?);
        }
    }
    Ok(())
}

/// The places of symbols in the order in which the dynamic linker binds them. A file whose relocations are broken has its
/// names all the same.
fn binding_order<Elf: FileHeader>(
    tables: &Tables,
    endian: Elf::Endian,
    data: Data<'_>,
) -> HashMap<u32, u32> {
    let mut order = HashMap::new();
    for table in &tables.relocations {
        for entry in table.items::<Elf::Rela>(data).unwrap_or_default() {
            if let Some(symbol) = entry.symbol(endian, false) {
                let next = order.len() as u32;
                order.entry(symbol.0 as u32).or_insert(next);
            }
        }
    }
    order
}

/// The string at `offset` of a table, as much of it as a name may have; empty if the offset lies outside.
pub(super) fn string(table: &[u8], offset: u32) -> &[u8] {
    let rest = usize::try_from(offset).ok().and_then(|at| table.get(at..)).unwrap_or_default();
    let rest = &rest[..rest.len().min(LONGEST_NAME)];
    &rest[..memchr::memchr(0, rest).unwrap_or(rest.len())]
}

fn machine(machine: elf::Machine) -> String {
    match machine {
        elf::EM_X86_64 => "x86-64".to_owned(),
        elf::EM_386 => "i386".to_owned(),
        elf::EM_AARCH64 => "aarch64".to_owned(),
        elf::EM_ARM => "arm".to_owned(),
        elf::EM_PPC64 => "powerpc64".to_owned(),
        elf::EM_RISCV => "riscv".to_owned(),
        elf::EM_S390 => "s390x".to_owned(),
        other => format!("machine {}", other.0),
    }
}
