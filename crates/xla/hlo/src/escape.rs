//! Texts within the text.

use std::fmt::Write as _;

/// A text in quotes, in which quotes, backslashes and what is not ASCII are escaped as in C.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'"' | b'\'' | b'\\' => {
                out.push('\\');
                out.push(char::from(*byte));
            }
            b' '..=b'~' => out.push(char::from(*byte)),
            _ => _ = write!(out, "\\{byte:03o}"),
        }
    }
    out.push('"');
    out
}

/// The same, but for what looks like a dictionary of JSON, which stands as it is.
pub(crate) fn quoted_or_dictionary(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_dictionary(bytes) => text.to_owned(),
        _ => quoted(bytes),
    }
}

/// Whether the bytes are one pair of braces and what is in it. Braces in quotes do not count.
fn is_dictionary(bytes: &[u8]) -> bool {
    if bytes.first() != Some(&b'{') {
        return false;
    }
    let (mut depth, mut in_quotes, mut escaped) = (0_usize, false, false);
    for (at, byte) in bytes.iter().enumerate() {
        if in_quotes {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_quotes = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_quotes = true,
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1 == bytes.len();
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_as_in_c() {
        assert_eq!(quoted(b"a\"b\\\n'\x01\xff"), r#""a\"b\\\n\'\001\377""#);
    }

    #[test]
    fn what_looks_like_json_stands_as_it_is() {
        for dictionary in [&br#"{"a":"}"}"#[..], b"{}", br#"{"a":{"b":"\"}"}}"#, b"{m = <>}"] {
            assert!(is_dictionary(dictionary));
        }
        for other in [&b""[..], b"{", b"{}}", b"{} ", b"a{}", br#"{"a"#, b"}"] {
            assert!(!is_dictionary(other), "{other:?}");
        }
        assert_eq!(quoted_or_dictionary(b"{\"a\":1}"), "{\"a\":1}");
        assert_eq!(quoted_or_dictionary(b"{\"\xff\":1}"), "\"{\\\"\\377\\\":1}\"");
    }
}
