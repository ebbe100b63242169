//! Zip archives over a source.
//!
//! The central directory is read by the crate `zip`; members are found by name. A stored member is a
//! [`Slice`] of the archive, so its bytes are read only where someone asks; a compressed one is
//! inflated into memory up to a limit. The date of a member is not looked at: PyTorch writes the
//! DOS date 1980-00-00, whose month 0 is legal here.
//!
//! Offsets are taken as they are written, and only an archive that cannot be read so is searched for what stands
//! in front of it. PyTorch writes the records of zip64 also where no number needs them, so its directory does not end
//! where the end record begins; who reckons its start from there comes out 76 bytes too far, and where the first
//! name has 30 bytes another header stands just there.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use zip::read::{ArchiveOffset, Config};
use zip::{CompressionMethod, ZipArchive};

use crate::inflater::Inflater;
use crate::inflating::Inflating;
use crate::{
    Budget, BytesSource, ReadError, Resource, Slice, Source, SourceExt, SourceProblem,
    SourceReader, limits,
};

/// One member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveMember {
    /// The name with its folders, as written.
    pub name: String,
    /// How many bytes the member says it has when inflated.
    pub size: u64,
    /// Whether it stands in the archive as it is.
    pub stored: bool,
    /// Whether it has a real modification date; PyTorch from 1.4 on writes none.
    pub has_date: bool,
    index: usize,
}

/// A member as it stands in its archive, compressed or not: what a copy of it is made of.
#[derive(Clone)]
pub struct RawMember {
    /// The archive that the member is in.
    pub source: Arc<dyn Source>,
    /// Where the bytes of the member stand in it.
    pub range: Range<u64>,
    /// How many bytes it has when inflated.
    pub size: u64,
    /// The checksum of these.
    pub crc32: u32,
    /// Whether they are deflated.
    pub deflated: bool,
}

/// What the directory of an archive says of all members together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directory {
    /// How many there are.
    pub members: usize,
    /// How many bytes they have when inflated.
    pub size: u64,
}

/// A zip archive, its directory read.
pub struct Archive {
    source: Arc<dyn Source>,
    zip: ZipArchive<SourceReader>,
    entries: Vec<ArchiveMember>,
    /// Where each name stands in `entries`; the first of those that have it.
    by_name: HashMap<Box<str>, usize>,
    budget: Budget,
    inflater: Inflater,
}

/// How many members the end of an archive announces, if it is where archives have it.
fn announced(source: &dyn Source) -> Option<u64> {
    /// What stands there without a comment: 22 bytes, and before them the 20 that lead to the long form.
    const END: u64 = 22 + 20;
    // Few archives have a comment, and in a store each byte that is read costs.
    announced_in_the_last(END, source).or_else(|| {
        // A member takes 46 bytes of the directory and 30 before its own bytes.
        let may_be_many = source.size() / 76 > limits::MEMBERS as u64;
        may_be_many.then(|| announced_in_the_last(END + 0xffff, source)).flatten()
    })
}

/// The same, if the end stands in so many last bytes.
fn announced_in_the_last(length: u64, source: &dyn Source) -> Option<u64> {
    let start = source.size().saturating_sub(length);
    let mut tail = vec![0; usize::try_from(source.size() - start).ok()?];
    source.fill(start, &mut tail).ok()?;
    let at = tail.windows(4).rposition(|four| four == b"PK\x05\x06")?;
    let short = tail.get(at + 10..at + 12)?.try_into().ok().map(u16::from_le_bytes)?;
    let leads = at.checked_sub(20).and_then(|from| tail.get(from..at));
    match leads.filter(|leads| leads.starts_with(b"PK\x06\x07")) {
        Some(leads) => {
            let long = u64::from_le_bytes(leads.get(8..16)?.try_into().ok()?);
            let mut count = [0; 8];
            source.fill(long.checked_add(32)?, &mut count).ok()?;
            Some(u64::from_le_bytes(count))
        }
        None => Some(short.into()),
    }
}

impl Archive {
    /// Whether `source` begins like a zip archive.
    pub fn recognizes(source: &dyn Source) -> bool {
        let mut magic = [0; 4];
        matches!(source.read_at(0, &mut magic), Ok(4))
            && (magic == *b"PK\x03\x04" || magic == *b"PK\x05\x06")
    }

    /// Reads the directory of the archive in `source`.
    ///
    /// # Errors
    /// If there is no directory, it is broken, it has more than [`limits::MEMBERS`] members, or some of them
    /// share bytes: that is how a small file inflates to a large one many times over.
    pub fn open(source: Arc<dyn Source>) -> Result<Self, ReadError> {
        let many = |count: u64| {
            let what = "the directory (counted in members)".to_owned();
            let limit = limits::MEMBERS as u64;
            let problem = SourceProblem::TooLarge { what, size: count, limit };
            if count > limit { Err(ReadError::new(source.name(), problem)) } else { Ok(()) }
        };
        // Before there is memory for each of them.
        many(announced(&*source).unwrap_or(0))?;
        let reader = SourceReader::new(source.clone());
        let broken = |error| zip_error(source.name(), error);
        let at_start = Config { archive_offset: ArchiveOffset::Known(0) };
        let mut zip = ZipArchive::with_config(at_start, reader.clone())
            .or_else(|error| ZipArchive::new(reader).map_err(|_| error))
            .map_err(broken)?;
        many(zip.len() as u64)?;
        let mut entries = Vec::with_capacity(zip.len());
        let mut by_name = HashMap::with_capacity(zip.len());
        let mut extents = Vec::with_capacity(zip.len());
        for index in 0..zip.len() {
            let file = zip.by_index_raw(index).map_err(broken)?;
            // The local header has 30 bytes, its name and more; so much belongs to no other member.
            let start = file.header_start();
            extents.push((start, start.saturating_add(30).saturating_add(file.compressed_size())));
            let name = file.name_raw();
            entries.push(ArchiveMember {
                // Nearly always UTF-8, which the lossy reading finds out byte by byte.
                name: str::from_utf8(name)
                    .map_or_else(|_| String::from_utf8_lossy(name).into_owned(), str::to_owned),
                size: file.size(),
                stored: file.compression() == CompressionMethod::Stored,
                has_date: file.last_modified().is_some_and(|date| date.is_valid()),
                index,
            });
        }
        for (index, entry) in entries.iter().enumerate() {
            by_name.entry(entry.name.as_str().into()).or_insert(index);
        }
        extents.sort_unstable();
        if let Some(pair) = extents.windows(2).find(|pair| pair[1].0 < pair[0].1) {
            let what = "zip archive: members overlap, as in an archive that is made to inflate without end";
            return Err(ReadError::malformed(source.name(), what).at(pair[1].0));
        }
        let budget = source.budget_or_new();
        Ok(Self { source, zip, entries, by_name, budget, inflater: Inflater::default() })
    }

    /// The archive's own name.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// All members, in the order of the directory.
    pub fn entries(&self) -> &[ArchiveMember] {
        &self.entries
    }

    /// All members together.
    pub fn directory(&self) -> Directory {
        let sizes = self.entries.iter().map(|entry| entry.size);
        Directory { members: self.entries.len(), size: sizes.fold(0, u64::saturating_add) }
    }

    /// The member of this name.
    pub fn entry(&self, name: &str) -> Option<&ArchiveMember> {
        self.by_name.get(name).and_then(|index| self.entries.get(*index))
    }

    /// What the file may still take; its members take from the same.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// A member as a source of its own, named `archive!member`.
    ///
    /// # Errors
    /// If it is broken, or is compressed and larger than [`limits::RECORD`].
    pub fn member(&self, entry: &ArchiveMember) -> Result<Arc<dyn Source>, ReadError> {
        let name = format!("{}!{}", self.name(), entry.name);
        if !entry.stored {
            let bytes = BytesSource::new(name, self.read(entry)?);
            return Ok(Arc::new(bytes.within(self.budget.clone())));
        }
        let mut zip = self.zip.clone();
        let broken = |error| zip_error(self.name(), error).in_record(&entry.name);
        let file = zip.by_index_raw(entry.index).map_err(broken)?;
        let start = file.data_start().unwrap_or(u64::MAX);
        drop(file);
        Ok(Arc::new(Slice::new(name, self.source.clone(), start, entry.size)?))
    }

    /// The same of any size, inflated only as far as it is read: its checksum is compared once all of it is.
    ///
    /// # Errors
    /// If it is encrypted, or compressed by anything but deflate. What is broken in its bytes is an error of who reads them.
    pub fn member_in_parts(&self, entry: &ArchiveMember) -> Result<Arc<dyn Source>, ReadError> {
        if entry.stored {
            return self.member(entry);
        }
        let name = format!("{}!{}", self.name(), entry.name);
        Ok(Arc::new(Inflating::new(name, self.raw(entry)?, self.budget.clone())))
    }

    /// A member as it stands in the archive. Its bytes are not read.
    ///
    /// # Errors
    /// If it is broken, encrypted, or compressed by anything but deflate.
    pub fn raw(&self, entry: &ArchiveMember) -> Result<RawMember, ReadError> {
        let error = |problem| ReadError::new(self.name(), problem).in_record(&entry.name);
        let mut zip = self.zip.clone();
        let file = zip
            .by_index_raw(entry.index)
            .map_err(|error| zip_error(self.name(), error).in_record(&entry.name))?;
        if file.encrypted() {
            return Err(error(SourceProblem::Unsupported(
                "is encrypted; decrypt the archive first".to_owned(),
            )));
        }
        let deflated = match file.compression() {
            CompressionMethod::Stored => false,
            CompressionMethod::Deflated => true,
            other => {
                let what = format!("compressed by {other}; only deflate is read");
                return Err(error(SourceProblem::Unsupported(what)));
            }
        };
        let start = file.data_start().unwrap_or(u64::MAX);
        match start.checked_add(file.compressed_size()) {
            Some(end) if end <= self.source.size() => Ok(RawMember {
                source: self.source.clone(),
                range: start..end,
                size: file.size(),
                crc32: file.crc32(),
                deflated,
            }),
            end => {
                let needed = end.unwrap_or(u64::MAX);
                Err(error(SourceProblem::Truncated { len: self.source.size(), needed }).at(start))
            }
        }
    }

    /// Writes the bytes of a member, inflated, to `out`; returns how many there were.
    ///
    /// # Errors
    /// If it is broken or larger than `limit`, whatever it says of its size, or `out` fails.
    pub fn copy(
        &self,
        entry: &ArchiveMember,
        out: &mut dyn io::Write,
        limit: u64,
    ) -> Result<u64, ReadError> {
        let mut zip = self.zip.clone();
        let file = zip
            .by_index(entry.index)
            .map_err(|error| zip_error(self.name(), error).in_record(&entry.name))?;
        let error = |problem| ReadError::new(self.name(), problem).in_record(&entry.name);
        let most = limit.min(self.budget.left(Resource::Bytes));
        let size =
            io::copy(&mut file.take(most.saturating_add(1)), out).map_err(|e| error(e.into()))?;
        self.budget.bytes(size).map_err(|spent| error(spent.into()))?;
        if size > limit {
            let what = "the inflated member".into();
            return Err(error(SourceProblem::TooLarge { what, size: entry.size.max(size), limit }));
        }
        Ok(size)
    }

    /// All bytes of a member.
    ///
    /// # Errors
    /// If it is broken or larger than [`limits::RECORD`], whatever it says of its size.
    pub fn read(&self, entry: &ArchiveMember) -> Result<Vec<u8>, ReadError> {
        let error = |problem| ReadError::new(self.name(), problem).in_record(&entry.name);
        let most = limits::RECORD.min(self.budget.left(Resource::Bytes));
        let bytes = self.inflater.all(&self.raw(entry)?, most).map_err(error)?;
        self.budget.bytes(bytes.len() as u64).map_err(|spent| error(spent.into()))?;
        if bytes.len() as u64 > limits::RECORD {
            return Err(error(SourceProblem::TooLarge {
                what: "the inflated record".into(),
                size: entry.size.max(bytes.len() as u64),
                limit: limits::RECORD,
            }));
        }
        Ok(bytes)
    }
}

fn zip_error(name: &str, error: zip::result::ZipError) -> ReadError {
    match error {
        zip::result::ZipError::Io(error) => ReadError::new(name, error.into()),
        // Its directory stands at the end.
        zip::result::ZipError::InvalidArchive(what) if what.contains("EOCD") => {
            let what = "zip archive: its end is missing, as in a download that was cut off; fetch it again";
            ReadError::malformed(name, what)
        }
        other => ReadError::malformed(name, format!("zip archive: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceExt;
    use proptest::prelude::*;
    use std::io::Write;
    use zip::write::SimpleFileOptions;

    fn archive(members: &[(&str, &[u8], CompressionMethod)]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, bytes, method) in members {
            let options = SimpleFileOptions::default().compression_method(*method);
            writer.start_file(*name, options).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn open(bytes: Vec<u8>) -> Result<Archive, ReadError> {
        Archive::open(Arc::new(BytesSource::new("a.zip", bytes)))
    }

    #[test]
    fn stored_and_deflated_members_read_the_same() {
        let text = b"op_version_set = 1\n".repeat(50);
        for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
            let archive =
                open(archive(&[("x/version", b"3", method), ("x/code", &text, method)])).unwrap();
            let entry = archive.entry("x/code").unwrap();
            assert_eq!(archive.read(entry).unwrap(), text);
            let member = archive.member(entry).unwrap();
            assert_eq!(member.all().unwrap(), text);
            assert_eq!(member.name(), "a.zip!x/code");
        }
    }

    #[test]
    fn a_date_of_month_zero_is_legal() {
        let mut bytes = archive(&[("version", b"3", CompressionMethod::Stored)]);
        // The DOS date stands at byte 12 of a local header and byte 14 of a directory entry.
        let directory = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
        bytes[12..14].copy_from_slice(&[0, 0]);
        bytes[directory + 14..directory + 16].copy_from_slice(&[0, 0]);
        let archive = open(bytes).unwrap();
        let entry = archive.entry("version").unwrap();
        assert!(!entry.has_date);
        assert_eq!(archive.read(entry).unwrap(), b"3");
    }

    #[test]
    fn a_member_that_inflates_without_end_is_refused() {
        let zeros = vec![0; (limits::RECORD + 1) as usize];
        let bytes = archive(&[("bomb", &zeros, CompressionMethod::Deflated)]);
        assert!(bytes.len() < 1 << 20);
        let archive = open(bytes).unwrap();
        let error = archive.read(archive.entry("bomb").unwrap()).unwrap_err();
        assert!(
            matches!(*error.problem, SourceProblem::TooLarge { .. } | SourceProblem::Budget(_)),
            "{error}"
        );
        assert_eq!(error.record.as_deref(), Some("bomb"));
    }

    #[test]
    fn all_members_together_have_one_budget() {
        let half = vec![0; limits::RECORD as usize / 2];
        let names: Vec<String> = (0..40).map(|i| format!("m{i}")).collect();
        let members: Vec<_> = names
            .iter()
            .map(|name| (name.as_str(), half.as_slice(), CompressionMethod::Deflated))
            .collect();
        let archive = open(archive(&members)).unwrap();
        let mut refused = None;
        for (count, entry) in archive.entries().iter().enumerate() {
            if let Err(error) = archive.member(entry) {
                refused = Some((count, error));
                break;
            }
        }
        let (count, error) = refused.unwrap();
        assert!(matches!(*error.problem, SourceProblem::Budget(_)), "{error}");
        assert!((2..20).contains(&count), "{count}");
    }

    #[test]
    fn members_that_share_their_bytes_are_refused() {
        let bytes = archive(&[
            ("a", b"some bytes", CompressionMethod::Stored),
            ("b", b"some bytes", CompressionMethod::Stored),
        ]);
        assert!(open(bytes.clone()).is_ok());
        let mut bytes = bytes;
        let entry = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
        // The second entry of the directory points at the first member.
        bytes[entry + 42..entry + 46].copy_from_slice(&[0; 4]);
        let error = open(bytes).err().unwrap().to_string();
        assert!(error.contains("members overlap"), "{error}");
    }

    #[test]
    fn a_truncated_archive_is_an_error_that_names_the_file() {
        let mut bytes = archive(&[("version", b"3", CompressionMethod::Stored)]);
        bytes.truncate(bytes.len() - 10);
        assert!(open(bytes).err().unwrap().to_string().starts_with("a.zip: "));
    }

    proptest! {
        #[test]
        fn a_changed_archive_is_read_or_refused(at in 0..400usize, byte in any::<u8>()) {
            let members: &[(&str, &[u8], _)] = &[
                ("a/version", b"3", CompressionMethod::Stored),
                ("a/code.py", b"def forward(self):\n  return 1\n", CompressionMethod::Deflated),
            ];
            let mut bytes = archive(members);
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(archive) = open(bytes) {
                for entry in archive.entries() {
                    let _ = archive.read(entry);
                    let _ = archive.member(entry).map(|member| member.head(16));
                }
            }
        }
    }
}
