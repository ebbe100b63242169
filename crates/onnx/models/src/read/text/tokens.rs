//! Words, names, numbers and quoted texts.

use unskew_source::ReadError;

/// A number or a text as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Int(i64),
    Float(f64),
    Text(String),
}

/// A text that is read from front to back.
pub(super) struct Tokens<'t> {
    file: &'t str,
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(file: &'t str, text: &'t str) -> Self {
        Self { file, text, at: 0 }
    }

    pub(super) fn at(&mut self) -> usize {
        self.blank();
        self.at
    }

    /// An error at the next token, with what should stand there.
    pub(super) fn wrong(&mut self, expected: &str) -> ReadError {
        let at = self.at();
        self.wrong_at(at, expected)
    }

    pub(super) fn wrong_at(&self, at: usize, expected: &str) -> ReadError {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let found: String = self.text.get(at..).unwrap_or_default().chars().take(20).collect();
        let found = found.lines().next().unwrap_or_default().to_owned();
        let found = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
        let what = format!("line {line}: expected {expected}, found {found}");
        ReadError::malformed(self.file, what).at(at as u64)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Goes over blanks and remarks, which go from `#` to the end of a line.
    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let spaces = |c: char| c.is_ascii_whitespace() || c == '\u{b}';
            let trimmed = rest.trim_start_matches(spaces);
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    pub(super) fn is_over(&mut self) -> bool {
        self.blank();
        self.rest().is_empty()
    }

    pub(super) fn next_is(&mut self, mark: char) -> bool {
        self.blank();
        self.rest().starts_with(mark)
    }

    pub(super) fn eat(&mut self, mark: char) -> bool {
        let is = self.next_is(mark);
        self.at += if is { mark.len_utf8() } else { 0 };
        is
    }

    pub(super) fn expect(&mut self, mark: char) -> Result<(), ReadError> {
        match self.eat(mark) {
            true => Ok(()),
            false => Err(self.wrong(&format!("`{mark}`"))),
        }
    }

    /// The word that comes next, without taking it; empty if none does.
    pub(super) fn peek(&mut self) -> &'t str {
        self.blank();
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return "";
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// A word: letters, digits and `_`.
    pub(super) fn word(&mut self) -> Result<&'t str, ReadError> {
        let word = self.peek();
        if word.is_empty() {
            return Err(self.wrong("a word"));
        }
        self.at += word.len();
        Ok(word)
    }

    /// A name: a word, or a text in quotes.
    pub(super) fn name(&mut self) -> Result<String, ReadError> {
        match self.optional_name()? {
            Some(name) => Ok(name),
            None => Err(self.wrong("a name")),
        }
    }

    pub(super) fn optional_name(&mut self) -> Result<Option<String>, ReadError> {
        if self.next_is('"') {
            return self.quoted().map(Some);
        }
        let word = self.peek();
        self.at += word.len();
        Ok((!word.is_empty()).then(|| word.to_owned()))
    }

    /// A text in quotes, in which `\` keeps the next character as it is.
    pub(super) fn quoted(&mut self) -> Result<String, ReadError> {
        if !self.next_is('"') {
            return Err(self.wrong("a text in quotes"));
        }
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(text);
                }
                '\\' => text.extend(chars.next().map(|(_, c)| c)),
                c => text.push(c),
            }
        }
        Err(self.wrong("a text in quotes that ends"))
    }

    /// A whole number with its sign, of 64 bits.
    pub(super) fn int(&mut self) -> Result<i64, ReadError> {
        let at = self.at();
        match self.literal()? {
            Literal::Int(number) => Ok(number),
            _ => Err(self.wrong_at(at, "a whole number")),
        }
    }

    /// A number, a text in quotes, or `inf` and `nan`.
    pub(super) fn literal(&mut self) -> Result<Literal, ReadError> {
        if self.next_is('"') {
            return self.quoted().map(Literal::Text);
        }
        let start = self.at;
        let negative = self.eat('-');
        let word = self.peek().to_ascii_lowercase();
        if !word.is_empty() {
            let number = match &*word {
                "inf" | "infinity" => f64::INFINITY,
                "nan" => f64::NAN,
                _ => return Err(self.wrong_at(start, "a value")),
            };
            self.at += word.len();
            return Ok(Literal::Float(if negative { -number } else { number }));
        }
        let rest = self.rest();
        let digits =
            |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let tail = |from: usize| rest.get(from..).unwrap_or_default();
        let mut end = digits(rest);
        if end == 0 {
            return Err(self.wrong_at(start, "a value"));
        }
        let mut whole = true;
        if tail(end).starts_with('.') {
            whole = false;
            end += 1 + digits(tail(end + 1));
        }
        if tail(end).starts_with(['e', 'E']) {
            whole = false;
            end += 1;
            end += usize::from(tail(end).starts_with(['+', '-']));
            end += digits(tail(end));
        }
        let written = rest.get(..end).unwrap_or_default();
        self.at += end;
        let signed = if negative { format!("-{written}") } else { written.to_owned() };
        if whole {
            // What has 64 bits without a sign is kept by its bits.
            let number =
                signed.parse::<i64>().ok().or_else(|| Some(written.parse::<u64>().ok()? as i64));
            return number
                .map(Literal::Int)
                .ok_or_else(|| self.wrong_at(start, "a number of 64 bits"));
        }
        signed.parse().map(Literal::Float).map_err(|_| self.wrong_at(start, "a number"))
    }
}
