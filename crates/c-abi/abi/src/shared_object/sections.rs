//! Sections of an ELF file, found by their names.

use std::ops::Range;
use std::sync::Arc;

use object::elf::FileHeader64;
use object::read::ReadCache;
use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::{Endianness, FileKind};
use unskew_source::{ReadError, Source};

use super::bounded::{Bounded, SourceReader};

/// The bytes of each section with this name, in the order of the file. None has them in a file that is no ELF file of 64
/// bits, or has no section headers; nor has a section that takes no room in the file.
///
/// # Errors
/// If the section headers cannot be read, or a section lies outside of the file.
pub fn sections(source: &Arc<dyn Source>, name: &str) -> Result<Vec<Range<u64>>, ReadError> {
    let reader = SourceReader::new(Arc::clone(source));
    let failed = reader.failed();
    let cache = ReadCache::new(reader);
    let data = Bounded::new(&cache, source.size(), failed);
    if !matches!(FileKind::parse(&data), Ok(FileKind::Elf64)) {
        return Ok(Vec::new());
    }
    let found = named(&&data, name);
    let found = found.map_err(|error| data.refusal(source.name(), &error.to_string()))?;
    match found.iter().find(|range| range.end > source.size()) {
        None => Ok(found),
        Some(range) => {
            let what = format!("its section {name} lies outside of the file");
            Err(ReadError::malformed(source.name(), what).at(range.start))
        }
    }
}

fn named(data: &&Bounded<'_>, name: &str) -> object::read::Result<Vec<Range<u64>>> {
    let header = FileHeader64::<Endianness>::parse(*data)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, *data)?;
    let mut found = Vec::new();
    for section in sections.iter() {
        if sections.section_name(endian, section)? != name.as_bytes() {
            continue;
        }
        found.extend(section.file_range(endian).map(|(at, size)| at..at.saturating_add(size)));
    }
    Ok(found)
}
