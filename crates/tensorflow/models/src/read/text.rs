//! Protobuf's text format, turned into the bytes of the same message.
//!
//! A `.pbtxt` of a frozen graph is mostly numbers of tensors. It is read once from front to back in
//! blocks; what a verdict does not need (see the table of fields) is passed over without being kept,
//! so what stays in memory is the structure. Where the text is to become a file of bytes, everything is kept,
//! and a field that the table does not have is an error: it would be lost.

use unskew_source::{BytesSource, ReadError, Source, SourceProblem, limits};

use super::TensorFlowFileKind;
use super::schema::{self, FieldContent, Fields};
use crate::DataType;

/// How much is read ahead.
const BLOCK: usize = 64 << 10;

/// The longest name, number or text that is kept.
const TOKEN: usize = 1 << 20;

/// The fields of a tensor that hold its numbers.
const NUMBERS: [u32; 10] = [4, 5, 6, 7, 9, 10, 11, 12, 13, 16];

/// Says in a field of this number that a value is there, once for several in a row.
fn sample(number: u32, zero: bool, out: &mut Vec<u8>) {
    let mut field = Vec::new();
    varint(u64::from(number) << 3, &mut field);
    varint(u64::from(!zero), &mut field);
    if !out.ends_with(&field) {
        out.extend(field);
    }
}

/// The bytes of the message of this kind that `source` holds as text, without tensors.
///
/// # Errors
/// If the text is none; with the byte.
pub fn transcode(source: &dyn Source, kind: TensorFlowFileKind) -> Result<BytesSource, ReadError> {
    message(TextParser::new(source), kind)
}

/// The bytes of the message of this kind that `source` holds as text, with everything that it says.
///
/// # Errors
/// If the text is none, says something that TensorFlow 2.21 does not know, or has more than 64 MiB as bytes; with the
/// byte.
pub fn transcode_whole(
    source: &dyn Source,
    kind: TensorFlowFileKind,
) -> Result<BytesSource, ReadError> {
    message(TextParser { whole: true, ..TextParser::new(source) }, kind)
}

fn message(mut text: TextParser<'_>, kind: TensorFlowFileKind) -> Result<BytesSource, ReadError> {
    let fields = match kind {
        TensorFlowFileKind::SavedModel => &schema::SAVED_MODEL,
        TensorFlowFileKind::MetaGraph => &schema::META_GRAPH,
        TensorFlowFileKind::OpList => &schema::OP_LIST,
        TensorFlowFileKind::Graph | TensorFlowFileKind::Table => &schema::GRAPH,
    };
    let mut bytes = Vec::new();
    text.message(Some(fields), None, 0, &mut bytes)?;
    Ok(BytesSource::new(text.source.name(), bytes))
}

struct TextParser<'s> {
    source: &'s dyn Source,
    block: Vec<u8>,
    at: usize,
    block_start: u64,
    /// Whether everything is kept.
    whole: bool,
}

impl<'s> TextParser<'s> {
    fn new(source: &'s dyn Source) -> Self {
        Self { source, block: Vec::new(), at: 0, block_start: 0, whole: false }
    }

    /// The fields of one message up to `end`. Without `fields` everything is passed over.
    fn message(
        &mut self,
        fields: Option<&'static Fields>,
        end: Option<u8>,
        depth: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), ReadError> {
        if depth > limits::DEPTH {
            let problem = SourceProblem::TooDeep { limit: limits::DEPTH };
            return Err(ReadError::new(self.source.name(), problem).at(self.offset()));
        }
        loop {
            match self.peek()? {
                found if found == end => {
                    self.at += usize::from(end.is_some());
                    return Ok(());
                }
                None => return Err(self.error("the end of a message")),
                Some(b',' | b';') => self.at += 1,
                Some(_) => self.field(fields, depth, out)?,
            }
        }
    }

    fn field(
        &mut self,
        fields: Option<&'static Fields>,
        depth: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), ReadError> {
        // An extension or a name of `Any` stands in brackets; nothing here has one.
        let name = if self.eat(b'[')? {
            self.until(b']')?;
            String::new()
        } else {
            self.word("the name of a field")?
        };
        let known = self.wanted(fields, &name)?;
        let colon = self.eat(b':')?;
        if !self.eat(b'[')? {
            return self.value(known, colon, depth, out).map_err(|e| e.in_field(name));
        }
        loop {
            if self.eat(b']')? {
                return Ok(());
            }
            if !self.eat(b',')? {
                self.value(known, true, depth, out).map_err(|e| e.in_field(&*name))?;
            }
        }
    }

    /// The number of a field and what it holds, if it is kept.
    fn wanted(
        &self,
        fields: Option<&'static Fields>,
        name: &str,
    ) -> Result<Option<(u32, FieldContent)>, ReadError> {
        let values = |number: u32| {
            let tensor = fields.is_some_and(|fields| std::ptr::eq(fields, &schema::TENSOR));
            !self.whole && tensor && NUMBERS.contains(&number)
        };
        match fields.and_then(|fields| fields.get(name)) {
            Some((number, FieldContent::Aside(_))) if values(number) => {
                Ok(Some((number, FieldContent::Sample)))
            }
            Some((number, FieldContent::Aside(holds))) => {
                Ok(self.whole.then_some((number, *holds)))
            }
            None if self.whole => {
                let what = match name {
                    "" => "a message of any type in protobuf text: its fields are not known"
                        .to_owned(),
                    name => format!(
                        "the field `{name}` in protobuf text: TensorFlow 2.21 has none of this name here"
                    ),
                };
                let problem = SourceProblem::Unsupported(what);
                Err(ReadError::new(self.source.name(), problem).at(self.offset()))
            }
            known => Ok(known),
        }
    }

    fn value(
        &mut self,
        known: Option<(u32, FieldContent)>,
        colon: bool,
        depth: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), ReadError> {
        let end = match self.peek()? {
            Some(b'{') => Some(b'}'),
            Some(b'<') => Some(b'>'),
            _ => None,
        };
        if let Some(end) = end {
            self.at += 1;
            let Some((number, FieldContent::Message(fields))) = known else {
                return self.message(None, Some(end), depth + 1, out);
            };
            let mut inner = Vec::new();
            self.message(Some(fields), Some(end), depth + 1, &mut inner)?;
            return self.payload(number, &inner, out);
        }
        if !colon {
            return Err(self.error("\":\" or \"{\""));
        }
        let quoted = matches!(self.peek()?, Some(b'"' | b'\''));
        match known {
            Some((number, FieldContent::Text)) if quoted => {
                let mut text = Vec::new();
                self.strings(Some(&mut text))?;
                self.payload(number, &text, out)
            }
            Some((number, FieldContent::Sample)) => {
                let zero = match quoted {
                    true => self.strings(None).map(|()| false)?,
                    false => self.word("a value")?.parse() == Ok(0.0f64),
                };
                sample(number, zero, out);
                self.bounded(out)
            }
            None if quoted => self.strings(None),
            None => self.word("a value").map(drop),
            Some((number, holds))
                if !quoted && !matches!(holds, FieldContent::Text | FieldContent::Message(_)) =>
            {
                let word = self.word("a value")?;
                self.scalar(number, holds, &word, out)
            }
            Some(_) => Err(self.error("a value of the kind of this field")),
        }
    }

    fn scalar(
        &mut self,
        number: u32,
        holds: FieldContent,
        word: &str,
        out: &mut Vec<u8>,
    ) -> Result<(), ReadError> {
        let wrong = || self.error("a number");
        match holds {
            FieldContent::Float => {
                let digits = word.trim_end_matches(['f', 'F']);
                let float: f32 = word.parse().or_else(|_| digits.parse()).map_err(|_| wrong())?;
                varint(u64::from(number) << 3 | 5, out);
                out.extend(float.to_le_bytes());
            }
            FieldContent::Type => {
                // Types are written `DT_FLOAT`, references `DT_FLOAT_REF`.
                let name = word.strip_prefix("DT_").map(str::to_ascii_lowercase);
                let named = name.and_then(|name| match name.strip_suffix("_ref") {
                    Some(base) => format!("{base}&").parse::<DataType>().ok(),
                    None if name == "invalid" => Some(DataType(0)),
                    None => name.parse().ok(),
                });
                let found = named.map(|dtype| dtype.0).or_else(|| word.parse().ok());
                varint(u64::from(number) << 3, out);
                varint(i64::from(found.ok_or_else(wrong)?) as u64, out);
            }
            FieldContent::Double => {
                let digits = word.trim_end_matches(['f', 'F']);
                let float: f64 = word.parse().or_else(|_| digits.parse()).map_err(|_| wrong())?;
                varint(u64::from(number) << 3 | 1, out);
                out.extend(float.to_le_bytes());
            }
            FieldContent::Fixed64 => {
                let value = integer(word).ok_or_else(wrong)?;
                varint(u64::from(number) << 3 | 1, out);
                out.extend(value.to_le_bytes());
            }
            FieldContent::Zigzag => {
                let value = integer(word).ok_or_else(wrong)?;
                varint(u64::from(number) << 3, out);
                varint((value << 1 ^ value >> 63) as u64, out);
            }
            FieldContent::Named(names) => {
                let named = names.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
                let value = named.or_else(|| integer(word)).ok_or_else(wrong)?;
                varint(u64::from(number) << 3, out);
                varint(value as u64, out);
            }
            _ => {
                let value = integer(word).ok_or_else(wrong)?;
                varint(u64::from(number) << 3, out);
                varint(value as u64, out);
            }
        }
        self.bounded(out)
    }

    fn payload(&mut self, number: u32, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), ReadError> {
        varint(u64::from(number) << 3 | 2, out);
        varint(bytes.len() as u64, out);
        out.extend_from_slice(bytes);
        self.bounded(out)
    }

    fn bounded(&self, out: &[u8]) -> Result<(), ReadError> {
        if out.len() as u64 <= limits::RECORD {
            return Ok(());
        }
        let what = "the structure of the text".to_owned();
        let size = out.len() as u64;
        let problem = SourceProblem::TooLarge { what, size, limit: limits::RECORD };
        Err(ReadError::new(self.source.name(), problem).at(self.offset()))
    }

    /// One text in quotes or several in a row, which are one. Without `keep` it is passed over.
    fn strings(&mut self, mut keep: Option<&mut Vec<u8>>) -> Result<(), ReadError> {
        let longest = if self.whole { limits::RECORD as usize } else { TOKEN };
        while let Some(quote @ (b'"' | b'\'')) = self.peek()? {
            self.at += 1;
            loop {
                let byte = match self.byte()?.ok_or_else(|| self.error("the end of a text"))? {
                    byte if byte == quote => break,
                    b'\\' => self.escape()?,
                    byte => byte,
                };
                if let Some(keep) = &mut keep {
                    if keep.len() >= longest {
                        return Err(self.error("a shorter text"));
                    }
                    keep.push(byte);
                }
            }
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<u8, ReadError> {
        let byte = self.byte()?.ok_or_else(|| self.error("the end of a text"))?;
        Ok(match byte {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            b'x' | b'X' => self.digits(16, 2, 0)?,
            b'0'..=b'7' => self.digits(8, 2, u32::from(byte - b'0'))?,
            other if self.whole && !b"\\'\"?".contains(&other) => {
                return Err(self.error("an escape of one byte"));
            }
            other => other,
        })
    }

    /// Up to `most` more digits after `value`.
    fn digits(&mut self, radix: u32, most: usize, mut value: u32) -> Result<u8, ReadError> {
        for _ in 0..most {
            let digit = self.look()?.and_then(|byte| char::from(byte).to_digit(radix));
            let Some(digit) = digit else { break };
            self.at += 1;
            value = value * radix + digit;
        }
        Ok(value as u8)
    }

    /// A name, a number or a word. A minus may stand apart.
    fn word(&mut self, expected: &str) -> Result<String, ReadError> {
        let mut word = String::new();
        if self.eat(b'-')? {
            word.push('-');
        }
        self.peek()?;
        while let Some(byte) = self.look()? {
            if !(byte.is_ascii_alphanumeric() || b"_.+-/".contains(&byte)) || word.len() > TOKEN {
                break;
            }
            word.push(char::from(byte));
            self.at += 1;
        }
        if word.is_empty() { Err(self.error(expected)) } else { Ok(word) }
    }

    fn until(&mut self, end: u8) -> Result<(), ReadError> {
        while let Some(byte) = self.byte()? {
            if byte == end {
                return Ok(());
            }
        }
        Err(self.error("\"]\""))
    }

    fn eat(&mut self, byte: u8) -> Result<bool, ReadError> {
        let found = self.peek()? == Some(byte);
        self.at += usize::from(found);
        Ok(found)
    }

    /// The next byte that is no blank and in no comment.
    fn peek(&mut self) -> Result<Option<u8>, ReadError> {
        let mut comment = false;
        while let Some(byte) = self.look()? {
            match byte {
                b'\n' => comment = false,
                b'#' => comment = true,
                _ if comment || byte.is_ascii_whitespace() => {}
                _ => return Ok(Some(byte)),
            }
            self.at += 1;
        }
        Ok(None)
    }

    fn byte(&mut self) -> Result<Option<u8>, ReadError> {
        let byte = self.look()?;
        self.at += usize::from(byte.is_some());
        Ok(byte)
    }

    /// The byte at the place, from the next block if this one is used up.
    fn look(&mut self) -> Result<Option<u8>, ReadError> {
        if let Some(byte) = self.block.get(self.at) {
            return Ok(Some(*byte));
        }
        self.block_start = self.offset();
        self.block.resize(BLOCK, 0);
        self.at = 0;
        let read = self.source.read_at(self.block_start, &mut self.block);
        self.block.truncate(*read.as_ref().unwrap_or(&0));
        read.map_err(|error| ReadError::new(self.source.name(), error.into()))?;
        Ok(self.block.first().copied())
    }

    fn offset(&self) -> u64 {
        self.block_start.saturating_add(self.at as u64)
    }

    fn error(&self, expected: &str) -> ReadError {
        let what = format!("not protobuf text: {expected} expected");
        ReadError::malformed(self.source.name(), what).at(self.offset())
    }
}

/// A whole number in any of the ways that the text format has, or a truth value.
fn integer(word: &str) -> Option<i64> {
    match word {
        "true" | "True" | "t" => return Some(1),
        "false" | "False" | "f" => return Some(0),
        _ => {}
    }
    let (digits, negative) = word.strip_prefix('-').map_or((word, false), |rest| (rest, true));
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let value: i128 = match hex {
        Some(hex) => i128::from(u64::from_str_radix(hex, 16).ok()?),
        None => i128::from(digits.parse::<u64>().ok()?),
    };
    let value = if negative { -value } else { value };
    i64::try_from(value).ok().or_else(|| u64::try_from(value).ok().map(|value| value as i64))
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
