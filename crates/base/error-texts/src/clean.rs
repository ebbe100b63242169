//! A text as people paste it, made searchable.

/// The most bytes of a text that are looked at. Of a longer one it is the end, where a log says what it failed of.
pub const LARGEST: usize = 4 << 20;

/// What stands for every quotation mark.
const QUOTE: char = '\'';

/// Entities of HTML that stand in texts copied from pages.
const ENTITIES: [(&str, char); 6] = [
    ("&#39;", QUOTE),
    ("&quot;", QUOTE),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&amp;", '&'),
    ("&nbsp;", ' '),
];

/// A text without colours, frames and line ends.
#[derive(Clone, Debug)]
pub struct ErrorText {
    text: String,
    /// The same in lowercase letters. Only ASCII is changed, so both have the same offsets.
    lowercase: String,
}

impl ErrorText {
    /// Makes a line or a whole log searchable; of a long one its last [`LARGEST`] bytes.
    pub fn new(bytes: &[u8]) -> Self {
        let start = bytes.len().saturating_sub(LARGEST);
        let text = cleaned(&String::from_utf8_lossy(&bytes[start..]));
        let lowercase = text.to_ascii_lowercase();
        Self { text, lowercase }
    }

    /// The text in one line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether nothing is left to look at.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The same in lowercase letters.
    pub fn lowercase(&self) -> &str {
        &self.lowercase
    }
}

/// One quotation mark for all of them, and one blank for every run of blanks.
pub(crate) fn cleaned(raw: &str) -> String {
    let mut clean = Clean { text: String::with_capacity(raw.len()), at_line_start: true };
    let mut rest = raw;
    while let Some(next) = rest.chars().next() {
        if let Some(after) = without_escape(rest) {
            rest = after;
            continue;
        }
        if next == '&'
            && let Some((entity, stands_for)) =
                ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity))
        {
            clean.push(*stands_for);
            rest = &rest[entity.len()..];
            continue;
        }
        clean.push(next);
        rest = &rest[next.len_utf8()..];
    }
    if clean.text.ends_with(' ') {
        clean.text.pop();
    }
    clean.text
}

struct Clean {
    text: String,
    at_line_start: bool,
}

impl Clean {
    fn push(&mut self, letter: char) {
        let blank = match letter {
            '\n' | '\r' => {
                self.at_line_start = true;
                self.blank();
                return;
            }
            // Marks of a quotation in a mail or an issue.
            '>' if self.at_line_start => true,
            // Frames of tracebacks.
            '\u{2500}'..='\u{257f}' | '❱' => true,
            letter => letter.is_whitespace(),
        };
        if blank {
            self.blank();
            return;
        }
        match letter {
            '`' | '"' | '‘' | '’' | '“' | '”' | '´' => self.text.push(QUOTE),
            letter if letter.is_control() => return,
            letter => self.text.push(letter),
        }
        self.at_line_start = false;
    }

    fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }
}

/// What follows an escape sequence of a terminal; none where the text does not begin with one.
fn without_escape(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('\u{1b}')?;
    let ended_by = |rest: &'_ str, ends: fn(char) -> bool| -> usize {
        rest.char_indices()
            .find(|(_, letter)| ends(*letter))
            .map_or(rest.len(), |(at, letter)| at + letter.len_utf8())
    };
    Some(match rest.chars().next() {
        Some('[') => &rest[1 + ended_by(&rest[1..], |letter| ('@'..='~').contains(&letter))..],
        // A title or a link: it ends with a bell, or with another escape.
        Some(']') => {
            &rest[1 + ended_by(&rest[1..], |letter| matches!(letter, '\u{7}' | '\\' | '\n'))..]
        }
        Some(letter) => &rest[letter.len_utf8()..],
        None => rest,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_frames_and_quotation_marks_are_gone() {
        let cases = [
            ("\u{1b}[1;31mError\u{1b}[0m: `x`", "Error: 'x'"),
            ("\u{1b}]8;;https://a\u{7}link\u{1b}]8;;\u{7} end", "link end"),
            ("│ one │\n│ two │", "one two"),
            ("> quoted\n> again", "quoted again"),
            ("a -> b\nc", "a -> b c"),
            ("&#39;x&#39; &lt;y&gt;", "'x' <y>"),
            ("a\u{0}b\t\tc\r\n", "ab c"),
        ];
        for (raw, clean) in cases {
            assert_eq!(cleaned(raw), clean, "{raw:?}");
        }
    }

    #[test]
    fn of_a_long_text_the_end_is_kept() {
        let mut long = vec![b'x'; LARGEST];
        long.extend_from_slice(b" the end");
        let text = ErrorText::new(&long);
        assert!(text.text().len() <= LARGEST);
        assert!(text.text().ends_with(" the end"));
    }
}
