//! Expressions, by the precedence of their operators.

use super::{ParseResult, TokenReader, refuse};
use crate::lex::{Fault, Mark, Token};
use crate::quoted;
use crate::{CallArgument, CallExpression, Expression, LiteralConstant, TextSpan};

/// How tight an operator between two operands binds; none for a mark that is no such operator.
const fn precedence(mark: Mark) -> Option<u8> {
    Some(match mark {
        Mark::Or => 1,
        Mark::And => 2,
        Mark::In | Mark::Not | Mark::Is => COMPARISON,
        Mark::Less | Mark::Greater | Mark::LessEqual | Mark::GreaterEqual => COMPARISON,
        Mark::Equal | Mark::Unequal => COMPARISON,
        Mark::BitOr => BITWISE,
        Mark::BitXor => 6,
        Mark::BitAnd => 7,
        Mark::ShiftLeft | Mark::ShiftRight => 8,
        Mark::Add | Mark::Subtract => 9,
        Mark::Times | Mark::Divide | Mark::FloorDivide | Mark::Modulo | Mark::Matrix => 10,
        Mark::Power => POWER,
        _ => return None,
    })
}

const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const BITWISE: u8 = 5;
const SIGN: u8 = 11;
const POWER: u8 = 12;

impl TokenReader<'_> {
    /// One expression, or several with commas between them, which are a tuple.
    pub(super) fn expressions(&mut self) -> ParseResult<Expression> {
        self.tuple(Self::expression, Self::begins_expression)
    }

    /// What `for` and `with` assign to: no comparison, whose `in` would belong to it.
    pub(super) fn target(&mut self) -> ParseResult<Expression> {
        self.tuple(|reader| reader.operand(BITWISE), Self::begins_expression)
    }

    fn tuple(
        &mut self,
        one: impl Fn(&mut Self) -> ParseResult<Expression>,
        begins: impl Fn(&Self) -> bool,
    ) -> ParseResult<Expression> {
        let start = self.span.start;
        let first = one(self)?;
        if !self.is(Mark::Comma) {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.skip(Mark::Comma)? && begins(self) {
            items.push(one(self)?);
        }
        Ok(Expression::Tuple { items, span: self.since(start) })
    }

    fn begins_expression(&self) -> bool {
        match self.token {
            Token::Mark(mark) => matches!(
                mark,
                Mark::Open
                    | Mark::OpenSquare
                    | Mark::OpenBrace
                    | Mark::Subtract
                    | Mark::Add
                    | Mark::Invert
                    | Mark::Not
                    | Mark::None
                    | Mark::True
                    | Mark::False
                    | Mark::Ellipsis
                    | Mark::Times
            ),
            token => {
                matches!(
                    token,
                    Token::Name | Token::Int | Token::Float | Token::Imaginary | Token::Text
                )
            }
        }
    }

    pub(super) fn expression(&mut self) -> ParseResult<Expression> {
        self.deep(Self::choice)
    }

    fn choice(&mut self) -> ParseResult<Expression> {
        let start = self.span.start;
        let then = self.operand(1)?;
        if self.is(Mark::Walrus) {
            return self.refuse("`:=`");
        }
        if !self.skip(Mark::If)? {
            return Ok(then);
        }
        let test = Box::new(self.operand(1)?);
        self.expect(Mark::Else)?;
        let otherwise = Box::new(self.expression()?);
        Ok(Expression::Choice { test, then: Box::new(then), otherwise, span: self.since(start) })
    }

    /// Operands and the operators between them that bind at least as tight as `least`.
    fn operand(&mut self, least: u8) -> ParseResult<Expression> {
        let start = self.span.start;
        let mut left = self.first_operand(least)?;
        let mut compared = false;
        while let Some((mark, precedence)) = self.operator().filter(|(_, own)| *own >= least) {
            if precedence == COMPARISON && std::mem::replace(&mut compared, true) {
                return refuse(start, "chain of comparisons");
            }
            self.take()?;
            let operator = match mark {
                Mark::Not => {
                    self.expect(Mark::In)?;
                    "not in"
                }
                Mark::Is if self.skip(Mark::Not)? => "is not",
                mark => mark.text(),
            };
            // `a ** b ** c` is `a ** (b ** c)`, and `a ** -b` has a sign on its right.
            let right = self.operand(if precedence == POWER { SIGN } else { precedence + 1 })?;
            let (left_operand, right) = (Box::new(left), Box::new(right));
            let span = self.since(start);
            left = Expression::Binary { operator, left: left_operand, right, span };
        }
        Ok(left)
    }

    /// The operator that comes next, and how tight it binds.
    fn operator(&self) -> Option<(Mark, u8)> {
        let Token::Mark(mark) = self.token else { return None };
        Some((mark, precedence(mark)?))
    }

    fn first_operand(&mut self, least: u8) -> ParseResult<Expression> {
        let start = self.span.start;
        let (operator, precedence) = match self.token {
            Token::Mark(Mark::Not) if least <= NOT => (Mark::Not.text(), NOT),
            Token::Mark(mark @ (Mark::Subtract | Mark::Add | Mark::Invert)) => (mark.text(), SIGN),
            _ => return self.primary(),
        };
        self.take()?;
        let operand = Box::new(self.operand(precedence)?);
        Ok(Expression::Unary { operator, operand, span: self.since(start) })
    }

    /// A name, a literal or brackets, with the attributes, calls and subscripts behind it.
    fn primary(&mut self) -> ParseResult<Expression> {
        let start = self.span.start;
        let mut value = self.atom()?;
        loop {
            value = match self.token {
                Token::Mark(Mark::Dot) => {
                    self.take()?;
                    let name = self.name()?;
                    let span = self.since(start);
                    Expression::Attribute { of: Box::new(value), name, span }
                }
                Token::Mark(Mark::Open) => {
                    self.take()?;
                    let arguments = self.arguments()?;
                    self.expect(Mark::Close)?;
                    let call =
                        CallExpression { function: value, arguments, span: self.since(start) };
                    Expression::Call(Box::new(call))
                }
                Token::Mark(Mark::OpenSquare) => {
                    self.take()?;
                    let more = |reader: &Self| !reader.is(Mark::CloseSquare);
                    let index = Box::new(self.tuple(Self::index, more)?);
                    self.expect(Mark::CloseSquare)?;
                    let span = self.since(start);
                    Expression::Subscript { of: Box::new(value), index, span }
                }
                _ => return Ok(value),
            };
        }
    }

    /// An index, or a slice: `a:b:c`.
    fn index(&mut self) -> ParseResult<Expression> {
        let start = self.span.start;
        let mut parts = [None, None, None];
        if !self.is(Mark::Colon) {
            let index = self.expression()?;
            if !self.is(Mark::Colon) {
                return Ok(index);
            }
            parts[0] = Some(index);
        }
        for part in &mut parts[1..] {
            if self.skip(Mark::Colon)? && self.begins_expression() {
                *part = Some(self.expression()?);
            }
        }
        Ok(Expression::Slice { parts: Box::new(parts), span: self.since(start) })
    }

    fn arguments(&mut self) -> ParseResult<Vec<CallArgument>> {
        let mut arguments: Vec<CallArgument> = Vec::new();
        while !self.is(Mark::Close) {
            if self.is(Mark::Power) {
                return self.refuse("`**` in a call");
            }
            let at = self.span.start;
            let value = self.expression()?;
            self.no_comprehension()?;
            let argument = match value {
                Expression::Name(name) if self.skip(Mark::Assign)? => {
                    CallArgument { keyword: Some(name), value: self.expression()? }
                }
                value => CallArgument { keyword: None, value },
            };
            let after_keyword = arguments.last().is_some_and(|last| last.keyword.is_some());
            if after_keyword && argument.keyword.is_none() {
                return Err(Fault::new(at, "an argument by position stands behind one by keyword"));
            }
            arguments.push(argument);
            if !self.skip(Mark::Comma)? {
                break;
            }
        }
        Ok(arguments)
    }

    fn no_comprehension(&self) -> ParseResult<()> {
        if self.is(Mark::For) { self.refuse("comprehension in an archive") } else { Ok(()) }
    }

    fn atom(&mut self) -> ParseResult<Expression> {
        let value = match self.token {
            Token::Name => return Ok(Expression::Name(self.name()?)),
            Token::Int => LiteralConstant::Int(self.slice(self.span).to_owned()),
            Token::Float => LiteralConstant::Float(self.slice(self.span).to_owned()),
            Token::Imaginary => LiteralConstant::Imaginary(self.slice(self.span).to_owned()),
            Token::Mark(Mark::True) => LiteralConstant::Bool(true),
            Token::Mark(Mark::False) => LiteralConstant::Bool(false),
            Token::Mark(Mark::None) => LiteralConstant::None,
            Token::Mark(Mark::Ellipsis) => LiteralConstant::Ellipsis,
            Token::Text => return self.texts(),
            Token::Mark(Mark::Open) => return self.parentheses(),
            Token::Mark(Mark::OpenSquare) => return self.list(),
            Token::Mark(Mark::OpenBrace) => return self.dict(),
            Token::Mark(Mark::Times) => return self.refuse("`*` before a value"),
            _ => return self.unexpected("an expression"),
        };
        let span = self.take()?;
        Ok(Expression::Constant { value, span })
    }

    /// Texts that stand behind each other are one.
    fn texts(&mut self) -> ParseResult<Expression> {
        let start = self.span.start;
        let mut text = String::new();
        while self.token == Token::Text {
            let span = self.take()?;
            text.push_str(&quoted::value(self.slice(span), span.start)?);
        }
        Ok(Expression::Constant { value: LiteralConstant::Text(text), span: self.since(start) })
    }

    /// What stands in parentheses, or a tuple: `(a, b)`, `(a,)`, `()`.
    fn parentheses(&mut self) -> ParseResult<Expression> {
        let TextSpan { start, .. } = self.take()?;
        if self.skip(Mark::Close)? {
            return Ok(Expression::Tuple { items: Vec::new(), span: self.since(start) });
        }
        let first = self.expression()?;
        self.no_comprehension()?;
        if self.skip(Mark::Close)? {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.skip(Mark::Comma)? && !self.is(Mark::Close) {
            items.push(self.expression()?);
        }
        self.expect(Mark::Close)?;
        Ok(Expression::Tuple { items, span: self.since(start) })
    }

    fn list(&mut self) -> ParseResult<Expression> {
        let TextSpan { start, .. } = self.take()?;
        let mut items = Vec::new();
        while !self.is(Mark::CloseSquare) {
            items.push(self.expression()?);
            self.no_comprehension()?;
            if !self.skip(Mark::Comma)? {
                break;
            }
        }
        self.expect(Mark::CloseSquare)?;
        Ok(Expression::List { items, span: self.since(start) })
    }

    fn dict(&mut self) -> ParseResult<Expression> {
        let TextSpan { start, .. } = self.take()?;
        let mut items = Vec::new();
        while !self.is(Mark::CloseBrace) {
            if self.is(Mark::Power) {
                return self.refuse("`**` in a dict");
            }
            let key = self.expression()?;
            if self.is(Mark::Comma) || self.is(Mark::CloseBrace) {
                return refuse(start, "set");
            }
            self.expect(Mark::Colon)?;
            let value = self.expression()?;
            self.no_comprehension()?;
            items.push((key, value));
            if !self.skip(Mark::Comma)? {
                break;
            }
        }
        self.expect(Mark::CloseBrace)?;
        Ok(Expression::Dict { items, span: self.since(start) })
    }
}
