//! The code around an exported function, as it lies in the file.

use std::sync::Arc;

use object::elf::{self, FileHeader64};
use object::read::ReadCache;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};
use object::{Endianness, FileKind};
use unskew_source::Source;

use super::bounded::{Bounded, SourceReader};
use super::elf::string;

/// The machine code within `reach` bytes of an exported function, from the file and without running it. None if the
/// source is no ELF file for x86-64, or exports no such function.
pub fn code_around(source: &Arc<dyn Source>, function: &str, reach: u64) -> Option<Vec<u8>> {
    let reader = SourceReader::new(Arc::clone(source));
    let failed = reader.failed();
    let cache = ReadCache::new(reader);
    let data = Bounded::new(&cache, source.size(), failed);
    let place = place(&&data, function, reach)?;
    let mut code = vec![0; usize::try_from(place.end.checked_sub(place.start)?).ok()?];
    let mut filled = 0;
    while filled < code.len() {
        match source.read_at(place.start + filled as u64, &mut code[filled..]) {
            Ok(0) | Err(_) => return None,
            Ok(n) => filled += n,
        }
    }
    Some(code)
}

fn place(data: &&Bounded<'_>, function: &str, reach: u64) -> Option<std::ops::Range<u64>> {
    let data = *data;
    if FileKind::parse(data).ok()? != FileKind::Elf64 {
        return None;
    }
    let header = FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    if header.e_machine(endian) != elf::EM_X86_64 {
        return None;
    }
    let sections = header.sections(endian, data).ok()?;
    let table = sections.iter().find(|section| section.sh_type(endian) == elf::SHT_DYNSYM)?;
    let symbols: &[elf::Sym64<Endianness>] = table.data_as_array(endian, data).ok()?;
    let strings = sections.section(table.link(endian)).ok()?.data(endian, data).ok()?;
    let named = |symbol: &&elf::Sym64<Endianness>| {
        !symbol.is_undefined(endian)
            && string(strings, symbol.st_name(endian)) == function.as_bytes()
    };
    let address = symbols.iter().take(super::limits::MOST_ENTRIES).find(named)?.st_value(endian);
    let segments = header.program_headers(endian, data).ok()?;
    let segment = segments.iter().find(|segment| {
        let start = segment.p_vaddr(endian);
        segment.p_type(endian) == elf::PT_LOAD
            && address.checked_sub(start).is_some_and(|at| at < segment.p_filesz(endian))
    })?;
    let first = segment.p_offset(endian);
    let last = first.checked_add(segment.p_filesz(endian))?;
    let at = first.checked_add(address - segment.p_vaddr(endian))?;
    Some(at.saturating_sub(reach).max(first)..at.saturating_add(reach).min(last))
}
