//! Uses of names that a program calls, and whether the compiler has to keep such a call.

use std::collections::{HashMap, HashSet};

use crate::bytecode::entries::builtin;
use crate::bytecode::operations::Value;
use crate::module::{Block, Field, Module, Operation, VHLO};
use crate::rewrite::values;

/// Whether a call is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CallRetention {
    /// Nothing uses what it gives: the compiler drops it.
    Unused,
    /// It stands in a branch, or in the decomposition of a composite: the compiler may drop it.
    Perhaps,
    /// The compiler cannot drop it.
    Always,
}

/// Where an exported function begins.
const MAIN: &str = "main";

/// The functions of a module by their names.
pub(super) fn functions(module: &Module) -> Vec<(&str, &Operation)> {
    let mut found = Vec::new();
    let mut left: Vec<&Operation> = module.top.operations.iter().collect();
    while let Some(operation) = left.pop() {
        if operation.is(builtin::NAME, "module") {
            let blocks = operation.regions.iter().flatten();
            left.extend(blocks.flat_map(|block| &block.operations));
        } else if is_own(operation, "func")
            && let Some(name) = text(module, operation, "sym_name")
        {
            found.push((name, operation));
        }
    }
    found
}

/// Whether it is an operation of VHLO, of any version.
pub(super) fn is_own(operation: &Operation, name: &str) -> bool {
    *operation.dialect == *VHLO
        && operation.name.rsplit_once("_v").is_some_and(|(own, _)| own == name)
}

/// The text of an attribute.
pub(super) fn text<'m>(module: &'m Module, operation: &Operation, name: &str) -> Option<&'m str> {
    let bytes = module.text_of(module.attribute(operation, name)?)?;
    std::str::from_utf8(bytes).ok()
}

/// Every custom call that `main` reaches, with whether it is kept. What no function reaches is not compiled.
pub(super) fn calls<'m>(
    module: &'m Module,
    functions: &[(&str, &'m Operation)],
) -> Vec<(&'m Operation, CallRetention)> {
    let mut walk = UseFinder { module, found: Vec::new(), callees: Vec::new() };
    let mut best: HashMap<&str, CallRetention> = HashMap::new();
    walk.callees.push((MAIN, CallRetention::Always));
    while let Some((name, kept)) = walk.callees.pop() {
        if best.get(name).is_some_and(|known| *known >= kept) {
            continue;
        }
        best.insert(name, kept);
        let function = functions.iter().find(|(own, _)| *own == name).map(|(_, function)| function);
        for block in function.into_iter().flat_map(|function| function.regions.iter().flatten()) {
            walk.block(block, kept);
        }
    }
    walk.found
}

struct UseFinder<'m> {
    module: &'m Module,
    found: Vec<(&'m Operation, CallRetention)>,
    callees: Vec<(&'m str, CallRetention)>,
}

impl<'m> UseFinder<'m> {
    /// Goes through a block from its end, so that every use is seen before what it uses. A program nests 64 levels at most.
    fn block(&mut self, block: &'m Block, kept: CallRetention) {
        let mut used: HashSet<Value> = HashSet::new();
        for operation in block.operations.iter().rev() {
            let is_used = operation.results.is_empty()
                || operation.results.iter().any(|result| used.contains(result))
                || self.has_side_effect(operation);
            let own = if is_used { kept } else { CallRetention::Unused };
            if is_used {
                uses(operation, &mut used);
            }
            let module = self.module;
            if is_own(operation, "custom_call") {
                self.found.push((operation, own));
            } else if is_own(operation, "call") {
                self.callees.extend(text(module, operation, "callee").map(|name| (name, own)));
            } else if is_own(operation, "composite") {
                let inner = own.min(CallRetention::Perhaps);
                let name = text(module, operation, "decomposition");
                self.callees.extend(name.map(|name| (name, inner)));
            }
            let branches = is_own(operation, "case") || is_own(operation, "if");
            let inner = if branches { own.min(CallRetention::Perhaps) } else { own };
            for block in operation.regions.iter().flatten() {
                self.block(block, inner);
            }
        }
    }

    /// What says that it has one, and what holds something that does.
    fn has_side_effect(&self, operation: &Operation) -> bool {
        let own = self.module.attribute(operation, "has_side_effect");
        let said = own.and_then(|id| self.module.attributes.get(id)).is_some_and(|item| {
            item.code(VHLO) == Some(values::code::BOOL)
                && matches!(item.fields.get(1), Some(Field::Number(1..)))
        });
        let blocks = operation.regions.iter().flatten();
        said || blocks.flat_map(|block| &block.operations).any(|inner| self.has_side_effect(inner))
    }
}

/// The values that an operation takes, in its regions too.
fn uses(operation: &Operation, all: &mut HashSet<Value>) {
    all.extend(&operation.operands);
    for inner in operation.regions.iter().flatten().flat_map(|block| &block.operations) {
        uses(inner, all);
    }
}
