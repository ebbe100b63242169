//! Tokens as the parser wants to see them: with macros expanded where it asks for that.

use std::collections::VecDeque;
use std::sync::Arc;

use super::macros::{Macros, cost, substituted};
use super::model::{HeaderPlace, HeaderProblem, Macro};
use super::preprocess::PreprocessedHeader;
use super::token::{Token, TokenKind};

/// How many expansions a token may come out of.
const NESTED: u8 = 16;

/// Tokens, from the front on.
pub struct Stream<'a> {
    /// What came out of a macro or was put back; it stands before the others.
    pending: VecDeque<Token<'a>>,
    tokens: Vec<Token<'a>>,
    /// How many of them were taken.
    taken: usize,
    conditions: &'a [Arc<[String]>],
    macros: &'a Macros,
    /// How many more bytes of tokens macros may make.
    budget: usize,
    /// Where the last token that was taken stands.
    pub last: HeaderPlace,
    pub problems: Vec<HeaderProblem>,
}

impl<'a> Stream<'a> {
    pub fn new(mut tokens: Vec<Token<'a>>, prepared: &'a PreprocessedHeader) -> Self {
        for token in &mut tokens {
            token.named = token.kind == TokenKind::Word && prepared.macros.has(&token.text);
        }
        let bytes: usize = tokens.iter().map(cost).sum();
        let budget = bytes.saturating_mul(8).saturating_add(1 << 16);
        Self {
            pending: VecDeque::new(),
            tokens,
            taken: 0,
            conditions: &prepared.conditions,
            macros: &prepared.macros,
            budget,
            last: HeaderPlace { line: 1, column: 1 },
            problems: Vec::new(),
        }
    }

    /// The token `ahead` of the next one, without expansion.
    pub fn peek_at(&self, ahead: usize) -> Option<&Token<'a>> {
        match ahead.checked_sub(self.pending.len()) {
            None => self.pending.get(ahead),
            Some(behind) => self.tokens.get(self.taken.checked_add(behind)?),
        }
    }

    pub fn peek(&self) -> Option<&Token<'a>> {
        self.peek_at(0)
    }

    /// The text of a token ahead; empty behind the last one.
    pub fn text_at(&self, ahead: usize) -> &str {
        self.peek_at(ahead).map_or("", |token| &*token.text)
    }

    pub fn is(&self, text: &str) -> bool {
        self.text_at(0) == text
    }

    /// Whether a word stands there.
    pub fn is_word_at(&self, ahead: usize) -> bool {
        self.peek_at(ahead).is_some_and(|token| token.kind == TokenKind::Word)
    }

    /// Whether the name of a macro stands there.
    pub fn is_macro_at(&self, ahead: usize) -> bool {
        self.definition_at(ahead).is_some()
    }

    /// Whether a macro with arguments stands there.
    pub fn is_call_at(&self, ahead: usize) -> bool {
        let called = self.definition_at(ahead).is_some_and(|m| m.parameters.is_some());
        called && self.text_at(ahead + 1) == "("
    }

    /// Whether the macro that stands there says something about a declaration, and stands for no type.
    pub fn is_remark_at(&self, ahead: usize) -> bool {
        self.definition_at(ahead).is_some_and(|found| {
            let body = found.body.as_str();
            let begins = ["__attribute", "__declspec", "[[", "_Pragma", "__asm", "_Alignas"];
            body.is_empty() || begins.iter().any(|begin| body.starts_with(begin))
        })
    }

    pub fn next(&mut self) -> Option<Token<'a>> {
        let token = match self.pending.pop_front() {
            Some(token) => token,
            None => {
                let token = self.tokens.get_mut(self.taken)?;
                self.taken += 1;
                Token { text: std::mem::take(&mut token.text), ..*token }
            }
        };
        self.last = token.place;
        Some(token)
    }

    /// Steps over the next token.
    pub fn skip(&mut self) {
        if self.pending.is_empty() {
            let Some(token) = self.tokens.get(self.taken) else { return };
            self.taken += 1;
            self.last = token.place;
        } else {
            self.next();
        }
    }

    /// Puts tokens back in front.
    pub fn put_back(&mut self, tokens: Vec<Token<'a>>) {
        for token in tokens.into_iter().rev() {
            self.pending.push_front(token);
        }
    }

    /// Takes the next token if it is this one.
    pub fn eat(&mut self, text: &str) -> bool {
        let is = self.is(text);
        if is {
            self.skip();
        }
        is
    }

    /// Where the next token stands.
    pub fn place(&self) -> HeaderPlace {
        let last = self.last;
        self.peek().map_or(last, |token| token.place)
    }

    /// The conditions of the next token.
    pub fn conditions(&self) -> Arc<[String]> {
        let set = self.peek().map_or(0, |token| token.conditions);
        self.conditions.get(set).cloned().unwrap_or_default()
    }

    pub fn problem(&mut self, place: HeaderPlace, what: impl Into<String>) {
        self.problems.push(HeaderProblem::at(place, what));
    }

    /// The macro that a token ahead is the name of.
    fn definition_at(&self, ahead: usize) -> Option<&'a Macro> {
        let token = self.peek_at(ahead)?;
        if !token.named || token.kind != TokenKind::Word || token.expanded >= NESTED {
            return None;
        }
        self.macros.at(&token.text, token.place)
    }

    /// Replaces macros in front by what they stand for: those with arguments only if `calls`.
    pub fn expand(&mut self, calls: bool) {
        while let Some(defined) = self.definition_at(0) {
            let called = defined.parameters.is_some();
            if called && (!calls || self.text_at(1) != "(") {
                return;
            }
            let Some(name) = self.next() else { return };
            let arguments = if called { self.arguments() } else { Vec::new() };
            let Some(body) = substituted(defined, &arguments, &mut self.budget) else {
                self.problem(name.place, format!("too much to expand: {}", defined.name));
                return;
            };
            for mut token in body.into_iter().rev() {
                token.place = name.place;
                token.conditions = name.conditions;
                token.expanded = name.expanded + 1;
                token.pack = name.pack;
                self.pending.push_front(token);
            }
        }
    }

    /// The arguments of a macro or what else stands in parentheses, from the opening one on.
    pub fn arguments(&mut self) -> Vec<Vec<Token<'a>>> {
        let place = self.place();
        let mut arguments = vec![Vec::new()];
        if !self.eat("(") {
            return arguments;
        }
        let mut depth = 0_usize;
        while let Some(token) = self.next() {
            match &*token.text {
                "(" | "[" | "{" => depth += 1,
                ")" if depth == 0 => return arguments,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            match arguments.last_mut() {
                _ if depth == 0 && token.text == "," => arguments.push(Vec::new()),
                Some(last) => last.push(token),
                None => {}
            }
        }
        self.problem(place, "parentheses without end");
        arguments
    }
}

/// Tokens as text, with a space where words would run together.
pub fn joined(tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    for token in tokens {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        if text.ends_with(word) && token.text.starts_with(word) {
            text.push(' ');
        }
        text.push_str(&token.text);
    }
    text
}
