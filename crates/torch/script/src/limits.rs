//! How deep a text nests and how many tokens it has, told before anything recurses over it or is made of it.
//!
//! Brackets nest, and so do chains: `a.b.c`, `a + b + c` and `f(x)(y)` are trees that lean to the left.
//! So each open bracket counts the tokens since the last comma in it, and the depth is the sum over all
//! that are open. Blocks nest by their indentation.

/// How deep expressions, and how deep blocks may nest in a text. Real ones reach a tenth of it.
pub const MAX_DEPTH: usize = 300;

/// The most tokens of one text. The largest real one has some hundred thousand.
pub const MAX_TOKENS: usize = 2_000_000;

/// What a text is beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// It nests deeper than [`MAX_DEPTH`].
    Depth,
    /// It has more tokens than there may be.
    Tokens,
}

/// A text and what it would cost to read it, which is told once: for a budget, and for the parser.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'t> {
    text: &'t str,
    most: usize,
    pub(crate) found: Result<usize, (usize, Beyond)>,
}

impl<'t> Measured<'t> {
    /// Measures a text; no more than `most` tokens are counted, and one that has more is not read.
    pub fn of(text: &'t str, most: usize) -> Self {
        let most = most.min(MAX_TOKENS);
        Self { text, most, found: scan(text, most) }
    }

    /// The text itself.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// How many tokens it has, which bounds how many nodes are made of it.
    pub fn tokens(&self) -> usize {
        match self.found {
            Ok(tokens) => tokens,
            // Deep texts are refused whatever else they are.
            Err((_, Beyond::Depth)) => 0,
            Err((_, Beyond::Tokens)) => self.most,
        }
    }
}

impl<'t> From<&'t str> for Measured<'t> {
    fn from(text: &'t str) -> Self {
        Self::of(text, MAX_TOKENS)
    }
}

impl<'t> From<&'t String> for Measured<'t> {
    fn from(text: &'t String) -> Self {
        text.as_str().into()
    }
}

/// Counts tokens; or the first byte at which a text is too much, and why.
pub(crate) fn scan(text: &str, most: usize) -> Result<usize, (usize, Beyond)> {
    let mut scan = Scan::default();
    let mut tokens = 0;
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut line_start = true;
    while let Some(&byte) = bytes.get(at) {
        if std::mem::take(&mut line_start) && scan.open.is_empty() {
            let blanks = bytes[at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
            // Empty lines do not count.
            if !matches!(bytes.get(at + blanks), None | Some(b'\n' | b'\r' | b'#')) {
                scan.indent(blanks);
            }
            at += blanks;
            if blanks > 0 {
                continue;
            }
        }
        let length = match byte {
            b' ' | b'\t' | b'\r' | b'\\' => 1,
            b'#' => bytes[at..].iter().take_while(|b| **b != b'\n').count(),
            b'\n' => {
                line_start = true;
                scan.line();
                1
            }
            _ => {
                tokens += 1;
                scan.token(byte);
                if scan.depth > MAX_DEPTH || scan.indents.len() > MAX_DEPTH {
                    return Err((at, Beyond::Depth));
                }
                if tokens > most {
                    return Err((at, Beyond::Tokens));
                }
                match byte {
                    b'"' | b'\'' => text_length(&bytes[at..]),
                    _ => word_length(&bytes[at..]),
                }
            }
        };
        at += length.max(1);
    }
    Ok(tokens)
}

#[derive(Default)]
struct Scan {
    /// The tokens since the last comma in the innermost bracket that is open.
    last: usize,
    /// The same of each bracket around it, and of what stands around all of them.
    open: Vec<usize>,
    /// All these together.
    depth: usize,
    /// The indentations of the blocks around.
    indents: Vec<usize>,
}

impl Scan {
    /// A token that begins with this byte.
    fn token(&mut self, byte: u8) {
        match byte {
            b')' | b']' | b'}' => {
                self.forget();
                self.last = self.open.pop().unwrap_or_default();
            }
            b',' | b';' => self.forget(),
            _ => {
                self.depth += 1;
                self.last += 1;
                if matches!(byte, b'(' | b'[' | b'{') {
                    self.open.push(std::mem::take(&mut self.last));
                }
            }
        }
    }

    fn forget(&mut self) {
        self.depth -= std::mem::take(&mut self.last);
    }

    fn line(&mut self) {
        if self.open.is_empty() {
            self.forget();
        }
    }

    fn indent(&mut self, blanks: usize) {
        while self.indents.last().is_some_and(|last| *last >= blanks) {
            self.indents.pop();
        }
        self.indents.push(blanks);
    }
}

/// Whether each byte may stand in a word.
const IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = matches!(byte as u8, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | 0x80..);
        byte += 1;
    }
    table
};

/// How long the word is that begins here.
pub(crate) fn word_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| IN_WORD[usize::from(**byte)]).count()
}

/// How long the quoted text is that begins here, quotes included.
pub(crate) fn text_length(bytes: &[u8]) -> usize {
    let quote = bytes[0];
    let triple = bytes.starts_with(&[quote; 3]);
    let (mut at, end) = if triple { (3, 3) } else { (1, 1) };
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' {
            at += 2;
        } else if byte == quote && (!triple || bytes[at..].starts_with(&[quote; 3])) {
            return at + end;
        } else if byte == b'\n' && !triple {
            // The text is broken, which the parser will say.
            return at;
        } else {
            at += 1;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn too_deep(text: &str) -> Option<usize> {
        scan(text, usize::MAX).err().map(|(at, _)| at)
    }

    #[test]
    fn tokens_are_counted_but_not_blanks_and_comments() {
        assert_eq!(Measured::from("x = f(a, \"b c\")  # d e\n\n").tokens(), 8);
        assert_eq!(Measured::of(&"x\n".repeat(50), 10).tokens(), 10);
        assert_eq!(scan(&"x\n".repeat(50), 10), Err((20, Beyond::Tokens)));
    }

    #[test]
    fn long_lists_and_texts_are_not_deep_and_chains_are() {
        let list = format!("x = [{}]\n", "-0.5, ".repeat(10_000));
        assert_eq!(too_deep(&list), None);
        let text = format!("x = \"{}\"\n", "(.".repeat(10_000));
        assert_eq!(too_deep(&text), None);
        let lines = "a = b.c(d)\n".repeat(10_000);
        assert_eq!(too_deep(&lines), None);
        for deep in ["(", "[", "a.", "a + ", "f(x)", "not ", "-", "a if b else "] {
            assert!(too_deep(&format!("x = {}", deep.repeat(2_000))).is_some(), "{deep}");
        }
        let blocks: String = (0..400).map(|i| format!("{}if a:\n", " ".repeat(i))).collect();
        assert!(too_deep(&blocks).is_some());
    }
}
