//! Names of what instructions refer to by numbers.

use std::collections::HashMap;

use crate::frames::Tables;
use crate::messages::Instruction;

/// The main thread, which is not named.
pub(crate) const MAIN_THREAD: &str = "main";

/// What instructions refer to by numbers.
pub(crate) struct Names<'a> {
    /// Computations by their ids.
    pub computations: HashMap<i64, &'a str>,
    /// The instructions of a computation by theirs.
    pub instructions: HashMap<i64, &'a Instruction>,
    /// Bytes that the module keeps for instructions.
    pub payloads: &'a [Vec<u8>],
    /// Where instructions come from.
    pub frames: Tables<'a>,
}

impl Names<'_> {
    pub(crate) fn computation(&self, id: i64) -> String {
        match self.computations.get(&id) {
            Some(name) => format!("%{name}"),
            None => format!("%{id}"),
        }
    }

    pub(crate) fn instruction(&self, id: i64) -> String {
        match self.instructions.get(&id) {
            Some(found) => format!("%{}", found.name),
            None => format!("%{id}"),
        }
    }
}
