//! An op on one line.
//!
//! ```text
//! TopKV2(input: T, k: Tk) -> (values: T, indices: index_type) {sorted: bool = true,
//!   T: type in [float, int32], index_type: type in [int16, int32] = int32} stateful
//! Stack(...) -> (...) {...} deprecated(16, "Use StackV2.")
//! ```
//!
//! An argument is a type (`float` or the name of an attribute), `N * T` for as many as the attribute
//! `N` says, `[Tlist]` for one of each type in an attribute; `&` in front makes it a reference. What
//! stands in braces are the attributes with their kind, the values allowed, the minimum, the default.

use std::fmt;
use std::str::FromStr;

use crate::op_def::{ArgDef, ArgKind, AttrDef, Deprecation, ElementType, Trait};
use crate::{AttrKind, AttrScalarType, AttrValue, DataType, OpDef, PartialTensorShape};

/// Why a line is no op.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an op, {expected} expected at byte {at}: {line}")]
pub struct OpTextError {
    /// The part of the grammar that was expected.
    pub expected: &'static str,
    /// Offset in the line, in bytes.
    pub at: usize,
    /// The line that was parsed.
    pub line: String,
}

impl fmt::Display for OpDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args = |args: &[ArgDef]| args.iter().map(arg).collect::<Vec<_>>().join(", ");
        write!(f, "{}({}) -> ({})", self.name, args(&self.inputs), args(&self.outputs))?;
        if !self.attrs.is_empty() {
            let attrs: Vec<String> = self.attrs.iter().map(attr).collect();
            write!(f, " {{{}}}", attrs.join(", "))?;
        }
        for (known, word) in Trait::ALL {
            if self.traits.contains(&known) {
                write!(f, " {word}")?;
            }
        }
        if let Some(Deprecation { version, explanation }) = &self.deprecation {
            let explanation = explanation.as_bytes().escape_ascii();
            write!(f, " deprecated({version}, \"{explanation}\")")?;
        }
        Ok(())
    }
}

fn arg(arg: &ArgDef) -> String {
    let element = |element: &ElementType| match element {
        ElementType::Fixed(dtype) => dtype.to_string(),
        ElementType::Attr(attr) => attr.clone(),
    };
    let reference = if arg.reference { "&" } else { "" };
    let kind = match &arg.kind {
        ArgKind::One(kind) => element(kind),
        ArgKind::Many(number, kind) => format!("{number} * {}", element(kind)),
        ArgKind::Each(types) => format!("[{types}]"),
    };
    format!("{}: {reference}{kind}", arg.name)
}

fn attr(attr: &AttrDef) -> String {
    let mut text = format!("{}: {}", attr.name, attr.kind);
    if let Some(allowed) = &attr.allowed {
        text += &format!(" in {}", AttrValue::List(allowed.clone()));
    }
    if let Some(minimum) = attr.minimum {
        text += &format!(" >= {minimum}");
    }
    if let Some(default) = &attr.default {
        text += &format!(" = {default}");
    }
    text
}

impl FromStr for OpDef {
    type Err = OpTextError;

    fn from_str(line: &str) -> Result<Self, OpTextError> {
        Line { line, at: 0 }.op()
    }
}

struct Line<'l> {
    line: &'l str,
    at: usize,
}

impl<'l> Line<'l> {
    fn op(&mut self) -> Result<OpDef, OpTextError> {
        let mut op = OpDef { name: self.word("a name")?.to_owned(), ..OpDef::default() };
        op.inputs = self.args()?;
        self.expect("->", "\"->\"")?;
        op.outputs = self.args()?;
        if self.eat("{") {
            op.attrs = self.list("}", Self::attr)?;
        }
        while !self.rest().is_empty() {
            if self.eat("deprecated(") {
                let version = self.integer()?;
                self.expect(",", "\",\"")?;
                let explanation = String::from_utf8(self.string()?);
                let explanation = explanation.map_err(|_| self.error("text"))?;
                self.expect(")", "\")\"")?;
                op.deprecation = Some(Deprecation { version, explanation });
                continue;
            }
            let word = self.word("a property")?;
            let known = Trait::ALL.iter().find(|(_, name)| *name == word);
            op.traits.insert(known.ok_or_else(|| self.error("a property"))?.0);
        }
        Ok(op)
    }

    fn args(&mut self) -> Result<Vec<ArgDef>, OpTextError> {
        self.expect("(", "\"(\"")?;
        self.list(")", Self::arg)
    }

    fn arg(&mut self) -> Result<ArgDef, OpTextError> {
        let name = self.word("the name of an argument")?.to_owned();
        self.expect(":", "\":\"")?;
        let reference = self.eat("&");
        let kind = if self.eat("[") {
            let types = self.word("the name of an attribute")?.to_owned();
            self.expect("]", "\"]\"")?;
            ArgKind::Each(types)
        } else {
            let first = self.word("a type")?;
            if self.eat("*") {
                ArgKind::Many(first.to_owned(), element(self.word("a type")?))
            } else {
                ArgKind::One(element(first))
            }
        };
        Ok(ArgDef { name, kind, reference })
    }

    fn attr(&mut self) -> Result<AttrDef, OpTextError> {
        let name = self.word("the name of an attribute")?.to_owned();
        self.expect(":", "\":\"")?;
        let word = self.word("a kind")?;
        let text = if word == "list" && self.eat("(") {
            let inner = self.word("a kind")?;
            self.expect(")", "\")\"")?;
            format!("list({inner})")
        } else {
            word.to_owned()
        };
        let kind = AttrKind::from_text(&text).ok_or_else(|| self.error("a kind"))?;
        let mut attr = AttrDef { name, kind, default: None, allowed: None, minimum: None };
        if self.eat("in [") {
            attr.allowed = Some(self.list("]", |line| line.single(kind.single))?);
        }
        if self.eat(">=") {
            attr.minimum = Some(self.integer()?);
        }
        if self.eat("=") {
            attr.default = Some(self.value(kind)?);
        }
        Ok(attr)
    }

    fn value(&mut self, kind: AttrKind) -> Result<AttrValue, OpTextError> {
        if kind.list {
            self.expect("[", "a list")?;
            return self.list("]", |line| line.single(kind.single)).map(AttrValue::List);
        }
        self.single(kind.single)
    }

    fn single(&mut self, kind: AttrScalarType) -> Result<AttrValue, OpTextError> {
        Ok(match kind {
            AttrScalarType::String => AttrValue::String(self.string()?.into()),
            AttrScalarType::Int => AttrValue::Int(self.integer()?),
            AttrScalarType::Float => {
                let word = self.token();
                AttrValue::Float(word.parse().map_err(|_| self.error("a number"))?)
            }
            AttrScalarType::Bool => AttrValue::Bool(self.token() == "true"),
            AttrScalarType::Type => AttrValue::Type(self.dtype()?),
            AttrScalarType::Shape => AttrValue::Shape(self.shape()?),
            AttrScalarType::Tensor => {
                self.expect("tensor(", "a tensor")?;
                let (dtype, shape) = (self.dtype()?, self.shape()?);
                self.expect(")", "\")\"")?;
                let (zero, small, filled) = (false, None, false);
                AttrValue::Tensor { dtype, shape, zero, small, filled }
            }
            AttrScalarType::Func => {
                self.expect("@", "a function")?;
                AttrValue::Func(self.token().into())
            }
            AttrScalarType::Placeholder => {
                self.expect("$", "a placeholder")?;
                AttrValue::Placeholder(self.token().into())
            }
        })
    }

    fn dtype(&mut self) -> Result<DataType, OpTextError> {
        self.token().parse().map_err(|_| self.error("an element type"))
    }

    fn shape(&mut self) -> Result<PartialTensorShape, OpTextError> {
        if self.eat("?") {
            return Ok(PartialTensorShape(None));
        }
        self.expect("[", "a shape")?;
        let dim = |line: &mut Self| if line.eat("?") { Ok(-1) } else { line.integer() };
        self.list("]", dim).map(|dims| PartialTensorShape(Some(dims)))
    }

    fn integer(&mut self) -> Result<i64, OpTextError> {
        self.token().parse().map_err(|_| self.error("an integer"))
    }

    /// Bytes in quotes, escaped as Rust escapes them.
    fn string(&mut self) -> Result<Vec<u8>, OpTextError> {
        self.expect("\"", "a text in quotes")?;
        let mut bytes = Vec::new();
        let mut rest = self.line.as_bytes().get(self.at..).unwrap_or(&[]).iter();
        loop {
            let byte = match rest.next().ok_or_else(|| self.error("the end of a text"))? {
                b'"' => break,
                b'\\' => match rest.next() {
                    Some(b'n') => b'\n',
                    Some(b't') => b'\t',
                    Some(b'r') => b'\r',
                    Some(b'x') => {
                        let digits: Vec<u8> = rest.by_ref().take(2).copied().collect();
                        let digits = std::str::from_utf8(&digits).unwrap_or("");
                        u8::from_str_radix(digits, 16).map_err(|_| self.error("two digits"))?
                    }
                    Some(other) => *other,
                    None => return Err(self.error("the end of a text")),
                },
                other => *other,
            };
            bytes.push(byte);
        }
        self.at = self.line.len() - rest.len();
        Ok(bytes)
    }

    /// Items with commas between, up to `end`, of which the opening has been read.
    fn list<T>(
        &mut self,
        end: &'static str,
        item: impl Fn(&mut Self) -> Result<T, OpTextError>,
    ) -> Result<Vec<T>, OpTextError> {
        let mut items = Vec::new();
        if self.eat(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(end) {
                return Ok(items);
            }
            self.expect(",", "\",\" or the end of a list")?;
        }
    }

    fn rest(&mut self) -> &'l str {
        let rest = self.line.get(self.at..).unwrap_or("");
        self.at += rest.len() - rest.trim_start().len();
        rest.trim_start()
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn expect(&mut self, text: &str, name: &'static str) -> Result<(), OpTextError> {
        if self.eat(text) { Ok(()) } else { Err(self.error(name)) }
    }

    /// Everything up to a character that separates.
    fn token(&mut self) -> &'l str {
        let rest = self.rest();
        let end = rest.find([' ', ',', ':', '(', ')', '[', ']', '{', '}', '"']);
        let token = &rest[..end.unwrap_or(rest.len())];
        self.at += token.len();
        token
    }

    fn word(&mut self, name: &'static str) -> Result<&'l str, OpTextError> {
        let word = self.token();
        if word.is_empty() { Err(self.error(name)) } else { Ok(word) }
    }

    fn error(&self, expected: &'static str) -> OpTextError {
        OpTextError { expected, at: self.at, line: self.line.to_owned() }
    }
}

/// A type by its name if it is one, else the name of an attribute.
fn element(word: &str) -> ElementType {
    word.parse().map_or_else(|_| ElementType::Attr(word.to_owned()), ElementType::Fixed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_part_of_an_op_reads_back() {
        for line in [
            "NoOp() -> ()",
            "Pack(values: N * T) -> (output: T) {N: int >= 1, T: type, axis: int = 0}",
            "Assert(condition: bool, data: [T]) -> () {T: list(type) >= 1, summarize: int = 3} stateful",
            "Assign(ref: &T, value: T) -> (output_ref: &T) {T: type} uninitialized",
            "Placeholder() -> (output: dtype) {dtype: type, shape: shape = ?}",
            "P(k: float&) -> () {s: list(shape) = [[2,?], ?, []], f: float = -1e-5, g: func = @}",
            "T() -> () {v: tensor = tensor(float [2]), n: string = \"a\\\"b\\n\\x00\", e: list(int) = []}",
            "Stack() -> () {t: type in [float, int32] = float} deprecated(16, \"Use it, (or) not.\")",
        ] {
            let op: OpDef = line.parse().unwrap();
            assert_eq!(op.to_string(), line);
        }
    }

    #[test]
    fn a_torn_line_says_what_is_missing_and_where() {
        let error = "Cast(x: SrcT) -> (y".parse::<OpDef>().unwrap_err();
        assert_eq!((error.expected, error.at), ("\":\"", 19));
    }

    proptest! {
        #[test]
        fn any_text_is_an_op_or_an_error(text in "[A-Za-z0-9(){}\\[\\]:,*&=>\" -]{0,80}") {
            let _ = text.parse::<OpDef>();
        }

        #[test]
        fn a_changed_line_is_read_or_refused(at in 0..90usize, with in any::<char>()) {
            let line = "Cast(x: SrcT) -> (y: DstT) {SrcT: type, d: string = \"\\x41\", Truncate: bool = false} stateful";
            let mut chars: Vec<char> = line.chars().collect();
            let at = at % chars.len();
            chars[at] = with;
            if let Ok(op) = chars.into_iter().collect::<String>().parse::<OpDef>() {
                let again: OpDef = op.to_string().parse().unwrap();
                prop_assert_eq!(again.to_string(), op.to_string());
            }
        }
    }
}
