//! The tokens of the code.

/// One token; texts and numbers keep what matters of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'c> {
    /// A name, or names with dots between: `torch.add`, `__torch__.torch.classes.xnnpack.X`.
    Name(&'c str),
    /// An integer.
    Int,
    /// A number with a point or an exponent.
    Float,
    /// A text.
    Text,
    /// A dot behind something that is no name, so that a method follows.
    Dot,
    /// A bracket, a comma, an operator.
    Sign(u8),
    /// `==`, `!=`, `<=`, `>=`, `->`: signs that contain `=` or `>` and are neither.
    Pair,
    /// The begin of a line outside of brackets, with its indentation.
    Line(usize),
}

/// The tokens of a text, and the line of each.
pub(super) struct Tokens<'c> {
    text: &'c [u8],
    code: &'c str,
    at: usize,
    /// The line of the last token, counted from 1.
    pub(super) line: usize,
    brackets: usize,
    fresh: bool,
}

impl<'c> Tokens<'c> {
    pub(super) fn new(code: &'c str) -> Self {
        Self { text: code.as_bytes(), code, at: 0, line: 1, brackets: 0, fresh: true }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, keep: impl Fn(u8) -> bool) -> &'c str {
        let start = self.at;
        while self.at < self.text.len() && keep(self.text[self.at]) {
            self.at += 1;
        }
        self.code.get(start..self.at).unwrap_or("")
    }

    /// Skips spaces, comments and ends of lines; a line outside of brackets is a token.
    fn blank(&mut self) -> Option<Token<'c>> {
        loop {
            let indent = self.skip_while(|b| b == b' ' || b == b'\t').len();
            match self.peek(0) {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.fresh = self.brackets == 0;
                }
                b'\r' => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => {
                    self.at += 2;
                    self.line += 1;
                }
                b'#' => drop(self.skip_while(|b| b != b'\n')),
                0 if self.at >= self.text.len() => return None,
                _ if std::mem::take(&mut self.fresh) => return Some(Token::Line(indent)),
                _ => return None,
            }
        }
    }

    fn name(&mut self) -> Token<'c> {
        let start = self.at;
        let part = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
        self.skip_while(part);
        while self.peek(0) == b'.' && (part(self.peek(1)) && !self.peek(1).is_ascii_digit()) {
            self.at += 1;
            self.skip_while(part);
        }
        Token::Name(self.code.get(start..self.at).unwrap_or(""))
    }

    fn number(&mut self) -> Token<'c> {
        let start = self.at;
        while self.at < self.text.len() {
            let b = self.peek(0);
            let exponent =
                matches!(b, b'+' | b'-') && matches!(self.text[self.at - 1], b'e' | b'E');
            if !(b.is_ascii_alphanumeric()
                || b == b'.'
                || b == b'_'
                || (exponent && self.at > start))
            {
                break;
            }
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        let hexadecimal = text.starts_with(b"0x");
        let float = text.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) && !hexadecimal;
        if float { Token::Float } else { Token::Int }
    }

    /// A text up to its quote; one that is not closed ends with its line.
    fn text(&mut self) -> Token<'c> {
        let quote = self.peek(0);
        let long = self.peek(1) == quote && self.peek(2) == quote;
        self.at += if long { 3 } else { 1 };
        while self.at < self.text.len() {
            match self.peek(0) {
                b'\\' => {
                    self.line += usize::from(self.peek(1) == b'\n');
                    self.at += 1;
                }
                b'\n' if !long => return Token::Text,
                b'\n' => self.line += 1,
                b if b == quote && !long => {
                    self.at += 1;
                    return Token::Text;
                }
                b if b == quote && self.peek(1) == quote && self.peek(2) == quote => {
                    self.at += 3;
                    return Token::Text;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.text.len();
        Token::Text
    }
}

impl<'c> Iterator for Tokens<'c> {
    type Item = Token<'c>;

    fn next(&mut self) -> Option<Token<'c>> {
        if let Some(line) = self.blank() {
            return Some(line);
        }
        if self.at >= self.text.len() {
            return None;
        }
        let byte = self.peek(0);
        Some(match byte {
            b if b.is_ascii_alphabetic() || b == b'_' || b >= 0x80 => self.name(),
            b if b.is_ascii_digit() => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'"' | b'\'' => self.text(),
            b'.' => {
                self.at += 1;
                Token::Dot
            }
            b'=' | b'!' | b'<' | b'>' if self.peek(1) == b'=' => {
                self.at += 2;
                Token::Pair
            }
            b'-' if self.peek(1) == b'>' => {
                self.at += 2;
                Token::Pair
            }
            sign => {
                self.at += 1;
                match sign {
                    b'(' | b'[' | b'{' => self.brackets += 1,
                    b')' | b']' | b'}' => self.brackets = self.brackets.saturating_sub(1),
                    _ => {}
                }
                Token::Sign(sign)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_comments_and_numbers_are_no_calls() {
        let code = "x = \"torch.add(\\\"\" # torch.sub(\n  y = 1.5e-3 .b\n";
        let tokens: Vec<_> = Tokens::new(code).collect();
        let want = [
            Token::Line(0),
            Token::Name("x"),
            Token::Sign(b'='),
            Token::Text,
            Token::Line(2),
            Token::Name("y"),
            Token::Sign(b'='),
            Token::Float,
            Token::Dot,
            Token::Name("b"),
        ];
        assert_eq!(tokens, want);
    }

    #[test]
    fn a_negative_exponent_belongs_to_its_number_and_a_difference_does_not() {
        let tokens: Vec<_> = Tokens::new("1e-5 - 2-3").skip(1).collect();
        let sign = Token::Sign(b'-');
        assert_eq!(tokens, [Token::Float, sign, Token::Int, sign, Token::Int]);
    }
}
