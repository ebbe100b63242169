//! Expressions: which attributes are read when one is evaluated.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Comprehension, Expr, Parameters};
use ruff_text_size::{Ranged as _, TextSize};

/// The names of a path of attributes: `["a", "b"]` of `a.b`; none if it does not begin with a name.
pub(crate) fn path(expression: &Expr) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut at = expression;
    loop {
        match at {
            Expr::Attribute(attribute) => {
                names.push(attribute.attr.to_string());
                at = &attribute.value;
            }
            Expr::Name(name) => {
                names.push(name.id.to_string());
                names.reverse();
                return Some(names);
            }
            _ => return None,
        }
    }
}

/// Collects what the evaluation of an expression reads for certain: not what stands behind `and`, `or` and `if`, in a
/// lambda or in a comprehension, which may not be reached.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    /// Each path of at least two names, with where it stands.
    pub(crate) attributes: Vec<(Vec<String>, TextSize)>,
    /// The functions that are called without arguments.
    pub(crate) calls: Vec<(String, TextSize)>,
    /// What is called with keywords: the function, the keywords, and where it stands.
    pub(crate) keyword_calls: Vec<(Vec<String>, Vec<String>, TextSize)>,
    /// Names that are bound by `:=`.
    pub(crate) bound: BTreeSet<String>,
    /// Whether `globals()` goes somewhere where it may be written.
    pub(crate) passes_globals: bool,
}

impl Reads {
    pub(crate) fn of_expression(expression: &Expr) -> Self {
        let mut reads = Self::default();
        reads.visit_expr(expression);
        reads
    }

    /// The default values of parameters, and their annotations if those are evaluated.
    pub(crate) fn parameters(&mut self, parameters: &Parameters, has_annotations: bool) {
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = &parameter.default {
                self.visit_expr(default);
            }
        }
        if has_annotations {
            for annotation in parameters.iter().filter_map(|one| one.annotation()) {
                self.visit_expr(annotation);
            }
        }
    }
}

impl<'a> Visitor<'a> for Reads {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            // `globals()["name"]` and `globals().get("name")` only read.
            Expr::Subscript(subscript) if is_globals(&subscript.value) => {}
            Expr::Attribute(attribute)
                if is_globals(&attribute.value) && attribute.attr.as_str() != "update" => {}
            Expr::Attribute(attribute) => match path(expression) {
                Some(path) => {
                    // The place is that of the last name: a chain may have many lines.
                    self.attributes.push((path, attribute.attr.start()));
                }
                None => walk_expr(self, expression),
            },
            Expr::BoolOp(operation) => {
                if let Some(first) = operation.values.first() {
                    self.visit_expr(first);
                }
            }
            Expr::If(choice) => self.visit_expr(&choice.test),
            Expr::Compare(compare) => {
                self.visit_expr(&compare.left);
                if let Some(first) = compare.comparators.first().filter(|one| !is_globals(one)) {
                    self.visit_expr(first);
                }
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.parameters(parameters, false);
                }
            }
            Expr::ListComp(made) => self.first(&made.generators),
            Expr::SetComp(made) => self.first(&made.generators),
            Expr::DictComp(made) => self.first(&made.generators),
            Expr::Generator(made) => self.first(&made.generators),
            Expr::Named(named) => {
                if let Expr::Name(target) = &*named.target {
                    self.bound.insert(target.id.to_string());
                }
                self.visit_expr(&named.value);
            }
            Expr::Call(_) if is_globals(expression) => self.passes_globals = true,
            Expr::Call(call) => {
                let is_plain = call.arguments.args.is_empty() && call.arguments.keywords.is_empty();
                if let Expr::Name(function) = &*call.func
                    && is_plain
                {
                    self.calls.push((function.id.to_string(), function.start()));
                }
                let named = call.arguments.keywords.iter().filter_map(|one| one.arg.as_ref());
                let keywords: Vec<String> = named.map(ToString::to_string).collect();
                if !keywords.is_empty()
                    && let Some(path) = path(&call.func)
                {
                    self.keyword_calls.push((path, keywords, call.start()));
                }
                walk_expr(self, expression);
            }
            _ => walk_expr(self, expression),
        }
    }
}

impl Reads {
    /// The first iterable of a comprehension, which is evaluated at once.
    fn first(&mut self, generators: &[Comprehension]) {
        if let Some(first) = generators.first().filter(|first| !is_globals(&first.iter)) {
            self.visit_expr(&first.iter);
        }
    }
}

/// `globals()` or `vars()`.
pub(crate) fn is_globals(expression: &Expr) -> bool {
    is_call_of(expression, "globals") || is_call_of(expression, "vars")
}

/// Whether this is a call of a function by its plain name, without arguments.
pub(crate) fn is_call_of(expression: &Expr, function: &str) -> bool {
    let Expr::Call(call) = expression else { return false };
    let name = path(&call.func).unwrap_or_default();
    call.arguments.args.is_empty() && matches!(name.as_slice(), [name] if name == function)
}
