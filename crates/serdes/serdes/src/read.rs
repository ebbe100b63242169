//! Reading: by the version that each value carries, whatever was requested when it was written.

use std::fmt;
use std::marker::PhantomData;

use crate::write::MAX_DEPTH;
use crate::{Family, Format, derive_support};

/// Where values are read from.
///
/// Nothing is allocated for what is not there: a count is believed only as far as the bytes that are
/// left could hold so many items.
// What stands in every record is `inline(always)`, here and in the other files: where all of it is, the compiler
// keeps the place in registers, which is a tenth of the time of a read and a fifth of that of a view.
pub struct Decoder<'a, F: Family> {
    rest: &'a [u8],
    /// Where `rest` ends, counted from the beginning of the input.
    end: usize,
    depth: u32,
    family: PhantomData<fn() -> F>,
}

/// Why bytes are not a value.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct DecodeError(Box<Inner>);

/// As the text: whoever unwraps it is told what to do.
impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{item}byte {offset}: {problem}")]
struct Inner {
    item: Item,
    offset: usize,
    problem: DecodeProblem,
}

/// The innermost type that was being read, its format, and the field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Item {
    of: Option<(&'static str, u32)>,
    field: Option<&'static str>,
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((name, format)) = self.of else { return Ok(()) };
        f.write_str(name)?;
        if let Some(field) = self.field {
            write!(f, ".{field}")?;
        }
        write!(f, " in format {format}, ")
    }
}

/// What is wrong with the bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeProblem {
    /// The input ends before the value does.
    #[error("the input ends here, {needed} bytes more are needed")]
    Truncated {
        /// How many bytes more there would have to be, at least.
        needed: usize,
    },
    /// There are bytes after the value.
    #[error("{0} bytes more than the value has")]
    TooLong(usize),
    /// The value is of a later version than this build knows.
    #[error(
        "{type_name} is of {family} version {found}, and this build reads {minimum} to {current}; read it with a newer build, or write it for version {current}"
    )]
    TooNew {
        /// The name of the type that was read.
        type_name: &'static str,
        /// The name of the family that counts the version.
        family: &'static str,
        /// The version of the value.
        found: u64,
        /// The lowest version that is read.
        minimum: u32,
        /// The newest version that this build reads.
        current: u32,
    },
    /// The value is of a version that is no longer read.
    #[error(
        "{type_name} is of {family} version {found}, and this build reads {minimum} to {current}; rewrite it with a build that reads both"
    )]
    TooOld {
        /// The name of the type that was read.
        type_name: &'static str,
        /// The name of the family that counts the version.
        family: &'static str,
        /// The version of the value.
        found: u64,
        /// The lowest version that is read.
        minimum: u32,
        /// The newest version that this build reads.
        current: u32,
    },
    /// A version below zero.
    #[error("{type_name} has a negative version: {found}")]
    Negative {
        /// The name of the type that was read.
        type_name: &'static str,
        /// The number in the place of a version.
        found: i64,
    },
    /// The type has no format of this number.
    #[error("{type_name} has no format {found}")]
    NoFormat {
        /// The name of the type that was read.
        type_name: &'static str,
        /// The number in the place of a format.
        found: u64,
    },
    /// A number that stands for nothing.
    #[error("{type_name} has no value {found}")]
    UnknownValue {
        /// The name of the type that was read.
        type_name: &'static str,
        /// The number in the place of a value.
        found: u64,
    },
    /// A text is not UTF-8.
    #[error("the text is not UTF-8")]
    NotText,
    /// A number is larger than its type, or longer than it need be.
    #[error("the number is too large or not in its shortest form")]
    BadNumber,
    /// The keys of a map do not rise.
    #[error("the keys do not rise: one is there twice, or out of order")]
    KeysDoNotRise,
    /// Values are nested too deep.
    #[error("values are nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// No type of this name is registered.
    #[error("no type of this name is known: {0}")]
    UnknownType(String),
    /// A message has no field of this number.
    #[error(
        "{message} has no field {field}; it is of a later build, which did not say so in its version"
    )]
    UnknownField {
        /// The name of the message in descriptors.
        message: &'static str,
        /// The field number on the wire.
        field: u32,
    },
    /// A field of a message is of another kind on the wire.
    #[error("{message}: field {field} is of another kind")]
    OtherKind {
        /// The name of the message in descriptors.
        message: &'static str,
        /// The field number on the wire.
        field: u32,
    },
    /// A field of a message stands twice.
    #[error("{message}: field {field} stands twice")]
    FieldTwice {
        /// The name of the message in descriptors.
        message: &'static str,
        /// The field number on the wire.
        field: u32,
    },
    /// A field of a message is not there, and has no default.
    #[error("{message}: {field} is not there")]
    FieldMissing {
        /// The name of the message in descriptors.
        message: &'static str,
        /// The field, or the choice of fields.
        field: &'static str,
    },
    /// Two fields of a message are there of which one may be.
    #[error("{message}: more than one field of the choice {choice} is there")]
    Ambiguous {
        /// The name of the message in descriptors.
        message: &'static str,
        /// The name of the `oneof` in descriptors.
        choice: &'static str,
    },
    /// A conversion from an older form says no.
    #[error("{0}")]
    Refused(String),
}

impl DecodeError {
    /// Where it is, counted in bytes from the beginning of the input.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The same, seen from the field that was being read.
    #[cold]
    #[must_use]
    pub fn in_field(mut self, name: &'static str) -> Self {
        // Types are left from the inside out: the innermost says the most.
        if self.0.item.of.is_none() {
            self.0.item.field = Some(name);
        }
        self
    }

    /// The same, seen from the type that was being read, in one of its formats.
    #[cold]
    #[must_use]
    pub fn in_format(mut self, type_name: &'static str, format: u32) -> Self {
        self.0.item.of.get_or_insert((type_name, format));
        self
    }

    /// What is wrong at that offset.
    pub fn problem(&self) -> &DecodeProblem {
        &self.0.problem
    }
}

/// Reads one value, which takes all of `bytes`.
///
/// # Errors
/// [`DecodeError`] with the place.
pub fn read<F: Family, T: Format<F>>(bytes: &[u8]) -> Result<T, DecodeError> {
    let mut reader = Decoder::<F>::new(bytes);
    let value = T::read(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

/// Reads one value, which takes all of `bytes`, over one that is there: its texts and lists are filled again
/// instead of made anew. After an error it is a value, but of which one is not said.
///
/// ```
/// # use unskew_serdes::{default_version, family, read_into, write};
/// # family!(Stored = "examples/stored.history.toml");
/// let mut bytes = Vec::new();
/// let mut kept = vec![String::from("weights")];
/// write(&vec![String::from("bias")], default_version::<Stored>(), &mut bytes).unwrap();
/// read_into::<Stored, _>(&bytes, &mut kept).unwrap();
/// assert_eq!(kept, ["bias"]);
/// ```
///
/// # Errors
/// [`DecodeError`] with the place.
pub fn read_into<F: Family, T: Format<F>>(bytes: &[u8], value: &mut T) -> Result<(), DecodeError> {
    let mut reader = Decoder::<F>::new(bytes);
    value.read_into(&mut reader)?;
    reader.finish()
}

impl<F: Family> Clone for Decoder<'_, F> {
    fn clone(&self) -> Self {
        Self { rest: self.rest, end: self.end, depth: self.depth, family: PhantomData }
    }
}

impl<'a, F: Family> Decoder<'a, F> {
    /// A reader of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, end: bytes.len(), depth: 0, family: PhantomData }
    }

    /// A reader of bytes that are a part of something larger, and end at `end` there.
    pub(crate) fn ending_at(bytes: &'a [u8], end: usize) -> Self {
        Self { end, ..Self::new(bytes) }
    }

    /// How many bytes are left.
    #[inline]
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// Where the reader is, counted from the beginning of the input.
    pub fn offset(&self) -> usize {
        self.end - self.rest.len()
    }

    /// An error at the place where the reader is.
    #[cold]
    pub fn error(&self, problem: DecodeProblem) -> DecodeError {
        DecodeError(Box::new(Inner { item: Item::default(), offset: self.offset(), problem }))
    }

    /// Says that nothing may follow.
    ///
    /// # Errors
    /// [`DecodeProblem::TooLong`] if bytes are left.
    #[inline]
    pub fn finish(&self) -> Result<(), DecodeError> {
        match self.rest.len() {
            0 => Ok(()),
            more => Err(self.error(DecodeProblem::TooLong(more))),
        }
    }

    /// Reads one byte.
    ///
    /// # Errors
    /// [`DecodeProblem::Truncated`].
    #[inline]
    pub fn byte(&mut self) -> Result<u8, DecodeError> {
        let Some((&byte, rest)) = self.rest.split_first() else {
            return Err(self.error(DecodeProblem::Truncated { needed: 1 }));
        };
        self.rest = rest;
        Ok(byte)
    }

    /// Takes the next `count` bytes.
    ///
    /// # Errors
    /// [`DecodeProblem::Truncated`].
    #[inline]
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let Some((bytes, rest)) = self.rest.split_at_checked(count) else {
            let needed = count - self.rest.len();
            return Err(self.error(DecodeProblem::Truncated { needed }));
        };
        self.rest = rest;
        Ok(bytes)
    }

    /// Reads a number of seven bits a byte, in its shortest form.
    ///
    /// # Errors
    /// [`DecodeProblem::Truncated`], [`DecodeProblem::BadNumber`].
    #[inline]
    pub fn varint(&mut self) -> Result<u64, DecodeError> {
        match self.rest.split_first() {
            Some((&byte, rest)) if byte < 0x80 => {
                self.rest = rest;
                Ok(u64::from(byte))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64, DecodeError> {
        let start = self.rest;
        let mut number = 0_u64;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has room for one bit; a last byte of zero is a longer form.
            if (shift == 63 && bits > 1) || (byte == 0 && shift > 0) {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        self.rest = start;
        Err(self.error(DecodeProblem::BadNumber))
    }

    /// Reads a count of items that take at least `least` bytes each.
    ///
    /// # Errors
    /// [`DecodeProblem::Truncated`] if so many cannot be there.
    #[inline]
    pub fn count(&mut self, least: usize) -> Result<usize, DecodeError> {
        let number = self.varint()?;
        let most = self.rest.len() / least.max(1);
        match usize::try_from(number) {
            Ok(count) if count <= most => Ok(count),
            _ => {
                let needed = usize::try_from(number).unwrap_or(usize::MAX).saturating_mul(least);
                let needed = needed.saturating_sub(self.rest.len()).max(1);
                Err(self.error(DecodeProblem::Truncated { needed }))
            }
        }
    }

    /// For how many items of `size` bytes in memory room is made at once. A count is at most the bytes
    /// that are left, but items may be larger in memory than there: room for the outermost list is four
    /// times the bytes that are left, and less the deeper a list stands, so that no nest of lists that
    /// only claim to be long takes more than seven times the input. A few are believed in any case, as a list that
    /// grows makes room for as many at first.
    pub(crate) fn room(&self, size: usize) -> usize {
        let deeper = self.depth as usize + 1;
        (self.rest.len().saturating_mul(4) / (size.max(1) * deeper * deeper)).max(4)
    }

    /// Reads the head of a value, and then its body by `read`, which gets a reader of the body alone.
    /// What `read` leaves is skipped if the head allows it, and an error if not.
    ///
    /// # Errors
    /// Those of `read`; [`DecodeProblem::TooLong`], [`DecodeProblem::TooDeep`].
    #[inline]
    pub fn framed<T>(
        &mut self,
        read: impl FnOnce(&mut Self, u64, bool) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        let head = self.varint()?;
        let skippable = head & 1 == 1;
        self.part(|body| {
            let value = read(body, head >> 1, skippable)?;
            if !skippable {
                body.finish()?;
            }
            Ok(value)
        })
    }

    /// Reads a length, and then what has that length by `read`, which must leave nothing.
    ///
    /// # Errors
    /// Those of `read`; [`DecodeProblem::TooLong`], [`DecodeProblem::TooDeep`].
    pub fn sized<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        self.part(|part| {
            let value = read(part)?;
            part.finish()?;
            Ok(value)
        })
    }

    #[inline]
    fn part<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(DecodeProblem::TooDeep));
        }
        let length = self.count(1)?;
        let (part, after) = self.rest.split_at(length);
        let end = self.end - after.len();
        let value =
            read(&mut Self { rest: part, end, depth: self.depth + 1, family: PhantomData })?;
        self.rest = after;
        Ok(value)
    }

    /// The format of a value of type `type_name`, whose formats are `formats`, rising.
    ///
    /// # Errors
    /// [`DecodeProblem::TooNew`], [`DecodeProblem::TooOld`], [`DecodeProblem::NoFormat`].
    #[inline]
    pub fn format(
        &self,
        type_name: &'static str,
        formats: &'static [u32],
        found: u64,
    ) -> Result<u32, DecodeError> {
        // Nearly all values are of the newest format.
        if let Some(&newest) = formats.last()
            && found == u64::from(newest)
        {
            return Ok(newest);
        }
        let known = u32::try_from(found).ok().filter(|n| formats.contains(n));
        let living = known.filter(|n| *n >= derive_support::lowest_living::<F>(formats));
        living.ok_or_else(|| self.no_format(type_name, found))
    }

    #[cold]
    fn no_format(&self, type_name: &'static str, found: u64) -> DecodeError {
        let (family, minimum, current) = (F::NAME, F::MINIMUM, F::CURRENT);
        self.error(if found > u64::from(current) {
            DecodeProblem::TooNew { type_name, family, found, minimum, current }
        } else if found < u64::from(minimum) {
            DecodeProblem::TooOld { type_name, family, found, minimum, current }
        } else {
            DecodeProblem::NoFormat { type_name, found }
        })
    }
}
