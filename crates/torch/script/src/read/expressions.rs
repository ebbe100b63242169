//! Expressions, by the precedence of their operators.

use super::{Read, Reader, deep, refuse};
use crate::lex::{Fault, Token};
use crate::quoted;
use crate::{Argument, Call, Constant, Expression, Span};

/// How tight each operator between two operands binds.
const PRECEDENCE: [(&str, u8); 24] = [
    ("or", 1),
    ("and", 2),
    ("in", COMPARISON),
    ("not", COMPARISON),
    ("is", COMPARISON),
    ("<", COMPARISON),
    (">", COMPARISON),
    ("==", COMPARISON),
    ("!=", COMPARISON),
    ("<=", COMPARISON),
    (">=", COMPARISON),
    ("|", BITWISE),
    ("^", 6),
    ("&", 7),
    ("<<", 8),
    (">>", 8),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("//", 10),
    ("%", 10),
    ("@", 10),
    ("**", POWER),
];
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const BITWISE: u8 = 5;
const SIGN: u8 = 11;
const POWER: u8 = 12;

impl Reader<'_> {
    /// One expression, or several with commas between them, which are a tuple.
    pub(super) fn expressions(&mut self) -> Read<Expression> {
        self.tuple(Self::expression, Self::begins_expression)
    }

    /// What `for` and `with` assign to: no comparison, whose `in` would belong to it.
    pub(super) fn target(&mut self) -> Read<Expression> {
        self.tuple(|reader| reader.operand(BITWISE), Self::begins_expression)
    }

    fn tuple(
        &mut self,
        one: impl Fn(&mut Self) -> Read<Expression>,
        begins: impl Fn(&Self) -> bool,
    ) -> Read<Expression> {
        let start = self.span.start;
        let first = one(self)?;
        if !self.is(",") {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.skip(",")? && begins(self) {
            items.push(one(self)?);
        }
        Ok(Expression::Tuple { items, span: self.since(start) })
    }

    fn begins_expression(&self) -> bool {
        match self.token {
            Token::Mark(mark) => matches!(
                mark,
                "(" | "[" | "{" | "-" | "+" | "~" | "not" | "None" | "True" | "False" | "..." | "*"
            ),
            token => {
                matches!(
                    token,
                    Token::Name | Token::Int | Token::Float | Token::Imaginary | Token::Text
                )
            }
        }
    }

    pub(super) fn expression(&mut self) -> Read<Expression> {
        deep(|| self.choice())
    }

    fn choice(&mut self) -> Read<Expression> {
        let start = self.span.start;
        let then = self.operand(1)?;
        if self.is(":=") {
            return self.refuse("`:=`");
        }
        if !self.skip("if")? {
            return Ok(then);
        }
        let test = Box::new(self.operand(1)?);
        self.expect("else")?;
        let otherwise = Box::new(self.expression()?);
        Ok(Expression::Choice { test, then: Box::new(then), otherwise, span: self.since(start) })
    }

    /// Operands and the operators between them that bind at least as tight as `least`.
    fn operand(&mut self, least: u8) -> Read<Expression> {
        let start = self.span.start;
        let mut left = self.first_operand(least)?;
        let mut compared = false;
        while let Some((mut operator, precedence)) =
            self.operator().filter(|(_, own)| *own >= least)
        {
            if precedence == COMPARISON && std::mem::replace(&mut compared, true) {
                return refuse(start, "chain of comparisons");
            }
            self.take()?;
            if operator == "not" {
                self.expect("in")?;
                operator = "not in";
            } else if operator == "is" && self.skip("not")? {
                operator = "is not";
            }
            // `a ** b ** c` is `a ** (b ** c)`, and `a ** -b` has a sign on its right.
            let right = self.operand(if precedence == POWER { SIGN } else { precedence + 1 })?;
            let (left_operand, right) = (Box::new(left), Box::new(right));
            let span = self.since(start);
            left = Expression::Binary { operator, left: left_operand, right, span };
        }
        Ok(left)
    }

    /// The operator that comes next, and how tight it binds.
    fn operator(&self) -> Option<(&'static str, u8)> {
        let Token::Mark(mark) = self.token else { return None };
        PRECEDENCE.iter().find(|(operator, _)| *operator == mark).copied()
    }

    fn first_operand(&mut self, least: u8) -> Read<Expression> {
        let start = self.span.start;
        let (operator, precedence) = match self.token {
            Token::Mark("not") if least <= NOT => ("not", NOT),
            Token::Mark(mark @ ("-" | "+" | "~")) => (mark, SIGN),
            _ => return self.primary(),
        };
        self.take()?;
        let operand = Box::new(self.operand(precedence)?);
        Ok(Expression::Unary { operator, operand, span: self.since(start) })
    }

    /// A name, a literal or brackets, with the attributes, calls and subscripts behind it.
    fn primary(&mut self) -> Read<Expression> {
        let start = self.span.start;
        let mut value = self.atom()?;
        loop {
            if self.skip(".")? {
                let name = self.name()?;
                let span = self.since(start);
                value = Expression::Attribute { of: Box::new(value), name, span };
            } else if self.skip("(")? {
                let arguments = self.arguments()?;
                self.expect(")")?;
                let call = Call { function: value, arguments, span: self.since(start) };
                value = Expression::Call(Box::new(call));
            } else if self.skip("[")? {
                let index = Box::new(self.tuple(Self::index, |reader| !reader.is("]"))?);
                self.expect("]")?;
                let span = self.since(start);
                value = Expression::Subscript { of: Box::new(value), index, span };
            } else {
                return Ok(value);
            }
        }
    }

    /// An index, or a slice: `a:b:c`.
    fn index(&mut self) -> Read<Expression> {
        let start = self.span.start;
        let mut parts = [None, None, None];
        if !self.is(":") {
            let index = self.expression()?;
            if !self.is(":") {
                return Ok(index);
            }
            parts[0] = Some(index);
        }
        for part in &mut parts[1..] {
            if self.skip(":")? && self.begins_expression() {
                *part = Some(self.expression()?);
            }
        }
        Ok(Expression::Slice { parts: Box::new(parts), span: self.since(start) })
    }

    fn arguments(&mut self) -> Read<Vec<Argument>> {
        let mut arguments: Vec<Argument> = Vec::new();
        while !self.is(")") {
            if self.is("**") {
                return self.refuse("`**` in a call");
            }
            let at = self.span.start;
            let value = self.expression()?;
            self.no_comprehension()?;
            let argument = match value {
                Expression::Name(name) if self.skip("=")? => {
                    Argument { keyword: Some(name), value: self.expression()? }
                }
                value => Argument { keyword: None, value },
            };
            let after_keyword = arguments.last().is_some_and(|last| last.keyword.is_some());
            if after_keyword && argument.keyword.is_none() {
                return Err(Fault::new(at, "an argument by position stands behind one by keyword"));
            }
            arguments.push(argument);
            if !self.skip(",")? {
                break;
            }
        }
        Ok(arguments)
    }

    fn no_comprehension(&self) -> Read<()> {
        if self.is("for") { self.refuse("comprehension in an archive") } else { Ok(()) }
    }

    fn atom(&mut self) -> Read<Expression> {
        let value = match self.token {
            Token::Name => return Ok(Expression::Name(self.name()?)),
            Token::Int => Constant::Int(self.slice(self.span).to_owned()),
            Token::Float => Constant::Float(self.slice(self.span).to_owned()),
            Token::Imaginary => Constant::Imaginary(self.slice(self.span).to_owned()),
            Token::Mark("True") => Constant::Bool(true),
            Token::Mark("False") => Constant::Bool(false),
            Token::Mark("None") => Constant::None,
            Token::Mark("...") => Constant::Ellipsis,
            Token::Text => return self.texts(),
            Token::Mark("(") => return self.parentheses(),
            Token::Mark("[") => return self.list(),
            Token::Mark("{") => return self.dict(),
            Token::Mark("*") => return self.refuse("`*` before a value"),
            _ => return self.unexpected("an expression"),
        };
        let span = self.take()?;
        Ok(Expression::Constant { value, span })
    }

    /// Texts that stand behind each other are one.
    fn texts(&mut self) -> Read<Expression> {
        let start = self.span.start;
        let mut text = String::new();
        while self.token == Token::Text {
            let span = self.take()?;
            text.push_str(&quoted::value(self.slice(span), span.start)?);
        }
        Ok(Expression::Constant { value: Constant::Text(text), span: self.since(start) })
    }

    /// What stands in parentheses, or a tuple: `(a, b)`, `(a,)`, `()`.
    fn parentheses(&mut self) -> Read<Expression> {
        let Span { start, .. } = self.take()?;
        if self.skip(")")? {
            return Ok(Expression::Tuple { items: Vec::new(), span: self.since(start) });
        }
        let first = self.expression()?;
        self.no_comprehension()?;
        if self.skip(")")? {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.skip(",")? && !self.is(")") {
            items.push(self.expression()?);
        }
        self.expect(")")?;
        Ok(Expression::Tuple { items, span: self.since(start) })
    }

    fn list(&mut self) -> Read<Expression> {
        let Span { start, .. } = self.take()?;
        let mut items = Vec::new();
        while !self.is("]") {
            items.push(self.expression()?);
            self.no_comprehension()?;
            if !self.skip(",")? {
                break;
            }
        }
        self.expect("]")?;
        Ok(Expression::List { items, span: self.since(start) })
    }

    fn dict(&mut self) -> Read<Expression> {
        let Span { start, .. } = self.take()?;
        let mut items = Vec::new();
        while !self.is("}") {
            if self.is("**") {
                return self.refuse("`**` in a dict");
            }
            let key = self.expression()?;
            if self.is(",") || self.is("}") {
                return refuse(start, "set");
            }
            self.expect(":")?;
            let value = self.expression()?;
            self.no_comprehension()?;
            items.push((key, value));
            if !self.skip(",")? {
                break;
            }
        }
        self.expect("}")?;
        Ok(Expression::Dict { items, span: self.since(start) })
    }
}
