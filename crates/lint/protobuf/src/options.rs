//! Options of files, fields and enumerations: those that change what stands on the wire.

use crate::Presence;
use crate::parse::Parser;
use crate::token::Token;

/// What a list of options says, as far as it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) packed: Option<bool>,
    pub(crate) default: Option<String>,
    pub(crate) json_name: Option<String>,
    pub(crate) deprecated: bool,
    /// `features.field_presence = IMPLICIT`, by the name of the feature.
    features: Vec<(String, String)>,
}

/// What the syntax or the edition of a file makes of a field that says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Features {
    presence: Presence,
    /// Whether `optional` makes the difference between implicit and explicit.
    pub(crate) packed: bool,
    pub(crate) closed: bool,
    pub(crate) delimited: bool,
    /// Whether a text that is no UTF-8 is refused.
    pub(crate) verified: bool,
}

impl Features {
    pub(crate) fn of_syntax(syntax: &str) -> Self {
        let (presence, modern) = match syntax {
            "proto2" => (Presence::Explicit, false),
            "proto3" => (Presence::Implicit, true),
            _ => (Presence::Explicit, true),
        };
        Self { presence, packed: modern, closed: !modern, delimited: false, verified: modern }
    }

    pub(crate) fn with(self, options: &Options) -> Self {
        let mut features = self;
        for (name, value) in &options.features {
            match (name.as_str(), value.as_str()) {
                ("field_presence", "IMPLICIT") => features.presence = Presence::Implicit,
                ("field_presence", "EXPLICIT") => features.presence = Presence::Explicit,
                ("field_presence", "LEGACY_REQUIRED") => features.presence = Presence::Required,
                ("enum_type", value) => features.closed = value == "CLOSED",
                ("repeated_field_encoding", value) => features.packed = value == "PACKED",
                ("utf8_validation", value) => features.verified = value == "VERIFY",
                ("message_encoding", value) => features.delimited = value == "DELIMITED",
                _ => {}
            }
        }
        features
    }

    pub(crate) fn presence(self, label: Option<&str>) -> Presence {
        match label {
            Some("required") => Presence::Required,
            Some("optional") => Presence::Explicit,
            _ => self.presence,
        }
    }
}

type Read<T> = Result<T, (usize, String)>;

impl Options {
    /// `[packed = true, json_name = "x"]`, or nothing.
    pub(crate) fn list(parser: &mut Parser<'_>) -> Read<Self> {
        let mut options = Self::default();
        if !parser.eat('[') {
            return Ok(options);
        }
        while !parser.eat(']') {
            if parser.peek().is_none() || parser.is(';') || parser.is('}') {
                return parser.fault("`]`");
            }
            options.add(parser)?;
            parser.eat(',');
        }
        Ok(options)
    }

    /// Reads one option, `name = value`.
    pub(crate) fn one(parser: &mut Parser<'_>) -> Read<Self> {
        let mut options = Self::default();
        options.add(parser)?;
        Ok(options)
    }

    /// Adds what is said of a feature.
    pub(crate) fn feature(&mut self, name: &str, value: &str) {
        self.features.push((name.to_owned(), value.to_owned()));
    }

    fn add(&mut self, parser: &mut Parser<'_>) -> Read<()> {
        let mut name = String::new();
        while !parser.is('=') {
            match parser.next() {
                Some(Token::Name(word)) => name.push_str(word),
                Some(Token::Mark(mark @ ('(' | ')' | '.'))) => name.push(mark),
                _ => return parser.fault("`=` of an option"),
            }
        }
        parser.eat('=');
        let value = value(parser);
        match name.as_str() {
            "packed" => self.packed = Some(value == "true"),
            "deprecated" => self.deprecated = value == "true",
            "default" => self.default = Some(value),
            "json_name" => self.json_name = Some(value.trim_matches(['"', '\'']).to_owned()),
            "features" => {
                // `features = { field_presence: IMPLICIT }`
                let words: Vec<&str> = value
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .filter(|word| !word.is_empty())
                    .collect();
                let pairs = words.chunks_exact(2);
                self.features.extend(pairs.map(|pair| (pair[0].to_owned(), pair[1].to_owned())));
            }
            name => {
                if let Some(feature) = name.strip_prefix("features.") {
                    self.features.push((feature.to_owned(), value));
                }
            }
        }
        Ok(())
    }
}

/// The value of an option as it is written: one word, or everything between braces.
fn value(parser: &mut Parser<'_>) -> String {
    let mut text = String::new();
    let mut depth = 0_usize;
    while let Some(token) = parser.peek() {
        match token {
            Token::Mark('{') => depth += 1,
            Token::Mark('}') if depth <= 1 => {
                if depth == 1 {
                    parser.next();
                }
                return text;
            }
            Token::Mark('}') => depth -= 1,
            Token::Mark(',' | ']' | ';') if depth == 0 => return text,
            _ => {}
        }
        match token {
            Token::Name(word) | Token::Number(word) | Token::Text(word) => {
                if depth > 0 {
                    text.push(' ');
                }
                text.push_str(word);
            }
            Token::Mark(mark) => text.push(mark),
        }
        parser.next();
    }
    text
}
