//! Names of types in code that some releases do not know.

use std::sync::LazyLock;

use memchr::memchr2;
use memchr::memmem::Finder;

use crate::history;

static FINDERS: LazyLock<Vec<(&str, Finder<'_>)>> =
    LazyLock::new(|| history::dated_types().map(|name| (name, Finder::new(name))).collect());

/// Each such name that stands in a text of code as a type, with its place. Texts in quotes, names behind a dot and calls
/// are none.
pub(crate) fn type_names_of(text: &str) -> impl Iterator<Item = (&'static str, usize)> {
    let bytes = text.as_bytes();
    let byte = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b'\n');
    let is_type = |at: usize, name: &str| {
        let (before, behind) = (byte(at.checked_sub(1)), byte(at.checked_add(name.len())));
        !is_part(before) && before != b'.' && !is_part(behind) && behind != b'('
    };
    let places = FINDERS.iter().flat_map(|(name, finder)| {
        finder.find_iter(bytes).filter(|at| is_type(*at, name)).map(|at| (*name, at))
    });
    let mut found: Vec<_> = places.collect();
    found.sort_unstable_by_key(|(_, at)| *at);
    // Where the last text in quotes is over that begins before a place.
    let mut read = 0;
    found.retain(|(_, at)| {
        while let Some(quote) = bytes.get(read..*at).and_then(|rest| memchr2(b'"', b'\'', rest)) {
            read = behind_text(bytes, read + quote);
        }
        read <= *at
    });
    found.into_iter()
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | 0x80..)
}

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
    use super::type_names_of;

    fn found(text: &str) -> Vec<(&'static str, usize)> {
        type_names_of(text).collect()
    }

    #[test]
    fn types_are_found_where_they_are_types() {
        let text = "a : Dict[str, Union[int]]\nb = \"Union\"\nc = self.Union\nd = complex(1, 2)\ne : MyUnion\n";
        assert_eq!(found(text), [("Union", 14)]);
        let text = "f('it\\'s', \"NoneType 'Union\", Union, complex)\nx : NoneType";
        assert_eq!(found(text), [("Union", 30), ("complex", 37), ("NoneType", 50)]);
        assert_eq!(found("Union"), [("Union", 0)]);
    }
}
