//! An instruction that calls an operator, and how it is rewritten.

use unskew_core::{Conversion, Rewrite};

use crate::bytecode::{BytecodeFunction, BytecodeOperator, Instruction};
use crate::pickle::{Id, Pickle};

/// The adaptation of calls that give more or fewer of their defaults.
pub(super) const DEFAULTS: &str = "materialize-defaults";
const PRUNE: &str = "prune-dead-branch";

/// A call in bytecode, and what a rewrite of it changes besides.
pub(super) struct CallSite<'c> {
    pub(super) function: &'c mut BytecodeFunction,
    pub(super) at: usize,
    pub(super) operator: &'c BytecodeOperator,
    pub(super) pickle: &'c mut Pickle,
    pub(super) plan: &'c mut Conversion,
}

impl CallSite<'_> {
    pub(super) fn rewrite(&mut self, adaptation: &'static str, what: String) {
        self.plan.add(Rewrite::new(adaptation, what).at(&self.function.name));
    }

    /// Has the instruction call another operator; `added` instructions were put in front of it.
    pub(super) fn call(&mut self, added: usize, operator: BytecodeOperator) {
        let number = self.function.operator(operator);
        if let Some(instruction) = self.function.instructions.get_mut(self.at + added) {
            instruction.x = number;
        }
    }

    /// Has a call that never runs go on to the next instruction.
    pub(super) fn prune(&mut self) {
        if let Some(instruction) = self.function.instructions.get_mut(self.at) {
            *instruction = Instruction { name: "JMP".to_owned(), x: 1, n: 0 };
        }
        self.rewrite(PRUNE, format!("a call of {} that never runs is left out", self.operator));
    }

    /// Leaves the last values of a call out; says how many instructions that takes.
    pub(super) fn drop_last(
        &mut self,
        operator: &BytecodeOperator,
        less: i64,
        full: &str,
    ) -> usize {
        self.rewrite(DEFAULTS, format!("{full}: {less} of its arguments are left out"));
        let drop = Instruction { name: "DROP".to_owned(), x: 0, n: 0 };
        let added = usize::try_from(less).unwrap_or(0);
        self.function.insert(self.at, vec![drop; added]);
        let given = operator.given.map(|given| given - less);
        self.call(added, BytecodeOperator { given, ..operator.clone() });
        added
    }

    /// Loads constants in front of the instruction; says how many instructions that takes.
    pub(super) fn give(&mut self, values: &[Id]) -> usize {
        let mut new = Vec::with_capacity(values.len());
        for value in values {
            let x = self.function.constant(self.pickle, *value);
            new.push(Instruction { name: "LOADC".to_owned(), x, n: 0 });
        }
        let added = new.len();
        self.function.insert(self.at, new);
        added
    }
}
