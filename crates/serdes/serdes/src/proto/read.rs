//! Reading messages.

use crate::proto::{Enumeration, Message};
use crate::write::MAX_DEPTH;
use crate::{DecodeError, DecodeProblem, Decoder, Family};

/// The fields of a message that is being read.
pub struct WireFields<'a, F: Family> {
    reader: Decoder<'a, F>,
    name: &'static str,
    depth: u32,
}

/// One field of a message, as it stands in the bytes.
#[derive(Clone)]
pub struct WireField<'a, F: Family> {
    /// The field number of its tag.
    pub number: u32,
    /// The value after its tag, not yet converted to a type.
    pub value: WireValue<'a>,
    /// A reader that stands behind it, for errors.
    at: Decoder<'a, F>,
    name: &'static str,
    depth: u32,
}

/// What a field holds, by its kind on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WireValue<'a> {
    /// A number of seven bits a byte.
    Varint(u64),
    /// Eight bytes, of wire type 1.
    Eight([u8; 8]),
    /// Bytes, a text, a message, or a block of numbers.
    Bytes(&'a [u8]),
    /// Four bytes, of wire type 5.
    Four([u8; 4]),
}

impl<'a, F: Family> WireFields<'a, F> {
    pub(super) fn new(bytes: &'a [u8], name: &'static str) -> Self {
        Self { reader: Decoder::new(bytes), name, depth: 0 }
    }

    /// The next field; none at the end of the message.
    ///
    /// # Errors
    /// [`DecodeProblem::Truncated`], [`DecodeProblem::BadNumber`].
    pub fn next_field(&mut self) -> Result<Option<WireField<'a, F>>, DecodeError> {
        if self.reader.left() == 0 {
            return Ok(None);
        }
        let tag = self.reader.varint()?;
        let number = u32::try_from(tag >> 3).ok().filter(|number| *number > 0);
        let number = number.ok_or_else(|| self.reader.error(DecodeProblem::BadNumber))?;
        let value = match tag & 7 {
            0 => WireValue::Varint(self.long_form()?),
            1 => WireValue::Eight(self.array()?),
            2 => {
                let length = self.reader.count(1)?;
                WireValue::Bytes(self.reader.bytes(length)?)
            }
            5 => WireValue::Four(self.array()?),
            _ => return Err(self.reader.error(DecodeProblem::BadNumber)),
        };
        let (at, name, depth) = (self.reader.clone(), self.name, self.depth);
        Ok(Some(WireField { number, value, at, name, depth }))
    }

    /// An error at the place where the reader is.
    pub fn error(&self, problem: DecodeProblem) -> DecodeError {
        self.reader.error(problem)
    }

    /// The format of the message, of those it has, rising: what its version field says, or 0.
    ///
    /// # Errors
    /// [`DecodeProblem::TooNew`], [`DecodeProblem::TooOld`], [`DecodeProblem::NoFormat`],
    /// [`DecodeProblem::Negative`], at the version field.
    pub fn format(
        &self,
        formats: &'static [u32],
        version: Option<&WireField<'a, F>>,
    ) -> Result<u32, DecodeError> {
        let Some(field) = version else {
            return self.reader.format(self.name, formats, 0);
        };
        let found = field.int()?;
        let negative = |_| field.error(DecodeProblem::Negative { type_name: self.name, found });
        field.at.format(self.name, formats, u64::try_from(found).map_err(negative)?)
    }

    /// What an enumeration is that is not there: the value of 0, if that is one.
    ///
    /// # Errors
    /// [`DecodeProblem::FieldMissing`].
    pub fn absent<E: Enumeration>(&self, field: &'static str) -> Result<E, DecodeError> {
        E::from_number(0).ok_or_else(|| self.missing(field))
    }

    /// The error of a field, or a choice of fields, that is not there.
    pub fn missing(&self, field: &'static str) -> DecodeError {
        self.error(DecodeProblem::FieldMissing { message: self.name, field })
    }

    /// The error of two fields of a choice.
    pub fn ambiguous(&self, choice: &'static str) -> DecodeError {
        self.error(DecodeProblem::Ambiguous { message: self.name, choice })
    }

    /// A message with the name of its type: field 1 and field 2.
    ///
    /// # Errors
    /// What is wrong with these two fields.
    pub fn named(mut self) -> Result<NamedContents<'a, F>, DecodeError> {
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
        Ok(NamedContents { name, at, data: data.unwrap_or(empty) })
    }

    /// All of the message, as it is.
    ///
    /// # Errors
    /// None, as long as nothing has been read.
    pub fn raw(&mut self) -> Result<&'a [u8], DecodeError> {
        self.reader.bytes(self.reader.left())
    }

    /// Protobuf lets a number be longer than it need be; some of its writers make use of that.
    fn long_form(&mut self) -> Result<u64, DecodeError> {
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
        Err(self.reader.error(DecodeProblem::BadNumber))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let mut array = [0; N];
        array.copy_from_slice(self.reader.bytes(N)?);
        Ok(array)
    }
}

/// A message whose type is known by its name only.
pub struct NamedContents<'a, F: Family> {
    name: &'a str,
    at: Decoder<'a, F>,
    data: WireFields<'a, F>,
}

impl<'a, F: Family> NamedContents<'a, F> {
    /// The name under which the type of the value is registered.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Reads the message as one of this type.
    ///
    /// # Errors
    /// Those of the message.
    pub fn message<M: Message<F>>(mut self) -> Result<M, DecodeError> {
        self.data.name = M::NAME;
        M::read(self.data)
    }

    /// The error of a name that no type has.
    pub fn unknown(&self) -> DecodeError {
        self.at.error(DecodeProblem::UnknownType(self.name.to_owned()))
    }
}

impl<'a, F: Family> WireField<'a, F> {
    /// An error at this field.
    pub fn error(&self, problem: DecodeProblem) -> DecodeError {
        self.at.error(problem)
    }

    /// The error of a field that the message does not have.
    pub fn unknown(&self) -> DecodeError {
        self.error(DecodeProblem::UnknownField { message: self.name, field: self.number })
    }

    /// The error of a field that is of another kind.
    fn other_kind(&self) -> DecodeError {
        self.error(DecodeProblem::OtherKind { message: self.name, field: self.number })
    }

    /// Puts a value in its place, which must be empty.
    ///
    /// # Errors
    /// [`DecodeProblem::FieldTwice`] if the field has been there before.
    pub fn once<T>(&self, place: &mut Option<T>, value: T) -> Result<(), DecodeError> {
        if place.is_some() {
            let problem = DecodeProblem::FieldTwice { message: self.name, field: self.number };
            return Err(self.error(problem));
        }
        *place = Some(value);
        Ok(())
    }

    /// A number of 64 bits.
    ///
    /// # Errors
    /// [`DecodeProblem::OtherKind`].
    pub fn int(&self) -> Result<i64, DecodeError> {
        match self.value {
            WireValue::Varint(number) => Ok(number.cast_signed()),
            _ => Err(self.other_kind()),
        }
    }

    /// A number of an enumeration.
    ///
    /// # Errors
    /// [`DecodeProblem::OtherKind`], [`DecodeProblem::UnknownValue`].
    pub fn enumeration<E: Enumeration>(&self) -> Result<E, DecodeError> {
        let number = self.int()?;
        E::from_number(number).ok_or_else(|| self.no_value(E::DESCRIPTION.rust, number))
    }

    /// The error of a number that stands for nothing.
    fn no_value(&self, type_name: &'static str, number: i64) -> DecodeError {
        self.error(DecodeProblem::UnknownValue { type_name, found: number.cast_unsigned() })
    }

    /// A number of 32 bits.
    ///
    /// # Errors
    /// [`DecodeProblem::OtherKind`], [`DecodeProblem::BadNumber`].
    pub fn int32(&self) -> Result<i32, DecodeError> {
        i32::try_from(self.int()?).map_err(|_| self.error(DecodeProblem::BadNumber))
    }

    /// Yes or no.
    ///
    /// # Errors
    /// [`DecodeProblem::OtherKind`], [`DecodeProblem::UnknownValue`].
    pub fn flag(&self) -> Result<bool, DecodeError> {
        match self.int()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.no_value("bool", other)),
        }
    }

    /// A number of eight bytes.
    ///
    /// # Errors
    /// [`DecodeProblem::OtherKind`].
    pub fn fixed(&self) -> Result<i64, DecodeError> {
        match self.value {
            WireValue::Eight(bytes) => Ok(i64::from_le_bytes(bytes)),
            _ => Err(self.other_kind()),
        }
    }

    /// A fraction of four bytes.
    ///
    /// # Errors
    /// [`DecodeProblem::OtherKind`].
    pub fn float(&self) -> Result<f32, DecodeError> {
        match self.value {
            WireValue::Four(bytes) => Ok(f32::from_le_bytes(bytes)),
            _ => Err(self.other_kind()),
        }
    }

    /// Bytes.
    ///
    /// # Errors
    /// [`DecodeProblem::OtherKind`].
    pub fn bytes(&self) -> Result<&'a [u8], DecodeError> {
        match self.value {
            WireValue::Bytes(bytes) => Ok(bytes),
            _ => Err(self.other_kind()),
        }
    }

    /// A message as bytes; its fields are told apart, and not what is in them.
    ///
    /// # Errors
    /// [`DecodeProblem::OtherKind`], and those of bytes that are no fields.
    pub fn opaque(&self) -> Result<&'a [u8], DecodeError> {
        let bytes = self.bytes()?;
        let mut fields = self.inside(bytes, self.name);
        while fields.next_field()?.is_some() {}
        Ok(bytes)
    }

    /// A text.
    ///
    /// # Errors
    /// [`DecodeProblem::OtherKind`], [`DecodeProblem::NotText`].
    pub fn text(&self) -> Result<&'a str, DecodeError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| self.error(DecodeProblem::NotText))
    }

    /// Adds numbers to a list: one, or a block of them.
    ///
    /// # Errors
    /// [`DecodeProblem::OtherKind`], [`DecodeProblem::BadNumber`].
    pub fn ints(&self, list: &mut Vec<i64>) -> Result<(), DecodeError> {
        self.numbers(list, |number| Ok(number.cast_signed()))
    }

    /// The same for yes and no.
    ///
    /// # Errors
    /// As [`WireField::ints`], and [`DecodeProblem::UnknownValue`].
    pub fn flags(&self, list: &mut Vec<bool>) -> Result<(), DecodeError> {
        self.numbers(list, |number| match number {
            0 => Ok(false),
            1 => Ok(true),
            found => Err(DecodeProblem::UnknownValue { type_name: "bool", found }),
        })
    }

    /// The same for numbers of 32 bits.
    ///
    /// # Errors
    /// As [`WireField::ints`].
    pub fn int32s(&self, list: &mut Vec<i32>) -> Result<(), DecodeError> {
        self.numbers(list, |number| {
            i32::try_from(number.cast_signed()).map_err(|_| DecodeProblem::BadNumber)
        })
    }

    /// One number, or a block of them. Each ends with a byte that has no high bit, so room is made for
    /// as many as there are.
    fn numbers<T>(
        &self,
        list: &mut Vec<T>,
        number: impl Fn(u64) -> Result<T, DecodeProblem>,
    ) -> Result<(), DecodeError> {
        match self.value {
            WireValue::Varint(wide) => {
                list.push(number(wide).map_err(|problem| self.error(problem))?);
            }
            WireValue::Bytes(block) => {
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
    /// [`DecodeProblem::OtherKind`], [`DecodeProblem::Truncated`].
    pub fn fixeds(&self, list: &mut Vec<i64>) -> Result<(), DecodeError> {
        match self.value {
            WireValue::Eight(bytes) => list.push(i64::from_le_bytes(bytes)),
            WireValue::Bytes(block) => {
                let (numbers, rest) = block.as_chunks::<8>();
                if !rest.is_empty() {
                    return Err(self.error(DecodeProblem::Truncated { needed: 8 - rest.len() }));
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
    /// Those of the message, and [`DecodeProblem::TooDeep`].
    pub fn message<M: Message<F>>(&self) -> Result<M, DecodeError> {
        M::read(self.fields(M::NAME)?)
    }

    /// The fields of a nested message that has no type of its own.
    ///
    /// # Errors
    /// [`DecodeProblem::OtherKind`], [`DecodeProblem::TooDeep`].
    pub fn fields(&self, name: &'static str) -> Result<WireFields<'a, F>, DecodeError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(DecodeProblem::TooDeep));
        }
        let bytes = self.bytes()?;
        Ok(self.inside(bytes, name))
    }

    /// A reader of the bytes of this field, which knows where they are in the whole.
    fn inside(&self, bytes: &'a [u8], name: &'static str) -> WireFields<'a, F> {
        let reader = Decoder::ending_at(bytes, self.at.offset());
        WireFields { reader, name, depth: self.depth + 1 }
    }
}
