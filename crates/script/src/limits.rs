//! How deep a text nests, told before anything recurses over it.
//!
//! Brackets nest, and so do chains: `a.b.c`, `a + b + c` and `f(x)(y)` are trees that lean to the left.
//! So each open bracket counts the tokens since the last comma in it, and the depth is the sum over all
//! that are open. Blocks nest by their indentation.

/// How deep expressions, and how deep blocks may nest in a text. Real ones reach a tenth of it.
pub const MAX_DEPTH: usize = 300;

/// The first byte at which a text is nested too deep.
pub(crate) fn too_deep(text: &str) -> Option<usize> {
    let mut scan = Scan { open: vec![0], depth: 0, indents: Vec::new() };
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut line_start = true;
    while let Some(&byte) = bytes.get(at) {
        if std::mem::take(&mut line_start) && scan.open.len() == 1 {
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
            b'#' => bytes[at..].iter().take_while(|b| **b != b'\n').count(),
            b'"' | b'\'' => {
                scan.token();
                text_length(&bytes[at..])
            }
            b'\n' => {
                line_start = true;
                scan.line();
                1
            }
            b' ' | b'\t' | b'\r' | b'\\' => 1,
            _ => {
                scan.byte(byte);
                word_length(&bytes[at..])
            }
        };
        if scan.depth > MAX_DEPTH || scan.indents.len() > MAX_DEPTH {
            return Some(at);
        }
        at += length.max(1);
    }
    None
}

struct Scan {
    /// The tokens since the last comma, of each bracket that is open.
    open: Vec<usize>,
    /// Their sum.
    depth: usize,
    /// The indentations of the blocks around.
    indents: Vec<usize>,
}

impl Scan {
    fn token(&mut self) {
        self.depth += 1;
        if let Some(last) = self.open.last_mut() {
            *last += 1;
        }
    }

    fn forget(&mut self) {
        if let Some(last) = self.open.last_mut() {
            self.depth -= std::mem::take(last);
        }
    }

    fn byte(&mut self, byte: u8) {
        match byte {
            b'(' | b'[' | b'{' => {
                self.token();
                self.open.push(0);
            }
            b')' | b']' | b'}' => {
                self.forget();
                if self.open.len() > 1 {
                    self.open.pop();
                }
            }
            b',' | b';' => self.forget(),
            _ => self.token(),
        }
    }

    fn line(&mut self) {
        if self.open.len() == 1 {
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

/// How long the word is that begins here; one byte of anything else.
pub(crate) fn word_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | 0x80..)).count()
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
