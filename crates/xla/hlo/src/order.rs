//! The order in which computations are printed: each behind those that it calls.
//!
//! XLA walks the instructions of a computation as it made them, which is by their ids, and not in the order
//! in which a message lists them.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::messages::{Computation, Instruction, Module};

/// The computations of a module, each once: for each that nobody calls, first what it calls, in the order
/// of its instructions, then itself.
pub(crate) fn order(module: &Module) -> Vec<&Computation> {
    let by_id: HashMap<i64, &Computation> =
        module.computations.iter().map(|found| (found.id, found)).collect();
    let called: HashSet<i64> = module.computations.iter().flat_map(calls).collect();
    let mut walk = CallOrder { by_id, seen: HashSet::new(), order: Vec::new() };
    for computation in &module.computations {
        if !called.contains(&computation.id) {
            walk.from(computation);
        }
    }
    // What only calls itself, which no program does.
    for computation in &module.computations {
        walk.from(computation);
    }
    walk.order
}

struct CallOrder<'a> {
    by_id: HashMap<i64, &'a Computation>,
    seen: HashSet<i64>,
    order: Vec<&'a Computation>,
}

impl<'a> CallOrder<'a> {
    /// Appends what a computation calls, and itself. Programs nest as deep as they like, so this does not.
    fn from(&mut self, root: &'a Computation) {
        if !self.seen.insert(root.id) {
            return;
        }
        let mut open = vec![(root, callers(root))];
        while let Some((computation, mut left)) = open.pop() {
            let Some(instruction) = left.pop() else {
                self.order.push(computation);
                continue;
            };
            open.push((computation, left));
            for id in instruction.calls.iter().rev() {
                if let Some(called) = self.by_id.get(id)
                    && self.seen.insert(*id)
                {
                    open.push((called, callers(called)));
                }
            }
        }
    }
}

/// The instructions that call something, the first of them last.
fn callers(computation: &Computation) -> Vec<&Instruction> {
    let all = computation.instructions.iter();
    let mut found: Vec<&Instruction> = all.filter(|found| !found.calls.is_empty()).collect();
    found.sort_by_key(|found| Reverse(found.id));
    found
}

fn calls(computation: &Computation) -> impl Iterator<Item = i64> {
    computation.instructions.iter().flat_map(|instruction| instruction.calls.iter().copied())
}
