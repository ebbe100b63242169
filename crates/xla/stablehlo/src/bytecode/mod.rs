//! MLIR bytecode, as far as it says what is in it: the header, the names of dialects and operations,
//! and the kinds of types and attributes. The program itself and its constants are not read.

mod cursor;
pub(crate) mod dialects;
pub(crate) mod entries;
mod kinds;
pub(crate) mod operations;

use unskew_source::{ReadError, Source, SourceExt, SourceProblem, limits};

pub use dialects::Dialect;
pub use kinds::EncodingKind;

pub(crate) use cursor::{Cursor, Span};

/// The bytes that MLIR bytecode begins with.
pub(crate) const MAGIC: [u8; 4] = *b"ML\xefR";

/// The newest version of the format that is read.
const NEWEST: u64 = 6;

/// The longest producer that is read; a real one has twenty bytes.
pub(crate) const PRODUCER: usize = 1 << 10;

/// The numbers of the sections that are read.
pub(crate) mod section {
    pub(crate) const STRINGS: u8 = 0;
    pub(crate) const DIALECTS: u8 = 1;
    pub(crate) const KINDS: u8 = 2;
    pub(crate) const KIND_SIZES: u8 = 3;
    pub(crate) const PROGRAM: u8 = 4;
    pub(crate) const RESOURCES: u8 = 5;
    pub(crate) const DIALECT_VERSION: u8 = 7;
    pub(crate) const PROPERTIES: u8 = 8;
    /// The highest number that has a meaning.
    pub(crate) const LAST: u8 = 8;
}

/// What a file of MLIR bytecode says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytecode {
    /// The version of the format, 0 to 6.
    pub version: u64,
    /// Who wrote it: `StableHLO_v1.10.0`, `MLIR23.0.0git`.
    pub producer: String,
    /// The dialects, with the operations that it uses of each. Before version 4 operations have the
    /// same form.
    pub dialects: Vec<Dialect>,
    /// The kinds of VHLO types and attributes that it uses, each once.
    pub kinds: Vec<EncodingKind>,
}

impl Bytecode {
    /// Whether `source` begins like MLIR bytecode.
    pub fn recognizes(source: &dyn Source) -> bool {
        let mut magic = [0; 4];
        matches!(source.read_at(0, &mut magic), Ok(4)) && magic == MAGIC
    }

    /// Reads what `source` says of itself, by ranges.
    ///
    /// # Errors
    /// If it is no MLIR bytecode, is broken, or has a format version above 6.
    pub fn read(source: &dyn Source) -> Result<Self, ReadError> {
        let Opened { version, producer, sections, cursor } = Opened::read(source)?;
        let strings = Strings::read(source, sections.needed(section::STRINGS, &cursor)?)?;
        let part = |id| Some(Cursor::new(source, sections.find(id)?));
        let mut dialects = match part(section::DIALECTS) {
            Some(mut part) => dialects::read(&mut part, version, &strings)?.0,
            None => Vec::new(),
        };
        let mut kinds = Vec::new();
        if let Some((mut sizes, values)) =
            part(section::KIND_SIZES).zip(sections.find(section::KINDS))
        {
            kinds = kinds::read(&mut sizes, source, values, &dialects)?;
        }
        dialects.iter_mut().for_each(|dialect| dialect.operations.sort_unstable());
        Ok(Self { version, producer, dialects, kinds })
    }
}

/// The head of a file, and where its sections lie.
pub(crate) struct Opened<'s> {
    pub(crate) version: u64,
    pub(crate) producer: String,
    pub(crate) sections: Sections,
    /// Behind the last section.
    pub(crate) cursor: Cursor<'s>,
}

impl<'s> Opened<'s> {
    /// Reads the head of a file of MLIR bytecode, and walks over its sections.
    pub(crate) fn read(source: &'s dyn Source) -> Result<Self, ReadError> {
        let whole = Span { start: 0, end: source.size() };
        let mut cursor = Cursor::new(source, whole);
        if !Bytecode::recognizes(source) {
            return Err(cursor.malformed(0, "it does not begin with its magic number"));
        }
        cursor.skip(MAGIC.len() as u64)?;
        let version = cursor.varint()?;
        if version > NEWEST {
            let problem = SourceProblem::Unsupported(format!(
                "MLIR bytecode of format {version}; formats up to {NEWEST} are read, \
                 write it for an older one"
            ));
            return Err(ReadError::new(source.name(), problem).at(4));
        }
        let producer = cursor.terminated(PRODUCER)?;
        let sections = Sections::read(&mut cursor)?;
        Ok(Self { version, producer, sections, cursor })
    }
}

/// Where the sections lie, by number.
pub(crate) struct Sections([Option<Span>; section::LAST as usize + 1]);

impl Sections {
    /// Walks over the sections up to the end of the file; their contents are not read.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ReadError> {
        let mut sections = Self([None; section::LAST as usize + 1]);
        while cursor.left() > 0 {
            let at = cursor.position();
            let (id, span) = section(cursor)?;
            let slot = sections.0.get_mut(usize::from(id));
            let slot = slot.ok_or_else(|| cursor.malformed(at, &format!("a section {id}")))?;
            if slot.replace(span).is_some() {
                return Err(cursor.malformed(at, &format!("a second section {id}")));
            }
        }
        Ok(sections)
    }

    pub(crate) fn find(&self, id: u8) -> Option<Span> {
        self.0.get(usize::from(id)).copied().flatten()
    }

    pub(crate) fn needed(&self, id: u8, cursor: &Cursor<'_>) -> Result<Span, ReadError> {
        let missing = || cursor.malformed(cursor.position(), &format!("it has no section {id}"));
        self.find(id).ok_or_else(missing)
    }
}

/// One section: its number and where its contents lie.
fn section(cursor: &mut Cursor<'_>) -> Result<(u8, Span), ReadError> {
    aligned_section(cursor).map(|(id, _, span)| (id, span))
}

/// One section: its number, its alignment if it has one, and where its contents lie. The highest bit of
/// the number says that an alignment follows the length.
pub(crate) fn aligned_section(
    cursor: &mut Cursor<'_>,
) -> Result<(u8, Option<u64>, Span), ReadError> {
    let id = cursor.byte()?;
    let length = cursor.varint()?;
    let mut alignment = None;
    if id & 0x80 != 0 {
        let found = cursor.varint()?;
        cursor.align(found)?;
        alignment = Some(found);
    }
    Ok((id & 0x7f, alignment, cursor.skip(length)?))
}

/// The texts of a file. Their lengths stand in front in reverse order, then the texts.
pub(crate) struct Strings {
    bytes: Vec<u8>,
    /// Where each begins and ends, without the zero byte behind it.
    ranges: Vec<(usize, usize)>,
}

impl Strings {
    pub(crate) fn read(source: &dyn Source, span: Span) -> Result<Self, ReadError> {
        let mut cursor = Cursor::new(source, span);
        if cursor.left() > limits::RECORD {
            let what = "the section of texts".to_owned();
            let problem =
                SourceProblem::TooLarge { what, size: cursor.left(), limit: limits::RECORD };
            return Err(ReadError::new(source.name(), problem).at(span.start));
        }
        let count = cursor.count("texts")?;
        let mut lengths = Vec::with_capacity(count);
        for _ in 0..count {
            lengths.push(cursor.count("bytes of a text")?);
        }
        let bytes = source.bytes(cursor.position(), cursor.left())?;
        let mut ranges = Vec::with_capacity(count);
        let mut start = 0usize;
        for length in lengths.into_iter().rev() {
            let end = start.checked_add(length).filter(|end| *end <= bytes.len());
            let end = end.ok_or_else(|| cursor.malformed(span.start, "texts beyond their end"))?;
            ranges.push((start, end.saturating_sub(1).max(start)));
            start = end;
        }
        Ok(Self { bytes, ranges })
    }

    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// All of them, as they stand there: a text may be any bytes.
    pub(crate) fn all(&self) -> impl Iterator<Item = &[u8]> {
        self.ranges.iter().map(|(start, end)| self.bytes.get(*start..*end).unwrap_or_default())
    }

    pub(crate) fn get(&self, index: u64, cursor: &Cursor<'_>) -> Result<String, ReadError> {
        let range = usize::try_from(index).ok().and_then(|index| self.ranges.get(index));
        let bytes = range.and_then(|(start, end)| self.bytes.get(*start..*end));
        let bytes = bytes
            .ok_or_else(|| cursor.malformed(cursor.position(), &format!("no text {index}")))?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
}
