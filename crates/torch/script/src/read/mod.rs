//! Parser, from the text to the syntax tree.
//!
//! The syntax is Python's as far as PyTorch writes it, read as PyTorch's own reader does: words that only Python keeps
//! are names, and `def f(a: int=1, b: int)`, as 1.3 to 1.5 write it, is no fault.

mod expressions;
mod statements;

use crate::lex::{Fault, Mark, Token};
use crate::limits::{LimitExceeded, MAX_DEPTH, MAX_TOKENS, TokenEnd, TokenizedSource};
use crate::{Module, SpannedName, TextSpan};

/// The largest text that is read, in bytes. The largest real one has less than half a megabyte.
pub(crate) const MAX_BYTES: usize = 64 << 20;

/// Why a text is not TorchScript.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct ScriptError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What was expected or found there.
    pub what: String,
}

/// Reads a text.
///
/// # Errors
/// [`ScriptError`] if it is no Python, uses a part of it that TorchScript does not have, is nested too
/// deep, or has more than [`MAX_TOKENS`] tokens. Who reads many texts measures each first.
pub fn parse<'t>(text: impl Into<TokenizedSource<'t>>) -> Result<Module, ScriptError> {
    let measured = text.into();
    let text = measured.text();
    if text.len() > MAX_BYTES {
        return Err(error(text, 0, format!("the text is larger than {MAX_BYTES} bytes")));
    }
    if let TokenEnd::Beyond(at, beyond) = measured.ended {
        let what = match beyond {
            LimitExceeded::Depth => format!("nested more than {MAX_DEPTH} deep"),
            LimitExceeded::Tokens => format!("over the budget of {MAX_TOKENS} tokens for one text"),
        };
        return Err(error(text, at, what));
    }
    let module = TokenReader::new(measured).and_then(TokenReader::module);
    module.map_err(|fault| error(text, fault.at, fault.what))
}

fn error(text: &str, at: usize, what: impl Into<String>) -> ScriptError {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    ScriptError { line, column, what: what.into() }
}

/// With less stack than this left, in bytes, more is taken; a level of brackets needs a tenth of it.
const RED_ZONE: usize = 128 << 10;
/// How much stack is taken at once, in bytes.
const STACK: usize = 2 << 20;
/// How deep a text may nest that needs no more stack than any thread has left: most real ones.
const SHALLOW: usize = 32;

type ParseResult<T> = Result<T, Fault>;

/// Reads token by token, and looks at one of them before it is taken.
struct TokenReader<'t> {
    text: &'t str,
    /// What comes behind the token.
    rest: std::vec::IntoIter<(Token, TextSpan)>,
    ended: TokenEnd,
    /// Whether the text nests no deeper than [`SHALLOW`].
    shallow: bool,
    token: Token,
    span: TextSpan,
    /// The byte after the last token that was taken; ends of lines and blocks are none.
    end: usize,
}

impl<'t> TokenReader<'t> {
    fn new(measured: TokenizedSource<'t>) -> ParseResult<Self> {
        let (text, shallow) = (measured.text(), measured.depth <= SHALLOW);
        let (rest, ended) = (measured.tokens.into_iter(), measured.ended);
        let span = TextSpan { start: 0, end: 0 };
        let mut reader = Self { text, rest, ended, shallow, token: Token::End, span, end: 0 };
        (reader.token, reader.span) = reader.next()?;
        Ok(reader)
    }

    fn next(&mut self) -> ParseResult<(Token, TextSpan)> {
        if let Some(next) = self.rest.next() {
            return Ok(next);
        }
        match std::mem::replace(&mut self.ended, TokenEnd::Whole) {
            TokenEnd::Fault(fault) => Err(fault),
            _ => Ok((Token::End, TextSpan { start: self.text.len(), end: self.text.len() })),
        }
    }

    fn module(mut self) -> ParseResult<Module> {
        let mut body = Vec::new();
        while self.token != Token::End {
            self.statement(&mut body)?;
        }
        Ok(Module { body })
    }

    /// Goes to the next token, and says where the taken one stood.
    fn take(&mut self) -> ParseResult<TextSpan> {
        let taken = self.span;
        if !matches!(self.token, Token::Newline | Token::Dedent | Token::Mark(Mark::Semicolon)) {
            self.end = taken.end;
        }
        (self.token, self.span) = self.next()?;
        Ok(taken)
    }

    #[inline]
    fn is(&self, mark: Mark) -> bool {
        self.token == Token::Mark(mark)
    }

    /// Takes this mark if it comes next.
    #[inline]
    fn skip(&mut self, mark: Mark) -> ParseResult<bool> {
        let there = self.is(mark);
        if there {
            self.take()?;
        }
        Ok(there)
    }

    fn expect(&mut self, mark: Mark) -> ParseResult<TextSpan> {
        if self.is(mark) { self.take() } else { self.unexpected(&format!("`{}`", mark.text())) }
    }

    fn name(&mut self) -> ParseResult<SpannedName> {
        if self.token != Token::Name {
            return self.unexpected("a name");
        }
        let span = self.take()?;
        Ok(SpannedName { text: self.slice(span).into(), span })
    }

    fn slice(&self, span: TextSpan) -> &'t str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// The bytes from `start` to the last token that was taken.
    fn since(&self, start: usize) -> TextSpan {
        TextSpan { start, end: self.end.max(start) }
    }

    fn unexpected<T>(&self, wanted: &str) -> ParseResult<T> {
        let found = match self.token {
            Token::Newline => "the end of the line".to_owned(),
            Token::Indent | Token::Dedent => "another indentation".to_owned(),
            Token::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.slice(self.span).escape_debug()),
        };
        Err(Fault::new(self.span.start, format!("expected {wanted}, found {found}")))
    }

    /// Reads what nests, if need be on a stack that grows: [`MAX_DEPTH`] levels of it are more than a thread may have.
    fn deep<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.shallow { read(self) } else { stacker::maybe_grow(RED_ZONE, STACK, || read(self)) }
    }

    /// Refuses what Python has and TorchScript does not, at the next token.
    fn refuse<T>(&self, what: &str) -> ParseResult<T> {
        refuse(self.span.start, what)
    }
}

fn refuse<T>(at: usize, what: &str) -> ParseResult<T> {
    Err(Fault::new(at, format!("TorchScript has no {what}")))
}
