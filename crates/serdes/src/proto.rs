//! The same rules on protobuf: for formats that others defined as messages.
//!
//! A message records the number of its format in a field of its own. What is written is byte for
//! byte what protobuf's own serializers write: fields in the order of their numbers, which is the
//! order in which [`Message::write`] writes them, and nothing for what is zero or empty, unless its
//! presence means something. What is read may stand in any order; a field that the format does not
//! have, a field that stands twice where it may stand once, and an unknown number are errors.

use std::marker::PhantomData;

use crate::derive_support::lowest_living;
use crate::read::ReadProblem;
use crate::write::{MAX_DEPTH, WriteProblem};
use crate::{Family, ReadError, Reader, Version, WriteError};

/// A type that is written as a protobuf message.
pub trait Message<F: Family>: Sized {
    /// Its name in errors.
    const NAME: &'static str;

    /// Writes its fields, rising, in the version of the writer.
    ///
    /// # Errors
    /// [`WriteError`] if that version cannot hold the value.
    fn write(&self, to: &mut ProtoWriter<'_, F>) -> Result<(), WriteError>;

    /// Reads its fields.
    ///
    /// # Errors
    /// [`ReadError`] with the place.
    fn read(from: Fields<'_, F>) -> Result<Self, ReadError>;
}

/// Writes a message for readers of `version`.
///
/// # Errors
/// [`WriteError`] with the path of the field that the version cannot hold.
pub fn encode<F: Family, M: Message<F>>(
    message: &M,
    version: Version<F>,
) -> Result<Vec<u8>, WriteError> {
    let mut out = Vec::new();
    message.write(&mut ProtoWriter { out: &mut out, version, depth: 0 })?;
    Ok(out)
}

/// Reads a message, which takes all of `bytes`.
///
/// # Errors
/// [`ReadError`] with the place.
pub fn decode<F: Family, M: Message<F>>(bytes: &[u8]) -> Result<M, ReadError> {
    M::read(Fields { reader: Reader::new(bytes), name: M::NAME, depth: 0 })
}

/// Where messages are written, and in which version: like a [`Writer`](crate::Writer), it has one
/// version, and what is nested is written in that.
pub struct ProtoWriter<'a, F: Family> {
    out: &'a mut Vec<u8>,
    version: Version<F>,
    depth: u32,
}

impl<F: Family> ProtoWriter<'_, F> {
    /// The version that was requested.
    pub fn version(&self) -> u32 {
        self.version.number()
    }

    /// Says that the value is there since a version.
    ///
    /// # Errors
    /// [`WriteProblem::TooYoung`] if the requested version does not have it.
    pub fn needs(&self, since: u32) -> Result<(), WriteError> {
        let requested = self.version();
        if requested >= since {
            return Ok(());
        }
        Err(WriteError::new(WriteProblem::TooYoung { family: F::NAME, requested, since }))
    }

    /// A number, unless it is 0. Negative ones take ten bytes, as protobuf's own do.
    pub fn int(&mut self, field: u32, number: i64) {
        if number != 0 {
            self.present_int(field, number);
        }
    }

    /// A number, also if it is 0.
    pub fn present_int(&mut self, field: u32, number: i64) {
        self.tag(field, 0);
        varint(self.out, number.cast_unsigned());
    }

    /// Yes, or nothing.
    pub fn flag(&mut self, field: u32, yes: bool) {
        self.int(field, i64::from(yes));
    }

    /// A number of eight bytes, also if it is 0.
    pub fn fixed(&mut self, field: u32, number: i64) {
        self.tag(field, 1);
        self.out.extend_from_slice(&number.to_le_bytes());
    }

    /// A fraction of four bytes, also if it is 0.
    pub fn float(&mut self, field: u32, fraction: f32) {
        self.tag(field, 5);
        self.out.extend_from_slice(&fraction.to_le_bytes());
    }

    /// Numbers in one block, unless there are none.
    pub fn ints(&mut self, field: u32, numbers: impl IntoIterator<Item = i64>) {
        let mut block = Vec::new();
        for number in numbers {
            varint(&mut block, number.cast_unsigned());
        }
        self.bytes(field, &block);
    }

    /// Numbers of eight bytes in one block, unless there are none.
    pub fn fixeds(&mut self, field: u32, numbers: &[i64]) {
        let block: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.bytes(field, &block);
    }

    /// Bytes or a text, unless they are empty.
    pub fn bytes(&mut self, field: u32, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.present_bytes(field, bytes);
        }
    }

    /// Bytes or a text or a whole message, also if they are empty.
    pub fn present_bytes(&mut self, field: u32, bytes: &[u8]) {
        self.tag(field, 2);
        varint(self.out, bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }

    /// A text that may be absent.
    pub fn optional_text(&mut self, field: u32, text: Option<&str>) {
        if let Some(text) = text {
            self.present_bytes(field, text.as_bytes());
        }
    }

    /// A nested message, in the version of this one.
    ///
    /// # Errors
    /// Those of the message.
    pub fn message<M: Message<F>>(&mut self, field: u32, message: &M) -> Result<(), WriteError> {
        self.nested(field, |to| message.write(to))
    }

    /// A nested message that `write` writes.
    ///
    /// # Errors
    /// Those of `write`, and [`WriteProblem::TooDeep`].
    pub fn nested(
        &mut self,
        field: u32,
        write: impl FnOnce(&mut ProtoWriter<'_, F>) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        if self.depth == MAX_DEPTH {
            return Err(WriteError::new(WriteProblem::TooDeep));
        }
        let mut inner = Vec::new();
        let (version, depth) = (self.version, self.depth + 1);
        write(&mut ProtoWriter { out: &mut inner, version, depth })?;
        self.present_bytes(field, &inner);
        Ok(())
    }

    fn tag(&mut self, field: u32, kind: u8) {
        varint(self.out, u64::from(field) << 3 | u64::from(kind));
    }
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The fields of a message that is being read.
pub struct Fields<'a, F: Family> {
    reader: Reader<'a, F>,
    name: &'static str,
    depth: u32,
}

/// One field.
#[derive(Clone)]
pub struct Field<'a, F: Family> {
    /// Its number.
    pub number: u32,
    /// What it holds.
    pub value: Value<'a>,
    /// A reader that stands behind it, for errors.
    at: Reader<'a, F>,
    name: &'static str,
    depth: u32,
    family: PhantomData<F>,
}

/// What a field holds, by its kind on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A number of seven bits a byte.
    Varint(u64),
    /// Eight bytes.
    Eight([u8; 8]),
    /// Bytes, a text, a message, or a block of numbers.
    Bytes(&'a [u8]),
    /// Four bytes.
    Four([u8; 4]),
}

impl<'a, F: Family> Fields<'a, F> {
    /// The next field; none at the end of the message.
    ///
    /// # Errors
    /// [`ReadProblem::Truncated`], [`ReadProblem::BadNumber`].
    pub fn next_field(&mut self) -> Result<Option<Field<'a, F>>, ReadError> {
        if self.reader.left() == 0 {
            return Ok(None);
        }
        let tag = self.reader.varint()?;
        let number = u32::try_from(tag >> 3).ok().filter(|number| *number > 0);
        let number = number.ok_or_else(|| self.reader.error(ReadProblem::BadNumber))?;
        let value = match tag & 7 {
            0 => Value::Varint(self.long_form()?),
            1 => Value::Eight(self.array()?),
            2 => {
                let length = self.reader.count(1)?;
                Value::Bytes(self.reader.bytes(length)?)
            }
            5 => Value::Four(self.array()?),
            _ => return Err(self.reader.error(ReadProblem::BadNumber)),
        };
        let (at, name, depth) = (self.reader.clone(), self.name, self.depth);
        Ok(Some(Field { number, value, at, name, depth, family: PhantomData }))
    }

    /// An error at the place where the reader is.
    pub fn error(&self, problem: ReadProblem) -> ReadError {
        self.reader.error(problem)
    }

    /// The format of the message, of those it has, rising.
    ///
    /// # Errors
    /// [`ReadProblem::TooNew`], [`ReadProblem::TooOld`], [`ReadProblem::NoFormat`].
    pub fn format(&self, formats: &'static [u32], found: i64) -> Result<u32, ReadError> {
        // A negative number is as unknown as a large one.
        let found = u64::try_from(found).unwrap_or(u64::MAX);
        self.reader.format(self.name, formats, found)
    }

    /// The lowest format of a type that is still read.
    pub fn lowest_format(formats: &[u32]) -> u32 {
        lowest_living::<F>(formats)
    }

    /// Protobuf lets a number be longer than it need be; some of its writers make use of that.
    fn long_form(&mut self) -> Result<u64, ReadError> {
        let mut number = 0_u64;
        for shift in (0..70).step_by(7) {
            let byte = self.reader.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.reader.error(ReadProblem::BadNumber))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let mut array = [0; N];
        array.copy_from_slice(self.reader.bytes(N)?);
        Ok(array)
    }
}

impl<'a, F: Family> Field<'a, F> {
    /// An error at this field.
    pub fn error(&self, problem: ReadProblem) -> ReadError {
        self.at.error(problem)
    }

    /// The error of a field that the message does not have.
    pub fn unknown(&self) -> ReadError {
        self.error(ReadProblem::UnknownField { message: self.name, field: self.number })
    }

    /// The error of a field that is of another kind.
    fn other_kind(&self) -> ReadError {
        self.error(ReadProblem::OtherKind { message: self.name, field: self.number })
    }

    /// Puts a value in its place, which must be empty.
    ///
    /// # Errors
    /// [`ReadProblem::FieldTwice`] if the field has been there before.
    pub fn once<T>(&self, place: &mut Option<T>, value: T) -> Result<(), ReadError> {
        if place.is_some() {
            let problem = ReadProblem::FieldTwice { message: self.name, field: self.number };
            return Err(self.error(problem));
        }
        *place = Some(value);
        Ok(())
    }

    /// A number of 64 bits.
    ///
    /// # Errors
    /// [`ReadProblem::OtherKind`].
    pub fn int(&self) -> Result<i64, ReadError> {
        match self.value {
            Value::Varint(number) => Ok(number.cast_signed()),
            _ => Err(self.other_kind()),
        }
    }

    /// A number of 32 bits.
    ///
    /// # Errors
    /// [`ReadProblem::OtherKind`], [`ReadProblem::BadNumber`].
    pub fn int32(&self) -> Result<i32, ReadError> {
        i32::try_from(self.int()?).map_err(|_| self.error(ReadProblem::BadNumber))
    }

    /// Yes or no.
    ///
    /// # Errors
    /// [`ReadProblem::OtherKind`], [`ReadProblem::UnknownValue`].
    pub fn flag(&self) -> Result<bool, ReadError> {
        match self.int()? {
            0 => Ok(false),
            1 => Ok(true),
            other => {
                let found = other.cast_unsigned();
                Err(self.error(ReadProblem::UnknownValue { type_name: "bool", found }))
            }
        }
    }

    /// A number of eight bytes.
    ///
    /// # Errors
    /// [`ReadProblem::OtherKind`].
    pub fn fixed(&self) -> Result<i64, ReadError> {
        match self.value {
            Value::Eight(bytes) => Ok(i64::from_le_bytes(bytes)),
            _ => Err(self.other_kind()),
        }
    }

    /// A fraction of four bytes.
    ///
    /// # Errors
    /// [`ReadProblem::OtherKind`].
    pub fn float(&self) -> Result<f32, ReadError> {
        match self.value {
            Value::Four(bytes) => Ok(f32::from_le_bytes(bytes)),
            _ => Err(self.other_kind()),
        }
    }

    /// Bytes.
    ///
    /// # Errors
    /// [`ReadProblem::OtherKind`].
    pub fn bytes(&self) -> Result<&'a [u8], ReadError> {
        match self.value {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(self.other_kind()),
        }
    }

    /// A text.
    ///
    /// # Errors
    /// [`ReadProblem::OtherKind`], [`ReadProblem::NotText`].
    pub fn text(&self) -> Result<&'a str, ReadError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| self.error(ReadProblem::NotText))
    }

    /// Adds numbers to a list: one, or a block of them.
    ///
    /// # Errors
    /// [`ReadProblem::OtherKind`], [`ReadProblem::BadNumber`].
    pub fn ints(&self, list: &mut Vec<i64>) -> Result<(), ReadError> {
        match self.value {
            Value::Varint(number) => list.push(number.cast_signed()),
            Value::Bytes(block) => {
                let mut block = self.inside(block, self.name);
                while block.reader.left() > 0 {
                    list.push(block.long_form()?.cast_signed());
                }
            }
            _ => return Err(self.other_kind()),
        }
        Ok(())
    }

    /// The same for numbers of 32 bits.
    ///
    /// # Errors
    /// As [`Field::ints`].
    pub fn int32s(&self, list: &mut Vec<i32>) -> Result<(), ReadError> {
        let mut wide = Vec::new();
        self.ints(&mut wide)?;
        for number in wide {
            let narrow = i32::try_from(number).map_err(|_| self.error(ReadProblem::BadNumber))?;
            list.push(narrow);
        }
        Ok(())
    }

    /// Adds numbers of eight bytes to a list: one, or a block of them.
    ///
    /// # Errors
    /// [`ReadProblem::OtherKind`], [`ReadProblem::Truncated`].
    pub fn fixeds(&self, list: &mut Vec<i64>) -> Result<(), ReadError> {
        match self.value {
            Value::Eight(bytes) => list.push(i64::from_le_bytes(bytes)),
            Value::Bytes(block) => {
                let (numbers, rest) = block.as_chunks::<8>();
                if !rest.is_empty() {
                    return Err(self.error(ReadProblem::Truncated { needed: 8 - rest.len() }));
                }
                list.extend(numbers.iter().map(|bytes| i64::from_le_bytes(*bytes)));
            }
            _ => return Err(self.other_kind()),
        }
        Ok(())
    }

    /// A nested message, read by the format that it carries.
    ///
    /// # Errors
    /// Those of the message, and [`ReadProblem::TooDeep`].
    pub fn message<M: Message<F>>(&self) -> Result<M, ReadError> {
        M::read(self.fields(M::NAME)?)
    }

    /// The fields of a nested message that has no type of its own.
    ///
    /// # Errors
    /// [`ReadProblem::OtherKind`], [`ReadProblem::TooDeep`].
    pub fn fields(&self, name: &'static str) -> Result<Fields<'a, F>, ReadError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(ReadProblem::TooDeep));
        }
        let bytes = self.bytes()?;
        Ok(self.inside(bytes, name))
    }

    /// A reader of the bytes of this field, which knows where they are in the whole.
    fn inside(&self, bytes: &'a [u8], name: &'static str) -> Fields<'a, F> {
        let reader = Reader::ending_at(bytes, self.at.offset());
        Fields { reader, name, depth: self.depth + 1 }
    }
}
