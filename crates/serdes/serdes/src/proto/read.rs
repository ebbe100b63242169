//! Reading messages.

use crate::proto::{Enumeration, Message};
use crate::write::MAX_DEPTH;
use crate::{Family, ReadError, ReadProblem, Reader};

/// The fields of a message that is being read.
pub struct Fields<'a, F: Family> {
    reader: Reader<'a, F>,
    name: &'static str,
    depth: u32,
}

/// One field of a message, as it stands in the bytes.
#[derive(Clone)]
pub struct Field<'a, F: Family> {
    /// The field number of its tag.
    pub number: u32,
    /// The value after its tag, not yet converted to a type.
    pub value: Value<'a>,
    /// A reader that stands behind it, for errors.
    at: Reader<'a, F>,
    name: &'static str,
    depth: u32,
}

/// What a field holds, by its kind on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A number of seven bits a byte.
    Varint(u64),
    /// Eight bytes, of wire type 1.
    Eight([u8; 8]),
    /// Bytes, a text, a message, or a block of numbers.
    Bytes(&'a [u8]),
    /// Four bytes, of wire type 5.
    Four([u8; 4]),
}

impl<'a, F: Family> Fields<'a, F> {
    pub(super) fn new(bytes: &'a [u8], name: &'static str) -> Self {
        Self { reader: Reader::new(bytes), name, depth: 0 }
    }

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
        Ok(Some(Field { number, value, at, name, depth }))
    }

    /// An error at the place where the reader is.
    pub fn error(&self, problem: ReadProblem) -> ReadError {
        self.reader.error(problem)
    }

    /// The format of the message, of those it has, rising: what its version field says, or 0.
    ///
    /// # Errors
    /// [`ReadProblem::TooNew`], [`ReadProblem::TooOld`], [`ReadProblem::NoFormat`],
    /// [`ReadProblem::Negative`], at the version field.
    pub fn format(
        &self,
        formats: &'static [u32],
        version: Option<&Field<'a, F>>,
    ) -> Result<u32, ReadError> {
        let Some(field) = version else {
            return self.reader.format(self.name, formats, 0);
        };
        let found = field.int()?;
        let negative = |_| field.error(ReadProblem::Negative { type_name: self.name, found });
        field.at.format(self.name, formats, u64::try_from(found).map_err(negative)?)
    }

    /// What an enumeration is that is not there: the value of 0, if that is one.
    ///
    /// # Errors
    /// [`ReadProblem::FieldMissing`].
    pub fn absent<E: Enumeration>(&self, field: &'static str) -> Result<E, ReadError> {
        E::from_number(0).ok_or_else(|| self.missing(field))
    }

    /// The error of a field, or a choice of fields, that is not there.
    pub fn missing(&self, field: &'static str) -> ReadError {
        self.error(ReadProblem::FieldMissing { message: self.name, field })
    }

    /// The error of two fields of a choice.
    pub fn ambiguous(&self, choice: &'static str) -> ReadError {
        self.error(ReadProblem::Ambiguous { message: self.name, choice })
    }

    /// A message with the name of its type: field 1 and field 2.
    ///
    /// # Errors
    /// What is wrong with these two fields.
    pub fn named(mut self) -> Result<Contents<'a, F>, ReadError> {
        let (mut name, mut data) = (None, None);
        while let Some(field) = self.next_field()? {
            match field.number {
                1 => field.once(&mut name, (field.text()?, field.at.clone()))?,
                2 => field.once(&mut data, field.fields(self.name)?)?,
                _ => return Err(field.unknown()),
            }
        }
        let (name, at) = name.ok_or_else(|| self.missing("type_name"))?;
        // Data of no bytes is not written.
        let empty = Self { reader: self.reader.clone(), name: self.name, depth: self.depth + 1 };
        Ok(Contents { name, at, data: data.unwrap_or(empty) })
    }

    /// All of the message, as it is.
    ///
    /// # Errors
    /// None, as long as nothing has been read.
    pub fn raw(&mut self) -> Result<&'a [u8], ReadError> {
        self.reader.bytes(self.reader.left())
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

/// A message whose type is known by its name only.
pub struct Contents<'a, F: Family> {
    name: &'a str,
    at: Reader<'a, F>,
    data: Fields<'a, F>,
}

impl<'a, F: Family> Contents<'a, F> {
    /// The name under which the type of the value is registered.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Reads the message as one of this type.
    ///
    /// # Errors
    /// Those of the message.
    pub fn message<M: Message<F>>(mut self) -> Result<M, ReadError> {
        self.data.name = M::NAME;
        M::read(self.data)
    }

    /// The error of a name that no type has.
    pub fn unknown(&self) -> ReadError {
        self.at.error(ReadProblem::UnknownType(self.name.to_owned()))
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

    /// A number of an enumeration.
    ///
    /// # Errors
    /// [`ReadProblem::OtherKind`], [`ReadProblem::UnknownValue`].
    pub fn enumeration<E: Enumeration>(&self) -> Result<E, ReadError> {
        let number = self.int()?;
        E::from_number(number).ok_or_else(|| self.no_value(E::DESCRIPTION.rust, number))
    }

    /// The error of a number that stands for nothing.
    fn no_value(&self, type_name: &'static str, number: i64) -> ReadError {
        self.error(ReadProblem::UnknownValue { type_name, found: number.cast_unsigned() })
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
            other => Err(self.no_value("bool", other)),
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

    /// A message as bytes; its fields are told apart, and not what is in them.
    ///
    /// # Errors
    /// [`ReadProblem::OtherKind`], and those of bytes that are no fields.
    pub fn opaque(&self) -> Result<&'a [u8], ReadError> {
        let bytes = self.bytes()?;
        let mut fields = self.inside(bytes, self.name);
        while fields.next_field()?.is_some() {}
        Ok(bytes)
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
        self.numbers(list, |number| Ok(number.cast_signed()))
    }

    /// The same for yes and no.
    ///
    /// # Errors
    /// As [`Field::ints`], and [`ReadProblem::UnknownValue`].
    pub fn flags(&self, list: &mut Vec<bool>) -> Result<(), ReadError> {
        self.numbers(list, |number| match number {
            0 => Ok(false),
            1 => Ok(true),
            found => Err(ReadProblem::UnknownValue { type_name: "bool", found }),
        })
    }

    /// The same for numbers of 32 bits.
    ///
    /// # Errors
    /// As [`Field::ints`].
    pub fn int32s(&self, list: &mut Vec<i32>) -> Result<(), ReadError> {
        self.numbers(list, |number| {
            i32::try_from(number.cast_signed()).map_err(|_| ReadProblem::BadNumber)
        })
    }

    /// One number, or a block of them. Each ends with a byte that has no high bit, so room is made for
    /// as many as there are.
    fn numbers<T>(
        &self,
        list: &mut Vec<T>,
        number: impl Fn(u64) -> Result<T, ReadProblem>,
    ) -> Result<(), ReadError> {
        match self.value {
            Value::Varint(wide) => {
                list.push(number(wide).map_err(|problem| self.error(problem))?);
            }
            Value::Bytes(block) => {
                list.reserve(block.iter().filter(|byte| **byte < 0x80).count());
                let mut block = self.inside(block, self.name);
                while block.reader.left() > 0 {
                    let wide = block.long_form()?;
                    list.push(number(wide).map_err(|problem| block.error(problem))?);
                }
            }
            _ => return Err(self.other_kind()),
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
