//! Mach-O and PE, through the parser's common view.

use std::collections::BTreeSet;

use object::read::macho::{FatArch, LoadCommandVariant, MachHeader, MachOFatFile32};
use object::read::macho::{MachOFatFile64, MachOFile};
use object::read::{self, ImportFlags, Object, ObjectKind, ReadRef};
use object::{Architecture, Endianness, File, FileKind, macho};

use super::bounded::Bounded;
use super::limits::{MOST_ENTRIES, Names};
use super::{Import, ObjectFormat, SharedObject, export_trie, machine};

/// The most machines of one file that are named.
const MOST_PARTS: usize = 16;

type Data<'a> = &'a Bounded<'a>;

/// Why a file is broken.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    /// The parser says so.
    #[error(transparent)]
    Parsed(#[from] read::Error),
    /// What it lists as exports is no tree of names.
    #[error("its list of exports is no tree")]
    Exports,
    /// A table is not where its headers say.
    #[error("one of its tables lies outside of it")]
    Outside,
    /// Its names are more than a file of its size has.
    #[error("its names have more than {limit} bytes together: they share their bytes")]
    Names {
        /// How many bytes they may have.
        limit: u64,
    },
    /// It is shorter than its headers say.
    #[error("ends after {size} bytes, {needed} needed")]
    Cut {
        /// How many bytes it has.
        size: u64,
        /// How many it would have.
        needed: u64,
    },
}

/// The part of a Mach-O file for several machines that is read.
pub(super) struct Part {
    /// Where it begins, in bytes.
    pub(super) offset: u64,
    /// How many bytes it has.
    pub(super) size: u64,
    /// The machines of the other parts.
    pub(super) others: Vec<String>,
}

/// The part for 64-bit ARM, or else the first; none if the file has no part.
pub(super) fn part_of_fat(data: Data<'_>, kind: FileKind) -> read::Result<Option<Part>> {
    fn part<A: FatArch>(arches: &[A]) -> Option<Part> {
        let arm = arches.iter().position(|arch| arch.architecture() == Architecture::Aarch64);
        let taken = arm.unwrap_or(0);
        let others = arches.iter().enumerate().filter(|(i, _)| *i != taken).take(MOST_PARTS);
        let others = others.map(|(_, arch)| machine(arch.architecture())).collect();
        let arch = arches.get(taken)?;
        Some(Part { offset: arch.offset().into(), size: arch.size().into(), others })
    }
    Ok(match kind {
        FileKind::MachOFat32 => part(MachOFatFile32::parse(data)?.arches()),
        _ => part(MachOFatFile64::parse(data)?.arches()),
    })
}

/// Reads a Mach-O or PE file; none if it is not a library.
pub(super) fn read(data: Data<'_>) -> Result<Option<SharedObject>, Broken> {
    let file = File::parse(data)?;
    let format = match &file {
        File::Pe32(_) | File::Pe64(_) => ObjectFormat::Pe,
        _ => ObjectFormat::MachO,
    };
    // A Mach-O bundle, which is what plug-ins are on macOS, has a kind that the parser does not name.
    let library = match (file.kind(), format) {
        (ObjectKind::Dynamic, _) => true,
        (ObjectKind::Unknown, format) => format == ObjectFormat::MachO,
        _ => false,
    };
    if !library {
        return Ok(None);
    }
    let mut object = SharedObject {
        format,
        machine: machine(file.architecture()),
        loaded: data.len().unwrap_or_default(),
        soname: None,
        needed: Vec::new(),
        rpaths: Vec::new(),
        also: Vec::new(),
        exports: Vec::new(),
        imports: Vec::new(),
    };
    let names = &mut Names::of_file(data.len().unwrap_or_default());
    let listed = match &file {
        File::MachO32(file) => load_commands(file, data, names, &mut object)?,
        File::MachO64(file) => load_commands(file, data, names, &mut object)?,
        _ => None,
    };
    symbols(&file, listed, names, &mut object)?;
    Ok(Some(object))
}

/// Fills in `needed`, `rpaths` and `soname` of a Mach-O file; the names of its list of exports, if it has one.
///
/// What the parser makes of that list is not used: it takes the number of the library of a symbol that is handed on
/// for one more than it is, and refuses the last one; and it follows a list without end.
fn load_commands<'a, Mach: MachHeader<Endian = Endianness>>(
    file: &MachOFile<'a, Mach, Data<'a>>,
    data: Data<'a>,
    names: &mut Names,
    object: &mut SharedObject,
) -> Result<Option<Vec<Vec<u8>>>, Broken> {
    let mut commands = file.macho_load_commands()?;
    let (endian, mut listed) = (file.endian(), None);
    while let Some(command) = commands.next()? {
        match command.variant()? {
            // A weak one may be missing.
            LoadCommandVariant::Dylib(_) if command.cmd() == macho::LC_LOAD_WEAK_DYLIB => {}
            LoadCommandVariant::Dylib(library) if object.needed.len() < MOST_ENTRIES => {
                object.needed.push(names.keep(command.string(endian, library.dylib.name)?)?);
            }
            LoadCommandVariant::Rpath(rpath) if object.rpaths.len() < MOST_ENTRIES => {
                object.rpaths.push(names.keep(command.string(endian, rpath.path)?)?);
            }
            LoadCommandVariant::IdDylib(library) => {
                object.soname = Some(names.keep(command.string(endian, library.dylib.name)?)?);
            }
            _ => {}
        }
        if let Some(command) = command.dyld_exports_trie()? {
            listed = Some((command.dataoff.get(endian), command.datasize.get(endian)));
        } else if let (Some(command), None) = (command.dyld_info()?, listed) {
            listed = Some((command.export_off.get(endian), command.export_size.get(endian)));
        }
    }
    let Some((offset, size)) = listed else { return Ok(None) };
    let tree = data.read_bytes_at(offset.into(), size.into()).map_err(|()| Broken::Exports)?;
    export_trie::names(tree).map(Some).ok_or(Broken::Exports)
}

/// Fills in `exports` and `imports`, and `needed` where only imports name the libraries (PE).
/// `listed` are the exports where they are known already.
fn symbols<'a>(
    file: &File<'a, Data<'a>>,
    listed: Option<Vec<Vec<u8>>>,
    names: &mut Names,
    object: &mut SharedObject,
) -> Result<(), Broken> {
    // A C symbol has an underscore in front of it on macOS, which no source text has.
    let format = object.format;
    let plain = |bytes: &[u8], names: &mut Names| match format {
        ObjectFormat::MachO => names.keep(bytes.strip_prefix(b"_").unwrap_or(bytes)),
        _ => names.keep(bytes),
    };
    let mut exports = Vec::new();
    match listed {
        Some(listed) => {
            for bytes in listed {
                exports.push(plain(&bytes, names)?);
            }
        }
        None => {
            for export in file.exports()?.take(MOST_ENTRIES) {
                if let Some(bytes) = export?.name().into_name() {
                    exports.push(plain(bytes, names)?);
                }
            }
        }
    }
    exports.sort_unstable();
    let own = |name: &String| exports.binary_search(name).is_ok();
    let (mut imports, mut anywhere) = (Vec::new(), Vec::new());
    let mut needed: Vec<String> = Vec::new();
    for import in file.imports()?.take(MOST_ENTRIES) {
        let import = import?;
        let library = Some(names.keep(import.library())?).filter(|library| !library.is_empty());
        if format == ObjectFormat::Pe {
            needed.extend(library.clone());
        }
        let Some(bytes) = import.name().into_name() else { continue };
        let weak = import.is_weak();
        let one = Import { name: plain(bytes, names)?, library, version: None, weak, bound: 0 };
        // What is looked for in every library, is looked for in this one as well.
        match import.flags() {
            ImportFlags::MachOBind { dylib, .. }
                if dylib == macho::BIND_SPECIAL_DYLIB_WEAK_LOOKUP =>
            {
                anywhere.push(one);
            }
            ImportFlags::MachOBind { dylib, .. }
                if dylib == macho::BIND_SPECIAL_DYLIB_FLAT_LOOKUP && own(&one.name) => {}
            _ => imports.push(one),
        }
    }
    // A library that it is bound to by name says more than that it may come from any.
    let named: BTreeSet<String> = imports.iter().map(|import| import.name.clone()).collect();
    anywhere.retain(|import| !own(&import.name) && !named.contains(&import.name));
    imports.extend(anywhere);
    needed.sort_unstable();
    needed.dedup();
    object.needed.extend(needed);
    object.exports = exports;
    object.imports = imports;
    Ok(())
}
