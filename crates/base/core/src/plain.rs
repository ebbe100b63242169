//! Text that came from outside, made safe to show.

use std::fmt::{self, Write};

/// Shows a text from outside with its control characters and what else nobody sees written out: a name in a hostile file
/// must not move the cursor, change colours, reverse the line, begin another or hide what follows. Line breaks count
/// as control characters; who wants lines splits the text before.
///
/// ```
/// assert_eq!(unskew_core::Plain("conv\u{1b}[2J").to_string(), "conv\\u{1b}[2J");
/// assert_eq!(unskew_core::Plain("a\n\u{202e}b").to_string(), "a\\n\\u{202e}b");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a>(pub &'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.contains(is_hidden) {
            return f.write_str(self.0);
        }
        for letter in self.0.chars() {
            if is_hidden(letter) {
                write!(f, "{}", letter.escape_default())?;
            } else {
                f.write_char(letter)?;
            }
        }
        Ok(())
    }
}

/// Shows a value with its line breaks written out, so that a message of one line stays one. The messages of rules are made
/// with it; what else is hidden in them is written out where they are shown ([`Plain`]).
#[derive(Clone, Copy)]
pub struct OneLine<'a>(pub &'a (dyn fmt::Display + 'a));

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Unbroken(f), "{}", self.0)
    }
}

/// Writes line breaks out on their way.
struct Unbroken<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl fmt::Write for Unbroken<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(at) = rest.find(breaks_lines) {
            let (before, from) = rest.split_at(at);
            let mut letters = from.chars();
            self.0.write_str(before)?;
            letters.next().map_or(Ok(()), |one| write!(self.0, "{}", one.escape_default()))?;
            rest = letters.as_str();
        }
        self.0.write_str(rest)
    }
}

/// What some reader takes for the end of a line.
fn breaks_lines(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character acts instead of being seen: control characters, marks and isolates of direction, separators of
/// lines and paragraphs, and what Unicode has drawn as nothing (`Default_Ignorable_Code_Point`).
pub fn is_hidden(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_control();
    }
    matches!(letter,
        '\u{80}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_all_scripts_are_seen_and_what_acts_is_not() {
        let seen = "aé中ا\u{5d0}ก🦀\u{301}\u{a0}\u{3000}~ ";
        assert_eq!(Plain(seen).to_string(), seen);
        let hidden = "\0\u{7}\t\r\n\u{1b}\u{7f}\u{85}\u{9b}\u{ad}\u{200b}\u{200d}\u{2028}\u{2029}\
                      \u{202a}\u{202e}\u{2066}\u{2069}\u{feff}\u{fff9}\u{e0041}";
        for letter in hidden.chars() {
            assert!(is_hidden(letter), "{letter:?}");
            assert!(Plain(&letter.to_string()).to_string().is_ascii());
        }
    }

    #[test]
    fn a_value_begins_no_line() {
        assert_eq!(OneLine(&"a\nb\r\u{2028}c\u{1b}").to_string(), "a\\nb\\r\\u{2028}c\u{1b}");
        assert_eq!(OneLine(&7).to_string(), "7");
    }
}
