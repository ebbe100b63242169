//! From words to declarations. A declaration that cannot be read is a problem, and the next one is read.

use super::model::{
    Enum, Field, File, Label, Message, Method, Problem, Range, Scalar, Service, Type, Value,
};
use super::options::{Features, Options};
use super::scope::Scope;
use super::token::{Token, Tokens, tokens};

/// How deeply messages may stand in each other.
const DEPTH: usize = 64;
/// How many problems of one file are kept.
const PROBLEMS: usize = 100;

/// Why a declaration could not be read.
type Fault = (usize, String);
type Read<T> = Result<T, Fault>;

impl File {
    /// Reads a protobuf file. What is no UTF-8 stands in no word of the language, and is replaced.
    pub fn read(name: &str, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let tokens = tokens(&text);
        let mut parser = Parser::of(name, &tokens);
        parser.file();
        parser.file
    }
}

/// The head of a field: everything but what its options say.
struct Head<'t> {
    label: Option<&'t str>,
    ty: Type,
    name: String,
    line: usize,
}

pub(super) struct Parser<'t> {
    tokens: &'t Tokens<'t>,
    at: usize,
    file: File,
    features: Features,
}

impl<'t> Parser<'t> {
    fn of(name: &str, tokens: &'t Tokens<'t>) -> Self {
        let mut file =
            File { name: name.to_owned(), syntax: "proto2".to_owned(), ..File::default() };
        for (line, what) in tokens.problems.iter().take(PROBLEMS) {
            file.problems.push(Problem { line: *line, what: (*what).to_owned() });
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
            self.file.problems.push(Problem { line, what });
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
    fn scope(&self, from: usize, brace: usize) -> Option<Scope> {
        let brace_line = self.tokens.list.get(brace).map(|(_, line)| *line);
        let said = self.tokens.directives.iter().filter(|directive| {
            directive.before == from
                || (directive.before == brace + 1 && Some(directive.line) == brace_line)
        });
        said.filter_map(|directive| Scope::named(directive.text)).next()
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
                self.file.scope = self.file.scope.or(Scope::named(directive.text));
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

    fn message(&mut self, scope: &str, start: usize, depth: usize) -> Read<()> {
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
        let message = Message { name, line, scope, ..Message::default() };
        self.body(message, depth)
    }

    /// The inside of a message, to its closing brace.
    fn body(&mut self, mut message: Message, depth: usize) -> Read<()> {
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
                        field.presence = super::Presence::Explicit;
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

    fn field(&mut self, scope: &str, depth: usize) -> Read<Field> {
        let line = self.line();
        let labels = ["optional", "required", "repeated"];
        let followed = matches!(
            self.tokens.list.get(self.at + 1),
            Some((Token::Name(_) | Token::Mark('.'), _))
        );
        let label = self.word().filter(|word| labels.contains(word) && followed);
        self.at += usize::from(label.is_some());
        if self.word() == Some("group")
            && self.tokens.list.get(self.at + 2).map(|t| t.0) == Some(Token::Mark('='))
        {
            return self.group(scope, label, line, depth);
        }
        let ty = match self.word() {
            Some("map")
                if self.tokens.list.get(self.at + 1).map(|t| t.0) == Some(Token::Mark('<')) =>
            {
                self.map()?
            }
            _ => {
                let name = self.type_name()?;
                Scalar::named(&name).map_or(Type::Named(name), Type::Scalar)
            }
        };
        let name = self.name("the name of a field")?.to_owned();
        let head = Head { label, ty, name, line };
        self.tail(head)
    }

    /// `= 3 [packed = true];`
    fn tail(&mut self, head: Head<'_>) -> Read<Field> {
        self.want('=')?;
        let number = self.number()?;
        let options = Options::list(self)?;
        self.want(';')?;
        Ok(self.made(head, number, &options))
    }

    fn made(&self, head: Head<'_>, number: i64, options: &Options) -> Field {
        let features = self.features.with(options);
        let Head { label, ty, name, line } = head;
        let repeated = label == Some("repeated") || matches!(ty, Type::Map(..));
        let packable = match &ty {
            Type::Scalar(scalar) => scalar.is_number(),
            Type::Named(_) => true,
            _ => false,
        };
        let ty = match ty {
            Type::Named(name) if features.delimited => Type::Group(name),
            ty => ty,
        };
        Field {
            name,
            number,
            line,
            ty,
            label: if repeated { Label::Repeated } else { Label::Singular },
            presence: features.presence(label),
            packed: repeated && packable && options.packed.unwrap_or(features.packed),
            oneof: None,
            default: options.default.clone(),
            json_name: options.json_name.clone(),
        }
    }

    fn map(&mut self) -> Read<Type> {
        self.at += 1;
        self.want('<')?;
        let key = self.name("the type of a key")?;
        let Some(key) = Scalar::named(key) else { return self.fault("the type of a key") };
        self.want(',')?;
        let value = self.type_name()?;
        self.want('>')?;
        let value = Scalar::named(&value).map_or(Type::Named(value), Type::Scalar);
        Ok(Type::Map(key, Box::new(value)))
    }

    /// A message and a field in one.
    fn group(
        &mut self,
        scope: &str,
        label: Option<&str>,
        line: usize,
        depth: usize,
    ) -> Read<Field> {
        self.at += 1;
        let name = self.name("the name of a group")?.to_owned();
        self.want('=')?;
        let number = self.number()?;
        let options = Options::list(self)?;
        self.want('{')?;
        if depth > DEPTH {
            return Err((
                line,
                format!("groups stand in each other more than {DEPTH} deep: {name}"),
            ));
        }
        let full = join(scope, &name);
        let message = Message { name: full.clone(), line, ..Message::default() };
        self.body(message, depth + 1)?;
        let head = Head {
            label,
            ty: Type::Group(format!(".{full}")),
            name: name.to_ascii_lowercase(),
            line,
        };
        Ok(self.made(head, number, &options))
    }

    /// `reserved 2, 9 to 11, "name";`
    fn reserved(&mut self, numbers: &mut Vec<Range>, names: &mut Vec<String>) -> Read<()> {
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

    fn ranges(&mut self, ranges: &mut Vec<Range>) -> Read<()> {
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

    fn enumeration(&mut self, scope: &str) -> Read<()> {
        let line = self.line();
        self.at += 1;
        let name = join(scope, self.name("the name of an enumeration")?);
        self.want('{')?;
        let mut made = Enum { name, line, closed: self.features.closed, ..Enum::default() };
        loop {
            let start = self.at;
            let read = match self.peek() {
                None => {
                    let what = format!("the closing brace of enum `{}`", made.name);
                    self.file.enums.push(made);
                    return self.fault(&what);
                }
                Some(Token::Mark('}')) => {
                    self.at += 1;
                    self.file.enums.push(made);
                    return Ok(());
                }
                Some(Token::Mark(';')) => {
                    self.at += 1;
                    Ok(())
                }
                Some(Token::Name("option")) => {
                    self.at += 1;
                    let read = Options::one(self);
                    self.skip(start);
                    read.map(|options| made.closed = self.features.with(&options).closed)
                }
                Some(Token::Name("reserved")) => {
                    self.reserved(&mut made.reserved, &mut made.reserved_names)
                }
                _ => self.value().map(|value| made.values.push(value)),
            };
            if let Err(fault) = read {
                self.problem(fault);
                self.skip(start);
            }
        }
    }

    fn value(&mut self) -> Read<Value> {
        let line = self.line();
        let name = self.name("the name of a value")?.to_owned();
        self.want('=')?;
        let number = self.number()?;
        Options::list(self)?;
        self.want(';')?;
        Ok(Value { name, number, line })
    }

    fn service(&mut self, scope: &str) -> Read<()> {
        let line = self.line();
        self.at += 1;
        let name = join(scope, self.name("the name of a service")?);
        self.want('{')?;
        let mut service = Service { name, line, methods: Vec::new() };
        loop {
            let start = self.at;
            match self.peek() {
                None => {
                    let what = format!("the closing brace of service `{}`", service.name);
                    self.file.services.push(service);
                    return self.fault(&what);
                }
                Some(Token::Mark('}')) => {
                    self.at += 1;
                    self.file.services.push(service);
                    return Ok(());
                }
                Some(Token::Name("rpc")) => match self.method() {
                    Ok(method) => service.methods.push(method),
                    Err(fault) => {
                        self.problem(fault);
                        self.skip(start);
                    }
                },
                _ => self.skip(start),
            }
        }
    }

    /// `rpc Name(stream In) returns (Out) { ... }`
    fn method(&mut self) -> Read<Method> {
        let line = self.line();
        self.at += 1;
        let name = self.name("the name of a method")?.to_owned();
        let (input, takes) = self.argument()?;
        if self.name("`returns`")? != "returns" {
            return self.fault("`returns`");
        }
        let (output, gives) = self.argument()?;
        self.skip(self.at);
        Ok(Method { name, line, input, output, streams: [takes, gives] })
    }

    fn argument(&mut self) -> Read<(String, bool)> {
        self.want('(')?;
        let named = matches!(
            self.tokens.list.get(self.at + 1),
            Some((Token::Name(_) | Token::Mark('.'), _))
        );
        let stream = self.word() == Some("stream") && named;
        self.at += usize::from(stream);
        let name = self.type_name()?;
        self.want(')')?;
        Ok((name, stream))
    }

    fn extend(&mut self, scope: &str, depth: usize) -> Read<()> {
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
}

/// A name inside a scope.
pub(super) fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}
