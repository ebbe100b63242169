//! JSON as Python writes it, changed in places and otherwise kept.
//!
//! Numbers stay the text that they are: a float keeps its digits, an integer may be larger than any of
//! Rust, and `Infinity` and `NaN`, which Python's `json` writes and JSON does not have, are numbers too.
//! Keys keep their order.

use std::fmt;

use unskew_source::ReadError;

/// How deep values may nest.
const DEPTH: usize = 200;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum JsonValue {
    Null,
    Bool(bool),
    /// A number as it is written.
    Number(String),
    Text(String),
    List(Vec<JsonValue>),
    Object(Vec<(String, JsonValue)>),
}

impl JsonValue {
    /// Reads a record; errors name the byte.
    pub(crate) fn read(file: &str, record: &str, bytes: &[u8]) -> Result<Self, ReadError> {
        let mut reader = JsonReader { bytes, at: 0 };
        let fault = |reader: &JsonReader<'_>, what: &str| {
            ReadError::malformed(file, what).in_record(record).at(reader.at as u64)
        };
        let value = match reader.value(0) {
            Ok(value) => value,
            Err(what) => return Err(fault(&reader, what)),
        };
        reader.blanks();
        if reader.at < bytes.len() {
            return Err(fault(&reader, "JSON goes on behind its end"));
        }
        Ok(value)
    }

    /// A small value that stands in our own data; null if it were broken, which a test excludes.
    pub(crate) fn literal(text: &str) -> Self {
        Self::read("", "", text.as_bytes()).unwrap_or(Self::Null)
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn number(number: i64) -> Self {
        Self::Number(number.to_string())
    }

    pub(crate) fn object<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Object(fields.map(|(key, value)| (key.to_owned(), value)).into())
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.iter().find(|(name, _)| name == key).map(|(_, v)| v),
            _ => None,
        }
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        match self {
            Self::Object(fields) => fields.iter_mut().find(|(name, _)| name == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Sets a field, at its place if it is there, else as the last one.
    pub(crate) fn set(&mut self, key: &str, value: Self) {
        if let Some(known) = self.get_mut(key) {
            *known = value;
        } else if let Self::Object(fields) = self {
            fields.push((key.to_owned(), value));
        }
    }

    pub(crate) fn take(&mut self, key: &str) -> Option<Self> {
        let Self::Object(fields) = self else { return None };
        let at = fields.iter().position(|(name, _)| name == key)?;
        Some(fields.remove(at).1)
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_int(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.parse().ok(),
            _ => None,
        }
    }

    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn items_mut(&mut self) -> &mut [Self] {
        match self {
            Self::List(items) => items,
            _ => &mut [],
        }
    }

    pub(crate) fn fields(&self) -> &[(String, Self)] {
        match self {
            Self::Object(fields) => fields,
            _ => &[],
        }
    }
}

/// What a value is called in errors.
impl fmt::Display for JsonValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(number) => f.write_str(number),
            Self::Text(text) => quoted(f, text),
            Self::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Self::Object(fields) => {
                f.write_str("{")?;
                for (i, (key, value)) in fields.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { ", " })?;
                    quoted(f, key)?;
                    write!(f, ": {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

/// A text with everything but printable ASCII escaped, as Python does.
fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    let mut units = [0; 2];
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            ' '..='~' => write!(f, "{c}")?,
            c => {
                c.encode_utf16(&mut units).iter().try_for_each(|unit| write!(f, "\\u{unit:04x}"))?
            }
        }
    }
    f.write_str("\"")
}

struct JsonReader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl JsonReader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), &'static str> {
        if self.peek() != Some(byte) {
            return Err(what);
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &str, value: JsonValue) -> Option<JsonValue> {
        self.bytes.get(self.at..)?.starts_with(word.as_bytes()).then(|| {
            self.at += word.len();
            value
        })
    }

    fn value(&mut self, depth: usize) -> Result<JsonValue, &'static str> {
        if depth > DEPTH {
            return Err("JSON nests deeper than 200 levels");
        }
        self.blanks();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(JsonValue::Text),
            Some(_) => self.plain(),
            None => Err("JSON ends early"),
        }
    }

    fn object(&mut self, depth: usize) -> Result<JsonValue, &'static str> {
        self.at += 1;
        let mut fields = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b'}') if fields.is_empty() => break,
                Some(b'"') => {}
                _ => return Err("wanted a key"),
            }
            let key = self.string()?;
            self.blanks();
            self.expect(b':', "wanted a colon")?;
            fields.push((key, self.value(depth + 1)?));
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err("wanted a comma or the end of an object"),
            }
        }
        self.at += 1;
        Ok(JsonValue::Object(fields))
    }

    fn list(&mut self, depth: usize) -> Result<JsonValue, &'static str> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blanks();
            if self.peek() == Some(b']') && items.is_empty() {
                break;
            }
            items.push(self.value(depth + 1)?);
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err("wanted a comma or the end of a list"),
            }
        }
        self.at += 1;
        Ok(JsonValue::List(items))
    }

    fn plain(&mut self) -> Result<JsonValue, &'static str> {
        let words = [
            ("null", JsonValue::Null),
            ("true", JsonValue::Bool(true)),
            ("false", JsonValue::Bool(false)),
            ("NaN", JsonValue::Number("NaN".to_owned())),
            ("Infinity", JsonValue::Number("Infinity".to_owned())),
            ("-Infinity", JsonValue::Number("-Infinity".to_owned())),
        ];
        for (word, value) in words {
            if let Some(value) = self.word(word, value) {
                return Ok(value);
            }
        }
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let is_part = |b: &u8| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E');
        let len = rest.iter().position(|b| !is_part(b)).unwrap_or(rest.len());
        let text = rest.get(..len).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or("");
        // Rust reads every number of JSON as a float, and some texts that begin differently.
        let begins = text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        if !begins || text.parse::<f64>().is_err() {
            return Err("wanted a value");
        }
        self.at += len;
        Ok(JsonValue::Number(text.to_owned()))
    }

    fn string(&mut self) -> Result<String, &'static str> {
        self.at += 1;
        let mut text = Vec::new();
        loop {
            let byte = self.peek().ok_or("a text without end")?;
            self.at += 1;
            match byte {
                b'"' => break,
                b'\\' => {
                    let mut buffer = [0; 4];
                    text.extend(self.escape()?.encode_utf8(&mut buffer).as_bytes());
                }
                byte => text.push(byte),
            }
        }
        String::from_utf8(text).map_err(|_| "a text that is not UTF-8")
    }

    fn escape(&mut self) -> Result<char, &'static str> {
        let byte = self.peek().ok_or("a text without end")?;
        self.at += 1;
        Ok(match byte {
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => char::from(byte),
            b'u' => {
                let first = self.unit()?;
                let mut units = vec![first];
                if (0xd800..0xdc00).contains(&first) {
                    self.expect(b'\\', "half a character")?;
                    self.expect(b'u', "half a character")?;
                    units.push(self.unit()?);
                }
                let mut decoded = char::decode_utf16(units);
                match (decoded.next(), decoded.next()) {
                    (Some(Ok(c)), None) => c,
                    _ => return Err("half a character"),
                }
            }
            _ => return Err("no such escape"),
        })
    }

    fn unit(&mut self) -> Result<u16, &'static str> {
        let digits = self.bytes.get(self.at..self.at + 4).and_then(|d| std::str::from_utf8(d).ok());
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        self.at += 4;
        unit.ok_or("wanted four hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<JsonValue, ReadError> {
        JsonValue::read("f", "r", text.as_bytes())
    }

    #[test]
    fn what_python_writes_is_kept_to_the_last_digit() {
        let text = r#"{"a": [1e-05, 123456789012345678901234567890, -Infinity, NaN, 0.1], "b": {}, "c": "\u00e9\ud83d\ude00\n\""}"#;
        assert_eq!(read(text).unwrap().to_string(), text);
        assert_eq!(read(text).unwrap().get("c").unwrap().as_text(), Some("\u{e9}\u{1f600}\n\""));
    }

    #[test]
    fn faults_name_the_byte() {
        for text in
            ["", "{", "[1,]", "{\"a\"}", "nul", "1 2", "\"\\ud83d\"", "\"\\uZZ", "+1", "--1"]
        {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with("f, record r, byte "), "{error}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[\\[\\]{}:,\"a-e0-9.\\\\-]{0,40}") {
            if let Ok(value) = read(&text) {
                prop_assert_eq!(read(&value.to_string()).unwrap(), value);
            }
        }
    }
}
