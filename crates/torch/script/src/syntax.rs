//! The syntax tree.

use smol_str::SmolStr;

/// Where something stands in the text: bytes from the beginning, the end not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextSpan {
    /// Offset of the first byte in the source text.
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
pub struct SpannedName {
    /// The identifier as it is written. Nearly all are short enough to need no memory of their own.
    pub text: SmolStr,
    /// Its bytes in the source text.
    pub span: TextSpan,
}

/// A class: a module, a named tuple, an enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassDefinition {
    /// The identifier, with its place.
    pub name: SpannedName,
    /// What it is made from: `Module`, `NamedTuple`.
    pub bases: Vec<Expression>,
    /// Its attributes and functions.
    pub body: Vec<Statement>,
    /// Its bytes in the source text.
    pub span: TextSpan,
}

/// A function or method, with its body.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDefinition {
    /// The identifier, with its place.
    pub name: SpannedName,
    /// Its parameters, those by keyword only last.
    pub parameters: Vec<FunctionParameter>,
    /// The type that it returns, if it says so.
    pub returns: Option<Expression>,
    /// The statements of the body, in order.
    pub body: Vec<Statement>,
    /// Its bytes in the source text.
    pub span: TextSpan,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionParameter {
    /// The identifier, with its place.
    pub name: SpannedName,
    /// Its type, if it says so.
    pub annotation: Option<Expression>,
    /// The expression behind `=`; none for a parameter without a default.
    pub default: Option<Expression>,
    /// Whether it is given by keyword only.
    pub keyword_only: bool,
}

/// A statement of TorchScript, a subset of Python.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// A class with its attributes and methods.
    Class(ClassDefinition),
    /// A function, or in a class a method.
    Function(FunctionDefinition),
    /// `a = b`, `a, b, = c`.
    Assign {
        /// What is assigned to.
        target: Expression,
        /// The expression whose value it is.
        value: Expression,
        /// Its bytes in the source text.
        span: TextSpan,
    },
    /// `a : int = b`, `a : Tensor`.
    Annotated {
        /// The name or attribute that is declared.
        target: Expression,
        /// The type, as an expression.
        annotation: Expression,
        /// The assigned expression; none for a declaration alone.
        value: Option<Expression>,
        /// Its bytes in the source text.
        span: TextSpan,
    },
    /// An expression as a statement: most are calls.
    Expression {
        /// The expression that is evaluated.
        value: Expression,
        /// Its bytes in the source text.
        span: TextSpan,
    },
    /// A statement `return a`, or `return` alone.
    Return {
        /// The returned expression; none for a bare `return`.
        value: Option<Expression>,
        /// Its bytes in the source text.
        span: TextSpan,
    },
    /// `if`, with what happens otherwise; `elif` is an `if` there.
    If {
        /// The expression that decides.
        test: Expression,
        /// What happens if it holds.
        then: Vec<Statement>,
        /// What happens if not.
        otherwise: Vec<Statement>,
        /// Its bytes in the source text.
        span: TextSpan,
    },
    /// A loop with a condition, `while`.
    While {
        /// The expression that decides.
        test: Expression,
        /// The statements of the loop.
        body: Vec<Statement>,
        /// Its bytes in the source text.
        span: TextSpan,
    },
    /// `for a in b`.
    For {
        /// What takes each item.
        target: Expression,
        /// The expression that is iterated.
        items: Expression,
        /// The statements of the loop.
        body: Vec<Statement>,
        /// Its bytes in the source text.
        span: TextSpan,
    },
    /// `with a as b, c`.
    With {
        /// What is entered, and the name that it gets.
        items: Vec<(Expression, Option<Expression>)>,
        /// The statements of the block.
        body: Vec<Statement>,
        /// Its bytes in the source text.
        span: TextSpan,
    },
    /// `pass`, or an import of the program's own module in code of PyTorch 1.1 to 1.3, which does nothing.
    Pass {
        /// Its bytes in the source text.
        span: TextSpan,
    },
}

/// An expression of TorchScript, a subset of Python.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A name: `a` of `a + 1`.
    Name(SpannedName),
    /// An attribute: `a.b` of a module or a value.
    Attribute {
        /// What it belongs to.
        of: Box<Expression>,
        /// The identifier behind the dot.
        name: SpannedName,
        /// Where the whole stands.
        span: TextSpan,
    },
    /// A call with its arguments: `f(a, b=c)`.
    Call(Box<CallExpression>),
    /// An item or a slice: `a[b]`.
    Subscript {
        /// What is looked into.
        of: Box<Expression>,
        /// What is looked for.
        index: Box<Expression>,
        /// Where the whole stands.
        span: TextSpan,
    },
    /// `a:b:c` in a subscript.
    Slice {
        /// Where it begins, where it ends, how far apart.
        parts: Box<[Option<Expression>; 3]>,
        /// Its bytes in the source text.
        span: TextSpan,
    },
    /// A list display: `[a, b]`.
    List {
        /// The elements, in order.
        items: Vec<Expression>,
        /// Its bytes in the source text.
        span: TextSpan,
    },
    /// `(a, b)`, or `a, b,` without parentheses.
    Tuple {
        /// The elements, in order.
        items: Vec<Expression>,
        /// Its bytes in the source text.
        span: TextSpan,
    },
    /// A dict display: `{a: b}`.
    Dict {
        /// Pairs of key and value, in the order of the text.
        items: Vec<(Expression, Expression)>,
        /// Its bytes in the source text.
        span: TextSpan,
    },
    /// A literal: number, string, `True`, `False` or `None`.
    Constant {
        /// The value of the literal.
        value: LiteralConstant,
        /// Its bytes in the source text.
        span: TextSpan,
    },
    /// `-a`, `not a`, `~a`.
    Unary {
        /// The operator as it is written: `+`, `not`.
        operator: &'static str,
        /// What it is applied to.
        operand: Box<Expression>,
        /// Where the whole stands.
        span: TextSpan,
    },
    /// `a + b`, `a < b`, `a is None`, `a or b`: two operands, however they are written.
    Binary {
        /// The operator as it is written: `+`, `not`.
        operator: &'static str,
        /// The operand before the operator.
        left: Box<Expression>,
        /// The operand behind the operator.
        right: Box<Expression>,
        /// Where the whole stands.
        span: TextSpan,
    },
    /// `a if b else c`.
    Choice {
        /// The expression that decides.
        test: Box<Expression>,
        /// The value if it holds.
        then: Box<Expression>,
        /// The value if not.
        otherwise: Box<Expression>,
        /// Where the whole stands.
        span: TextSpan,
    },
}

/// A call of a function, method or operator.
#[derive(Clone, Debug, PartialEq)]
pub struct CallExpression {
    /// The expression before the parentheses.
    pub function: Expression,
    /// What it is given, in its order.
    pub arguments: Vec<CallArgument>,
    /// Where the whole stands.
    pub span: TextSpan,
}

/// What a call gives.
#[derive(Clone, Debug, PartialEq)]
pub struct CallArgument {
    /// The parameter, if it is given by keyword.
    pub keyword: Option<SpannedName>,
    /// The expression that is passed.
    pub value: Expression,
}

/// The value of a literal.
#[derive(Clone, Debug, PartialEq)]
pub enum LiteralConstant {
    /// The literal `None`, as in Python.
    None,
    /// The literals `True` and `False`.
    Bool(bool),
    /// A number without a fraction, as it is written: it may be larger than any number of Rust.
    Int(String),
    /// A number with a fraction or an exponent, as it is written.
    Float(String),
    /// An imaginary number, as it is written.
    Imaginary(String),
    /// The text of a string literal.
    Text(String),
    /// The literal `...`, as in indices.
    Ellipsis,
}

impl Module {
    /// The functions that stand alone.
    pub fn functions(&self) -> impl Iterator<Item = &FunctionDefinition> {
        functions(&self.body)
    }

    /// The classes at the top level, in order.
    pub fn classes(&self) -> impl Iterator<Item = &ClassDefinition> {
        self.body.iter().filter_map(|statement| match statement {
            Statement::Class(class) => Some(class),
            _ => None,
        })
    }
}

impl ClassDefinition {
    /// The methods of the class, in order.
    pub fn functions(&self) -> impl Iterator<Item = &FunctionDefinition> {
        functions(&self.body)
    }
}

fn functions(body: &[Statement]) -> impl Iterator<Item = &FunctionDefinition> {
    body.iter().filter_map(|statement| match statement {
        Statement::Function(function) => Some(function),
        _ => None,
    })
}

impl Statement {
    /// Its bytes in the source text.
    pub fn span(&self) -> TextSpan {
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
    /// Its bytes in the source text.
    pub fn span(&self) -> TextSpan {
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

    /// Whether it is this name, and nothing else.
    pub fn is_name(&self, name: &str) -> bool {
        matches!(self, Self::Name(own) if own.text == name)
    }

    /// Names joined by dots, `torch.div`, if it is nothing else.
    pub fn path(&self) -> Option<String> {
        let (Self::Name(_) | Self::Attribute { .. }) = self else { return None };
        let TextSpan { start, end } = self.span();
        let mut path = String::with_capacity(end - start);
        self.append_path(&mut path).then_some(path)
    }

    /// Appends the names to `path`; says whether there is nothing else.
    fn append_path(&self, path: &mut String) -> bool {
        let name = match self {
            Self::Name(name) => name,
            Self::Attribute { of, name, .. } if of.append_path(path) => {
                path.push('.');
                name
            }
            _ => return false,
        };
        path.push_str(&name.text);
        true
    }
}
