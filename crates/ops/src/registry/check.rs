//! Whether the functions of a registry run on a release.

use unskew_script::Module;

use super::entry::Bridge;
use super::{DOWNGRADERS, Registry, RegistryError, UPGRADERS, calls, fault};
use crate::OperatorTable;

impl Registry {
    /// Holds what all functions call against the operators of a release, for those that say that they run
    /// on it. Shapes of calls are compared, types are not.
    pub fn check(&self, table: &OperatorTable) -> Vec<RegistryError> {
        let mut found = Vec::new();
        for change in self.operators.values().flatten() {
            let gone = change.gone_in.is_some_and(|gone| gone <= table.release());
            if let Some(bridge) = change.upgrader.as_ref().filter(|_| !gone) {
                self.check_one(UPGRADERS, bridge, table, &mut found);
            }
            for bridge in &change.downgraders {
                self.check_one(DOWNGRADERS, bridge, table, &mut found);
            }
        }
        found
    }

    fn check_one(
        &self,
        file: &'static str,
        bridge: &Bridge,
        table: &OperatorTable,
        found: &mut Vec<RegistryError>,
    ) {
        let up = file == UPGRADERS;
        let module: &Module = if up { &self.upgraders } else { &self.downgraders };
        let name = &bridge.function;
        let function = module.functions().find(|function| function.name.text == *name);
        let Some(function) = function.filter(|_| bridge.on.contains(table.release())) else {
            return;
        };
        let line = self.lines[usize::from(!up)].get(name).copied().unwrap_or(0);
        for call in calls::of(function) {
            let mut overloads = table.overloads(&call.operator).peekable();
            let (operator, release, shape) = (&call.operator, table.release(), &call.shape);
            let what = if overloads.peek().is_none() {
                format!("{name}: torch {release} has no {operator}")
            } else if overloads.any(|schema| schema.accepts(shape).is_ok()) {
                continue;
            } else {
                format!("{name}: no {operator} of torch {release} takes {shape}")
            };
            found.push(fault(file, line, what));
        }
    }
}
