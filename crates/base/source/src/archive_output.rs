//! Zip archives made of the members of others.
//!
//! Libraries that write zip archives write their own dates and flags, do not place members, and want every
//! byte to pass through them. A converted model keeps its tensors, so here a member is taken over as it
//! stands, by range, under the checksum that its archive has for it; only what is new is in memory.
//!
//! The layout is PyTorch's, so that its readers can map tensors: what is not compressed begins at a
//! multiple of 64 bytes, by an extra field `FB` in front of it, and no member has a date. Sizes stand in
//! the headers and not behind the bytes. Where a number does not fit 32 bits, zip64 fields are written.

use std::io::Write as _;
use std::ops::Range;
use std::sync::Arc;

use crc32fast::Hasher;
use flate2::{Compression, write::DeflateEncoder};

use crate::{Assembly, RawMember, ReadError, Source, SourceExt as _};

/// Where stored members begin: at multiples of this.
const ALIGNMENT: u64 = 64;

/// What stands in a field of 32 bits whose number stands in a zip64 field.
const ELSEWHERE: u32 = u32::MAX;

/// The flag that says that names are UTF-8.
const FLAGS: u16 = 1 << 11;

enum Part {
    New(Arc<[u8]>),
    /// A range of a source, and its checksum if that is known.
    Copied(Arc<dyn Source>, Range<u64>, Option<u32>),
}

impl Part {
    fn size(&self) -> u64 {
        match self {
            Self::New(bytes) => bytes.len() as u64,
            Self::Copied(_, range, _) => range.end.saturating_sub(range.start),
        }
    }
}

/// A zip archive that is being made.
///
/// ```
/// use std::sync::Arc;
/// use unskew_source::{Archive, ArchiveOutput, SourceExt};
///
/// let mut old = ArchiveOutput::new("old.pt");
/// old.add("net/version", b"3\n".to_vec(), false).unwrap();
/// old.add("net/data/0", vec![7; 100], false).unwrap();
/// let old = Archive::open(Arc::new(old.finish().unwrap())).unwrap();
///
/// let mut new = ArchiveOutput::new("new.pt");
/// new.copy("net/data/0", &old.raw(old.entry("net/data/0").unwrap()).unwrap()).unwrap();
/// new.add("net/version", b"2\n".to_vec(), false).unwrap();
/// let new = Archive::open(Arc::new(new.finish().unwrap())).unwrap();
/// assert_eq!(new.read(new.entry("net/data/0").unwrap()).unwrap(), [7; 100]);
/// ```
pub struct ArchiveOutput {
    name: String,
    parts: Vec<Part>,
    size: u64,
    directory: Vec<u8>,
    count: u64,
}

/// What the headers say of a member.
struct Header<'n> {
    name: &'n str,
    crc32: u32,
    packed: u64,
    size: u64,
    deflated: bool,
}

impl ArchiveOutput {
    /// An empty archive, which errors and findings call `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), parts: Vec::new(), size: 0, directory: Vec::new(), count: 0 }
    }

    /// Adds a member with new bytes, deflated or not.
    ///
    /// # Errors
    /// If the name is too long for a zip archive.
    pub fn add(
        &mut self,
        name: &str,
        bytes: impl Into<Vec<u8>>,
        deflate: bool,
    ) -> Result<(), ReadError> {
        let bytes = bytes.into();
        let (size, crc32) = (bytes.len() as u64, crc32fast::hash(&bytes));
        let bytes = if deflate { deflated(&bytes) } else { bytes };
        let packed = bytes.len() as u64;
        self.header(&Header { name, crc32, packed, size, deflated: deflate })?;
        self.push(Part::New(bytes.into()));
        Ok(())
    }

    /// Adds a member of another archive as it stands there; its bytes are not read.
    ///
    /// # Errors
    /// If the name is too long for a zip archive.
    pub fn copy(&mut self, name: &str, member: &RawMember) -> Result<(), ReadError> {
        let RawMember { source, range, size, crc32, deflated } = member;
        let packed = range.end.saturating_sub(range.start);
        let (crc32, size, deflated) = (*crc32, *size, *deflated);
        self.header(&Header { name, crc32, packed, size, deflated })?;
        let known = (!deflated).then_some(crc32);
        self.push(Part::Copied(source.clone(), range.clone(), known));
        Ok(())
    }

    /// Adds another archive as a member.
    ///
    /// # Errors
    /// If the name is too long for a zip archive, or compressed members of `inner` cannot be read for
    /// its checksum.
    pub fn nest(&mut self, name: &str, inner: Self) -> Result<(), ReadError> {
        let parts = inner.parts_to_the_end();
        let crc32 = checksum(&parts)?;
        let size = parts.iter().map(Part::size).fold(0, u64::saturating_add);
        self.header(&Header { name, crc32, packed: size, size, deflated: false })?;
        for part in parts {
            self.push(part);
        }
        Ok(())
    }

    /// The archive with its directory.
    ///
    /// # Errors
    /// If a range that was to be copied lies outside of its source.
    pub fn finish(self) -> Result<Assembly, ReadError> {
        let mut assembly = Assembly::new(self.name.clone());
        for part in self.parts_to_the_end() {
            match part {
                Part::New(bytes) => assembly.push_bytes(bytes),
                Part::Copied(source, range, _) => assembly.push_copy(&source, range)?,
            }
        }
        Ok(assembly)
    }

    fn push(&mut self, part: Part) {
        self.size = self.size.saturating_add(part.size());
        self.parts.push(part);
    }

    /// Adds the local header of a member, and its entry in the directory.
    fn header(&mut self, header: &Header<'_>) -> Result<(), ReadError> {
        let Header { name, crc32, packed, size, deflated } = *header;
        let name_size = u16::try_from(name.len()).map_err(|_| {
            ReadError::malformed(&self.name, "a member's name has more than 65535 bytes")
        })?;
        let offset = self.size;
        let large = packed >= u64::from(ELSEWHERE) || size >= u64::from(ELSEWHERE);
        let far = offset >= u64::from(ELSEWHERE);
        let needed: u16 = if large || far { 45 } else { 20 };
        let method: u16 = if deflated { 8 } else { 0 };

        let mut common = Vec::with_capacity(26);
        for number in [needed, FLAGS, method, 0, 0] {
            common.extend(number.to_le_bytes());
        }
        common.extend(crc32.to_le_bytes());
        for number in [packed, size] {
            let shown = if large { ELSEWHERE } else { number as u32 };
            common.extend(shown.to_le_bytes());
        }
        common.extend(name_size.to_le_bytes());

        let zip64 = if large { field(1, &[size, packed]) } else { Vec::new() };
        let mut local = b"PK\x03\x04".to_vec();
        local.extend(&common);
        let begins = offset + 30 + name.len() as u64 + zip64.len() as u64;
        let padding = if deflated { Vec::new() } else { padding(begins) };
        local.extend(((zip64.len() + padding.len()) as u16).to_le_bytes());
        local.extend(name.as_bytes());
        local.extend(zip64);
        local.extend(padding);
        self.push(Part::New(local.into()));

        let mut numbers = if large { vec![size, packed] } else { Vec::new() };
        numbers.extend(far.then_some(offset));
        let extra = if numbers.is_empty() { Vec::new() } else { field(1, &numbers) };
        self.directory.extend(b"PK\x01\x02");
        // Made by the version that is needed to read it.
        self.directory.extend(needed.to_le_bytes());
        self.directory.extend(&common);
        self.directory.extend((extra.len() as u16).to_le_bytes());
        // No comment, first disk, no attributes.
        self.directory.extend([0; 10]);
        let shown = if far { ELSEWHERE } else { offset as u32 };
        self.directory.extend(shown.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.directory.extend(extra);
        self.count += 1;
        Ok(())
    }

    fn parts_to_the_end(mut self) -> Vec<Part> {
        let (begins, size) = (self.size, self.directory.len() as u64);
        let large = begins >= u64::from(ELSEWHERE)
            || size >= u64::from(ELSEWHERE)
            || self.count >= u64::from(u16::MAX);
        let mut end = std::mem::take(&mut self.directory);
        if large {
            end.extend(b"PK\x06\x06");
            end.extend(44u64.to_le_bytes());
            end.extend([45, 0, 45, 0]);
            end.extend([0; 8]);
            for number in [self.count, self.count, size, begins] {
                end.extend(number.to_le_bytes());
            }
            end.extend(b"PK\x06\x07");
            end.extend([0; 4]);
            end.extend((begins + size).to_le_bytes());
            end.extend(1u32.to_le_bytes());
        }
        end.extend(b"PK\x05\x06");
        end.extend([0; 4]);
        let count = if large { u16::MAX } else { self.count as u16 };
        end.extend(count.to_le_bytes());
        end.extend(count.to_le_bytes());
        for number in [size, begins] {
            let shown = if large { ELSEWHERE } else { number as u32 };
            end.extend(shown.to_le_bytes());
        }
        end.extend([0; 2]);
        self.push(Part::New(end.into()));
        self.parts
    }
}

fn field(id: u16, numbers: &[u64]) -> Vec<u8> {
    let mut bytes = id.to_le_bytes().to_vec();
    bytes.extend((8 * numbers.len() as u16).to_le_bytes());
    numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes
}

/// An extra field that moves what would begin at `begins` to a multiple of [`ALIGNMENT`].
fn padding(begins: u64) -> Vec<u8> {
    // The field itself has a head of 4 bytes.
    let filled = (ALIGNMENT - (begins + 4) % ALIGNMENT) % ALIGNMENT;
    let mut bytes = b"FB".to_vec();
    bytes.extend((filled as u16).to_le_bytes());
    bytes.resize(4 + filled as usize, b'Z');
    bytes
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writing into memory does not fail; if it did, the member would not inflate to its checksum.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// The checksum of everything: joined from those that are known.
fn checksum(parts: &[Part]) -> Result<u32, ReadError> {
    let mut hasher = Hasher::new();
    for part in parts {
        match part {
            Part::New(bytes) => hasher.update(bytes),
            Part::Copied(_, range, Some(crc32)) => {
                let size = range.end.saturating_sub(range.start);
                hasher.combine(&Hasher::new_with_initial_len(*crc32, size));
            }
            Part::Copied(source, range, None) => {
                let size = range.end.saturating_sub(range.start);
                hasher.update(&source.bytes(range.start, size)?);
            }
        }
    }
    Ok(hasher.finalize())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Archive, BytesSource};

    fn archive(assembly: Assembly) -> Archive {
        Archive::open(Arc::new(assembly)).unwrap()
    }

    #[test]
    fn stored_members_begin_at_multiples_of_64() {
        let mut output = ArchiveOutput::new("a");
        for length in 0..70 {
            output.add(&"n".repeat(length + 1), vec![1; length], false).unwrap();
        }
        let archive = archive(output.finish().unwrap());
        for entry in archive.entries() {
            assert_eq!(archive.raw(entry).unwrap().range.start % 64, 0);
            assert!(!entry.has_date);
        }
    }

    #[test]
    fn an_archive_in_an_archive_is_read_back_without_the_inner_bytes_being_read_for_its_checksum() {
        let mut first = ArchiveOutput::new("first");
        first.add("data/0", (0..=255).collect::<Vec<u8>>(), false).unwrap();
        first.add("code.py", b"pass\n".repeat(99), true).unwrap();
        let first = archive(first.finish().unwrap());
        let mut inner = ArchiveOutput::new("inner");
        for entry in first.entries() {
            inner.copy(&entry.name, &first.raw(entry).unwrap()).unwrap();
        }
        let mut outer = ArchiveOutput::new("outer");
        outer.nest("state_dict.pt", inner).unwrap();
        let outer = archive(outer.finish().unwrap());
        // Reading checks the checksum.
        let bytes = outer.read(outer.entry("state_dict.pt").unwrap()).unwrap();
        let inner = Archive::open(Arc::new(BytesSource::new("inner", bytes))).unwrap();
        assert_eq!(inner.read(inner.entry("code.py").unwrap()).unwrap(), b"pass\n".repeat(99));
    }

    /// A source of zeros that is as large as it says and holds nothing.
    struct Zeros(u64);

    impl Source for Zeros {
        fn name(&self) -> &str {
            "zeros"
        }

        fn size(&self) -> u64 {
            self.0
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
            let n = buffer.len().min(usize::try_from(self.0.saturating_sub(offset)).unwrap());
            buffer[..n].fill(0);
            Ok(n)
        }
    }

    #[test]
    fn members_of_more_than_4_gib_and_those_behind_them_are_found_again() {
        let size = (4 << 30) + 5;
        let source: Arc<dyn Source> = Arc::new(Zeros(size));
        let member = RawMember { source, range: 0..size, size, crc32: 7, deflated: false };
        let mut output = ArchiveOutput::new("large");
        output.copy("data/0", &member).unwrap();
        output.add("version", b"3\n".to_vec(), false).unwrap();
        let archive = archive(output.finish().unwrap());
        let entry = archive.entry("data/0").unwrap();
        assert_eq!((entry.size, archive.raw(entry).unwrap().crc32), (size, 7));
        assert_eq!(archive.read(archive.entry("version").unwrap()).unwrap(), b"3\n");
    }

    #[test]
    fn more_members_than_16_bits_count_are_all_found_again() {
        let mut output = ArchiveOutput::new("many");
        for n in 0..70_000 {
            output.add(&n.to_string(), Vec::new(), false).unwrap();
        }
        assert_eq!(archive(output.finish().unwrap()).entries().len(), 70_000);
    }

    proptest! {
        #[test]
        fn what_is_put_in_is_read_back(
            members in proptest::collection::vec(
                (proptest::collection::vec(any::<u8>(), 0..300), any::<bool>()), 0..8),
        ) {
            let mut output = ArchiveOutput::new("a");
            for (n, (bytes, deflate)) in members.iter().enumerate() {
                output.add(&format!("m/{n}"), bytes.clone(), *deflate).unwrap();
            }
            let first = archive(output.finish().unwrap());
            let mut output = ArchiveOutput::new("b");
            for entry in first.entries() {
                output.copy(&entry.name, &first.raw(entry).unwrap()).unwrap();
            }
            let second = archive(output.finish().unwrap());
            for (n, (bytes, _)) in members.iter().enumerate() {
                let entry = second.entry(&format!("m/{n}")).unwrap();
                prop_assert_eq!(&second.read(entry).unwrap(), bytes);
            }
        }
    }
}
