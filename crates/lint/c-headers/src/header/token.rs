//! Text into tokens, comments and directives.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memrchr};

use super::model::{HeaderPlace, HeaderProblem};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or a word of the language.
    Word,
    Number,
    /// A string or a character, with its quotes.
    Quoted,
    /// One character of punctuation, or one of `::`, `##`, `...`, `<<`, `>>`.
    Mark,
    /// A line for the preprocessor without its `#`, continued lines joined, comments blanked.
    Directive,
}

#[derive(Clone, Debug)]
pub struct Token<'a> {
    pub kind: TokenKind,
    /// A piece of the header or of a macro, but for directives and for what `##` makes.
    pub text: Cow<'a, str>,
    pub place: HeaderPlace,
    /// Which set of conditions it stands under.
    pub conditions: usize,
    /// Whether it may be the name of a macro; that it is none is known of words of the header itself.
    pub named: bool,
    /// How many expansions it came out of.
    pub expanded: u8,
    /// The largest alignment that `#pragma pack` leaves here; 0 if there is none.
    pub pack: u8,
}

#[derive(Clone, Debug)]
pub struct Comment<'a> {
    pub first_line: u32,
    pub last_line: u32,
    /// Whether something else stands before it on its line.
    pub behind: bool,
    /// As it is written, with its marks.
    written: &'a str,
    /// Whether the file ended before it did.
    pub open: bool,
}

impl Comment<'_> {
    /// Adds what it says to a text, without its marks.
    pub fn append_to(&self, text: &mut String) {
        text.reserve(self.written.len());
        if self.written.starts_with("//") {
            return text.push_str(self.written.trim_start_matches('/').trim());
        }
        let inner = self.written.trim_start_matches("/*").trim_end_matches("*/");
        let begin = text.len();
        for line in inner.lines() {
            let line = line.trim().trim_start_matches('*').trim();
            // No empty lines in front.
            if text.len() > begin {
                text.push('\n');
            }
            text.push_str(line);
        }
        let end = begin + text.get(begin..).unwrap_or_default().trim_end().len();
        text.truncate(end);
    }

    /// What it says, without its marks.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.append_to(&mut text);
        text
    }
}

/// A text in pieces.
#[derive(Default)]
pub struct Lexed<'a> {
    pub tokens: Vec<Token<'a>>,
    pub comments: Vec<Comment<'a>>,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    place: HeaderPlace,
    /// Whether every byte of the text is a character.
    ascii: bool,
    /// Whether a token stands before on this line.
    begun: bool,
    out: Lexed<'a>,
}

/// How many tokens and comments of a header are read. The largest real headers have a quarter of it.
const MOST: usize = 400_000;

/// Takes a text apart.
pub fn lex<'a>(text: &'a str, problems: &mut Vec<HeaderProblem>) -> Lexed<'a> {
    let place = HeaderPlace { line: 1, column: 1 };
    let ascii = text.is_ascii();
    let mut lexer = Lexer { text, at: 0, place, ascii, begun: false, out: Lexed::default() };
    // Real headers have a token for every eight bytes, or fewer.
    lexer.out.tokens.reserve((text.len() / 8).min(MOST));
    lexer.run(problems);
    lexer.out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Whether a text begins with the end of a line that goes on in the next one.
fn continues(text: &str) -> bool {
    text.starts_with("\\\n") || text.starts_with("\\\r\n")
}

fn begins_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*")
}

/// Whether a byte is a character of a word, for bytes of ASCII.
const IN_WORD: [bool; 256] = {
    let mut inside = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let c = byte as u8;
        inside[byte] = c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$');
        byte += 1;
    }
    inside
};

fn word_end(text: &str) -> usize {
    let end = text.bytes().position(|byte| !IN_WORD[usize::from(byte)]);
    match end.and_then(|end| text.as_bytes().get(end)) {
        Some(byte) if !byte.is_ascii() => text.find(|c| !is_word(c)).unwrap_or(text.len()),
        _ => end.unwrap_or(text.len()),
    }
}

fn number_end(text: &str) -> usize {
    text.find(|c| !is_word(c) && c != '.' && c != '\'').unwrap_or(text.len())
}

/// Whether a byte of UTF-8 is one of a character that began before it.
fn is_inside_character(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// How many bytes the mark has that `rest` begins with, and `first` with it.
fn mark(first: char, rest: &str) -> usize {
    let long = match first {
        '.' => "...",
        ':' => "::",
        '#' => "##",
        '<' => "<<",
        '>' => ">>",
        other => return other.len_utf8(),
    };
    if rest.starts_with(long) { long.len() } else { first.len_utf8() }
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Steps over `bytes`, counting lines and columns.
    fn step(&mut self, bytes: usize) -> &'a str {
        let passed = self.rest().get(..bytes).unwrap_or_else(|| self.rest());
        let Some(end) = memrchr(b'\n', passed.as_bytes()) else { return self.step_within(bytes) };
        let (lines, last) = passed.split_at(end + 1);
        let lines = u32::try_from(memchr_iter(b'\n', lines.as_bytes()).count());
        self.place.line = self.place.line.saturating_add(lines.unwrap_or(u32::MAX));
        self.place.column = 1;
        self.begun = false;
        self.at += end + 1;
        self.step_within(last.len());
        passed
    }

    /// Steps over `bytes` in which no line ends.
    fn step_within(&mut self, bytes: usize) -> &'a str {
        let passed = self.rest().get(..bytes).unwrap_or_else(|| self.rest());
        let width = match self.ascii {
            true => passed.len(),
            false => passed.bytes().filter(|byte| !is_inside_character(*byte)).count(),
        };
        let width = u32::try_from(width).unwrap_or(u32::MAX);
        self.place.column = self.place.column.saturating_add(width);
        self.at += passed.len();
        passed
    }

    fn step_space(&mut self) {
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b'\n' => {
                    self.place.line = self.place.line.saturating_add(1);
                    self.place.column = 1;
                    self.begun = false;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    self.place.column = self.place.column.saturating_add(1);
                }
                _ => return,
            }
            self.at += 1;
        }
    }

    fn push(&mut self, kind: TokenKind, place: HeaderPlace, text: Cow<'a, str>) {
        self.begun = true;
        self.out.tokens.push(Token {
            kind,
            text,
            place,
            conditions: 0,
            named: true,
            expanded: 0,
            pack: 0,
        });
    }

    fn run(&mut self, problems: &mut Vec<HeaderProblem>) {
        loop {
            self.step_space();
            let rest = self.rest();
            let Some(first) = rest.bytes().next() else { return };
            let place = self.place;
            if self.out.tokens.len() + self.out.comments.len() >= MOST {
                let what = format!("over the budget of {MOST} tokens; the rest is not read");
                return problems.push(HeaderProblem::at(place, what));
            }
            match first {
                b'\\' if continues(rest) => {
                    let begun = self.begun;
                    self.step(rest.find('\n').map_or(1, |at| at + 1));
                    self.begun = begun;
                }
                b'/' if begins_comment(rest) => self.comment(problems),
                b'#' if !self.begun => self.directive(problems),
                b'"' | b'\'' => self.quoted(char::from(first), problems),
                b'0'..=b'9' => self.token(TokenKind::Number, number_end(rest)),
                _ if IN_WORD[usize::from(first)] => self.token(TokenKind::Word, word_end(rest)),
                _ => self.word_or_mark(rest),
            }
        }
    }

    /// Takes a mark, or what begins with a character outside of ASCII.
    fn word_or_mark(&mut self, rest: &str) {
        match rest.chars().next() {
            Some(c) if is_word(c) => self.token(TokenKind::Word, word_end(rest)),
            Some(c) if c.is_whitespace() => {
                self.step_within(c.len_utf8());
            }
            Some(c) => self.token(TokenKind::Mark, mark(c, rest)),
            None => {}
        }
    }

    /// Takes the next `bytes` as a token.
    fn token(&mut self, kind: TokenKind, bytes: usize) {
        let place = self.place;
        let text = self.step_within(bytes);
        self.push(kind, place, Cow::Borrowed(text));
    }

    fn comment(&mut self, problems: &mut Vec<HeaderProblem>) {
        let (place, behind) = (self.place, self.begun);
        let rest = self.rest();
        let mut open = false;
        let written = if rest.starts_with("//") {
            self.step_within(memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len()))
        } else {
            let end = rest.get(2..).and_then(|inner| inner.find("*/"));
            open = end.is_none();
            if open {
                problems.push(HeaderProblem::at(place, "a comment without end"));
            }
            self.step(end.map_or(rest.len(), |end| end + 4))
        };
        let (first_line, last_line) = (place.line, self.place.line);
        self.out.comments.push(Comment { first_line, last_line, behind, written, open });
    }

    fn quoted(&mut self, quote: char, problems: &mut Vec<HeaderProblem>) {
        let place = self.place;
        let mut escaped = false;
        let end = self.rest().char_indices().skip(1).find(|(_, c)| {
            let ends = !escaped && (*c == quote || *c == '\n');
            escaped = !escaped && *c == '\\';
            ends
        });
        let bytes = match end {
            Some((at, c)) if c == quote => at + 1,
            other => {
                problems.push(HeaderProblem::at(place, "a string without end"));
                other.map_or(self.rest().len(), |(at, _)| at)
            }
        };
        let text = self.step(bytes);
        self.push(TokenKind::Quoted, place, Cow::Borrowed(text));
    }

    /// A directive ends with its line, unless that ends with a backslash or inside of a comment.
    fn directive(&mut self, problems: &mut Vec<HeaderProblem>) {
        let place = self.place;
        self.step(1);
        let mut text = String::new();
        while let Some(c) = self.rest().chars().next() {
            let rest = self.rest();
            if c == '\n' {
                break;
            } else if continues(rest) {
                self.step(rest.find('\n').map_or(1, |at| at + 1));
                text.push(' ');
            } else if begins_comment(rest) {
                self.begun = true;
                self.comment(problems);
                text.push(' ');
            } else {
                text.push_str(self.step(c.len_utf8()));
            }
        }
        self.push(TokenKind::Directive, place, Cow::Owned(text.trim().to_owned()));
    }
}
