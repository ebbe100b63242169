//! From the text to the syntax tree. The one module that knows the parser behind it.

use ruff_python_ast as py;
use ruff_python_parser::{Mode, ParseError, ParseErrorType, ParseOptions, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};

use crate::limits::{Beyond, MAX_DEPTH, MAX_TOKENS, scan};
use crate::words;
use crate::{
    Argument, Call, Class, Constant, Expression, Function, Module, Name, Parameter, Span, Statement,
};

/// The largest text that is read, in bytes. The largest real one has less than half a megabyte.
pub(crate) const MAX_BYTES: usize = 64 << 20;

/// Why a text is not TorchScript.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct ScriptError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What was expected or found there.
    pub what: String,
}

/// Reads a text.
///
/// # Errors
/// [`ScriptError`] if it is no Python, uses a part of it that TorchScript does not have, is nested too
/// deep, or has more than [`MAX_TOKENS`] tokens. Who reads many texts asks [`tokens`](crate::tokens) first.
pub fn parse(text: &str) -> Result<Module, ScriptError> {
    if text.len() > MAX_BYTES {
        return Err(error(text, 0, format!("the text is larger than {MAX_BYTES} bytes")));
    }
    if let Err((at, beyond)) = scan(text, MAX_TOKENS) {
        let what = match beyond {
            Beyond::Depth => format!("nested more than {MAX_DEPTH} deep"),
            Beyond::Tokens => format!("over the budget of {MAX_TOKENS} tokens for one text"),
        };
        return Err(error(text, at, what));
    }
    // Seldom, so the words are looked for only where something is wrong.
    module(text, text).or_else(|error| {
        let masked = words::masked(text);
        masked.and_then(|masked| module(text, &masked).ok()).ok_or(error)
    })
}

/// The module of a text, by what the parser makes of `masked`: the text, or one in which other words stand for names.
fn module(text: &str, masked: &str) -> Result<Module, ScriptError> {
    let syntax = syntax(masked)
        .map_err(|fault| error(text, fault.location.start().into(), fault.error.to_string()))?;
    let reader = Reader { text };
    Ok(Module { body: reader.statements(&syntax.body)? })
}

/// What the parser of Python makes of a text. What PyTorch writes and reads, and Python alone refuses, is no fault.
fn syntax(text: &str) -> Result<py::ModModule, ParseError> {
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    let fault = parsed.errors().iter().find(|fault| !is_torchscript(&fault.error));
    if let Some(fault) = fault {
        return Err(fault.clone());
    }
    match parsed.into_syntax() {
        py::Mod::Module(module) => Ok(module),
        py::Mod::Expression(inner) => Err(ParseError {
            error: ParseErrorType::OtherError("an expression, not a module".to_owned()),
            location: inner.range,
        }),
    }
}

/// Whether Python refuses something that TorchScript has: `def f(a: int=1, b: int)`, as 1.3 to 1.5 write functions of
/// which only some defaults have a form.
fn is_torchscript(fault: &ParseErrorType) -> bool {
    matches!(fault, ParseErrorType::NonDefaultParamAfterDefaultParam)
}

fn error(text: &str, at: usize, what: impl Into<String>) -> ScriptError {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    ScriptError { line, column, what: what.into() }
}

struct Reader<'t> {
    text: &'t str,
}

fn span(range: TextRange) -> Span {
    Span { start: range.start().into(), end: range.end().into() }
}

impl Reader<'_> {
    fn refuse<T>(&self, place: &impl Ranged, what: &str) -> Result<T, ScriptError> {
        let what = format!("TorchScript has no {what}");
        Err(error(self.text, place.start().into(), what))
    }

    fn slice(&self, range: TextRange) -> String {
        let Span { start, end } = span(range);
        self.text.get(start..end).unwrap_or("").to_owned()
    }

    /// A name as it stands in the text, which the parser may have been given with another.
    fn name(&self, range: TextRange) -> Name {
        Name { text: self.slice(range), span: span(range) }
    }

    fn statements(&self, body: &[py::Stmt]) -> Result<Vec<Statement>, ScriptError> {
        body.iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement(&self, statement: &py::Stmt) -> Result<Statement, ScriptError> {
        let span = span(statement.range());
        Ok(match statement {
            py::Stmt::ClassDef(class) => Statement::Class(self.class(class)?),
            py::Stmt::FunctionDef(function) => Statement::Function(self.function(function)?),
            py::Stmt::Assign(assign) => {
                let [target] = assign.targets.as_slice() else {
                    return self.refuse(statement, "assignment to several targets");
                };
                let target = self.expression(target)?;
                Statement::Assign { target, value: self.expression(&assign.value)?, span }
            }
            py::Stmt::AnnAssign(assign) => Statement::Annotated {
                target: self.expression(&assign.target)?,
                annotation: self.expression(&assign.annotation)?,
                value: self.maybe(assign.value.as_deref())?,
                span,
            },
            py::Stmt::Expr(inner) => {
                Statement::Expression { value: self.expression(&inner.value)?, span }
            }
            py::Stmt::Return(inner) => {
                Statement::Return { value: self.maybe(inner.value.as_deref())?, span }
            }
            py::Stmt::If(inner) => self.branches(inner)?,
            py::Stmt::While(inner) if inner.orelse.is_empty() => Statement::While {
                test: self.expression(&inner.test)?,
                body: self.statements(&inner.body)?,
                span,
            },
            py::Stmt::For(inner) if inner.orelse.is_empty() && !inner.is_async => Statement::For {
                target: self.expression(&inner.target)?,
                items: self.expression(&inner.iter)?,
                body: self.statements(&inner.body)?,
                span,
            },
            py::Stmt::With(inner) if !inner.is_async => {
                let item = |item: &py::WithItem| {
                    let entered = self.expression(&item.context_expr)?;
                    Ok((entered, self.maybe(item.optional_vars.as_deref())?))
                };
                let items = inner.items.iter().map(item).collect::<Result<_, ScriptError>>()?;
                Statement::With { items, body: self.statements(&inner.body)?, span }
            }
            py::Stmt::Pass(_) => Statement::Pass { span },
            // Code of 1.1 to 1.3 imports its own modules, which are found without that.
            py::Stmt::Import(inner) if inner.names.iter().all(is_own) => Statement::Pass { span },
            other => return self.refuse(other, &kind(other.into())),
        })
    }

    /// `if` with its `elif`s, each of which is an `if` in the `else` of the one before.
    fn branches(&self, inner: &py::StmtIf) -> Result<Statement, ScriptError> {
        if inner.elif_else_clauses.len() > MAX_DEPTH {
            return self.refuse(inner, "`if` with so many branches");
        }
        let end: usize = inner.range.end().into();
        let mut otherwise = Vec::new();
        for clause in inner.elif_else_clauses.iter().rev() {
            let body = self.statements(&clause.body)?;
            let Some(test) = &clause.test else {
                otherwise = body;
                continue;
            };
            let span = Span { start: clause.range.start().into(), end };
            let test = self.expression(test)?;
            otherwise = vec![Statement::If { test, then: body, otherwise, span }];
        }
        let (test, then) = (self.expression(&inner.test)?, self.statements(&inner.body)?);
        Ok(Statement::If { test, then, otherwise, span: span(inner.range) })
    }

    fn class(&self, class: &py::StmtClassDef) -> Result<Class, ScriptError> {
        if !class.decorator_list.is_empty() || class.type_params.is_some() {
            return self.refuse(class, "decorator or type parameter");
        }
        let arguments = class.arguments.as_deref();
        if arguments.is_some_and(|arguments| !arguments.keywords.is_empty()) {
            return self.refuse(class, "keyword in a list of bases");
        }
        let bases = arguments.map_or(&[][..], |arguments| &arguments.args);
        Ok(Class {
            name: self.name(class.name.range),
            bases: self.expressions(bases)?,
            body: self.statements(&class.body)?,
            span: span(class.range),
        })
    }

    fn function(&self, function: &py::StmtFunctionDef) -> Result<Function, ScriptError> {
        let parameters = &*function.parameters;
        if !function.decorator_list.is_empty()
            || function.type_params.is_some()
            || function.is_async
            || parameters.vararg.is_some()
            || parameters.kwarg.is_some()
            || !parameters.posonlyargs.is_empty()
        {
            return self.refuse(function, "decorator, `async`, `/`, `*args` or `**kwargs`");
        }
        let parameter = |one: &py::ParameterWithDefault, keyword_only| {
            Ok(Parameter {
                name: self.name(one.parameter.name.range),
                annotation: self.maybe(one.parameter.annotation.as_deref())?,
                default: self.maybe(one.default.as_deref())?,
                keyword_only,
            })
        };
        let positional = parameters.args.iter().map(|one| parameter(one, false));
        let keyword = parameters.kwonlyargs.iter().map(|one| parameter(one, true));
        Ok(Function {
            name: self.name(function.name.range),
            parameters: positional.chain(keyword).collect::<Result<_, ScriptError>>()?,
            returns: self.maybe(function.returns.as_deref())?,
            body: self.statements(&function.body)?,
            span: span(function.range),
        })
    }

    fn maybe(&self, expression: Option<&py::Expr>) -> Result<Option<Expression>, ScriptError> {
        expression.map(|expression| self.expression(expression)).transpose()
    }

    fn expressions(&self, all: &[py::Expr]) -> Result<Vec<Expression>, ScriptError> {
        all.iter().map(|expression| self.expression(expression)).collect()
    }

    fn boxed(&self, expression: &py::Expr) -> Result<Box<Expression>, ScriptError> {
        self.expression(expression).map(Box::new)
    }

    fn expression(&self, expression: &py::Expr) -> Result<Expression, ScriptError> {
        let span = span(expression.range());
        let constant = |value| Expression::Constant { value, span };
        Ok(match expression {
            py::Expr::Name(inner) => Expression::Name(self.name(inner.range)),
            py::Expr::Attribute(inner) => Expression::Attribute {
                of: self.boxed(&inner.value)?,
                name: self.name(inner.attr.range),
                span,
            },
            py::Expr::Call(inner) => Expression::Call(Box::new(self.call(inner, span)?)),
            py::Expr::Subscript(inner) => Expression::Subscript {
                of: self.boxed(&inner.value)?,
                index: self.boxed(&inner.slice)?,
                span,
            },
            py::Expr::Slice(inner) => {
                let parts = [&inner.lower, &inner.upper, &inner.step];
                let [lower, upper, step] = parts.map(|part| self.maybe(part.as_deref()));
                Expression::Slice { parts: Box::new([lower?, upper?, step?]), span }
            }
            py::Expr::List(inner) => {
                Expression::List { items: self.expressions(&inner.elts)?, span }
            }
            py::Expr::Tuple(inner) => {
                Expression::Tuple { items: self.expressions(&inner.elts)?, span }
            }
            py::Expr::Dict(inner) => {
                let item = |item: &py::DictItem| match &item.key {
                    Some(key) => Ok((self.expression(key)?, self.expression(&item.value)?)),
                    None => self.refuse(&item.value, "`**` in a dict"),
                };
                let items = inner.items.iter().map(item).collect::<Result<_, ScriptError>>()?;
                Expression::Dict { items, span }
            }
            py::Expr::NumberLiteral(inner) => {
                let text = self.slice(inner.range);
                constant(match inner.value {
                    py::Number::Int(_) => Constant::Int(text),
                    py::Number::Float(_) => Constant::Float(text),
                    py::Number::Complex { .. } => Constant::Imaginary(text),
                })
            }
            py::Expr::StringLiteral(inner) => {
                constant(Constant::Text(inner.value.to_str().to_owned()))
            }
            py::Expr::BooleanLiteral(inner) => constant(Constant::Bool(inner.value)),
            py::Expr::NoneLiteral(_) => constant(Constant::None),
            py::Expr::EllipsisLiteral(_) => constant(Constant::Ellipsis),
            py::Expr::UnaryOp(inner) => Expression::Unary {
                operator: inner.op.as_str(),
                operand: self.boxed(&inner.operand)?,
                span,
            },
            py::Expr::BinOp(inner) => Expression::Binary {
                operator: inner.op.as_str(),
                left: self.boxed(&inner.left)?,
                right: self.boxed(&inner.right)?,
                span,
            },
            py::Expr::BoolOp(inner) => self.chain(inner.op.as_str(), &inner.values, span)?,
            py::Expr::Compare(inner) => {
                let ([operator], [right]) = (&*inner.ops, &*inner.comparators) else {
                    return self.refuse(expression, "chain of comparisons");
                };
                let (left, right) = (self.boxed(&inner.left)?, self.boxed(right)?);
                Expression::Binary { operator: operator.as_str(), left, right, span }
            }
            py::Expr::If(inner) => Expression::Choice {
                test: self.boxed(&inner.test)?,
                then: self.boxed(&inner.body)?,
                otherwise: self.boxed(&inner.orelse)?,
                span,
            },
            other => return self.refuse(other, &kind(other.into())),
        })
    }

    /// `a or b or c` as pairs, from the left.
    fn chain(
        &self,
        operator: &'static str,
        values: &[py::Expr],
        whole: Span,
    ) -> Result<Expression, ScriptError> {
        let mut values = values.iter();
        let Some(first) = values.next() else {
            return Err(error(self.text, whole.start, "an operator without operands"));
        };
        let mut chained = self.expression(first)?;
        for value in values {
            let span = Span { start: whole.start, end: value.range().end().into() };
            let (left, right) = (Box::new(chained), self.boxed(value)?);
            chained = Expression::Binary { operator, left, right, span };
        }
        Ok(chained)
    }

    fn call(&self, call: &py::ExprCall, span: Span) -> Result<Call, ScriptError> {
        let mut arguments = Vec::new();
        for value in &call.arguments.args {
            arguments.push(Argument { keyword: None, value: self.expression(value)? });
        }
        for keyword in &call.arguments.keywords {
            let Some(parameter) = &keyword.arg else {
                return self.refuse(keyword, "`**` in a call");
            };
            let value = self.expression(&keyword.value)?;
            arguments.push(Argument { keyword: Some(self.name(parameter.range)), value });
        }
        Ok(Call { function: self.expression(&call.func)?, arguments, span })
    }
}

/// Whether an import is one of the program's own modules: `import __torch__.m`.
fn is_own(alias: &py::Alias) -> bool {
    alias.asname.is_none() && (alias.name.split('.').next() == Some("__torch__"))
}

/// What a node is called in messages.
fn kind(node: py::AnyNodeRef<'_>) -> String {
    format!("{:?}", node.kind())
}
