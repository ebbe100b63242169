//! Names of types in code that some releases do not know.

use memchr::memmem;

use crate::history;

/// Each such name that stands in a text of code as a type, with its place. Texts in quotes, names behind a dot and calls
/// are none.
pub(crate) fn of(text: &str) -> impl Iterator<Item = (&'static str, usize)> {
    // Most texts have no such name at all, and are not taken apart.
    let is_there = |name: &str| memmem::find(text.as_bytes(), name.as_bytes()).is_some();
    let bytes = if history::dated_types().any(is_there) { text.as_bytes() } else { &[] };
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(&byte) = bytes.get(at) {
            if matches!(byte, b'"' | b'\'') {
                at = behind_text(bytes, at);
                continue;
            }
            let begin = at;
            let is_part =
                |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | 0x80..);
            at += bytes.get(at..)?.iter().take_while(is_part).count().max(1);
            let before = begin.checked_sub(1).and_then(|before| bytes.get(before));
            let is_called = bytes.get(at) == Some(&b'(');
            if before == Some(&b'.') || is_called || !byte.is_ascii_alphabetic() {
                continue;
            }
            if let Some(name) = text.get(begin..at).and_then(history::dated_type) {
                return Some((name, begin));
            }
        }
        None
    })
}

/// Where the text in quotes that begins here is over.
fn behind_text(bytes: &[u8], begin: usize) -> usize {
    let (quote, mut at) = (bytes[begin], begin + 1);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn types_are_found_where_they_are_types() {
        let text = "a : Dict[str, Union[int]]\nb = \"Union\"\nc = self.Union\nd = complex(1, 2)\ne : MyUnion\n";
        let found: Vec<_> = of(text).collect();
        assert_eq!(found, [("Union", 14)]);
    }
}
