//! ELF: the dynamic section and the dynamic symbols, and nothing else of the file.

use std::collections::HashMap;

use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{Dyn, FileHeader, Rela as _, SectionHeader, SectionTable, Sym};
use object::{Endianness, FileKind, ReadRef as _, SymbolIndex, read};

use super::bounded::Bounded;
use super::limits::{MOST_ENTRIES, name};
use super::{Format, Import, SharedObject};

type Data<'a> = &'a Bounded<'a>;

/// Reads an ELF file; none if it is not a position-independent one.
pub(super) fn read<'a>(data: Data<'a>, kind: FileKind) -> read::Result<Option<SharedObject>> {
    match kind {
        FileKind::Elf32 => of_class::<FileHeader32<Endianness>>(data),
        _ => of_class::<FileHeader64<Endianness>>(data),
    }
}

fn of_class<'a, Elf>(data: Data<'a>) -> read::Result<Option<SharedObject>>
where
    Elf: FileHeader<Endian = Endianness>,
{
    let header = Elf::parse(data)?;
    let endian = header.endian()?;
    if header.e_type(endian) != elf::ET_DYN {
        return Ok(None);
    }
    let sections = header.sections(endian, data)?;
    let mut object = SharedObject {
        format: Format::Elf,
        machine: machine(header.e_machine(endian)),
        soname: None,
        needed: Vec::new(),
        rpaths: Vec::new(),
        also: Vec::new(),
        exports: Vec::new(),
        imports: Vec::new(),
    };
    let relative = dynamic::<Elf>(&sections, endian, data, &mut object)?;
    symbols::<Elf>(&sections, endian, data, relative, &mut object)?;
    Ok(Some(object))
}

/// The relocations that name no symbol: how many stand at the start of the table at this address. Plug-ins have them by
/// the hundred thousand.
#[derive(Clone, Copy, Default)]
struct Relative {
    table: u64,
    count: u64,
}

/// Fills in `needed`, `rpaths` and `soname`; which relocations name no symbol.
fn dynamic<'a, Elf: FileHeader>(
    sections: &SectionTable<'a, Elf, Data<'a>>,
    endian: Elf::Endian,
    data: Data<'a>,
    object: &mut SharedObject,
) -> read::Result<Relative> {
    let mut relative = Relative::default();
    let Some((entries, link)) = sections.dynamic(endian, data)? else { return Ok(relative) };
    let strings = sections.section(link)?.data(endian, data)?;
    for entry in entries.iter().take(MOST_ENTRIES) {
        let text = || Some(name(string(strings, entry.val32(endian)?)));
        match entry.tag(endian) {
            elf::DT_NULL => break,
            elf::DT_NEEDED => object.needed.extend(text()),
            elf::DT_SONAME => object.soname = text(),
            elf::DT_RPATH | elf::DT_RUNPATH => object.rpaths.extend(text()),
            elf::DT_RELA => relative.table = entry.val(endian),
            elf::DT_RELACOUNT => relative.count = entry.val(endian),
            _ => {}
        }
    }
    Ok(relative)
}

/// Fills in `exports` and `imports`.
fn symbols<'a, Elf: FileHeader>(
    sections: &SectionTable<'a, Elf, Data<'a>>,
    endian: Elf::Endian,
    data: Data<'a>,
    relative: Relative,
    object: &mut SharedObject,
) -> read::Result<()> {
    let Some(table) = sections.iter().find(|s| s.sh_type(endian) == elf::SHT_DYNSYM) else {
        return Ok(());
    };
    let symbols: &[Elf::Sym] = table.data_as_array(endian, data)?;
    let strings = sections.section(table.link(endian))?.data(endian, data)?;
    // A file whose versions are broken still has its names.
    let versions = sections.versions(endian, data).ok().flatten();
    let version = |index: usize| {
        let versions = versions.as_ref()?;
        let of = versions.version_index(endian, SymbolIndex(index)).index();
        Some(name(versions.version(of).ok()??.name()))
    };
    let order = binding_order(sections, endian, data, relative);
    for (index, symbol) in symbols.iter().take(MOST_ENTRIES).enumerate() {
        let text = string(strings, symbol.st_name(endian));
        if text.is_empty() || symbol.st_bind() == elf::STB_LOCAL {
            continue;
        }
        if symbol.is_undefined(endian) {
            let weak = symbol.st_bind() == elf::STB_WEAK;
            let bound = order.get(&(index as u32)).copied().unwrap_or(u32::MAX);
            let (name, version) = (name(text), version(index));
            object.imports.push(Import { name, library: None, version, weak, bound });
        } else if matches!(symbol.st_visibility(), elf::STV_DEFAULT | elf::STV_PROTECTED) {
            object.exports.push(name(text));
        }
    }
    Ok(())
}

/// The places of symbols in the order in which the dynamic linker binds them. A file whose relocations are broken has its
/// names all the same.
fn binding_order<'a, Elf: FileHeader>(
    sections: &SectionTable<'a, Elf, Data<'a>>,
    endian: Elf::Endian,
    data: Data<'a>,
    relative: Relative,
) -> HashMap<u32, u32> {
    let mut order = HashMap::new();
    for section in sections.iter() {
        // Those that the dynamic linker does not apply are not loaded.
        let loaded = section.sh_flags(endian).contains(elf::SHF_ALLOC);
        if section.sh_type(endian) != elf::SHT_RELA || !loaded {
            continue;
        }
        let address: u64 = section.sh_addr(endian).into();
        let skipped = if address == relative.table { relative.count } else { 0 };
        for entry in entries::<Elf>(section, endian, data, skipped) {
            if let Some(symbol) = entry.symbol(endian, false) {
                let next = order.len() as u32;
                order.entry(symbol.0 as u32).or_insert(next);
            }
        }
    }
    order
}

/// The relocations of a section behind the first `skipped`; none if the section is broken.
fn entries<'a, Elf: FileHeader>(
    section: &Elf::SectionHeader,
    endian: Elf::Endian,
    data: Data<'a>,
    skipped: u64,
) -> &'a [Elf::Rela] {
    let size = size_of::<Elf::Rela>() as u64;
    let all = section.sh_size(endian).into() / size;
    let left = all.saturating_sub(skipped).min(MOST_ENTRIES as u64);
    let start: u64 = section.sh_offset(endian).into();
    let start = skipped.checked_mul(size).and_then(|bytes| start.checked_add(bytes));
    let read = start.and_then(|start| data.read_slice_at(start, left as usize).ok());
    read.unwrap_or_default()
}

/// The string at `offset` of a table; empty if the offset lies outside.
pub(super) fn string(table: &[u8], offset: u32) -> &[u8] {
    let rest = usize::try_from(offset).ok().and_then(|at| table.get(at..)).unwrap_or_default();
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
