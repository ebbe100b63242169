//! Mach-O and PE, through the parser's common view.

use object::read::macho::{FatArch, LoadCommandVariant, MachHeader, MachOFatFile32};
use object::read::macho::{MachOFatFile64, MachOFile};
use object::read::{self, Object, ObjectKind};
use object::{Endianness, File, FileKind};

use super::bounded::Bounded;
use super::{Format, Import, MOST_ENTRIES, SharedObject, machine, name};

type Data<'a> = &'a Bounded<'a>;

/// Where the first machine's part of a Mach-O file for several machines lies: offset and size.
pub(super) fn first_of_fat(data: Data<'_>, kind: FileKind) -> read::Result<Option<(u64, u64)>> {
    fn first<A: FatArch>(arches: &[A]) -> Option<(u64, u64)> {
        arches.first().map(|arch| (arch.offset().into(), arch.size().into()))
    }
    Ok(match kind {
        FileKind::MachOFat32 => first(MachOFatFile32::parse(data)?.arches()),
        _ => first(MachOFatFile64::parse(data)?.arches()),
    })
}

/// Reads a Mach-O or PE file; none if it is not a library.
pub(super) fn read(data: Data<'_>) -> read::Result<Option<SharedObject>> {
    let file = File::parse(data)?;
    let format = match &file {
        File::Pe32(_) | File::Pe64(_) => Format::Pe,
        _ => Format::MachO,
    };
    // A Mach-O bundle, which is what plug-ins are on macOS, has a kind that the parser does not name.
    let library = match (file.kind(), format) {
        (ObjectKind::Dynamic, _) => true,
        (ObjectKind::Unknown, format) => format == Format::MachO,
        _ => false,
    };
    if !library {
        return Ok(None);
    }
    let mut object = SharedObject {
        format,
        machine: machine(file.architecture()),
        soname: None,
        needed: Vec::new(),
        exports: Vec::new(),
        imports: Vec::new(),
    };
    match &file {
        File::MachO32(file) => load_commands(file, &mut object)?,
        File::MachO64(file) => load_commands(file, &mut object)?,
        _ => {}
    }
    symbols(&file, &mut object)?;
    Ok(Some(object))
}

/// Fills in `needed` and `soname` of a Mach-O file.
fn load_commands<'a, Mach: MachHeader<Endian = Endianness>>(
    file: &MachOFile<'a, Mach, Data<'a>>,
    object: &mut SharedObject,
) -> read::Result<()> {
    let mut commands = file.macho_load_commands()?;
    while let Some(command) = commands.next()? {
        match command.variant()? {
            LoadCommandVariant::Dylib(library) if object.needed.len() < MOST_ENTRIES => {
                object.needed.push(name(command.string(file.endian(), library.dylib.name)?));
            }
            LoadCommandVariant::IdDylib(library) => {
                object.soname = Some(name(command.string(file.endian(), library.dylib.name)?));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Fills in `exports` and `imports`, and `needed` where only imports name the libraries (PE).
fn symbols<'a>(file: &File<'a, Data<'a>>, object: &mut SharedObject) -> read::Result<()> {
    // A C symbol has an underscore in front of it on macOS, which no source text has.
    let plain = |bytes: &[u8]| match object.format {
        Format::MachO => name(bytes.strip_prefix(b"_").unwrap_or(bytes)),
        _ => name(bytes),
    };
    let mut exports = Vec::new();
    for export in file.exports()?.take(MOST_ENTRIES) {
        exports.extend(export?.name().into_name().map(plain));
    }
    let mut imports = Vec::new();
    let mut needed: Vec<String> = Vec::new();
    for import in file.imports()?.take(MOST_ENTRIES) {
        let import = import?;
        let library = Some(name(import.library())).filter(|library| !library.is_empty());
        if object.format == Format::Pe {
            needed.extend(library.clone());
        }
        if let Some(bytes) = import.name().into_name() {
            imports.push(Import { name: plain(bytes), library, weak: import.is_weak() });
        }
    }
    needed.sort_unstable();
    needed.dedup();
    object.needed.extend(needed);
    object.exports = exports;
    object.imports = imports;
    Ok(())
}
