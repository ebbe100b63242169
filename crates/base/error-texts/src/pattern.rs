//! Patterns: literal words with places for values.

use crate::clean::cleaned;

/// The fewest letters of a literal part: a shorter one says nothing about where a text came from.
const FEWEST_LETTERS: usize = 8;

/// One piece of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Words, in small letters.
    Literal(String),
    /// One word, under a name.
    Word(String),
    /// Any text.
    Gap,
}

/// What a runtime prints, with places for what differs from case to case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorPattern {
    pub(crate) pieces: Vec<Piece>,
}

/// Why a pattern is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A brace without its other half.
    #[error("a brace without its other half; {{{{ is a brace: {0}")]
    Brace(String),
    /// A name that is not in small letters and underscores.
    #[error("a placeholder is small letters and underscores: {0}")]
    Name(String),
    /// Two places for values with no words between them, so that nothing says where the first ends.
    #[error("no words between two placeholders: {0}")]
    Adjacent(String),
    /// Words that would be found anywhere.
    #[error(
        "a pattern needs words of {FEWEST_LETTERS} letters or more, behind its first placeholder if it begins with one: {0}"
    )]
    TooShort(String),
}

impl ErrorPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`PatternError`] if it is none, or so short that it would be found anywhere.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            let piece = match letter {
                '{' | '}' if rest.starts_with(letter) => {
                    literal.push(letter);
                    rest = &rest[1..];
                    continue;
                }
                '{' => {
                    let (name, after) =
                        rest.split_once('}').ok_or_else(|| PatternError::Brace(text.to_owned()))?;
                    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
                    {
                        return Err(PatternError::Name(name.to_owned()));
                    }
                    rest = after;
                    Piece::Word(name.to_owned())
                }
                '}' => return Err(PatternError::Brace(text.to_owned())),
                '…' => Piece::Gap,
                letter => {
                    literal.push(letter);
                    continue;
                }
            };
            flush(&mut pieces, &mut literal);
            if matches!(pieces.last(), Some(Piece::Word(_) | Piece::Gap)) {
                return Err(PatternError::Adjacent(text.to_owned()));
            }
            pieces.push(piece);
        }
        flush(&mut pieces, &mut literal);
        let letters = |piece: &Piece| match piece {
            Piece::Literal(text) => text.bytes().filter(u8::is_ascii_alphanumeric).count(),
            _ => 0,
        };
        // The first words are what is looked for; a word before them is read backwards.
        let begins = match pieces.as_slice() {
            [Piece::Word(_), words, ..] => letters(words) >= FEWEST_LETTERS,
            [Piece::Literal(_), ..] => true,
            _ => false,
        };
        if !begins || !pieces.iter().any(|piece| letters(piece) >= FEWEST_LETTERS) {
            return Err(PatternError::TooShort(text.to_owned()));
        }
        Ok(Self { pieces })
    }

    /// How much of the pattern is fixed, in bytes: of two patterns that match, the larger number says more.
    pub fn literal_length(&self) -> usize {
        let lengths = self.pieces.iter().map(|piece| match piece {
            Piece::Literal(text) => text.len(),
            _ => 0,
        });
        lengths.sum()
    }

    /// The names of its places for values, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Word(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

fn flush(pieces: &mut Vec<Piece>, literal: &mut String) {
    if literal.is_empty() {
        return;
    }
    // The ends keep their blank: `version {found}` does not match `version10`.
    let (starts, ends) = (literal.starts_with(' '), literal.ends_with(' '));
    let mut text = cleaned(literal).to_ascii_lowercase();
    if starts {
        text.insert(0, ' ');
    }
    if ends && text != " " {
        text.push(' ');
    }
    pieces.push(Piece::Literal(text));
    literal.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_places_are_told_apart() {
        let pattern = ErrorPattern::parse("Op<name={op};  {{ is … not `there` {what}").unwrap();
        let words = |text: &str| Piece::Literal(text.to_owned());
        let place = |name: &str| Piece::Word(name.to_owned());
        let wanted = [
            words("op<name="),
            place("op"),
            words("; { is "),
            Piece::Gap,
            words(" not 'there' "),
            place("what"),
        ];
        assert_eq!(pattern.pieces, wanted);
        assert_eq!(pattern.names().collect::<Vec<_>>(), ["op", "what"]);
    }

    #[test]
    fn what_would_be_found_anywhere_is_refused() {
        for text in ["{version} is too {bad} for anything", "error {x}", "", "…long enough words"]
        {
            assert!(matches!(ErrorPattern::parse(text), Err(PatternError::TooShort(_))), "{text}");
        }
        assert!(matches!(ErrorPattern::parse("some words {a}{b}"), Err(PatternError::Adjacent(_))));
        assert!(matches!(ErrorPattern::parse("some words {A}"), Err(PatternError::Name(_))));
        assert!(matches!(ErrorPattern::parse("some words {a"), Err(PatternError::Brace(_))));
        assert!(matches!(ErrorPattern::parse("some words a}"), Err(PatternError::Brace(_))));
    }
}
