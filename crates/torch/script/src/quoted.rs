//! Quoted texts, and what they say.

use crate::lex::Fault;

/// The text of a literal with its prefix and quotes, which begins at byte `start` of the source.
pub(crate) fn value(literal: &str, start: usize) -> Result<String, Fault> {
    let quote = literal.find(['"', '\'']).unwrap_or(0);
    let (prefix, quoted) = literal.split_at(quote);
    for (letter, what) in [('b', "bytes"), ('f', "text with values in it"), ('t', "template")] {
        if prefix.contains([letter, letter.to_ascii_uppercase()]) {
            return Err(Fault::new(start, format!("TorchScript has no {what}")));
        }
    }
    let triple = quoted.starts_with("\"\"\"") || quoted.starts_with("'''");
    let quotes = if triple { 3 } else { 1 };
    let inner = quoted.get(quotes..quoted.len().saturating_sub(quotes)).unwrap_or_default();
    if prefix.contains(['r', 'R']) || !inner.contains('\\') {
        return Ok(inner.to_owned());
    }
    unescaped(inner)
        .map_err(|at| Fault::new(start + quote + quotes + at, "an escape that names no character"))
}

/// The text without escapes; or the byte of one that is wrong.
fn unescaped(text: &str) -> Result<String, usize> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let begin = text.len() - rest.len() + at;
        let escape = &rest[at + 1..];
        let first = escape.chars().next().ok_or(begin)?;
        let mut length = first.len_utf8();
        match first {
            '\n' => {}
            '\r' => length = if escape.starts_with("\r\n") { 2 } else { 1 },
            '\\' | '\'' | '"' => out.push(first),
            'a' => out.push('\x07'),
            'b' => out.push('\x08'),
            'f' => out.push('\x0c'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'v' => out.push('\x0b'),
            '0'..='7' => {
                length = escape.bytes().take(3).take_while(|b| matches!(b, b'0'..=b'7')).count();
                out.push(character(&escape[..length], 8).ok_or(begin)?);
            }
            'x' | 'u' | 'U' => {
                let digits = if first == 'x' {
                    2
                } else if first == 'u' {
                    4
                } else {
                    8
                };
                length = 1 + digits;
                let number = escape.get(1..length).ok_or(begin)?;
                out.push(character(number, 16).ok_or(begin)?);
            }
            'N' => return Err(begin),
            other => out.extend(['\\', other]),
        }
        rest = &escape[length..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The character of a number. Half of a pair of surrogates is none, and stands as Rust writes what is none.
fn character(number: &str, radix: u32) -> Option<char> {
    if !number.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let number = u32::from_str_radix(number, radix).ok()?;
    match number {
        0xd800..=0xdfff => Some(char::REPLACEMENT_CHARACTER),
        number => char::from_u32(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_python() {
        let text = r#""a\n\t\\\'\"\101\x41\u0041\q\
é""#;
        assert_eq!(value(text, 0).unwrap(), "a\n\t\\'\"AAA\\qé");
        assert_eq!(value(r"r'\n'", 0).unwrap(), "\\n");
        assert_eq!(value("'''it's'''", 0).unwrap(), "it's");
        assert_eq!(value(r"'\ud800'", 0).unwrap(), "\u{fffd}");
    }

    #[test]
    fn a_wrong_escape_is_refused_where_it_stands() {
        for (text, at) in
            [(r"'ab\x4'", 13), (r"'\N{DASH}'", 11), (r"b'a'", 10), (r"'\U00110000'", 11)]
        {
            assert_eq!(value(text, 10).unwrap_err().at, at, "{text}");
        }
    }
}
