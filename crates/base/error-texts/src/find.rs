//! Finding a pattern in a text.
//!
//! Each literal is looked for behind the one before, and the first place is taken: no place is tried twice, so the time is
//! that of reading the text once for each pattern and, for each place of the first words, [`GAP`] bytes for each piece.

use std::ops::Range;

use memchr::memmem;

use crate::ErrorText;
use crate::pattern::{ErrorPattern, Piece};

/// The most bytes of a text for which `…` stands.
pub const GAP: usize = 600;

/// The most bytes of a word: symbols of C++ are long.
pub const WORD: usize = 2_000;

/// The name of a word that is no value.
const UNNAMED: &str = "_";

/// How many places of a pattern with different values are kept.
const MOST_OCCURRENCES: usize = 16;

/// Ends of a word that belong to the sentence around it.
const PUNCTUATION: [char; 9] = ['.', ',', ';', ':', '!', ')', ']', '}', '>'];

/// Where a pattern is in a text, and the values in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The bytes of [`ErrorText::text`].
    pub span: Range<usize>,
    /// The values under the names of the pattern, in their order; not those called `_`.
    pub values: Vec<(String, String)>,
}

impl Occurrence {
    /// The value under this name.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }
}

impl ErrorPattern {
    /// The places of the pattern in a text: the first few with different values.
    pub fn find(&self, text: &ErrorText) -> Vec<Occurrence> {
        let mut all: Vec<Occurrence> = Vec::new();
        let (before, pieces) = match self.pieces.as_slice() {
            [Piece::Word(name), pieces @ ..] => (Some(name), pieces),
            pieces => (None, pieces),
        };
        let Some(Piece::Literal(first)) = pieces.first() else { return all };
        for start in memmem::find_iter(text.lowercase().as_bytes(), first.as_bytes()) {
            let Some(mut found) = at(pieces, text, start) else { continue };
            if let Some(name) = before {
                let from = word_start(text.text(), start);
                if from == start {
                    continue;
                }
                found.span.start = from;
                if name != UNNAMED {
                    found.values.insert(0, (name.clone(), text.text()[from..start].to_owned()));
                }
            }
            if all.iter().all(|one| one.values != found.values) {
                all.push(found);
            }
            if all.len() == MOST_OCCURRENCES {
                break;
            }
        }
        all
    }
}

/// The pieces of a pattern, of which the first is at this byte.
fn at(pieces: &[Piece], text: &ErrorText, start: usize) -> Option<Occurrence> {
    let (whole, lowercase) = (text.text(), text.lowercase());
    let mut at = start;
    let mut values = Vec::new();
    let mut pieces = pieces.iter().peekable();
    while let Some(piece) = pieces.next() {
        let next = match pieces.peek() {
            Some(Piece::Literal(next)) => Some(next.as_str()),
            _ => None,
        };
        match piece {
            Piece::Literal(words) => {
                at += lowercase.get(at..)?.starts_with(words.as_str()).then_some(words.len())?;
            }
            Piece::Gap => at = next.map_or(Some(at), |next| position(lowercase, at, next, GAP))?,
            Piece::Word(name) => {
                let end = match next {
                    Some(next) => position(lowercase, at, next, WORD)?,
                    None => word_end(whole, at),
                };
                let value = whole.get(at..end)?;
                if value.is_empty() || value.contains([' ', '\'']) {
                    return None;
                }
                if name != UNNAMED {
                    values.push((name.clone(), value.to_owned()));
                }
                at = end;
            }
        }
    }
    Some(Occurrence { span: start..at, values })
}

/// Where these words are next, at most so many bytes behind `at`.
fn position(lowercase: &str, at: usize, words: &str, most: usize) -> Option<usize> {
    let bytes = lowercase.as_bytes().get(at..)?;
    let window = &bytes[..bytes.len().min(most + words.len())];
    memmem::find(window, words.as_bytes()).map(|found| at + found)
}

/// Where the word that ends at this byte begins.
fn word_start(text: &str, end: usize) -> usize {
    let before = text.get(..end).unwrap_or_default();
    let start = before.rfind([' ', '\'', '(']).map_or(0, |at| at + 1);
    if end - start > WORD { end } else { start }
}

/// Where the word at this byte ends.
fn word_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let end = rest.find([' ', '\'', ',']).unwrap_or(rest.len()).min(WORD);
    let word = rest.get(..end).unwrap_or_default();
    at + word.trim_end_matches(PUNCTUATION).len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(pattern: &str, text: &str) -> Vec<Vec<String>> {
        let found = ErrorPattern::parse(pattern).unwrap().find(&ErrorText::new(text.as_bytes()));
        let values = |one: Occurrence| one.values.into_iter().map(|(_, value)| value).collect();
        found.into_iter().map(values).collect()
    }

    #[test]
    fn values_are_words() {
        let pattern = "No Op registered for {op} with domain_version of {opset}";
        let text = "Error in Node:a : No Op registered for Einsum\n with domain_version of 11.";
        assert_eq!(values(pattern, text), [["Einsum", "11"]]);
        assert!(
            values(pattern, "No Op registered for these two with domain_version of 11").is_empty()
        );
        assert!(values(pattern, "No Op registered for ' with domain_version of 11").is_empty());
    }

    #[test]
    fn a_gap_is_any_text_and_ends_somewhere() {
        let pattern = "Gencode/Runtime versions … gencode {code} runtime {runtime}";
        let text = "incompatible Protobuf Gencode/Runtime versions when loading a.proto: gencode 6.31.1 runtime 5.29.5.";
        assert_eq!(values(pattern, text), [["6.31.1", "5.29.5"]]);
        let far = text.replace("a.proto", &"x".repeat(GAP));
        assert!(values(pattern, &far).is_empty());
    }

    #[test]
    fn a_word_before_the_first_words_is_read_backwards() {
        let pattern = "{library}: cannot open shared object file";
        let text = "ImportError: libcudart.so.12: cannot open shared object file: No such file";
        assert_eq!(values(pattern, text), [["libcudart.so.12"]]);
        assert!(values(pattern, ": cannot open shared object file").is_empty());
    }

    #[test]
    fn each_value_is_kept_once() {
        let text =
            "Op type not registered 'A' x Op type not registered 'B' x Op type not registered 'A'";
        assert_eq!(values("Op type not registered '{op}'", text), [["A"], ["B"]]);
    }

    proptest! {
        #[test]
        fn any_text_is_looked_through(text in proptest::collection::vec(any::<u8>(), 0..2_000)) {
            let text = ErrorText::new(&text);
            for pattern in ["abcdefgh {a} b {c}", "abcdefgh… b … c {d}"] {
                ErrorPattern::parse(pattern).unwrap().find(&text);
            }
        }

        #[test]
        fn spans_are_of_the_text(tail in "\\PC{0,40}") {
            let text = ErrorText::new(format!("abcdefgh {tail}").as_bytes());
            for found in ErrorPattern::parse("abcdefgh {a}").unwrap().find(&text) {
                prop_assert!(text.text().get(found.span.clone()).is_some());
            }
        }
    }
}
