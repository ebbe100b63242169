//! Shared objects with debug information (DWARF) as a second source of what headers declare.
//!
//! A plug-in that is at hand without its headers says, if it was built with `-g`, which structs, enumerations,
//! functions and types its source had, and where the fields lie *as its compiler placed them*. [`read`] makes of
//! that what the reader of headers makes of a text, so that both can be compared under one contract, each with
//! the other too.
//!
//! What debug information does not hold is not made up: macros, and with them version numbers and announced sizes
//! that are macros; comments; what the code does not use. Only what was declared in a header counts, and no header
//! of the system: a `.c` file promises nothing but the functions that the object exports.
//!
//! Input is hostile until parsed: types have a depth, units and entries a number, and what is broken is an error.

mod declared;
mod types;

use std::collections::BTreeSet;

use gimli::{Dwarf, EndianSlice, RunTimeEndian};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

use crate::contract::HeaderContract;
use declared::Declared;

/// The bytes of a section where they lie in the file.
type Bytes<'a> = EndianSlice<'a, RunTimeEndian>;

/// How many entries are looked at.
const ENTRIES: usize = 50_000_000;

/// Why a shared object does not say what its source declared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DebugError {
    /// It is no object that is known.
    #[error("no shared object: {0}")]
    Object(String),
    /// It has no debug information.
    #[error("no debug information; build it with -g, and do not strip it")]
    None,
    /// Its debug information has no places before it is linked.
    #[error("an object file that is not linked; link it to a shared object")]
    NotLinked,
    /// Its debug information is compressed.
    #[error("debug information that is compressed ({0}); link with --compress-debug-sections=none")]
    Compressed(String),
    /// Its debug information is broken.
    #[error("broken debug information: {0}")]
    Broken(String),
}

impl From<gimli::Error> for DebugError {
    fn from(error: gimli::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

/// Whether some bytes begin like a shared object of ELF.
pub fn is_object(head: &[u8]) -> bool {
    head.starts_with(b"\x7fELF")
}

/// What the headers declared from which a shared object was built.
///
/// # Errors
/// If it is none, has no debug information, or that is broken.
pub fn read(bytes: &[u8]) -> Result<HeaderContract, DebugError> {
    let file = object::File::parse(bytes).map_err(|e| DebugError::Object(e.to_string()))?;
    if file.kind() == object::ObjectKind::Relocatable {
        return Err(DebugError::NotLinked);
    }
    let endian = match file.is_little_endian() {
        true => RunTimeEndian::Little,
        false => RunTimeEndian::Big,
    };
    let dwarf = Dwarf::load(|id| section(&file, id.name(), endian))?;
    if file.section_by_name(".debug_info").is_none() {
        return Err(DebugError::None);
    }
    let exports: BTreeSet<String> = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition())
        .filter_map(|symbol| symbol.name().ok().map(str::to_owned))
        .collect();
    let mut declared = Declared::exporting(exports);
    let (mut units, mut left) = (dwarf.units(), ENTRIES);
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        declared.enter(&dwarf, &unit, &mut left)?;
    }
    Ok(declared.contract())
}

fn section<'a>(
    file: &object::File<'a>,
    name: &str,
    endian: RunTimeEndian,
) -> Result<Bytes<'a>, DebugError> {
    let Some(section) = file.section_by_name(name) else {
        return Ok(EndianSlice::new(&[], endian));
    };
    let range = section.compressed_file_range();
    if range.is_ok_and(|range| range.format != object::CompressionFormat::None) {
        return Err(DebugError::Compressed(name.to_owned()));
    }
    let data = section.data().map_err(|error| DebugError::Broken(error.to_string()))?;
    Ok(EndianSlice::new(data, endian))
}
