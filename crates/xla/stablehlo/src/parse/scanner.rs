//! Words, numbers and brackets of a text, each with its place.

use std::cell::Cell;

use unskew_source::{ReadError, Source, SourceExt as _, SourceProblem};

/// How deep regions, attributes and types may nest. Real ones stay below ten.
const DEPTH: usize = 64;

/// So many bytes of what a name stands for are a node: as many as a budget gives one for.
const ALIAS_BYTES: usize = 16;

/// What a name in a text stands for.
pub(super) struct Alias<T> {
    value: T,
    nodes: u64,
}

/// A place in a text.
pub(super) struct Scanner<'s> {
    source: &'s dyn Source,
    text: &'s [u8],
    at: usize,
    depth: Cell<usize>,
    /// The nodes that names of attributes and types stood for until now.
    aliased: Cell<u64>,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b'-')
}

impl<'s> Scanner<'s> {
    pub(super) fn new(source: &'s dyn Source, text: &'s [u8]) -> Self {
        Self { source, text, at: 0, depth: Cell::new(0), aliased: Cell::new(0) }
    }

    /// Behind the spaces and comments that stand here.
    pub(super) fn place(&mut self) -> usize {
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let spaces = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.at += spaces;
            let rest = rest.get(spaces..).unwrap_or_default();
            if !rest.starts_with(b"//") {
                return self.at;
            }
            self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        }
    }

    pub(super) fn ends(&mut self) -> bool {
        self.place() >= self.text.len()
    }

    pub(super) fn back(&mut self, place: usize) {
        self.at = place;
    }

    pub(super) fn rest(&mut self) -> &'s [u8] {
        let at = self.place();
        self.text.get(at..).unwrap_or_default()
    }

    pub(super) fn starts(&mut self, what: &str) -> bool {
        self.rest().starts_with(what.as_bytes())
    }

    /// Takes this, if it stands here: punctuation, without regard to what follows.
    pub(super) fn takes(&mut self, what: &str) -> bool {
        let found = self.starts(what);
        if found {
            self.at += what.len();
        }
        found
    }

    pub(super) fn needs(&mut self, what: &str) -> Result<(), ReadError> {
        if self.takes(what) { Ok(()) } else { Err(self.expected(&format!("`{what}`"))) }
    }

    /// Takes this word, if it stands here as a whole.
    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let behind = self.rest().get(word.len()).copied();
        let whole = behind.is_none_or(|byte| !byte.is_ascii_alphanumeric() && byte != b'_');
        whole && self.takes(word)
    }

    pub(super) fn needs_word(&mut self, word: &str) -> Result<(), ReadError> {
        if self.takes_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// The word that stands here, without taking it; empty if none does.
    pub(super) fn peek(&mut self) -> &'s str {
        let rest = self.rest();
        let first = rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        let len = if first { rest.iter().take_while(|byte| is_word(**byte)).count() } else { 0 };
        let word = std::str::from_utf8(rest.get(..len).unwrap_or_default()).unwrap_or_default();
        // `->` ends a word, and so does what stands between two places.
        word.split("->").next().unwrap_or_default().trim_end_matches('-')
    }

    pub(super) fn word(&mut self) -> Result<&'s str, ReadError> {
        let word = self.peek();
        if word.is_empty() {
            return Err(self.expected("a name"));
        }
        self.at += word.len();
        Ok(word)
    }

    /// What a sign in front names: `arg0` of `%arg0`, `0` of `#0`.
    pub(super) fn suffix(&mut self, sign: &str) -> Result<&'s str, ReadError> {
        self.needs(sign)?;
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest.iter().take_while(|byte| is_word(**byte)).count();
        let name = std::str::from_utf8(rest.get(..len).unwrap_or_default()).unwrap_or_default();
        let name = name.split("->").next().unwrap_or_default();
        if name.is_empty() {
            return Err(self.expected(&format!("a name behind `{sign}`")));
        }
        self.at += name.len();
        Ok(name)
    }

    /// The bytes of a text in quotes.
    pub(super) fn text(&mut self) -> Result<Vec<u8>, ReadError> {
        let start = self.place();
        self.needs("\"")?;
        let mut out = Vec::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'));
            let Some(plain) = plain else {
                self.at = start;
                return Err(self.error("a text without its second quote"));
            };
            out.extend_from_slice(rest.get(..plain).unwrap_or_default());
            self.at += plain + 1;
            if rest.get(plain) == Some(&b'"') {
                return Ok(out);
            }
            let escape = rest.get(plain + 1..).unwrap_or_default();
            let (byte, len) = match escape {
                [b'n', ..] => (b'\n', 1),
                [b't', ..] => (b'\t', 1),
                [sign @ (b'"' | b'\\'), ..] => (*sign, 1),
                [high, low, ..] => {
                    let digits = [*high, *low];
                    let digits = std::str::from_utf8(&digits).unwrap_or_default();
                    let byte = u8::from_str_radix(digits, 16);
                    (byte.map_err(|_| self.error("an unknown escape in a text"))?, 2)
                }
                _ => return Err(self.error("an unknown escape in a text")),
            };
            out.push(byte);
            self.at += len;
        }
    }

    /// A number as it stands there: `-1`, `0x7FC0`, `1.5e-3`.
    pub(super) fn number(&mut self) -> Result<&'s str, ReadError> {
        let rest = self.rest();
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits = rest.get(sign..).unwrap_or_default();
        let count = |bytes: &[u8], of: fn(&u8) -> bool| bytes.iter().take_while(|b| of(b)).count();
        let from = |at: usize| digits.get(at..).unwrap_or_default();
        let mut len = match digits {
            [b'0', b'x', rest @ ..] if rest.first().is_some_and(u8::is_ascii_hexdigit) => {
                2 + count(rest, u8::is_ascii_hexdigit)
            }
            _ => count(digits, u8::is_ascii_digit),
        };
        if len == 0 {
            return Err(self.expected("a number"));
        }
        if !digits.starts_with(b"0x") && from(len).first() == Some(&b'.') {
            len += 1 + count(from(len + 1), u8::is_ascii_digit);
            if matches!(from(len), [b'e' | b'E', b'+' | b'-' | b'0'..=b'9', ..]) {
                len += 2 + count(from(len + 2), u8::is_ascii_digit);
            }
        }
        self.at += sign + len;
        std::str::from_utf8(rest.get(..sign + len).unwrap_or_default())
            .map_err(|_| self.expected("a number"))
    }

    /// A whole number of 64 bits, in decimal digits.
    pub(super) fn integer(&mut self) -> Result<i64, ReadError> {
        let start = self.place();
        let text = self.number()?;
        text.parse().map_err(|_| {
            self.at = start;
            self.error(&format!("`{text}` is no whole number of 64 bits"))
        })
    }

    /// Something between brackets, parted by commas.
    pub(super) fn list<T>(
        &mut self,
        open: &str,
        close: &str,
        mut one: impl FnMut(&mut Self) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        self.needs(open)?;
        let mut all = Vec::new();
        if self.takes(close) {
            return Ok(all);
        }
        loop {
            all.push(one(self)?);
            if !self.takes(",") {
                break;
            }
        }
        self.needs(close)?;
        Ok(all)
    }

    /// Passes over a place in the source: `loc("f.py":1:2)`.
    pub(super) fn location(&mut self) -> Result<(), ReadError> {
        if self.takes_word("loc") {
            self.balanced()?;
        }
        Ok(())
    }

    /// What stands between `<` and `>`, with both, in which no other of them stands.
    pub(super) fn bracketed(&mut self) -> Result<&'s [u8], ReadError> {
        let start = self.place();
        self.needs("<")?;
        let rest = self.text.get(self.at..).unwrap_or_default();
        let arrow = |at: usize| at > 0 && rest.get(at - 1) == Some(&b'-');
        let mut signs = rest.iter().enumerate();
        let end = signs.find(|(at, byte)| matches!(byte, b'<' | b'>' | b'"') && !arrow(*at));
        let end = end.map(|(at, _)| at);
        match end.filter(|end| rest.get(*end) == Some(&b'>')) {
            Some(end) => {
                self.at += end + 1;
                Ok(self.text.get(start..self.at).unwrap_or_default())
            }
            None => Err(self.error_at(start, "a bracket that does not end")),
        }
    }

    /// Passes over what stands between brackets.
    fn balanced(&mut self) -> Result<(), ReadError> {
        let start = self.place();
        self.needs("(")?;
        let mut open = 1_usize;
        while open > 0 {
            match self.text.get(self.at) {
                Some(b'"') => {
                    self.text()?;
                    continue;
                }
                Some(b'(') => open += 1,
                Some(b')') => open -= 1,
                Some(_) => {}
                None => {
                    self.at = start;
                    return Err(self.error("a bracket that does not end"));
                }
            }
            self.at += 1;
        }
        Ok(())
    }

    pub(super) fn deeper<T>(
        &mut self,
        what: impl FnOnce(&mut Self) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        self.enter()?;
        let done = what(self);
        self.leave();
        done
    }

    pub(super) fn enter(&self) -> Result<(), ReadError> {
        if self.depth.get() >= DEPTH {
            return Err(self.error(&format!("nests deeper than {DEPTH} levels")));
        }
        self.depth.set(self.depth.get() + 1);
        Ok(())
    }

    pub(super) fn leave(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }

    /// Takes what was made from the budget of the file.
    pub(super) fn made(&self, count: u64) -> Result<(), ReadError> {
        self.source.nodes(count)
    }

    /// Reads what a name is to stand for, and how many nodes that is: of its own text, and of the names in it.
    pub(super) fn aliased<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ReadError>,
    ) -> Result<Alias<T>, ReadError> {
        let (start, before) = (self.place(), self.aliased.get());
        let value = read(self)?;
        let own = self.at.saturating_sub(start) / ALIAS_BYTES + 1;
        let inner = self.aliased.get().saturating_sub(before);
        Ok(Alias { value, nodes: inner.saturating_add(own as u64) })
    }

    /// Takes what a name stands for from the budget of the file, as if it were written out: a name in a name in a name
    /// can stand for more than any memory holds.
    pub(super) fn stands_for<'a, T>(&self, alias: &'a Alias<T>) -> Result<&'a T, ReadError> {
        self.aliased.set(self.aliased.get().saturating_add(alias.nodes));
        self.made(alias.nodes)?;
        Ok(&alias.value)
    }

    fn expected(&mut self, what: &str) -> ReadError {
        let rest = self.rest();
        let found = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count().clamp(1, 24);
        let found = String::from_utf8_lossy(rest.get(..found.min(rest.len())).unwrap_or_default());
        match rest.is_empty() {
            true => self.error(&format!("{what} is missing at the end")),
            false => self.error(&format!("{what} is expected, not `{found}`")),
        }
    }

    pub(super) fn error(&self, what: &str) -> ReadError {
        self.error_at(self.at, what)
    }

    pub(super) fn error_at(&self, at: usize, what: &str) -> ReadError {
        let what = format!("{}: {what}", self.line(at));
        ReadError::malformed(self.source.name(), format!("not MLIR text, {what}"))
    }

    /// What may be right, and is not read.
    pub(super) fn unknown_at(&self, at: usize, what: &str) -> ReadError {
        let what = format!("{}: {what}", self.line(at));
        ReadError::new(self.source.name(), SourceProblem::Unsupported(what))
    }

    pub(super) fn unknown(&self, what: &str) -> ReadError {
        self.unknown_at(self.at, what)
    }

    /// The line and the column of a place, both from 1 on.
    fn line(&self, at: usize) -> String {
        let before = self.text.get(..at.min(self.text.len())).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let column =
            String::from_utf8_lossy(before.get(start..).unwrap_or_default()).chars().count() + 1;
        format!("line {line}, column {column}")
    }
}

#[cfg(test)]
mod tests {
    use unskew_source::BytesSource;

    use super::*;

    fn with<T>(text: &str, what: impl FnOnce(&mut Scanner<'_>) -> T) -> T {
        let source = BytesSource::new("a.mlir", text.as_bytes().to_vec());
        what(&mut Scanner::new(&source, text.as_bytes()))
    }

    #[test]
    fn words_numbers_and_texts_end_where_they_should() {
        with("// says\n stablehlo.cross-replica-sum->x", |scanner| {
            assert_eq!(scanner.word().unwrap(), "stablehlo.cross-replica-sum");
            assert!(scanner.takes("->"));
        });
        with("-1.5e-3 0x7FC0 12", |scanner| {
            assert_eq!(scanner.number().unwrap(), "-1.5e-3");
            assert_eq!(scanner.number().unwrap(), "0x7FC0");
            assert_eq!(scanner.integer().unwrap(), 12);
        });
        with(r#""a\0Ab\22\"\\""#, |scanner| {
            assert_eq!(scanner.text().unwrap(), b"a\nb\"\"\\");
        });
    }

    #[test]
    fn an_error_names_line_and_column() {
        with("module {\n  %a = ?", |scanner| {
            scanner.word().unwrap();
            scanner.needs("{").unwrap();
            scanner.suffix("%").unwrap();
            scanner.needs("=").unwrap();
            let error = scanner.word().unwrap_err().to_string();
            assert_eq!(
                error,
                "a.mlir: not MLIR text, line 2, column 8: a name is expected, not `?`"
            );
        });
    }
}
