//! Text of `unskew.toml`, and the place where something in it is wrong.

use std::ops::Range;

/// What is wrong in `unskew.toml`: where, and what is allowed there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct LintConfigError {
    /// The file, as it was named.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted in characters from 1.
    pub column: usize,
    /// What is wrong there, and what would be allowed.
    pub message: String,
}

/// The text of the file, in which bytes have places.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

impl Text<'_> {
    fn place(self, byte: usize) -> (usize, usize) {
        let before = self.text.get(..byte).unwrap_or(self.text);
        let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }

    /// The line of a byte.
    pub fn line(self, byte: usize) -> usize {
        self.place(byte).0
    }

    /// Something is wrong at `span`.
    pub fn wrong(self, span: Range<usize>, message: impl Into<String>) -> LintConfigError {
        let (line, column) = self.place(span.start);
        LintConfigError { file: self.file.to_owned(), line, column, message: message.into() }
    }

    /// The text is no TOML, or not of the form that it should have.
    pub fn malformed(self, error: &toml::de::Error) -> LintConfigError {
        self.wrong(error.span().unwrap_or(0..0), error.message())
    }
}

/// `a, b and c`.
pub fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
        None => "none".to_owned(),
    }
}
