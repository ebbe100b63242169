//! From text to words, with their lines; comments that speak to Unskew are kept aside.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// A name, or a name with dots.
    Name(&'t str),
    /// A number, as it is written.
    Number(&'t str),
    /// A text with its quotes.
    Text(&'t str),
    Mark(char),
}

/// What a comment says: `// unskew: scratch`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directive<'t> {
    pub(crate) before: usize,
    pub(crate) line: usize,
    pub(crate) text: &'t str,
}

/// The words of a file.
#[derive(Debug, Default)]
pub(crate) struct Tokens<'t> {
    pub(crate) list: Vec<(Token<'t>, usize)>,
    pub(crate) directives: Vec<Directive<'t>>,
    /// What could not be read: the line, and what.
    pub(crate) problems: Vec<(usize, &'static str)>,
}

/// Splits a text into words. What belongs to no word is a problem, and skipped.
pub(crate) fn tokens(text: &str) -> Tokens<'_> {
    let bytes = text.as_bytes();
    let mut tokens = Tokens::default();
    let (mut at, mut line) = (0, 1);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        match byte {
            b'\n' => {
                line += 1;
                at += 1;
            }
            b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' => at += 1,
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => {
                at = comment(text, at, line, &mut tokens);
                line += newlines(bytes, start, at);
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                at += span(bytes, at, |b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
                tokens.list.push((Token::Name(text.get(start..at).unwrap_or_default()), line));
            }
            b'0'..=b'9' => {
                at += span(bytes, at, |b| b.is_ascii_alphanumeric() || b == b'.' || b == b'_');
                tokens.list.push((Token::Number(text.get(start..at).unwrap_or_default()), line));
            }
            b'"' | b'\'' => {
                let closed;
                (at, closed) = quoted(bytes, at);
                if !closed {
                    tokens.problems.push((line, "a text that does not end"));
                }
                tokens.list.push((Token::Text(text.get(start..at).unwrap_or_default()), line));
            }
            0x20..=0x7e => {
                tokens.list.push((Token::Mark(char::from(byte)), line));
                at += 1;
            }
            _ => {
                at += span(bytes, at, |b| !(0x20..=0x7e).contains(&b) && b != b'\n').max(1);
                tokens.problems.push((line, "letters that are none of the language"));
            }
        }
    }
    tokens
}

fn span(bytes: &[u8], at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().skip(at).take_while(|byte| belongs(**byte)).count()
}

fn newlines(bytes: &[u8], from: usize, to: usize) -> usize {
    bytes.get(from..to).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count()
}

/// The end of a text that begins at `at`, and whether it has its closing quote. A text ends with its line.
fn quoted(bytes: &[u8], at: usize) -> (usize, bool) {
    let quote = bytes.get(at).copied();
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'\\' => end += 2,
            b'\n' => return (end, false),
            byte if Some(byte) == quote => return (end + 1, true),
            _ => end += 1,
        }
    }
    (bytes.len(), false)
}

/// Goes past a comment, and keeps what it says to Unskew.
fn comment<'t>(text: &'t str, at: usize, line: usize, tokens: &mut Tokens<'t>) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let end = match rest.starts_with("//") {
        true => rest.find('\n').unwrap_or(rest.len()),
        false => rest.find("*/").map_or_else(
            || {
                tokens.problems.push((line, "a comment that does not end"));
                rest.len()
            },
            |end| end + 2,
        ),
    };
    let body = rest.get(..end).unwrap_or_default();
    for (offset, one) in body.lines().enumerate() {
        let said = one.trim_matches(['/', '*', ' ', '\t', '\r']);
        if let Some(said) = said.strip_prefix("unskew:") {
            let text = said.trim().trim_end_matches("*/").trim();
            let (before, line) = (tokens.list.len(), line + offset);
            tokens.directives.push(Directive { before, line, text });
        }
    }
    at + end
}
