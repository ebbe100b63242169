//! The parser of the schema language.
//!
//! ```text
//! schema    = name ["." overload] "(" arguments ")" "->" returns
//! arguments = [ argument { "," argument } ]     with "*" before those by name only, "..." for any
//! argument  = type [name] ["=" default]
//! type      = base { alias | "[" [size] "]" | "?" }
//! base      = dotted name | "(" types ")" | name "(" types ")"
//! alias     = "(" sets ["!"] [ "->" sets ] ")"
//! returns   = type [name] | "(" arguments ")" | "(...)" | "..."
//! ```

use crate::{AliasInfo, FunctionSchema, SchemaArgument, SchemaType};

/// How deep a type may nest; no schema of any release nests deeper than three.
const DEPTH: usize = 16;

/// Names that take types in parentheses; behind any other name parentheses are an annotation.
const CONSTRUCTORS: [&str; 7] = ["Dict", "Future", "Await", "RRef", "Union", "Tuple", "List"];

/// Why a text is no schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an operator schema: {expected} expected at byte {at}: {text}")]
pub struct SchemaError {
    /// The part of the grammar that was expected.
    pub expected: &'static str,
    /// Offset in the text, in bytes.
    pub at: usize,
    /// The text that was parsed.
    pub text: String,
}

pub(crate) fn schema(text: &str) -> Result<FunctionSchema, SchemaError> {
    let mut parser = Parser { text, at: 0 };
    let name = parser.qualified_name()?;
    let overload = if parser.eat(".") { parser.word("an overload name")? } else { String::new() };
    parser.expect("(", "'('")?;
    let (arguments, variadic) = parser.list()?;
    parser.expect("->", "'->'")?;
    let (returns, variadic_returns) = parser.returns()?;
    parser.space();
    if parser.at < text.len() {
        return Err(parser.error("the end"));
    }
    Ok(FunctionSchema { name, overload, arguments, variadic, returns, variadic_returns })
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn error(&self, expected: &'static str) -> SchemaError {
        SchemaError { expected, at: self.at, text: self.text.to_owned() }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Takes this byte, if it comes right here.
    #[inline]
    fn skip(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// Takes this token, if it comes behind spaces.
    #[inline]
    fn eat(&mut self, token: &str) -> bool {
        self.space();
        let first = token.as_bytes().first().copied();
        // Nearly always another one comes, which its first byte shows.
        let eaten = self.peek() == first && self.rest().starts_with(token);
        self.at += if eaten { token.len() } else { 0 };
        eaten
    }

    #[inline]
    fn expect(&mut self, token: &str, expected: &'static str) -> Result<(), SchemaError> {
        if self.eat(token) { Ok(()) } else { Err(self.error(expected)) }
    }

    /// Takes bytes of ASCII as long as they are kept.
    fn take(&mut self, keep: impl Fn(u8) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.bytes().take_while(|byte| byte.is_ascii() && keep(*byte)).count();
        self.at += end;
        &rest[..end]
    }

    fn word(&mut self, expected: &'static str) -> Result<String, SchemaError> {
        self.space();
        match self.take(|c| in_name(c) || c == b'-') {
            "" => Err(self.error(expected)),
            word => Ok(word.to_owned()),
        }
    }

    /// `aten::add`, `_aten::_x`, or a method of a class without a namespace.
    fn qualified_name(&mut self) -> Result<String, SchemaError> {
        self.space();
        let start = self.at;
        self.take(|c| in_name(c) || c == b':');
        match &self.text[start..self.at] {
            "" => Err(self.error("a name")),
            name => Ok(name.to_owned()),
        }
    }

    /// Arguments up to the closing parenthesis, and whether there is a `...`.
    fn list(&mut self) -> Result<(Vec<SchemaArgument>, bool), SchemaError> {
        self.members(Self::argument)
    }

    /// What [`Parser::list`] reads, each member with `read`, which is told whether it stands behind a
    /// `*`.
    fn members(
        &mut self,
        read: impl Fn(&mut Self, bool) -> Result<SchemaArgument, SchemaError>,
    ) -> Result<(Vec<SchemaArgument>, bool), SchemaError> {
        let (mut arguments, mut variadic, mut keyword_only) = (Vec::new(), false, false);
        if self.eat(")") {
            return Ok((arguments, variadic));
        }
        loop {
            if self.eat("...") {
                variadic = true;
            } else if self.eat("*") {
                keyword_only = true;
            } else {
                arguments.push(read(self, keyword_only)?);
            }
            if self.eat(")") {
                return Ok((arguments, variadic));
            }
            self.expect(",", "',' or ')'")?;
        }
    }

    fn returns(&mut self) -> Result<(Vec<SchemaArgument>, bool), SchemaError> {
        if self.eat("...") {
            return Ok((Vec::new(), true));
        }
        let start = self.at;
        if self.eat("(") {
            let list = self.members(Self::one_return)?;
            // `(int, t)[]` is one value, a list of tuples.
            if !self.rest().starts_with(['[', '?']) {
                return Ok(list);
            }
            self.at = start;
        }
        Ok((vec![self.one_return(false)?], false))
    }

    /// What comes back has no default, and stands behind no `*`.
    fn one_return(&mut self, keyword_only: bool) -> Result<SchemaArgument, SchemaError> {
        let argument = self.argument(keyword_only)?;
        if keyword_only || argument.default.is_some() {
            return Err(self.error("a return without a default or '*'"));
        }
        Ok(argument)
    }

    fn argument(&mut self, keyword_only: bool) -> Result<SchemaArgument, SchemaError> {
        let mut alias = None;
        let ty = self.ty(&mut alias, DEPTH)?;
        self.space();
        let name = self.take(in_name).to_owned();
        let default = if self.eat("=") { Some(self.default()?) } else { None };
        Ok(SchemaArgument { name, ty, alias, default, keyword_only })
    }

    fn ty(
        &mut self,
        alias: &mut Option<AliasInfo>,
        depth: usize,
    ) -> Result<SchemaType, SchemaError> {
        let depth = depth.checked_sub(1).ok_or_else(|| self.error("a type less deep"))?;
        self.space();
        let mut ty = if self.eat("(") {
            SchemaType::Tuple(self.types(alias, depth)?)
        } else {
            let name = self.take(|c| in_name(c) || c == b'.');
            if name.is_empty() {
                return Err(self.error("a type"));
            }
            if self.peek() == Some(b'(') && CONSTRUCTORS.contains(&name) {
                self.at += 1;
                SchemaType::Applied(name.to_owned(), self.types(alias, depth)?)
            } else {
                SchemaType::Named(name.to_owned())
            }
        };
        // Suffixes stand without a space, so that `int (a)` is not read as an annotation.
        for _ in 0..DEPTH {
            if self.skip(b'(') {
                let read = self.alias()?;
                alias.get_or_insert(read);
            } else if self.skip(b'[') {
                let digits = self.take(|c| c.is_ascii_digit());
                let size = if digits.is_empty() { None } else { digits.parse().ok() };
                self.expect("]", "']'")?;
                ty = SchemaType::List(Box::new(ty), size);
            } else if self.skip(b'?') {
                ty = SchemaType::Optional(Box::new(ty));
            } else {
                return Ok(ty);
            }
        }
        Err(self.error("fewer suffixes"))
    }

    fn types(
        &mut self,
        alias: &mut Option<AliasInfo>,
        depth: usize,
    ) -> Result<Vec<SchemaType>, SchemaError> {
        let mut types = Vec::new();
        if self.eat(")") {
            return Ok(types);
        }
        loop {
            types.push(self.ty(alias, depth)?);
            // A tuple's members may be named; the names say nothing about what fits.
            self.space();
            self.take(in_name);
            if self.eat(")") {
                return Ok(types);
            }
            self.expect(",", "',' or ')'")?;
        }
    }

    fn alias(&mut self) -> Result<AliasInfo, SchemaError> {
        let sets = |c: u8| in_name(c) || matches!(c, b'|' | b'*' | b' ');
        let before = self.take(sets).trim().to_owned();
        let written = self.eat("!");
        self.take(|c| c == b' ');
        let after = self.eat("->").then(|| self.take(sets).trim().to_owned());
        self.expect(")", "')' behind an alias annotation")?;
        Ok(AliasInfo { sets: before, written, after })
    }

    /// A default as it is written: up to a comma or a parenthesis that closes more than it opened.
    fn default(&mut self) -> Result<String, SchemaError> {
        self.space();
        let start = self.at;
        let mut open = 0_usize;
        let mut quote: Option<char> = None;
        let mut escaped = false;
        for (i, c) in self.rest().char_indices() {
            if let Some(mark) = quote {
                quote = Some(mark).filter(|mark| escaped || c != *mark);
                escaped = c == '\\' && !escaped;
                continue;
            }
            match c {
                '"' | '\'' => quote = Some(c),
                '(' | '[' | '{' => open += 1,
                ',' | ')' | ']' | '}' if open == 0 => {
                    self.at = start + i;
                    let default = self.text[start..self.at].trim_end();
                    return if default.is_empty() {
                        Err(self.error("a default"))
                    } else {
                        Ok(default.to_owned())
                    };
                }
                ')' | ']' | '}' => open -= 1,
                _ => {}
            }
        }
        Err(self.error("',' or ')' behind a default"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round(text: &str) -> String {
        schema(text).unwrap().to_string()
    }

    #[test]
    fn what_is_written_in_the_schema_language_is_what_is_shown() {
        for text in [
            "aten::gelu(Tensor self, *, str approximate='none') -> Tensor",
            "aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
            "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
            "aten::keys.str(Dict(str, t) self) -> str[](*)",
            "aten::items.int(Dict(int, t) self) -> (int, t)[]",
            "aten::wait(Future(t) self) -> t",
            "aten::format(str self, ...) -> str",
            "aten::pair() -> ((int, t))",
            "prim::AutogradAdd(...) -> (...)",
            "aten::conv2d(Tensor input, int[2] stride=[1, 1], str padding=\"a,)b\") -> Tensor",
            "aten::max.dim(Tensor self, int dim) -> (Tensor values, Tensor indices)",
            "q::f(__torch__.torch.classes.quantized.LinearPackedParamsBase W, Tensor?[] x) -> ()",
        ] {
            let shown = round(text);
            assert_eq!(schema(&shown), schema(text), "{shown}");
        }
        assert_eq!(
            round("aten::t(Tensor(a) self) -> (Tensor(a))"),
            "aten::t(Tensor(a) self) -> Tensor(a)"
        );
    }

    #[test]
    fn a_default_before_an_argument_without_one_is_a_schema() {
        // The example of the RFC itself, on which PyTorch's own parser fails.
        let schema = schema("foo(Tensor self, Scaler alpha=1, Tensor b) -> Tensor").unwrap();
        assert_eq!(schema.arguments[1].default.as_deref(), Some("1"));
        assert_eq!(schema.arguments[2].default, None);
    }

    #[test]
    fn faults_name_the_place() {
        let error = schema("aten::f(Tensor self").unwrap_err();
        assert_eq!((error.expected, error.at), ("',' or ')'", 19));
        for text in [
            "",
            "aten::f",
            "aten::f(",
            "aten::f() -> ",
            "aten::f() -> Tensor x y",
            "f(int a=) -> ()",
            "f() -> (int a=[]b)",
            "f() -> (*, int a)",
        ] {
            assert!(schema(text).is_err(), "{text}");
        }
        let deep = format!("f({}Tensor{} a) -> ()", "(".repeat(99), ")".repeat(99));
        assert!(schema(&deep).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
            let _ = schema(&text);
        }

        #[test]
        fn a_changed_schema_is_read_or_refused(at in 0..90_usize, byte in " -~") {
            let mut text = "aten::split.T(Tensor(a -> *)[] self, int[2]? x=[1,2], *, str s=\"q\") -> (Tensor a, ...)".to_owned();
            let at = at % text.len();
            text.replace_range(at..=at, &byte);
            let _ = schema(&text);
        }
    }
}
