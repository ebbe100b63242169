//! Which keywords the functions and classes of a module take, where its source decides that.

use std::collections::BTreeMap;

use ruff_python_ast::{Parameters, Stmt, StmtClassDef, StmtFunctionDef};

use crate::module::{Step, TakenKeywords};

/// The keywords that a function takes; none if it takes any, or a decorator decides.
pub(crate) fn keywords_of_function(function: &StmtFunctionDef) -> Option<TakenKeywords> {
    let is_bare = function.decorator_list.is_empty();
    is_bare.then(|| of_parameters(&function.parameters, false)).flatten()
}

/// The keywords that the call of a class takes; none if its `__init__` is not its own, or something else may change the call.
pub(crate) fn keywords_of_class(class: &StmtClassDef) -> Option<TakenKeywords> {
    let has_metaclass = class.arguments.as_ref().is_some_and(|one| !one.keywords.is_empty());
    if has_metaclass || !class.decorator_list.is_empty() {
        return None;
    }
    let mut found = None;
    for statement in &class.body {
        match statement {
            Stmt::FunctionDef(function) => match function.name.as_str() {
                "__init__" if found.is_none() && function.decorator_list.is_empty() => {
                    found = Some(function);
                }
                "__init__" | "__new__" => return None,
                _ => {}
            },
            // Which of several it is, or that it is taken from elsewhere.
            Stmt::If(_) | Stmt::Try(_) | Stmt::With(_) | Stmt::For(_) => return None,
            Stmt::Assign(assign) => {
                let is_one = |target: &ruff_python_ast::Expr| {
                    target.as_name_expr().is_some_and(|name| name.id.as_str() == "__init__")
                };
                if assign.targets.iter().any(is_one) {
                    return None;
                }
            }
            _ => {}
        }
    }
    of_parameters(&found?.parameters, true)
}

fn of_parameters(parameters: &Parameters, is_class: bool) -> Option<TakenKeywords> {
    if parameters.kwarg.is_some() {
        return None;
    }
    let own = usize::from(is_class && parameters.posonlyargs.is_empty());
    let named = parameters.args.iter().skip(own).chain(&parameters.kwonlyargs);
    let names = named.map(|one| one.parameter.name.to_string()).collect();
    Some(TakenKeywords { names, is_class })
}

/// Leaves out what the module binds a second time, wherever it does.
pub(crate) fn keep_final(keywords: &mut BTreeMap<String, TakenKeywords>, steps: &[Step]) {
    let mut bound = BTreeMap::new();
    count(steps, &mut bound);
    match bound.contains_key("*") {
        true => keywords.clear(),
        false => keywords.retain(|name, _| bound.get(name.as_str()) == Some(&1)),
    }
}

/// How often steps bind or delete each name.
fn count<'a>(steps: &'a [Step], bound: &mut BTreeMap<&'a str, usize>) {
    let mut add = |name: &'a str| *bound.entry(name).or_default() += 1;
    for step in steps {
        step.imported_module().into_iter().for_each(&mut add);
        match step {
            Step::ImportFrom { names, .. } => names.iter().for_each(|(_, name)| add(name)),
            Step::Bind { name, .. } | Step::Delete(name) => add(name),
            _ => {}
        }
    }
    for block in steps.iter().flat_map(Step::blocks) {
        count(block, bound);
    }
}
