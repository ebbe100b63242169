//! Statements: what stands in lines and blocks.

use super::{ParseResult, TokenReader, refuse};
use crate::lex::{Mark, Token};
use crate::limits::MAX_DEPTH;
use crate::{
    ClassDefinition, Expression, FunctionDefinition, FunctionParameter, Statement, TextSpan,
};

impl TokenReader<'_> {
    /// Reads a statement with its block, or all statements of a line.
    pub(super) fn statement(&mut self, body: &mut Vec<Statement>) -> ParseResult<()> {
        let start = self.span.start;
        let statement = match self.token {
            Token::Mark(Mark::Class) => Statement::Class(self.class(start)?),
            Token::Mark(Mark::Def) => Statement::Function(self.function(start)?),
            Token::Mark(Mark::If) => self.branches(start)?,
            Token::Mark(Mark::While) => {
                self.take()?;
                let (test, body) = (self.expression()?, self.block()?);
                self.no_else()?;
                Statement::While { test, body, span: self.since(start) }
            }
            Token::Mark(Mark::For) => {
                self.take()?;
                let target = self.target()?;
                can_be_assigned(&target)?;
                self.expect(Mark::In)?;
                let (items, body) = (self.expressions()?, self.block()?);
                self.no_else()?;
                Statement::For { target, items, body, span: self.since(start) }
            }
            Token::Mark(Mark::With) => {
                self.take()?;
                let items = self.entered()?;
                Statement::With { items, body: self.block()?, span: self.since(start) }
            }
            Token::Mark(Mark::Matrix) => return self.refuse("decorator"),
            Token::Indent => return self.unexpected("a statement"),
            _ => return self.line(body),
        };
        body.push(statement);
        Ok(())
    }

    /// A block: indented lines, or what stands behind the colon.
    fn block(&mut self) -> ParseResult<Vec<Statement>> {
        self.expect(Mark::Colon)?;
        let mut body = Vec::new();
        if self.token != Token::Newline {
            self.line(&mut body)?;
            return Ok(body);
        }
        self.take()?;
        if self.token != Token::Indent {
            return self.unexpected("an indented block");
        }
        self.take()?;
        while self.token != Token::Dedent {
            self.deep(|reader| reader.statement(&mut body))?;
        }
        self.take()?;
        Ok(body)
    }

    fn no_else(&self) -> ParseResult<()> {
        if self.is(Mark::Else) { self.refuse("`else` of a loop") } else { Ok(()) }
    }

    /// The statements of a line without blocks.
    fn line(&mut self, body: &mut Vec<Statement>) -> ParseResult<()> {
        loop {
            body.push(self.simple()?);
            if !self.skip(Mark::Semicolon)? || self.token == Token::Newline {
                break;
            }
        }
        if self.token != Token::Newline {
            return self.unexpected("the end of the line");
        }
        self.take()?;
        Ok(())
    }

    fn simple(&mut self) -> ParseResult<Statement> {
        let start = self.span.start;
        match self.token {
            Token::Mark(Mark::Pass) => {
                self.take()?;
                return Ok(Statement::Pass { span: self.since(start) });
            }
            Token::Mark(Mark::Return) => {
                self.take()?;
                let bare = matches!(self.token, Token::Newline | Token::Mark(Mark::Semicolon));
                let value = if bare { None } else { Some(self.expressions()?) };
                return Ok(Statement::Return { value, span: self.since(start) });
            }
            Token::Mark(Mark::Import) => return self.import(start),
            Token::Mark(
                word @ (Mark::Assert
                | Mark::Break
                | Mark::Continue
                | Mark::Del
                | Mark::Global
                | Mark::Raise),
            ) => return self.refuse(&format!("`{}` in an archive", word.text())),
            _ => {}
        }
        let target = self.expressions()?;
        let statement = match self.token {
            Token::Mark(Mark::Assign) => {
                can_be_assigned(&target)?;
                self.take()?;
                let value = self.expressions()?;
                if self.is(Mark::Assign) {
                    return refuse(start, "assignment to several targets");
                }
                Statement::Assign { target, value, span: self.since(start) }
            }
            Token::Mark(Mark::Colon) => {
                if matches!(target, Expression::Tuple { .. } | Expression::List { .. }) {
                    return refuse(start, "type of several targets");
                }
                can_be_assigned(&target)?;
                self.take()?;
                let annotation = self.expression()?;
                let value = if self.skip(Mark::Assign)? { Some(self.expressions()?) } else { None };
                Statement::Annotated { target, annotation, value, span: self.since(start) }
            }
            Token::Mark(mark) if mark.text().len() > 1 && mark.text().ends_with('=') => {
                return self.refuse(&format!("`{}` in an archive", mark.text()));
            }
            _ => Statement::Expression { value: target, span: self.since(start) },
        };
        Ok(statement)
    }

    /// Code of 1.1 to 1.3 imports its own modules, which are found without that: `import __torch__.m`.
    fn import(&mut self, start: usize) -> ParseResult<Statement> {
        self.take()?;
        loop {
            let package = self.name()?;
            if package.text != "__torch__" {
                return refuse(start, "import of what is not its own");
            }
            while self.skip(Mark::Dot)? {
                self.name()?;
            }
            if self.is(Mark::As) {
                return self.refuse("`as` of an import");
            }
            if !self.skip(Mark::Comma)? {
                return Ok(Statement::Pass { span: self.since(start) });
            }
        }
    }

    /// `if` with its `elif`s, each of which is an `if` in the `else` of the one before.
    fn branches(&mut self, start: usize) -> ParseResult<Statement> {
        let mut branches = Vec::new();
        let mut start_of_branch = start;
        let mut last = Vec::new();
        loop {
            self.take()?;
            let test = self.expression()?;
            branches.push((start_of_branch, test, self.block()?));
            if branches.len() > MAX_DEPTH {
                return refuse(start, "`if` with so many branches");
            }
            start_of_branch = self.span.start;
            if self.skip(Mark::Else)? {
                last = self.block()?;
                break;
            }
            if !self.is(Mark::Elif) {
                break;
            }
        }
        let end = self.end;
        let nested = branches.into_iter().rev().fold(last, |otherwise, (start, test, then)| {
            vec![Statement::If { test, then, otherwise, span: TextSpan { start, end } }]
        });
        // There is at least the branch of the `if` itself.
        nested.into_iter().next().map_or_else(|| refuse(start, "`if` without a branch"), Ok)
    }

    /// What a `with` enters, and the names that it gives.
    fn entered(&mut self) -> ParseResult<Vec<(Expression, Option<Expression>)>> {
        let mut items = Vec::new();
        loop {
            if self.is(Mark::Open) {
                return self.refuse("parentheses around what `with` enters");
            }
            let entered = self.expression()?;
            let name = if self.skip(Mark::As)? { Some(self.target()?) } else { None };
            name.iter().try_for_each(can_be_assigned)?;
            items.push((entered, name));
            if !self.skip(Mark::Comma)? {
                return Ok(items);
            }
        }
    }

    fn class(&mut self, start: usize) -> ParseResult<ClassDefinition> {
        self.take()?;
        let name = self.name()?;
        if self.is(Mark::OpenSquare) {
            return self.refuse("type parameter");
        }
        let mut bases = Vec::new();
        if self.skip(Mark::Open)? {
            while !self.is(Mark::Close) {
                bases.push(self.expression()?);
                if self.is(Mark::Assign) {
                    return self.refuse("keyword in a list of bases");
                }
                if !self.skip(Mark::Comma)? {
                    break;
                }
            }
            self.expect(Mark::Close)?;
        }
        Ok(ClassDefinition { name, bases, body: self.block()?, span: self.since(start) })
    }

    fn function(&mut self, start: usize) -> ParseResult<FunctionDefinition> {
        self.take()?;
        let name = self.name()?;
        if self.is(Mark::OpenSquare) {
            return self.refuse("type parameter");
        }
        self.expect(Mark::Open)?;
        let parameters = self.parameters()?;
        self.expect(Mark::Close)?;
        let returns = if self.skip(Mark::Arrow)? { Some(self.expression()?) } else { None };
        Ok(FunctionDefinition {
            name,
            parameters,
            returns,
            body: self.block()?,
            span: self.since(start),
        })
    }

    fn parameters(&mut self) -> ParseResult<Vec<FunctionParameter>> {
        let mut parameters = Vec::new();
        let mut keyword_only = false;
        while !self.is(Mark::Close) {
            if self.is(Mark::Power) || self.is(Mark::Divide) {
                return self.refuse("`/`, `*args` or `**kwargs`");
            }
            let at = self.span.start;
            if !keyword_only && self.skip(Mark::Times)? {
                keyword_only = true;
                if !self.is(Mark::Comma) {
                    return refuse(at, "`/`, `*args` or `**kwargs`");
                }
            } else {
                let name = self.name()?;
                let annotation =
                    if self.skip(Mark::Colon)? { Some(self.expression()?) } else { None };
                let default =
                    if self.skip(Mark::Assign)? { Some(self.expression()?) } else { None };
                parameters.push(FunctionParameter { name, annotation, default, keyword_only });
            }
            if !self.skip(Mark::Comma)? {
                break;
            }
        }
        Ok(parameters)
    }
}

/// Whether a value can be assigned to it.
fn can_be_assigned(target: &Expression) -> ParseResult<()> {
    match target {
        Expression::Name(_) | Expression::Attribute { .. } | Expression::Subscript { .. } => Ok(()),
        Expression::Tuple { items, .. } | Expression::List { items, .. } => {
            items.iter().try_for_each(can_be_assigned)
        }
        other => refuse(other.span().start, "assignment to such an expression"),
    }
}
