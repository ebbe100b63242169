//! The bytecode of mobile archives and flatbuffers, ready to run.

use foldhash::{HashMap, HashMapExt as _};
use unskew_source::ReadError;
use unskew_torch::bytecode::{BytecodeOperator, COUNTED, Instruction, MobileBytecode};

use super::objects;
use super::records::Records;
use crate::{ProgramCode, ScriptValue};

pub(super) const RECORD: &str = "bytecode.pkl";

/// The first version whose constants lie where those of the code lie.
const SHARED: i64 = 5;

/// The functions of an archive.
pub(crate) struct Mobile {
    /// Whether its operators say how many arguments they are given.
    pub(crate) counted: bool,
    routines: HashMap<String, Routine>,
}

pub(crate) struct Routine {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) operators: Vec<BytecodeOperator>,
    pub(crate) constants: Vec<ScriptValue>,
    pub(crate) types: Vec<String>,
    pub(crate) registers: usize,
}

impl Mobile {
    pub(crate) fn routine(&self, name: &str) -> Option<&Routine> {
        self.routines.get(name)
    }

    pub(crate) fn operators(&self) -> impl Iterator<Item = &BytecodeOperator> {
        self.routines.values().flat_map(|routine| &routine.operators)
    }

    pub(crate) fn methods(&self, class: &str) -> Vec<String> {
        let start = format!("{class}.");
        let names = self.routines.keys().filter_map(|name| name.strip_prefix(&start));
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort();
        names
    }
}

/// The bytecode of an archive; none if there is none.
pub(super) fn read(
    records: &Records,
    code: &ProgramCode,
    shared: &[ScriptValue],
) -> Result<Option<Mobile>, ReadError> {
    let Some(bytes) = records.get(RECORD)? else { return Ok(None) };
    let pickle = records.pickle(RECORD, &bytes)?;
    let Some(MobileBytecode { pickle, version, functions }) = MobileBytecode::from_pickle(pickle)
    else {
        return Err(records.fault(RECORD, "not a tuple of functions"));
    };
    let folder = if version < SHARED { "bytecode" } else { "constants" };
    let mut routines = HashMap::new();
    for function in functions {
        let constants =
            objects::members(records, code, &pickle, &function.constants, folder, shared)
                .map_err(|what| records.fault(RECORD, what))?;
        let types = function.types.iter().map(|id| pickle.value(*id).text().unwrap_or_default());
        let routine = Routine {
            constants,
            types: types.map(str::to_owned).collect(),
            registers: usize::try_from(function.registers).unwrap_or(0),
            instructions: function.instructions,
            operators: function.operators,
        };
        routines.insert(function.name, routine);
    }
    Ok(Some(Mobile { counted: version >= COUNTED, routines }))
}
