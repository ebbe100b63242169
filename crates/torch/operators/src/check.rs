//! Check of a registry: whether its functions run on a release.

use unskew_script::typing::{ScriptProgram, Typing, infer};
use unskew_torch_schemas::OperatorTable;

use crate::error::OperatorRegistryError;
use crate::functions::FunctionTexts;
use crate::registry::OperatorRegistry;
use crate::registry_change::Bridge;

impl OperatorRegistry {
    /// Holds all functions that say that they run on a release against its operators: every call is one
    /// that an overload takes, with the types that it gives, and what a function returns is of the type
    /// that it says.
    pub fn check(&self, table: &OperatorTable) -> Vec<OperatorRegistryError> {
        let release = table.release();
        let changes = || self.operators.changes();
        let there = |gone: Option<unskew_core::Version>| gone.is_none_or(|gone| release < gone);
        let up =
            changes().filter(|change| there(change.gone_in)).filter_map(|c| c.upgrader.as_ref());
        let down = changes().flat_map(|change| &change.downgraders);
        let mut found = check_file(&self.upgraders, up, table);
        found.extend(check_file(&self.downgraders, down, table));
        found
    }
}

fn check_file<'b>(
    functions: &FunctionTexts,
    bridges: impl Iterator<Item = &'b Bridge>,
    table: &OperatorTable,
) -> Vec<OperatorRegistryError> {
    let program = match functions.program() {
        Ok(program) => program,
        Err(error) => return vec![error],
    };
    let typing = infer(&program, table);
    let here = bridges.filter(|bridge| bridge.on.contains(table.release()));
    here.flat_map(|bridge| check_one(functions, &program, &typing, bridge, table)).collect()
}

fn check_one(
    functions: &FunctionTexts,
    program: &ScriptProgram,
    typing: &Typing,
    bridge: &Bridge,
    table: &OperatorTable,
) -> Vec<OperatorRegistryError> {
    let name = &bridge.function;
    let reached = FunctionTexts::reached(program, name);
    let calls = typing.calls.iter().filter(|call| reached.contains(&call.function));
    let calls = calls.filter_map(|call| Some((call.record, call.span, call.problem()?)));
    let faults = typing.faults.iter().filter(|fault| reached.contains(&fault.function));
    let faults = faults.map(|fault| (fault.record, fault.span, fault.what.clone()));
    let error = |(record, span, what): (usize, unskew_script::TextSpan, String)| {
        let line = program.records().get(record).map_or(0, |record| record.line(span.start));
        functions.fault(line, format!("{name}, on torch {}: {what}", table.release()))
    };
    calls.chain(faults).map(error).collect()
}
