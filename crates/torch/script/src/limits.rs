//! The tokens of a text, how many there are and how deep they nest, told before anything recurses over them or is made
//! of them.
//!
//! Brackets nest, and so do chains: `a.b.c`, `a + b + c` and `f(x)(y)` are trees that lean to the left.
//! So each open bracket counts the tokens since the last comma in it, and the depth is the sum over all
//! that are open. Blocks nest by their indentation.

use crate::TextSpan;
use crate::lex::{Fault, Lexer, Mark, Token};

/// How deep expressions, and how deep blocks may nest in a text. Real ones reach a tenth of it.
pub const MAX_DEPTH: usize = 300;

/// The most tokens of one text. The largest real one has some hundred thousand.
pub const MAX_TOKENS: usize = 2_000_000;

/// How many bytes of a text a token has at least, in real ones.
const BYTES: usize = 3;

/// The most tokens for which there is room before they are read.
const AT_ONCE: usize = 1 << 13;

/// What a text is beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitExceeded {
    /// It nests deeper than [`MAX_DEPTH`].
    Depth,
    /// It has more tokens than there may be.
    Tokens,
}

/// Why the tokens of a text end where they do.
#[derive(Debug)]
pub(crate) enum TokenEnd {
    Whole,
    /// What stands behind them is none.
    Fault(Fault),
    /// The text is too much at this byte.
    Beyond(usize, LimitExceeded),
}

/// A text and its tokens, which are read once: for a budget, and for the parser.
#[derive(Debug)]
pub struct TokenizedSource<'t> {
    text: &'t str,
    /// How many tokens count: the ends of lines and blocks do not.
    count: usize,
    /// How deep the deepest of them nest.
    pub(crate) depth: usize,
    pub(crate) tokens: Vec<(Token, TextSpan)>,
    pub(crate) ended: TokenEnd,
}

impl<'t> TokenizedSource<'t> {
    /// Measures a text; no more than `most` tokens are counted, and one that has more is not read.
    pub fn new(text: &'t str, most: usize) -> Self {
        let most = most.min(MAX_TOKENS);
        let room = (text.len() / BYTES).min(AT_ONCE);
        let tokens = Vec::with_capacity(room);
        let mut measured = Self { text, count: 0, depth: 0, tokens, ended: TokenEnd::Whole };
        measured.ended = measured.read(most);
        measured
    }

    fn read(&mut self, most: usize) -> TokenEnd {
        let mut lexer = Lexer::new(self.text);
        let mut nesting = Nesting::default();
        loop {
            let (token, span) = match lexer.next() {
                Ok((Token::End, _)) => return TokenEnd::Whole,
                Ok(found) => found,
                Err(fault) => return TokenEnd::Fault(fault),
            };
            nesting.token(token);
            self.depth = self.depth.max(nesting.depth + nesting.blocks);
            if nesting.depth > MAX_DEPTH || nesting.blocks >= MAX_DEPTH {
                return TokenEnd::Beyond(span.start, LimitExceeded::Depth);
            }
            if !matches!(token, Token::Newline | Token::Indent | Token::Dedent) {
                if self.count == most {
                    return TokenEnd::Beyond(span.start, LimitExceeded::Tokens);
                }
                self.count += 1;
            }
            self.tokens.push((token, span));
        }
    }

    /// The text itself.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// How many tokens it has, which bounds how many nodes are made of it.
    pub fn tokens(&self) -> usize {
        match self.ended {
            // Deep texts are refused whatever else they are.
            TokenEnd::Beyond(_, LimitExceeded::Depth) => 0,
            _ => self.count,
        }
    }
}

impl<'t> From<&'t str> for TokenizedSource<'t> {
    fn from(text: &'t str) -> Self {
        Self::new(text, MAX_TOKENS)
    }
}

impl<'t> From<&'t String> for TokenizedSource<'t> {
    fn from(text: &'t String) -> Self {
        text.as_str().into()
    }
}

#[derive(Default)]
struct Nesting {
    /// The tokens since the last comma in the innermost bracket that is open.
    last: usize,
    /// The same of each bracket around it, and of what stands around all of them.
    open: Vec<usize>,
    /// All these together.
    depth: usize,
    /// How many blocks are around.
    blocks: usize,
}

impl Nesting {
    fn token(&mut self, token: Token) {
        match token {
            Token::Newline | Token::Mark(Mark::Comma | Mark::Semicolon) => self.forget(),
            Token::Indent => self.blocks += 1,
            Token::Dedent => self.blocks = self.blocks.saturating_sub(1),
            Token::Mark(Mark::Close | Mark::CloseSquare | Mark::CloseBrace) => {
                self.forget();
                self.last = self.open.pop().unwrap_or_default();
            }
            token => {
                self.depth += 1;
                self.last += 1;
                if matches!(token, Token::Mark(Mark::Open | Mark::OpenSquare | Mark::OpenBrace)) {
                    self.open.push(std::mem::take(&mut self.last));
                }
            }
        }
    }

    fn forget(&mut self) {
        self.depth -= std::mem::take(&mut self.last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn too_deep(text: &str) -> Option<usize> {
        match TokenizedSource::from(text).ended {
            TokenEnd::Beyond(at, LimitExceeded::Depth) => Some(at),
            _ => None,
        }
    }

    #[test]
    fn tokens_are_counted_but_not_blanks_and_comments() {
        assert_eq!(TokenizedSource::from("x = f(a, \"b c\")  # d e\n\n").tokens(), 8);
        let lines = "x\n".repeat(50);
        let measured = TokenizedSource::new(&lines, 10);
        assert_eq!(measured.tokens(), 10);
        assert!(matches!(measured.ended, TokenEnd::Beyond(20, LimitExceeded::Tokens)));
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
