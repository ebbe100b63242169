//! Messages, extensions, and what is reserved in them.

use super::{DEPTH, Parser, Read, join};
use crate::model::{Presence, ProtoMessage, Range};
use crate::token::Token;

impl Parser<'_> {
    pub(super) fn message(&mut self, scope: &str, start: usize, depth: usize) -> Read<()> {
        let line = self.line();
        self.at += 1;
        let name = join(scope, self.name("the name of a message")?);
        if depth > DEPTH {
            return Err((
                line,
                format!("messages stand in each other more than {DEPTH} deep: {name}"),
            ));
        }
        let brace = self.at;
        self.want('{')?;
        let scope = self.scope(start, brace);
        let message = ProtoMessage { name, line, scope, ..ProtoMessage::default() };
        self.body(message, depth)
    }

    /// The inside of a message, to its closing brace.
    pub(super) fn body(&mut self, mut message: ProtoMessage, depth: usize) -> Read<()> {
        let mut oneof: Option<String> = None;
        loop {
            let start = self.at;
            let read = match self.peek() {
                None => {
                    let what = format!("the closing brace of message `{}`", message.name);
                    self.file.messages.push(message);
                    return self.fault(&what);
                }
                Some(Token::Mark('}')) => {
                    self.at += 1;
                    if oneof.take().is_none() {
                        self.file.messages.push(message);
                        return Ok(());
                    }
                    Ok(())
                }
                Some(Token::Mark(';')) => {
                    self.at += 1;
                    Ok(())
                }
                Some(Token::Name("oneof")) if self.opens_block() && oneof.is_none() => {
                    self.at += 1;
                    self.name("the name of a oneof").map(|name| {
                        oneof = Some(name.to_owned());
                        self.at += 1;
                    })
                }
                Some(Token::Name("message" | "enum" | "extend" | "export" | "local"))
                    if self.declares() =>
                {
                    let scope = message.name.clone();
                    self.declaration(&scope, depth + 1)
                }
                Some(Token::Name("option")) if !self.is_field_named() => {
                    self.skip(start);
                    Ok(())
                }
                Some(Token::Name("reserved")) if !self.is_field_named() => {
                    self.reserved(&mut message.reserved, &mut message.reserved_names)
                }
                Some(Token::Name("extensions")) if !self.is_field_named() => {
                    self.at += 1;
                    let read = self.ranges(&mut message.extension_ranges);
                    self.skip(self.at);
                    read
                }
                _ => self.field(&message.name, depth).map(|mut field| {
                    if oneof.is_some() {
                        field.presence = Presence::Explicit;
                    }
                    field.oneof.clone_from(&oneof);
                    message.fields.push(field);
                }),
            };
            if let Err(fault) = read {
                self.problem(fault);
                message.damaged = true;
                if self.at <= start || !matches!(self.peek(), Some(Token::Mark('}')) | None) {
                    self.skip(start);
                }
            }
        }
    }

    /// Whether a name and a brace follow the word here.
    fn opens_block(&self) -> bool {
        matches!(self.tokens.list.get(self.at + 2), Some((Token::Mark('{'), _)))
    }

    /// Whether the word here begins a declaration, and is not the type of a field.
    fn declares(&self) -> bool {
        let mark = |at: usize| self.tokens.list.get(self.at + at).map(|(token, _)| *token);
        mark(2) == Some(Token::Mark('{'))
            || mark(3) == Some(Token::Mark('{'))
            || mark(1) == Some(Token::Mark('.'))
    }

    /// Whether the word here is the type of a field: a name and `=` follow.
    fn is_field_named(&self) -> bool {
        let name = matches!(self.tokens.list.get(self.at + 1), Some((Token::Name(_), _)));
        name && matches!(self.tokens.list.get(self.at + 2), Some((Token::Mark('='), _)))
            && !matches!(self.word(), Some("option"))
    }

    pub(super) fn extend(&mut self, scope: &str, depth: usize) -> Read<()> {
        self.at += 1;
        let extended = self.type_name()?;
        self.want('{')?;
        loop {
            let start = self.at;
            match self.peek() {
                None => return self.fault("the closing brace of an extension"),
                Some(Token::Mark('}')) => {
                    self.at += 1;
                    return Ok(());
                }
                Some(Token::Mark(';')) => self.at += 1,
                _ => match self.field(scope, depth) {
                    Ok(mut field) => {
                        field.name = format!("({})", join(scope, &field.name));
                        self.file.extensions.push((extended.clone(), scope.to_owned(), field));
                    }
                    Err(fault) => {
                        self.problem(fault);
                        self.skip(start);
                    }
                },
            }
        }
    }

    /// `reserved 2, 9 to 11, "name";`
    pub(super) fn reserved(
        &mut self,
        numbers: &mut Vec<Range>,
        names: &mut Vec<String>,
    ) -> Read<()> {
        self.at += 1;
        match self.peek() {
            Some(Token::Number(_) | Token::Mark('-')) => self.ranges(numbers)?,
            _ => loop {
                match self.next() {
                    Some(Token::Text(text)) => {
                        names.push(text.trim_matches(['"', '\'']).to_owned())
                    }
                    Some(Token::Name(name)) => names.push(name.to_owned()),
                    _ => return self.fault("a name"),
                }
                if !self.eat(',') {
                    break;
                }
            },
        }
        self.want(';')
    }

    pub(super) fn ranges(&mut self, ranges: &mut Vec<Range>) -> Read<()> {
        loop {
            let line = self.line();
            let first = self.number()?;
            let mut last = first;
            if self.word() == Some("to") {
                self.at += 1;
                if self.word() == Some("max") {
                    self.at += 1;
                    last = i64::from(i32::MAX);
                } else {
                    last = self.number()?;
                }
            }
            ranges.push(Range { first, last, line });
            if !self.eat(',') {
                return Ok(());
            }
        }
    }
}
