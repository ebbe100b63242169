//! Tables of an ELF file, found without its sections.
//!
//! The dynamic linker finds them by the program headers and the dynamic segment, and so are they found here: all of them
//! are loaded, and stand before what is for debuggers. Section headers stand at the end; they are asked only where the
//! dynamic segment does not say how many symbols there are.

use std::collections::{HashMap, HashSet};

use object::ReadRef as _;
use object::elf;
use object::pod::Pod;
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader};

use super::bounded::Bounded;
use super::elf::string;
use super::limits::MOST_ENTRIES;
use super::other::Broken;

type Data<'a> = &'a Bounded<'a>;

/// The place of a table in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    at: u64,
    /// Its length in bytes.
    size: u64,
}

impl Table {
    pub(super) fn bytes<'a>(self, data: Data<'a>) -> Result<&'a [u8], Broken> {
        data.read_bytes_at(self.at, self.size).map_err(|()| Broken::Outside)
    }

    /// Its items, as many as are read of a table.
    pub(super) fn items<'a, T: Pod>(self, data: Data<'a>) -> Result<&'a [T], Broken> {
        let count = (self.size / size_of::<T>() as u64).min(MOST_ENTRIES as u64);
        data.read_slice_at(self.at, count as usize).map_err(|()| Broken::Outside)
    }

    /// What is left behind so many bytes.
    fn behind(self, skipped: u64) -> Self {
        let skipped = skipped.min(self.size);
        Self { at: self.at.saturating_add(skipped), size: self.size - skipped }
    }
}

/// The tables that the dynamic linker uses; one that is not there is empty.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tables {
    /// Where what is loaded ends.
    pub(super) loaded: u64,
    pub(super) dynamic: Table,
    pub(super) strings: Table,
    pub(super) symbols: Table,
    /// The relocations in the order in which they are applied, without the first ones, which name no symbol: plug-ins have
    /// them by the hundred thousand.
    pub(super) relocations: Vec<Table>,
    /// The version of each symbol.
    versions: Option<u64>,
    needed_versions: Option<u64>,
}

impl Tables {
    pub(super) fn read<'a, Elf: FileHeader>(
        header: &'a Elf,
        endian: Elf::Endian,
        data: Data<'a>,
    ) -> Result<Self, Broken> {
        let segments = header.program_headers(endian, data)?;
        let mut loaded = 0;
        for segment in segments.iter().filter(|one| one.p_type(endian) == elf::PT_LOAD) {
            let (at, size) = segment.file_range(endian);
            loaded = at.saturating_add(size).max(loaded);
        }
        // A file that was cut short lacks its end, whatever is read of it.
        let count = u64::from(header.e_shnum(endian));
        let sections = u64::from(header.e_shentsize(endian)).saturating_mul(count);
        let end = header.e_shoff(endian).into().saturating_add(sections).max(loaded);
        let size = data.len().unwrap_or_default();
        if end > size {
            return Err(Broken::Cut { size, needed: end });
        }
        let by_segments = Self::by_segments::<Elf>(segments, endian, data);
        let tables = by_segments.map_or_else(|| Self::by_sections(header, endian, data), Ok)?;
        Ok(Self { loaded: if segments.is_empty() { size } else { loaded }, ..tables })
    }

    /// By the dynamic segment; none if it does not say all.
    fn by_segments<Elf: FileHeader>(
        segments: &[Elf::ProgramHeader],
        endian: Elf::Endian,
        data: Data<'_>,
    ) -> Option<Self> {
        let dynamic = segments.iter().find(|one| one.p_type(endian) == elf::PT_DYNAMIC)?;
        let (at, size) = dynamic.file_range(endian);
        let dynamic = Table { at, size };
        let mut values = HashMap::new();
        for entry in dynamic.items::<Elf::Dyn>(data).ok()? {
            match entry.tag(endian) {
                elf::DT_NULL => break,
                // The first `DT_NEEDED` of many is not asked for.
                tag => values.entry(tag).or_insert_with(|| entry.val(endian)),
            };
        }
        let value = |tag| values.get(&tag).copied();
        // Addresses are those of the memory that the segments are loaded into.
        let place = |address: u64| {
            let loads = segments.iter().filter(|one| one.p_type(endian) == elf::PT_LOAD);
            loads.into_iter().find_map(|one| {
                let behind = address.checked_sub(one.p_vaddr(endian).into())?;
                let (at, size) = one.file_range(endian);
                (behind < size).then(|| at.saturating_add(behind))
            })
        };
        let table = |address, size| {
            Some(Table { at: place(value(address)?)?, size: value(size)? }).filter(|it| it.size > 0)
        };
        let symbols = place(value(elf::DT_SYMTAB)?)?;
        let strings = table(elf::DT_STRTAB, elf::DT_STRSZ)?;
        let counted = value(elf::DT_HASH).and_then(place);
        let hashed = value(elf::DT_GNU_HASH).and_then(place);
        let count = match (counted, hashed) {
            (Some(at), _) => count_in_hash::<Elf>(at, endian, data)?,
            (None, Some(at)) => count_in_gnu_hash::<Elf>(at, endian, data)?,
            (None, None) => return None,
        };
        let each = size_of::<Elf::Rela>() as u64;
        let relative = value(elf::DT_RELACOUNT).unwrap_or_default().saturating_mul(each);
        let first = table(elf::DT_RELA, elf::DT_RELASZ).map(|table| table.behind(relative));
        // Those of the procedure linkage may be of the other kind, which has no addends.
        let with_addends = value(elf::DT_PLTREL) == Some(elf::DT_RELA.0 as u64);
        let last = table(elf::DT_JMPREL, elf::DT_PLTRELSZ).filter(|_| with_addends);
        Some(Self {
            loaded: 0,
            dynamic,
            strings,
            symbols: Table { at: symbols, size: count * size_of::<Elf::Sym>() as u64 },
            relocations: first.into_iter().chain(last).collect(),
            versions: value(elf::DT_VERSYM).and_then(place),
            needed_versions: value(elf::DT_VERNEED).and_then(place),
        })
    }

    /// As section headers say, where a file has them.
    fn by_sections<'a, Elf: FileHeader>(
        header: &'a Elf,
        endian: Elf::Endian,
        data: Data<'a>,
    ) -> Result<Self, Broken> {
        let sections = header.sections(endian, data)?;
        let place = |section: &Elf::SectionHeader| {
            let (at, size) = section.file_range(endian).unwrap_or_default();
            Table { at, size }
        };
        let of_type = |kind| sections.iter().find(|one| one.sh_type(endian) == kind);
        let (dynamic, symbols) = (of_type(elf::SHT_DYNAMIC), of_type(elf::SHT_DYNSYM));
        let strings = match symbols.or(dynamic) {
            Some(section) => place(sections.section(section.link(endian))?),
            None => Table::default(),
        };
        let dynamic = dynamic.map(place).unwrap_or_default();
        let (mut relative, mut skipped) = (0, 0);
        for entry in dynamic.items::<Elf::Dyn>(data)? {
            match entry.tag(endian) {
                elf::DT_NULL => break,
                elf::DT_RELA => relative = entry.val(endian),
                elf::DT_RELACOUNT => skipped = entry.val(endian),
                _ => {}
            }
        }
        let skipped = skipped.saturating_mul(size_of::<Elf::Rela>() as u64);
        // Those that the dynamic linker does not apply are not loaded.
        let loaded = |one: &&Elf::SectionHeader| {
            one.sh_type(endian) == elf::SHT_RELA && one.sh_flags(endian).contains(elf::SHF_ALLOC)
        };
        let relocations = sections.iter().filter(loaded).map(|one| {
            let is_first = one.sh_addr(endian).into() == relative;
            place(one).behind(if is_first { skipped } else { 0 })
        });
        Ok(Self {
            loaded: 0,
            dynamic,
            strings,
            symbols: symbols.map(place).unwrap_or_default(),
            relocations: relocations.collect(),
            versions: of_type(elf::SHT_GNU_VERSYM).map(|one| place(one).at),
            needed_versions: of_type(elf::SHT_GNU_VERNEED).map(|one| place(one).at),
        })
    }
}

/// How many symbols there are, by the hash table that has a place for each.
fn count_in_hash<Elf: FileHeader>(at: u64, endian: Elf::Endian, data: Data<'_>) -> Option<u64> {
    let header = data.read_at::<elf::HashHeader<Elf::Endian>>(at).ok()?;
    let count = header.chain_count.get(endian);
    (count > 0).then_some(count.into())
}

/// The same, by the hash table that has those which others may take: they stand at the end. None if it has none, as then
/// it does not say how many stand before them.
fn count_in_gnu_hash<Elf: FileHeader>(at: u64, endian: Elf::Endian, data: Data<'_>) -> Option<u64> {
    let header = data.read_at::<elf::GnuHashHeader<Elf::Endian>>(at).ok()?;
    let word = size_of::<Elf::Word>() as u64;
    let buckets = at
        .checked_add(size_of::<elf::GnuHashHeader<Elf::Endian>>() as u64)?
        .checked_add(u64::from(header.bloom_count.get(endian)) * word)?;
    let count = header.bucket_count.get(endian);
    let all: &[object::U32<Elf::Endian>] = data.read_slice_at(buckets, count as usize).ok()?;
    let last = all.iter().map(|bucket| bucket.get(endian)).max()?;
    let from = last.checked_sub(header.symbol_base.get(endian)).filter(|_| last > 0)?;
    // A chain ends with the first value that is odd.
    let mut at = buckets + 4 * (u64::from(count) + u64::from(from));
    for length in 1..=MOST_ENTRIES as u64 {
        let value = data.read_at::<object::U32<Elf::Endian>>(at).ok()?;
        if value.get(endian) & 1 == 1 {
            return Some(u64::from(last) + length);
        }
        at += 4;
    }
    None
}

pub(super) struct Versions<'a> {
    of_symbols: Vec<u16>,
    names: HashMap<u16, &'a [u8]>,
}

impl<'a> Versions<'a> {
    /// A file whose versions are broken still has its names.
    pub(super) fn read<Elf: FileHeader>(
        tables: &Tables,
        endian: Elf::Endian,
        data: Data<'_>,
        strings: &'a [u8],
        count: usize,
    ) -> Self {
        let of_symbols = tables.versions.and_then(|at| {
            let all: &[elf::Versym<Elf::Endian>] = data.read_slice_at(at, count).ok()?;
            Some(all.iter().map(|one| one.0.get(endian).index().0).collect())
        });
        let mut names = HashMap::new();
        if let Some(at) = tables.needed_versions {
            // What was read until something broke is right.
            let _ = needed_versions::<Elf>(at, endian, data, |index, name| {
                names.insert(index, string(strings, name));
            });
        }
        Self { of_symbols: of_symbols.unwrap_or_default(), names }
    }

    pub(super) fn version_of_symbol(&self, symbol: usize) -> Option<&'a [u8]> {
        self.names.get(self.of_symbols.get(symbol)?).copied()
    }
}

/// Shows index and name of each version that is needed.
fn needed_versions<Elf: FileHeader>(
    mut at: u64,
    endian: Elf::Endian,
    data: Data<'_>,
    mut show: impl FnMut(u16, u32),
) -> Result<(), ()> {
    // An index has 15 bits, and who comes to a place again goes in a circle.
    let mut seen = HashSet::new();
    while seen.insert(at) && seen.len() <= 1 << 15 {
        let library = data.read_at::<elf::Verneed<Elf::Endian>>(at)?;
        let mut version = at.checked_add(library.vn_aux.get(endian).into()).ok_or(())?;
        for _ in 0..library.vn_cnt.get(endian) {
            if !seen.insert(version) {
                return Err(());
            }
            let needed = data.read_at::<elf::Vernaux<Elf::Endian>>(version)?;
            show(needed.vna_other(endian).index().0, needed.vna_name.get(endian));
            version = version.checked_add(needed.vna_next.get(endian).into()).ok_or(())?;
        }
        match library.vn_next.get(endian) {
            0 => break,
            next => at = at.checked_add(next.into()).ok_or(())?,
        }
    }
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::sync::Arc;

    use object::Endianness;
    use object::elf::FileHeader64;
    use object::read::ReadCache;
    use unskew_source::FileSource;

    use super::super::bounded::SourceReader;
    use super::*;

    type Elf = FileHeader64<Endianness>;

    /// The tables of a file by its segments, if those say all, and by its sections.
    fn both(path: &Path) -> Option<(Option<Tables>, Tables)> {
        let source = Arc::new(FileSource::open(path).ok()?);
        let size = unskew_source::Source::size(&*source);
        let reader = SourceReader::new(source);
        let failed = reader.failed();
        let cache = ReadCache::new(reader);
        let data = &Bounded::new(&cache, size, failed);
        let header = Elf::parse(data).ok()?;
        let endian = header.endian().ok()?;
        let segments = header.program_headers(endian, data).ok()?;
        let by_segments = Tables::by_segments::<Elf>(segments, endian, data);
        Some((by_segments, Tables::by_sections(header, endian, data).ok()?))
    }

    fn built(folder: &Path, code: &str, flags: &[&str]) -> Option<PathBuf> {
        let (source, output) = (folder.join("lib.c"), folder.join("lib.so"));
        std::fs::write(&source, code).ok()?;
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC"]).args(flags).arg("-o").args([&output, &source]);
        cc.status().is_ok_and(|status| status.success()).then_some(output)
    }

    #[test]
    fn segments_and_sections_say_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let code = "#include <stdio.h>\nint a(void){return puts(\"\");}int b(void){return a();}";
        for flags in [&[][..], &["-Wl,--hash-style=sysv"], &["-Wl,--hash-style=gnu", "-O2"]] {
            let Some(library) = built(folder.path(), code, flags) else {
                println!("skipped: no C compiler that makes shared objects");
                return;
            };
            let (by_segments, by_sections) = both(&library).unwrap();
            assert_eq!(by_segments, Some(by_sections), "{flags:?}");
        }
        let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
        for name in ["xla-cpu-pjrt-0.0.1.so", "lammps-jax-pjrt-cpu-0.11.2.so"] {
            let Some((by_segments, by_sections)) = both(&corpus.join(name)) else {
                println!("skipped: {name} is not there; run cargo xtask corpus");
                continue;
            };
            assert_eq!(by_segments, Some(by_sections), "{name}");
        }
    }

    #[test]
    fn a_library_that_offers_nothing_is_read_by_its_sections() {
        let folder = tempfile::tempdir().unwrap();
        let code =
            "int puts(const char*);__attribute__((constructor)) static void a(void){puts(\"\");}";
        let flags = ["-Wl,--hash-style=gnu", "-nostartfiles", "-Wl,--exclude-libs,ALL"];
        let Some(library) = built(folder.path(), code, &flags) else {
            println!("skipped: no C compiler that makes shared objects");
            return;
        };
        let (by_segments, by_sections) = both(&library).unwrap();
        assert_eq!(by_segments, None);
        assert!(by_sections.symbols.size > 0);
    }
}
