//! Contexts of functions: which are walked, and with what.

use std::cmp::Reverse;

use super::walker::{CallContext, Reference, Walker};
use crate::TextSpan;
use crate::typing::{FunctionId, KnownBranch, ScriptProgram, Typing, prune};
use foldhash::{HashMap, HashMapExt as _, HashSet};

/// The most sets of values that one function is walked with; with more, nothing is known of them.
const CONTEXTS: usize = 8;

/// Walks a program, and puts together what was found.
pub(super) fn run(mut walker: Walker<'_, '_>) -> Typing {
    let roots = walk(&mut walker);
    finish(walker, &roots)
}

/// Walks every function that there is; gives those that can be called from outside.
pub(super) fn walk(walker: &mut Walker<'_, '_>) -> Vec<FunctionId> {
    let mut seen: HashMap<FunctionId, HashSet<CallContext>> = HashMap::new();
    let roots = roots(walker.program);
    let mut open: HashSet<FunctionId> = roots.iter().copied().collect();
    for id in &roots {
        walker.routine(*id, None, true);
    }
    while let Some((id, context)) = walker.demands.pop() {
        if open.contains(&id) {
            continue;
        }
        let known = seen.entry(id).or_default();
        if known.contains(&context) {
            continue;
        }
        if known.len() >= CONTEXTS || context.iter().all(Option::is_none) {
            open.insert(id);
            walker.routine(id, None, true);
        } else {
            known.insert(context.clone());
            walker.routine(id, Some(&context), true);
        }
    }
    // What no live call reaches is read by the loader all the same, if it is named.
    for id in 0..walker.program.routines().len() {
        if !open.contains(&id) && !seen.contains_key(&id) {
            walker.routine(id, None, false);
        }
    }
    roots
}

/// The functions that can be called from outside: methods, and in a text without classes all.
fn roots(program: &ScriptProgram) -> Vec<FunctionId> {
    let alone = !program.has_classes();
    let routines = program.routines().iter().enumerate();
    routines.filter(|(_, one)| alone || one.class.is_some()).map(|(id, _)| id).collect()
}

/// Puts together what the walks found.
fn finish(walker: Walker<'_, '_>, roots: &[FunctionId]) -> Typing {
    let (program, found) = (walker.program, walker.found);
    let mut typing = found.typing;
    for ((record, ..), (function, span, met)) in found.conditions {
        let taken = match met {
            [true, false, false] => true,
            [false, true, false] => false,
            _ => continue,
        };
        typing.branches.push(KnownBranch { record, function, span, taken });
    }
    // An outer branch before those in it.
    typing.branches.sort_by_key(|one| (one.record, one.span.start, Reverse(one.span.end)));
    typing.calls.sort_by_key(|call| (call.record, call.span));
    let mut removed: HashMap<usize, Vec<TextSpan>> = HashMap::new();
    for branch in &typing.branches {
        removed.entry(branch.record).or_default().extend(prune::gone(program, branch));
    }
    let is_removed = |record: usize, span: TextSpan| {
        let mut spans = removed.get(&record).into_iter().flatten();
        spans.any(|gone| gone.start <= span.start && span.end <= gone.end)
    };
    let now = reached(roots, &found.mentions, |_| true);
    let kept = reached(roots, &found.mentions, |mention| {
        let record = program.routines().get(mention.from).map_or(0, |routine| routine.record);
        !is_removed(record, mention.span)
    });
    for call in &mut typing.calls {
        call.loaded = now.contains(&call.function);
        call.removable = is_removed(call.record, call.span) || !kept.contains(&call.function);
    }
    typing
}

/// The functions that are named from `roots`, over the mentions that count.
fn reached(
    roots: &[FunctionId],
    mentions: &[Reference],
    counts: impl Fn(&Reference) -> bool,
) -> HashSet<FunctionId> {
    let mut names: HashMap<FunctionId, Vec<FunctionId>> = HashMap::new();
    for mention in mentions.iter().filter(|mention| counts(mention)) {
        names.entry(mention.from).or_default().push(mention.to);
    }
    let mut reached: HashSet<FunctionId> = roots.iter().copied().collect();
    let mut next = roots.to_vec();
    while let Some(id) = next.pop() {
        for to in names.get(&id).into_iter().flatten() {
            if reached.insert(*to) {
                next.push(*to);
            }
        }
    }
    reached
}
