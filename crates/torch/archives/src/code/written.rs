//! The operators that a program names, as they are written.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use unskew_script::typing::ScriptProgram;
use unskew_script::{CallExpression, Expression, Statement};
use unskew_torch_schemas::CallShape;

/// The prefix of classes that are registered in C++.
const CLASSES: &str = "__torch__.torch.classes.";

static FIND_CLASSES: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(CLASSES));

pub(crate) struct WrittenCall<'p> {
    /// The operator: `aten::add` for `torch.add`, `ns::name` for `ops.ns.name`.
    pub name: String,
    /// How many values it gives, and which names.
    pub shape: CallShape,
    pub record: &'p str,
    /// The line, from 1.
    pub line: usize,
    /// Whether it lies in a branch.
    pub in_branch: bool,
}

pub(crate) fn written(program: &ScriptProgram) -> Vec<WrittenCall<'_>> {
    let mut found = Vec::new();
    for record in program.records() {
        let mut seek = |call: &CallExpression, in_branch: bool| {
            if let Some(name) = operator(&call.function) {
                let line = record.line(call.span.start);
                let shape = shape(call);
                found.push(WrittenCall { name, shape, record: &record.name, line, in_branch });
            }
        };
        block(&record.module.body, false, &mut seek);
    }
    found
}

/// The classes registered in C++ that a text names: `xnnpack.LinearOpContext`.
pub(crate) fn classes(text: &str) -> impl Iterator<Item = &str> {
    FIND_CLASSES.find_iter(text.as_bytes()).filter_map(|at| {
        let rest = text.get(at + CLASSES.len()..)?;
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
        rest.get(..end.unwrap_or(rest.len())).map(|name| name.trim_end_matches('.'))
    })
}

/// The operator that a callee names, if it does.
fn operator(callee: &Expression) -> Option<String> {
    let Expression::Attribute { of, name, .. } = callee else { return None };
    match &**of {
        Expression::Name(root) if root.text == "torch" => Some(format!("aten::{}", name.text)),
        Expression::Attribute { of: root, name: space, .. } => match &**root {
            Expression::Name(root) if root.text == "ops" => {
                Some(format!("{}::{}", space.text, name.text))
            }
            _ => None,
        },
        _ => None,
    }
}

fn shape(call: &CallExpression) -> CallShape {
    let keywords =
        call.arguments.iter().filter_map(|one| Some(one.keyword.as_ref()?.text.to_string()));
    let keywords: Vec<String> = keywords.collect();
    CallShape { positional: call.arguments.len() - keywords.len(), keywords }
}

fn block(body: &[Statement], in_branch: bool, seek: &mut impl FnMut(&CallExpression, bool)) {
    for statement in body {
        match statement {
            Statement::Class(class) => block(&class.body, in_branch, seek),
            Statement::Function(function) => block(&function.body, false, seek),
            other => {
                other.expressions().into_iter().for_each(|one| expression(one, in_branch, seek));
                let inside = in_branch || !matches!(other, Statement::With { .. });
                other.blocks().into_iter().for_each(|inner| block(inner, inside, seek));
            }
        }
    }
}

fn expression(of: &Expression, in_branch: bool, seek: &mut impl FnMut(&CallExpression, bool)) {
    match of {
        Expression::Name(_) | Expression::Constant { .. } => {}
        Expression::Attribute { of, .. } => expression(of, in_branch, seek),
        Expression::Choice { test, then, otherwise, .. } => {
            expression(test, in_branch, seek);
            expression(then, true, seek);
            expression(otherwise, true, seek);
        }
        other => other.parts().into_iter().for_each(|part| expression(part, in_branch, seek)),
    }
    if let Expression::Call(call) = of {
        seek(call, in_branch);
    }
}
