//! Text that came out of a file, made safe for a terminal.

use std::fmt::{self, Write};

/// Shows a text with its control characters written out: a name in a hostile file must not move the
/// cursor, change colours, reverse the line or hide what follows. Line breaks count as control
/// characters; who wants lines splits the text before.
///
/// ```
/// assert_eq!(unskew_report::Plain("conv\u{1b}[2J").to_string(), "conv\\u{1b}[2J");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a>(pub &'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            if is_unsafe(letter) {
                write!(f, "{}", letter.escape_default())?;
            } else {
                f.write_char(letter)?;
            }
        }
        Ok(())
    }
}

/// Control characters and the marks that reverse the direction of a line.
fn is_unsafe(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
