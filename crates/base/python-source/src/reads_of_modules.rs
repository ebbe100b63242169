//! Reads of names that no import binds: they are of no other module, so they are not kept. Most of a source is such reads.

use std::collections::BTreeSet;

use crate::encoding::PackedSteps;
use crate::module::{Bound, PythonFunction, Step};

/// A function of which the steps are not packed yet.
pub(crate) struct ReadFunction {
    pub(crate) function: PythonFunction,
    pub(crate) steps: Vec<Step>,
}

/// Leaves out reads and calls of what is no module and of no module, and functions that ask for nothing, unless another of their name
/// does: which of the two is called is not known then.
pub(crate) fn keep_reads_of_modules(
    body: &mut Vec<Step>,
    functions: Vec<ReadFunction>,
) -> Vec<PythonFunction> {
    let mut names = BTreeSet::new();
    names_of_modules(body, &mut names);
    for function in &functions {
        names_of_modules(&function.steps, &mut names);
    }
    let keeps_all = names.contains("*");
    let names: BTreeSet<String> = names.into_iter().map(str::to_owned).collect();
    let is_kept =
        |path: &[String]| keeps_all || path.first().is_some_and(|first| names.contains(first));
    retain(body, &is_kept);
    let packed = |ReadFunction { mut function, mut steps }: ReadFunction| {
        retain(&mut steps, &is_kept);
        if asks(&steps, function.is_plain) {
            function.steps = PackedSteps::new(&steps);
        }
        function
    };
    let mut packed: Vec<PythonFunction> = functions.into_iter().map(packed).collect();
    let asking = packed.iter().filter(|function| !function.steps.is_empty());
    let asking: BTreeSet<String> = asking.map(|function| function.name.clone()).collect();
    packed.retain(|function| asking.contains(&function.name));
    packed.shrink_to_fit();
    packed
}

/// All steps within one, those of classes too.
fn below(step: &Step) -> Vec<&[Step]> {
    match step {
        Step::Class(body) => vec![body],
        other => other.blocks(),
    }
}

/// Whether steps ask a module for something, or, of a function that the body of the module may call, raise or call others.
fn asks(steps: &[Step], is_called: bool) -> bool {
    steps.iter().any(|step| match step {
        Step::Import { .. }
        | Step::ImportFrom { .. }
        | Step::Attribute { .. }
        | Step::KeywordCall { .. } => true,
        Step::Raise { .. } | Step::Call { .. } => is_called,
        step => below(step).into_iter().any(|steps| asks(steps, is_called)),
    })
}

/// The names that imports bind, and those that are bound to what another name means.
fn names_of_modules<'a>(steps: &'a [Step], names: &mut BTreeSet<&'a str>) {
    for step in steps {
        names.extend(step.imported_module());
        match step {
            Step::ImportFrom { names: all, .. } => {
                names.extend(all.iter().map(|(_, bound)| bound.as_str()));
            }
            Step::Bind { name, to: Bound::Path(_) } => {
                names.insert(name);
            }
            _ => {}
        }
        for steps in below(step) {
            names_of_modules(steps, names);
        }
    }
}

fn retain(steps: &mut Vec<Step>, is_kept: &dyn Fn(&[String]) -> bool) {
    steps.retain_mut(|step| {
        match step {
            Step::Attribute { path, .. } | Step::KeywordCall { path, .. } => {
                return is_kept(path);
            }
            Step::Class(body) | Step::Loop(body) => retain(body, is_kept),
            Step::If { body, otherwise, .. } => {
                retain(body, is_kept);
                retain(otherwise, is_kept);
            }
            Step::Try { body, handlers, otherwise, finally } => {
                for steps in [body, otherwise, finally] {
                    retain(steps, is_kept);
                }
                handlers.iter_mut().for_each(|handler| retain(&mut handler.body, is_kept));
            }
            _ => {}
        }
        true
    });
    steps.shrink_to_fit();
}
