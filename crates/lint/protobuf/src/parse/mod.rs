//! From words to declarations. A declaration that cannot be read is a problem, and the next one is read.

mod enumeration;
mod field;
mod message;
mod service;

use super::model::{ProtoFile, ProtoProblem};
use super::options::{Features, Options};
use super::scope::MessageScope;
use super::token::{Token, Tokens, tokens};

/// How deeply messages may stand in each other.
const DEPTH: usize = 64;
/// How many problems of one file are kept.
const PROBLEMS: usize = 100;

/// Why a declaration could not be read.
type Fault = (usize, String);
type Read<T> = Result<T, Fault>;

impl ProtoFile {
    /// Reads a protobuf file. What is no UTF-8 stands in no word of the language, and is replaced.
    pub fn read(name: &str, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let tokens = tokens(&text);
        let mut parser = Parser::new(name, &tokens);
        parser.file();
        parser.file
    }
}

pub(super) struct Parser<'t> {
    tokens: &'t Tokens<'t>,
    at: usize,
    file: ProtoFile,
    features: Features,
}

impl<'t> Parser<'t> {
    fn new(name: &str, tokens: &'t Tokens<'t>) -> Self {
        let mut file = ProtoFile {
            name: name.to_owned(),
            syntax: "proto2".to_owned(),
            ..ProtoFile::default()
        };
        for (line, what) in tokens.problems.iter().take(PROBLEMS) {
            file.problems.push(ProtoProblem { line: *line, what: (*what).to_owned() });
        }
        Self { tokens, at: 0, file, features: Features::of_syntax("proto2") }
    }

    pub(super) fn peek(&self) -> Option<Token<'t>> {
        self.tokens.list.get(self.at).map(|(token, _)| *token)
    }

    pub(super) fn line(&self) -> usize {
        let last = self.tokens.list.last();
        self.tokens.list.get(self.at).or(last).map_or(1, |(_, line)| *line)
    }

    pub(super) fn next(&mut self) -> Option<Token<'t>> {
        let token = self.peek();
        self.at += 1;
        token
    }

    pub(super) fn fault<T>(&self, what: &str) -> Read<T> {
        let found = match self.peek() {
            Some(Token::Name(word) | Token::Number(word) | Token::Text(word)) => word.to_owned(),
            Some(Token::Mark(mark)) => mark.to_string(),
            None => "the end of the file".to_owned(),
        };
        Err((self.line(), format!("{what} is missing, before: {found}")))
    }

    pub(super) fn is(&self, mark: char) -> bool {
        self.peek() == Some(Token::Mark(mark))
    }

    pub(super) fn eat(&mut self, mark: char) -> bool {
        let there = self.is(mark);
        self.at += usize::from(there);
        there
    }

    fn want(&mut self, mark: char) -> Read<()> {
        if self.eat(mark) { Ok(()) } else { self.fault(&format!("`{mark}`")) }
    }

    fn word(&self) -> Option<&'t str> {
        match self.peek() {
            Some(Token::Name(word)) => Some(word),
            _ => None,
        }
    }

    fn name(&mut self, what: &str) -> Read<&'t str> {
        match self.peek() {
            Some(Token::Name(word)) => {
                self.at += 1;
                Ok(word)
            }
            _ => self.fault(what),
        }
    }

    /// A name of a type, which may begin with a dot.
    fn type_name(&mut self) -> Read<String> {
        let dot = if self.eat('.') { "." } else { "" };
        let word = self.name("a type")?;
        Ok(format!("{dot}{word}"))
    }

    fn number(&mut self) -> Read<i64> {
        let negative = self.eat('-');
        let Some(Token::Number(text)) = self.peek() else { return self.fault("a number") };
        let lower = text.to_ascii_lowercase();
        let value = match lower.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None if lower.len() > 1 && lower.starts_with('0') => i64::from_str_radix(&lower, 8),
            None => lower.parse(),
        };
        match value {
            Ok(value) => {
                self.at += 1;
                Ok(if negative { -value } else { value })
            }
            Err(_) => self.fault("a whole number"),
        }
    }

    fn problem(&mut self, (line, what): Fault) {
        if self.file.problems.len() < PROBLEMS {
            self.file.problems.push(ProtoProblem { line, what });
        }
    }

    /// Goes past a declaration that could not be read: past its `;`, or past the block that it opens.
    fn skip(&mut self, start: usize) {
        self.at = start;
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            match token {
                Token::Mark('{') => depth += 1,
                Token::Mark('}') if depth == 0 => return,
                Token::Mark('}') => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return;
                    }
                }
                Token::Mark(';') if depth == 0 => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// What a comment before the word `from`, or behind the brace that opens its block, says of its scope.
    fn scope(&self, from: usize, brace: usize) -> Option<MessageScope> {
        let brace_line = self.tokens.list.get(brace).map(|(_, line)| *line);
        let said = self.tokens.directives.iter().filter(|directive| {
            directive.before == from
                || (directive.before == brace + 1 && Some(directive.line) == brace_line)
        });
        said.filter_map(|directive| MessageScope::named(directive.text)).next()
    }

    fn file(&mut self) {
        while let Some(token) = self.peek() {
            let start = self.at;
            let read = match token {
                Token::Name("syntax" | "edition") => self.syntax(),
                Token::Name("package") => self.package(),
                Token::Name("import") => {
                    self.skip(start);
                    Ok(())
                }
                Token::Name("option") => self.option(),
                Token::Mark(';') => {
                    self.at += 1;
                    Ok(())
                }
                Token::Mark('}') => {
                    let fault = (self.line(), "a `}` that closes nothing".to_owned());
                    self.at += 1;
                    Err(fault)
                }
                _ => {
                    let scope = self.file.package.clone();
                    self.declaration(&scope, 0)
                }
            };
            if let Err(fault) = read {
                self.problem(fault);
                // What was read so far of a block is read already: go on where it stopped.
                if self.at <= start {
                    self.skip(start);
                }
            }
        }
        self.head();
    }

    /// What comments at the head of the file say of the whole of it.
    fn head(&mut self) {
        let declares = |word: &str| matches!(word, "message" | "enum" | "service" | "extend");
        let first = self
            .tokens
            .list
            .iter()
            .position(|(token, _)| matches!(token, Token::Name(word) if declares(word)));
        let first = first.unwrap_or(self.tokens.list.len());
        for directive in &self.tokens.directives {
            if let Some(number) = directive.text.strip_prefix("version") {
                self.file.version = number.trim().parse().ok().map(|n| (n, directive.line));
            } else if directive.before < first {
                self.file.scope = self.file.scope.or(MessageScope::named(directive.text));
            }
        }
    }

    fn syntax(&mut self) -> Read<()> {
        self.at += 1;
        self.want('=')?;
        let Some(Token::Text(text)) = self.next() else {
            return self.fault("the name of a syntax");
        };
        text.trim_matches(['"', '\'']).clone_into(&mut self.file.syntax);
        self.features = Features::of_syntax(&self.file.syntax);
        self.want(';')
    }

    fn package(&mut self) -> Read<()> {
        self.at += 1;
        self.name("the name of a package")?.clone_into(&mut self.file.package);
        self.want(';')
    }

    /// An option of the file: what changes the meaning of fields is kept.
    fn option(&mut self) -> Read<()> {
        let start = self.at;
        self.at += 1;
        let options = Options::one(self)?;
        self.features = self.features.with(&options);
        if !self.eat(';') {
            self.skip(start);
        }
        Ok(())
    }

    /// A message, an enumeration, a service or an extension.
    fn declaration(&mut self, scope: &str, depth: usize) -> Read<()> {
        let start = self.at;
        if matches!(self.word(), Some("export" | "local")) {
            self.at += 1;
        }
        match self.word() {
            Some("message") => self.message(scope, start, depth),
            Some("enum") => self.enumeration(scope),
            Some("service") => self.service(scope),
            Some("extend") => self.extend(scope, depth),
            _ => self.fault("a declaration"),
        }
    }
}

pub(super) fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}
