//! Opening what may be a stamped executable.

use sha2::{Digest, Sha256};

use super::{Fingerprint, LONGEST_HEADER, MAGIC, VERSION, tag};

/// What a serialized executable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened<'a> {
    /// One that was stamped.
    Stamped {
        /// The plug-in that made it.
        fingerprint: Box<Fingerprint>,
        /// The executable, as the plug-in gave it.
        executable: &'a [u8],
    },
    /// One that does not begin with the magic number, so nothing is known of it.
    NotStamped,
}

/// Why a stamped executable could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StampError {
    /// The format is newer than this reader.
    #[error(
        "a stamped executable of a newer format; load it with the version of Unskew that stamped it, \
         or compile the program again: this one reads version {VERSION}, the file has version {0}"
    )]
    NewerFormat(u32),
    /// The header has an entry that a decision depends on and this reader does not know.
    #[error(
        "a stamped executable with an entry that this version of Unskew does not know; load it with \
         the version that stamped it, or compile the program again: tag {0}"
    )]
    UnknownEntry(u16),
    /// The bytes are not what was stamped.
    #[error("a stamped executable that is damaged, byte {offset}: {what}")]
    Damaged {
        /// The byte where that shows.
        offset: usize,
        /// What is wrong at that byte.
        what: &'static str,
    },
}

/// Opens a serialized executable: checks the stamp, if it has one, and gives what lies in it.
///
/// # Errors
/// If it has a stamp that is damaged, or newer than this reader.
pub fn open(file: &[u8]) -> Result<Opened<'_>, StampError> {
    let Some(rest) = file.strip_prefix(&MAGIC) else { return Ok(Opened::NotStamped) };
    let mut reader = StampReader { rest, offset: MAGIC.len() };
    let version = reader.number()?;
    if version != VERSION {
        return Err(match version {
            0 => reader.damaged("a version of 0"),
            newer => StampError::NewerFormat(newer),
        });
    }
    let length = reader.number()? as usize;
    if length > LONGEST_HEADER {
        return Err(reader.damaged("a header longer than any"));
    }
    let header_at = reader.offset;
    let header = reader.take(length)?;
    let size = u64::from_le_bytes(reader.array()?);
    let size = usize::try_from(size).map_err(|_| reader.damaged("a length beyond the end"))?;
    let executable = reader.take(size)?;
    let end = reader.offset;
    let sum: [u8; 32] = reader.array()?;
    if !reader.rest.is_empty() {
        return Err(reader.damaged("bytes behind the checksum"));
    }
    if file.get(..end).is_none_or(|covered| <[u8; 32]>::from(Sha256::digest(covered)) != sum) {
        return Err(StampError::Damaged { offset: end, what: "the checksum does not fit" });
    }
    let fingerprint = Box::new(fingerprint(StampReader { rest: header, offset: header_at })?);
    Ok(Opened::Stamped { fingerprint, executable })
}

/// Reads the entries of a header.
fn fingerprint(mut header: StampReader<'_>) -> Result<Fingerprint, StampError> {
    let mut found = Fingerprint::default();
    let mut seen = 0u32;
    while !header.rest.is_empty() {
        let tag = u16::from_le_bytes(header.array()?);
        let length = header.number()? as usize;
        let offset = header.offset;
        let mut entry = StampReader { rest: header.take(length)?, offset };
        if (1..=tag::CPU_FEATURES).contains(&tag) {
            if seen & 1 << tag != 0 {
                return Err(entry.damaged("an entry that stands twice"));
            }
            seen |= 1 << tag;
        }
        match tag {
            tag::API => found.api = (entry.number()?, entry.number()?),
            tag::PLATFORM_NAME => found.platform_name = entry.text()?,
            tag::PLATFORM_VERSION => found.platform_version = entry.text()?,
            tag::FILE => found.file_sha256 = entry.array()?,
            tag::CPU_FEATURES => {
                let text = entry.text()?;
                let features = text.split(',').filter(|feature| !feature.is_empty());
                found.cpu_features = Some(features.map(str::to_owned).collect());
            }
            tag::ATTRIBUTE => {
                let text = entry.text()?;
                let pair = text.split_once('\0');
                let (name, value) =
                    pair.ok_or_else(|| entry.damaged("an attribute without a value"))?;
                found.attributes.insert(name.to_owned(), value.to_owned());
            }
            unknown if unknown < tag::OPTIONAL => return Err(StampError::UnknownEntry(unknown)),
            _ => continue,
        }
        if !entry.rest.is_empty() {
            return Err(entry.damaged("an entry that is too long"));
        }
    }
    let required = 1 << tag::API | 1 << tag::PLATFORM_NAME | 1 << tag::PLATFORM_VERSION;
    let required = required | 1 << tag::FILE;
    if seen & required != required {
        return Err(header.damaged("a header without an entry that it must have"));
    }
    Ok(found)
}

/// A place in a stamped executable.
struct StampReader<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl<'a> StampReader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], StampError> {
        let parts = self.rest.split_at_checked(len);
        let (part, rest) = parts.ok_or_else(|| self.damaged("a length beyond the end"))?;
        self.rest = rest;
        self.offset += len;
        Ok(part)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], StampError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn number(&mut self) -> Result<u32, StampError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn text(&mut self) -> Result<String, StampError> {
        let bytes = self.take(self.rest.len())?;
        String::from_utf8(bytes.to_vec()).map_err(|_| self.damaged("a text that is not UTF-8"))
    }

    fn damaged(&self, what: &'static str) -> StampError {
        StampError::Damaged { offset: self.offset, what }
    }
}
