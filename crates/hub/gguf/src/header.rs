//! From bytes to a [`GgufFile`]: the header by range, and nothing of the data.

use std::collections::HashSet;
use std::sync::Arc;

use unskew_source::{ReadError, Source, SourceExt as _, SourceProblem};

use crate::cursor::Cursor;
use crate::file::{BrokenRule, GgufFile, GgufValue};
use crate::tensor_type;

/// How a file begins.
const MAGIC: &[u8; 4] = b"GGUF";

/// How long a name or a text may be that is kept. ggml takes names of tensors up to 64 bytes.
const LONGEST_NAME: u64 = 1 << 10;

/// How deep arrays may nest.
const DEEPEST: usize = 8;

/// How many broken rules are kept: a file has none, or one mistake of its writer a thousand times.
const MOST_BROKEN: usize = 16;

/// How many keys and tensors a file may have: real ones have hundreds of keys, and thousands of tensors.
const MOST_KEYS: u64 = 1 << 16;
const MOST_TENSORS: u64 = 1 << 18;

/// How many dimensions ggml has.
const DIMENSIONS: u32 = 4;

/// The types of values by their numbers in a file.
mod value_type {
    pub(super) const FLOAT32: u32 = 6;
    pub(super) const STRING: u32 = 8;
    pub(super) const ARRAY: u32 = 9;
    pub(super) const FLOAT64: u32 = 12;

    /// How many bytes a number takes, and whether it has a sign.
    pub(super) fn of_number(value_type: u32) -> Option<(u64, bool)> {
        Some(match value_type {
            0 | 7 => (1, false),
            1 => (1, true),
            2 => (2, false),
            3 => (2, true),
            4 => (4, false),
            5 => (4, true),
            FLOAT32 => (4, true),
            10 => (8, false),
            11 => (8, true),
            FLOAT64 => (8, true),
            _ => return None,
        })
    }
}

impl GgufFile {
    /// The header of the file in `source`; none if it does not begin as a GGUF.
    ///
    /// # Errors
    /// If it does, and its header ends early, is too long, or has a value of no type.
    pub fn read(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        if !source.head(4)?.starts_with(MAGIC) {
            return Ok(None);
        }
        let mut cursor = Cursor::new(source, 4);
        let mut version = cursor.u32()?;
        // The number of a file for machines of the other byte order is one that nobody gives.
        if version & 0xffff == 0 && version != 0 {
            cursor.is_big_endian = true;
            version = version.swap_bytes();
        }
        cursor.is_wide = version != 1;
        let mut file = Self {
            version,
            is_big_endian: cursor.is_big_endian,
            size: source.size(),
            ..Self::default()
        };
        file.tensors = cursor.count()?;
        let keys = cursor.count()?;
        for (what, count, most) in
            [("tensors", file.tensors, MOST_TENSORS), ("keys", keys, MOST_KEYS)]
        {
            if count > most {
                return Err(
                    cursor.error(format!("it has {count} {what}; no more than {most} are read"))
                );
            }
        }
        for _ in 0..keys {
            file.read_key(&mut cursor)?;
        }
        file.read_tensors(&mut cursor)?;
        Ok(Some(file))
    }

    fn breaks(&mut self, rule: BrokenRule) {
        if self.broken.len() < MOST_BROKEN {
            self.broken.push(rule);
        }
    }

    fn read_key(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        cursor.nodes(1)?;
        let begin = cursor.at();
        let name = cursor.text(LONGEST_NAME)?;
        let shown = name.as_deref().map_or("a key with a long name", |name| name).to_owned();
        let value_type = cursor.u32()?;
        let mut nests = false;
        let value = read_value(cursor, value_type, &mut nests)
            .map_err(|error| error.in_field(printable(&shown)).at(begin))?;
        if nests {
            self.breaks(BrokenRule::NestedArray(printable(&shown)));
        }
        let Some(name) = name else { return Ok(()) };
        if self.keys.insert(name, value).is_some() {
            self.breaks(BrokenRule::DuplicateKey(printable(&shown)));
        }
        Ok(())
    }

    fn read_tensors(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        /// A tensor as the header has it; its offset counts from where the data begin.
        struct Tensor {
            name: String,
            offset: u64,
            bytes: Option<u64>,
        }
        let mut names: HashSet<String> = HashSet::new();
        let mut tensors: Vec<Tensor> = Vec::new();
        for _ in 0..self.tensors {
            cursor.nodes(1)?;
            let name = cursor.text(LONGEST_NAME)?.unwrap_or_else(|| "a long name".to_owned());
            let shown = printable(&name);
            let rank = cursor.u32()?;
            let mut shape = Vec::new();
            for _ in 0..rank.min(DIMENSIONS) {
                shape.push(cursor.count()?);
            }
            // What stands behind a shape of more dimensions is not looked at one by one.
            let width = if cursor.is_wide { 8 } else { 4 };
            cursor.skip(u64::from(rank.saturating_sub(DIMENSIONS)).saturating_mul(width))?;
            let number = cursor.u32()?;
            let offset = cursor.u64()?;
            let bytes = tensor_type::bytes_of(number, &shape).filter(|_| rank <= DIMENSIONS);
            if bytes.is_none() && tensor_type::by_number(number).is_some() {
                self.breaks(BrokenRule::Shape(shown.clone()));
            }
            if !names.insert(name) {
                self.breaks(BrokenRule::DuplicateTensor(shown.clone()));
            }
            let count = self.types.entry(number).or_default();
            count.tensors += 1;
            count.places.add(&shown);
            tensors.push(Tensor { name: shown, offset, bytes });
        }
        let Some(alignment) = self.alignment() else { return Ok(()) };
        let data = cursor.at().next_multiple_of(alignment);
        let mut expected = Some(0_u64);
        for Tensor { name, offset, bytes } in tensors {
            // Where the one before has a size that nobody knows, nothing is expected.
            if let Some(expected) = expected.filter(|expected| *expected != offset) {
                self.breaks(BrokenRule::Offset { tensor: name.clone(), offset, expected });
            }
            let end = bytes.and_then(|bytes| offset.checked_add(bytes));
            expected = end.and_then(|end| end.checked_next_multiple_of(alignment));
            // Of a type that nobody knows at least the beginning has to be there.
            let least = end.unwrap_or(offset).saturating_add(data);
            self.needed = self.needed.max(least);
            if least > self.size {
                self.beyond.add(&name);
            }
        }
        Ok(())
    }
}

fn read_value(
    cursor: &mut Cursor<'_>,
    value_type: u32,
    nests: &mut bool,
) -> Result<GgufValue, ReadError> {
    match value_type {
        value_type::STRING => Ok(GgufValue::Text(cursor.text(LONGEST_NAME)?.unwrap_or_default())),
        value_type::ARRAY => {
            let (element, count) = (cursor.u32()?, cursor.count()?);
            *nests = element == value_type::ARRAY;
            skip_array(cursor, element, count, 1)?;
            Ok(GgufValue::Array(count))
        }
        _ => {
            let no_type =
                || cursor.error(format!("a value of type {value_type}, and there is none"));
            let (size, is_signed) = value_type::of_number(value_type).ok_or_else(no_type)?;
            let number = cursor.unsigned(size)?;
            let is_fraction = matches!(value_type, value_type::FLOAT32 | value_type::FLOAT64);
            let is_negative = is_signed && number >> (8 * size - 1) == 1;
            Ok(if is_fraction || is_negative {
                GgufValue::Other
            } else {
                GgufValue::Number(number)
            })
        }
    }
}

/// Passes over an array.
fn skip_array(
    cursor: &mut Cursor<'_>,
    element: u32,
    count: u64,
    depth: usize,
) -> Result<(), ReadError> {
    if let Some((size, _)) = value_type::of_number(element) {
        let bytes = count.checked_mul(size);
        return cursor.skip(bytes.unwrap_or(u64::MAX));
    }
    match element {
        value_type::STRING => {
            // A text takes at least its length: a count that lies ends with the file.
            for _ in 0..count {
                let length = cursor.count()?;
                cursor.skip(length)?;
            }
            cursor.nodes(count / 16)
        }
        value_type::ARRAY if depth < DEEPEST => {
            for _ in 0..count {
                cursor.nodes(1)?;
                let (element, count) = (cursor.u32()?, cursor.count()?);
                skip_array(cursor, element, count, depth + 1)?;
            }
            Ok(())
        }
        value_type::ARRAY => {
            let mut error = cursor.error("");
            error.problem = Box::new(SourceProblem::TooDeep { limit: DEEPEST });
            Err(error)
        }
        _ => Err(cursor.error(format!("an array of type {element}, and there is none"))),
    }
}

/// A short text without anything that a terminal would act on.
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|one| !one.is_control()).take(96).collect()
}
