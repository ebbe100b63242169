//! Escapes for text that leaves this program: nothing in it drives a terminal, and nothing from outside gives orders to a
//! runner.
//!
//! Renderers write what came from outside by [`Plain`], which also keeps it from beginning a line. Here the whole text is looked
//! at once more before it leaves, so that a renderer that forgets one name does no harm.
//!
//! A runner of GitHub obeys lines of both output streams: `::error::…` behind any white space, and the older `##[error]…`
//! anywhere in a line. Both are written so that it does not, but for the commands that a report is made of.

use std::borrow::Cow;

use unskew_core::{Plain, is_hidden};

/// What reads a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A terminal, which shows our own styles.
    Terminal,
    /// A file or another program: HTML, SVG, XML, CSV, Markdown.
    Document,
    /// The same, as JSON, in which characters are escaped as JSON has it.
    Json,
    /// A runner of GitHub, which obeys each line that begins with `::`.
    Commands,
}

/// The text with everything hidden in it written out (`\u{202e}`, in JSON `\u202e`), but for line feeds, tabs, and our own styles on
/// a terminal.
///
/// ```
/// use unskew_report::{Medium, escaped};
/// assert_eq!(escaped("a\u{9b}b\n", Medium::Terminal), "a\\u{9b}b\n");
/// assert_eq!(escaped("\"\u{9b}\"\n", Medium::Json), "\"\\u009b\"\n");
/// assert_eq!(escaped("  ::error::x", Medium::Terminal), "  \\u{3a}:error::x");
/// ```
pub fn escaped(text: &str, medium: Medium) -> Cow<'_, str> {
    let safe = |byte: u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    if text.bytes().all(safe) && !text.contains("::") && !text.contains("##[") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive('\n') {
        one(line, medium, &mut out);
    }
    Cow::Owned(out)
}

/// Adds one line, with the line feed at its end if it has one.
fn one(line: &str, medium: Medium, out: &mut String) {
    let mut rest = line;
    // Whether there was nothing but white space, and how many `#` stand right before.
    let (mut leading, mut hashes) = (true, 0_u32);
    while let Some(letter) = rest.chars().next() {
        if let Some(style) = style(rest).filter(|_| medium == Medium::Terminal) {
            out.push_str(style);
            rest = &rest[style.len()..];
            continue;
        }
        rest = &rest[letter.len_utf8()..];
        let commands = medium != Medium::Commands;
        let obeyed = match letter {
            ':' => {
                leading
                    && commands
                    && medium != Medium::Json
                    && without_styles(rest).starts_with(':')
            }
            '[' => hashes >= 2,
            _ => false,
        };
        match letter {
            '\n' | '\t' => out.push(letter),
            _ if !obeyed && !is_hidden(letter) => out.push(letter),
            _ if medium == Medium::Json => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            _ => out.extend(letter.escape_unicode()),
        }
        leading &= letter.is_whitespace();
        hashes = if letter == '#' { hashes.saturating_add(1) } else { 0 };
    }
}

/// What follows the styles at the beginning of a text.
fn without_styles(text: &str) -> &str {
    let mut rest = text;
    while let Some(style) = style(rest) {
        rest = &rest[style.len()..];
    }
    rest
}

/// One of our own styles at the beginning of a text, such as `ESC [ 1 m`: bold, dim, italic, underlined, a colour, or none. Nothing
/// that hides text is one.
fn style(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("\u{1b}[")?;
    let (numbers, _) = inner.split_once('m').filter(|(numbers, _)| numbers.len() <= 16)?;
    let own = |number: &str| matches!(number, "" | "0" | "1" | "2" | "3" | "4") || colour(number);
    numbers.split(';').all(own).then(|| &text[..numbers.len() + 3])
}

fn colour(number: &str) -> bool {
    number.len() == 2 && matches!(number.as_bytes(), [b'3' | b'9', b'1'..=b'6'])
}

/// The lines of an error with its causes. What it says on lines of its own is indented by two spaces; a line break before
/// anything else came from outside, and is written out.
///
/// ```
/// let lines = unskew_report::error_lines("cannot read a\nb\n  cause: c");
/// assert_eq!(lines, ["cannot read a\\nb", "  cause: c"]);
/// ```
pub fn error_lines(message: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in message.trim_end_matches('\n').split('\n') {
        match lines.last_mut() {
            Some(last) if !line.starts_with("  ") => {
                last.push_str("\\n");
                last.push_str(&Plain(line).to_string());
            }
            _ => lines.push(Plain(line).to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BAD, DIM};

    #[test]
    fn our_styles_stay_on_a_terminal_and_nothing_else_does() {
        let ours = format!("{BAD}error{BAD:#} {DIM}at{DIM:#}\tx\n");
        assert_eq!(escaped(&ours, Medium::Terminal), ours);
        assert!(!escaped(&ours, Medium::Document).contains('\u{1b}'));
        for theirs in
            ["\u{1b}[8m", "\u{1b}[2J", "\u{1b}[31;8m", "\u{1b}]0;x\u{7}", "\u{1b}[40m", "\u{1b}["]
        {
            let text = escaped(theirs, Medium::Terminal);
            assert!(!text.contains('\u{1b}'), "{text:?}");
        }
    }

    #[test]
    fn no_line_is_obeyed_by_a_runner() {
        for medium in [Medium::Terminal, Medium::Document] {
            let text = escaped("a\n \u{3000}::error::x\nb ::c\n###[debug]y\n", medium);
            assert_eq!(text, "a\n \u{3000}\\u{3a}:error::x\nb ::c\n###\\u{5b}debug]y\n");
        }
        let styled = format!("{DIM}{DIM:#}:{DIM}:error::x #{DIM}#[debug]");
        let text = escaped(&styled, Medium::Terminal);
        assert_eq!(text, format!("{DIM}{DIM:#}\\u{{3a}}{DIM}:error::x #{DIM}#\\u{{5b}}debug]"));
        assert_eq!(escaped("::error::x ##[y]", Medium::Commands), "::error::x ##\\u{5b}y]");
    }

    #[test]
    fn json_stays_the_same_json() {
        let value = "a\u{1b}\u{7f}\u{9b}\u{202e}\u{2028}\u{e0041}é##[debug]::x";
        let text = serde_json::to_string(value).unwrap();
        let safe = escaped(&text, Medium::Json);
        assert!(!safe.contains(is_hidden) && !safe.contains("##["), "{safe:?}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), value);
    }

    #[test]
    fn escaping_twice_is_escaping_once() {
        for medium in [Medium::Terminal, Medium::Document, Medium::Json, Medium::Commands] {
            let once = escaped("::a\u{9b}##[x]\n", medium).into_owned();
            assert_eq!(escaped(&once, medium), once);
        }
    }
}
