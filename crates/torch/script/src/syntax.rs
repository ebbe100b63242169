//! The syntax tree.

/// Where something stands in the text: bytes from the beginning, the end not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

/// A text: classes, functions, and statements that stand alone, such as `op_version_set = 1`.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Everything, in its order.
    pub body: Vec<Statement>,
}

/// A name, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A class: a module, a named tuple, an enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: Name,
    /// What it is made from: `Module`, `NamedTuple`.
    pub bases: Vec<Expression>,
    /// Its attributes and functions.
    pub body: Vec<Statement>,
    /// Where it stands.
    pub span: Span,
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Its parameters, those by keyword only last.
    pub parameters: Vec<Parameter>,
    /// The type that it returns, if it says so.
    pub returns: Option<Expression>,
    /// What it does.
    pub body: Vec<Statement>,
    /// Where it stands.
    pub span: Span,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// Its type, if it says so.
    pub annotation: Option<Expression>,
    /// Its default.
    pub default: Option<Expression>,
    /// Whether it is given by keyword only.
    pub keyword_only: bool,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// A class.
    Class(Class),
    /// A function.
    Function(Function),
    /// `a = b`, `a, b, = c`.
    Assign {
        /// What is assigned to.
        target: Expression,
        /// The value.
        value: Expression,
        /// Where it stands.
        span: Span,
    },
    /// `a : int = b`, `a : Tensor`.
    Annotated {
        /// What is declared.
        target: Expression,
        /// Its type.
        annotation: Expression,
        /// Its value.
        value: Option<Expression>,
        /// Where it stands.
        span: Span,
    },
    /// An expression alone.
    Expression {
        /// The expression.
        value: Expression,
        /// Where it stands.
        span: Span,
    },
    /// `return a`.
    Return {
        /// The value.
        value: Option<Expression>,
        /// Where it stands.
        span: Span,
    },
    /// `if`, with what happens otherwise; `elif` is an `if` there.
    If {
        /// The condition.
        test: Expression,
        /// What happens if it holds.
        then: Vec<Statement>,
        /// What happens if not.
        otherwise: Vec<Statement>,
        /// Where it stands.
        span: Span,
    },
    /// `while`.
    While {
        /// The condition.
        test: Expression,
        /// What is repeated.
        body: Vec<Statement>,
        /// Where it stands.
        span: Span,
    },
    /// `for a in b`.
    For {
        /// What takes each item.
        target: Expression,
        /// The items.
        items: Expression,
        /// What is repeated.
        body: Vec<Statement>,
        /// Where it stands.
        span: Span,
    },
    /// `with a as b, c`.
    With {
        /// What is entered, and the name that it gets.
        items: Vec<(Expression, Option<Expression>)>,
        /// What happens inside.
        body: Vec<Statement>,
        /// Where it stands.
        span: Span,
    },
    /// `pass`, or an import of the program's own module in code of PyTorch 1.1 to 1.3, which does nothing.
    Pass {
        /// Where it stands.
        span: Span,
    },
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// `a`.
    Name(Name),
    /// `a.b`.
    Attribute {
        /// What it belongs to.
        of: Box<Expression>,
        /// Its name.
        name: Name,
        /// Where the whole stands.
        span: Span,
    },
    /// `f(a, b=c)`.
    Call(Box<Call>),
    /// `a[b]`.
    Subscript {
        /// What is looked into.
        of: Box<Expression>,
        /// What is looked for.
        index: Box<Expression>,
        /// Where the whole stands.
        span: Span,
    },
    /// `a:b:c` in a subscript.
    Slice {
        /// Where it begins, where it ends, how far apart.
        parts: Box<[Option<Expression>; 3]>,
        /// Where it stands.
        span: Span,
    },
    /// `[a, b]`.
    List {
        /// Its items.
        items: Vec<Expression>,
        /// Where it stands.
        span: Span,
    },
    /// `(a, b)`, or `a, b,` without parentheses.
    Tuple {
        /// Its items.
        items: Vec<Expression>,
        /// Where it stands.
        span: Span,
    },
    /// `{a: b}`.
    Dict {
        /// Keys and values.
        items: Vec<(Expression, Expression)>,
        /// Where it stands.
        span: Span,
    },
    /// A literal.
    Constant {
        /// Its value.
        value: Constant,
        /// Where it stands.
        span: Span,
    },
    /// `-a`, `not a`, `~a`.
    Unary {
        /// The operator.
        operator: &'static str,
        /// What it is applied to.
        operand: Box<Expression>,
        /// Where the whole stands.
        span: Span,
    },
    /// `a + b`, `a < b`, `a is None`, `a or b`: two operands, however they are written.
    Binary {
        /// The operator.
        operator: &'static str,
        /// The left operand.
        left: Box<Expression>,
        /// The right one.
        right: Box<Expression>,
        /// Where the whole stands.
        span: Span,
    },
    /// `a if b else c`.
    Choice {
        /// The condition.
        test: Box<Expression>,
        /// The value if it holds.
        then: Box<Expression>,
        /// The value if not.
        otherwise: Box<Expression>,
        /// Where the whole stands.
        span: Span,
    },
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What is called.
    pub function: Expression,
    /// What it is given, in its order.
    pub arguments: Vec<Argument>,
    /// Where the whole stands.
    pub span: Span,
}

/// What a call gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The parameter, if it is given by keyword.
    pub keyword: Option<Name>,
    /// The value.
    pub value: Expression,
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// `None`.
    None,
    /// `True`, `False`.
    Bool(bool),
    /// A number without a fraction, as it is written: it may be larger than any number of Rust.
    Int(String),
    /// A number with a fraction or an exponent, as it is written.
    Float(String),
    /// An imaginary number, as it is written.
    Imaginary(String),
    /// A text.
    Text(String),
    /// `...`.
    Ellipsis,
}

impl Module {
    /// The functions that stand alone.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        functions(&self.body)
    }

    /// The classes.
    pub fn classes(&self) -> impl Iterator<Item = &Class> {
        self.body.iter().filter_map(|statement| match statement {
            Statement::Class(class) => Some(class),
            _ => None,
        })
    }
}

impl Class {
    /// Its functions.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        functions(&self.body)
    }
}

fn functions(body: &[Statement]) -> impl Iterator<Item = &Function> {
    body.iter().filter_map(|statement| match statement {
        Statement::Function(function) => Some(function),
        _ => None,
    })
}

impl Statement {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Class(class) => class.span,
            Self::Function(function) => function.span,
            Self::Assign { span, .. }
            | Self::Annotated { span, .. }
            | Self::Expression { span, .. }
            | Self::Return { span, .. }
            | Self::If { span, .. }
            | Self::While { span, .. }
            | Self::For { span, .. }
            | Self::With { span, .. }
            | Self::Pass { span } => *span,
        }
    }
}

impl Expression {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Name(name) => name.span,
            Self::Call(call) => call.span,
            Self::Attribute { span, .. }
            | Self::Subscript { span, .. }
            | Self::Slice { span, .. }
            | Self::List { span, .. }
            | Self::Tuple { span, .. }
            | Self::Dict { span, .. }
            | Self::Constant { span, .. }
            | Self::Unary { span, .. }
            | Self::Binary { span, .. }
            | Self::Choice { span, .. } => *span,
        }
    }

    /// Names joined by dots, `torch.div`, if it is nothing else.
    pub fn path(&self) -> Option<String> {
        match self {
            Self::Name(name) => Some(name.text.clone()),
            Self::Attribute { of, name, .. } => Some(format!("{}.{}", of.path()?, name.text)),
            _ => None,
        }
    }
}
