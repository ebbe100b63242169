//! `config.pbtxt`: protobuf text, of which only names, numbers and words are needed.

use unskew_source::{ReadError, Source, SourceExt as _, limits};

/// The largest configuration; real ones have a few kilobytes.
const LARGEST: u64 = 4 << 20;

/// A message: its fields in the order of the text, each as often as it stands there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ConfigMessage(Vec<(String, ConfigValue)>);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ConfigValue {
    /// A number, a word or a text in quotes.
    Text(String),
    Message(ConfigMessage),
}

impl ConfigMessage {
    pub(super) fn messages(&self, name: &str) -> impl Iterator<Item = &Self> {
        self.0.iter().filter(move |(one, _)| one == name).filter_map(|(_, value)| match value {
            ConfigValue::Message(message) => Some(message),
            ConfigValue::Text(_) => None,
        })
    }

    pub(super) fn texts(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(one, _)| one == name).filter_map(|(_, value)| match value {
            ConfigValue::Text(text) => Some(&**text),
            ConfigValue::Message(_) => None,
        })
    }

    /// The text of a field, as the last one says it; empty if none does.
    pub(super) fn text(&self, name: &str) -> &str {
        self.texts(name).last().unwrap_or_default()
    }

    pub(super) fn numbers(&self, name: &str) -> Vec<i64> {
        self.texts(name).filter_map(|text| text.parse().ok()).collect()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(one, _)| one == name)
    }
}

/// The configuration in `source`.
///
/// # Errors
/// If it is no protobuf text; with the byte and the line.
pub(super) fn read(source: &dyn Source) -> Result<ConfigMessage, ReadError> {
    if source.size() > LARGEST {
        let what = format!("a model configuration of more than {LARGEST} bytes");
        return Err(ReadError::malformed(source.name(), what));
    }
    let bytes = source.all()?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let what = "a model configuration that is not UTF-8";
        ReadError::malformed(source.name(), what).at(error.valid_up_to() as u64)
    })?;
    let mut reader = ConfigParser { file: source.name(), text, at: 0 };
    reader.message(None, 0)
}

struct ConfigParser<'t> {
    file: &'t str,
    text: &'t str,
    at: usize,
}

impl ConfigParser<'_> {
    fn wrong(&self, expected: &str) -> ReadError {
        let line = self.text.get(..self.at).unwrap_or_default().matches('\n').count() + 1;
        let what = format!("line {line}: expected {expected}");
        ReadError::malformed(self.file, what).at(self.at as u64)
    }

    /// What comes behind blanks and remarks.
    fn peek(&mut self) -> Option<char> {
        loop {
            let rest = self.text.get(self.at..)?;
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return trimmed.chars().next();
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn eat(&mut self, mark: char) -> bool {
        let is = self.peek() == Some(mark);
        self.at += if is { mark.len_utf8() } else { 0 };
        is
    }

    fn message(&mut self, end: Option<char>, depth: usize) -> Result<ConfigMessage, ReadError> {
        if depth > limits::DEPTH {
            return Err(self.wrong("messages that are nested less deep"));
        }
        let mut message = ConfigMessage::default();
        loop {
            match self.peek() {
                found if found == end => {
                    self.at += end.map_or(0, char::len_utf8);
                    return Ok(message);
                }
                Some(',' | ';') => self.at += 1,
                None => return Err(self.wrong("the end of a message")),
                Some(_) => self.field(&mut message, depth)?,
            }
        }
    }

    fn field(&mut self, message: &mut ConfigMessage, depth: usize) -> Result<(), ReadError> {
        let name = self.word("the name of a field")?;
        let colon = self.eat(':');
        if !self.eat('[') {
            let value = self.value(colon, depth)?;
            message.0.push((name, value));
            return Ok(());
        }
        while !self.eat(']') {
            let value = self.value(true, depth)?;
            message.0.push((name.clone(), value));
            self.eat(',');
        }
        Ok(())
    }

    fn value(&mut self, colon: bool, depth: usize) -> Result<ConfigValue, ReadError> {
        if self.eat('{') {
            return self.message(Some('}'), depth + 1).map(ConfigValue::Message);
        }
        if self.eat('<') {
            return self.message(Some('>'), depth + 1).map(ConfigValue::Message);
        }
        if !colon {
            return Err(self.wrong("`:` or `{`"));
        }
        if !matches!(self.peek(), Some('"' | '\'')) {
            return self.word("a value").map(ConfigValue::Text);
        }
        let mut text = String::new();
        while let Some(quote @ ('"' | '\'')) = self.peek() {
            self.quoted(quote, &mut text)?;
        }
        Ok(ConfigValue::Text(text))
    }

    fn quoted(&mut self, quote: char, text: &mut String) -> Result<(), ReadError> {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let mut chars = rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.at += 1 + at + 1;
                    return Ok(());
                }
                '\\' => text.extend(chars.next().map(|(_, c)| c)),
                c => text.push(c),
            }
        }
        Err(self.wrong("a text that ends"))
    }

    fn word(&mut self, expected: &str) -> Result<String, ReadError> {
        self.peek();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_-+.".contains(c);
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.wrong(expected));
        }
        self.at += end;
        Ok(rest.get(..end).unwrap_or_default().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_source::BytesSource;

    fn parse(text: &str) -> Result<ConfigMessage, String> {
        let source = BytesSource::new("config.pbtxt", text.as_bytes().to_vec());
        read(&source).map_err(|error| error.to_string())
    }

    #[test]
    fn lists_stand_in_brackets_or_one_by_one() {
        let text = "# a remark\nname: \"net\" 'work'\ninput [ { name: \"x\" dims: [ -1, 3 ] }, < name: 'y', dims: 4 dims: 5 > ]\n\
            max_batch_size: 8;";
        let config = parse(text).unwrap();
        assert_eq!((config.text("name"), config.numbers("max_batch_size")), ("network", vec![8]));
        let inputs: Vec<_> = config.messages("input").collect();
        assert_eq!(inputs[0].numbers("dims"), [-1, 3]);
        assert_eq!((inputs[1].text("name"), inputs[1].numbers("dims")), ("y", vec![4, 5]));
    }

    #[test]
    fn what_is_no_protobuf_text_is_an_error_with_its_line() {
        for (text, line) in [
            ("name \"net\"", 1),
            ("input {\n name: \"x\"", 2),
            ("name: \"net", 1),
            ("a: [ 1", 1),
            ("}", 1),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(&format!("line {line}: expected")), "{text}: {error}");
        }
        assert!(parse(&"a { ".repeat(200)).unwrap_err().contains("less deep"));
    }
}
