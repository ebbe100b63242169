//! The functions of a flatbuffer as the pickle of an archive.

use unskew_source::ReadError;

use super::module::ModuleDraft;
use super::values::{PickleWriter, Values, value_kind};
use crate::pickle::{Id, Pickle, PickleValue};
use unskew_source::flatbuffer::FlatTable;

/// The version that the bytecode of a flatbuffer has in an archive.
const VERSION: i64 = 8;

/// The names of instructions, by their numbers.
const INSTRUCTIONS: [&str; 51] = [
    "OP",
    "OPN",
    "LOAD",
    "MOVE",
    "STOREN",
    "STORE",
    "DROP",
    "DROPR",
    "LOADC",
    "JF",
    "JMP",
    "LOOP",
    "RET",
    "WAIT",
    "CALL",
    "GUARD",
    "TYPECHECK",
    "FAIL_GUARD",
    "PROFILE_OP",
    "TAIL_CALL",
    "INTERFACE_CALL",
    "GET_ATTR",
    "SET_ATTR",
    "LIST_UNPACK",
    "TUPLE_CONSTRUCT",
    "NAMED_TUPLE_CONSTRUCT",
    "LIST_CONSTRUCT",
    "DICT_CONSTRUCT",
    "CREATE_OBJECT",
    "ISINSTANCE",
    "TUPLE_SLICE",
    "TUPLE_INDEX",
    "RAISE_EXCEPTION",
    "DICT_INDEX",
    "UNCHECKED_CAST",
    "__IS__",
    "UN_INITIALIZED",
    "__ISNOT__",
    "FORMAT",
    "DEVICE",
    "DTYPE",
    "DIM",
    "__NOT__",
    "TO_LIST",
    "NUM_TO_TENSOR",
    "IS_CUDA",
    "FORK",
    "WARN",
    "ENTER",
    "EXIT",
    "AWAITABLE",
];

mod function {
    pub(super) const NAME: u64 = 0;
    pub(super) const INSTRUCTIONS: u64 = 1;
    pub(super) const OPERATORS: u64 = 2;
    pub(super) const CONSTANTS: u64 = 3;
    pub(super) const TYPES: u64 = 4;
    pub(super) const REGISTERS: u64 = 5;
    pub(super) const SCHEMA: u64 = 6;
}

/// The most instructions of all functions.
const MOST: u64 = 1 << 22;

/// All functions as `bytecode.pkl`.
pub(super) fn pickle(module: &ModuleDraft<'_>, found: &mut Values) -> Result<Pickle, ReadError> {
    let ModuleDraft { buffer, values, .. } = module;
    let mut writer = PickleWriter::new(module, found);
    let mut members = vec![writer.pickle.push(PickleValue::Int(VERSION))];
    let mut count = 0;
    for n in 0..values.len {
        let one = buffer.element(*values, n)?;
        if buffer.scalar(one, value_kind::KIND, 1)? != value_kind::FUNCTION {
            continue;
        }
        if let Some(function) = buffer.child(one, value_kind::VALUE)? {
            count += buffer.vector(function, function::INSTRUCTIONS, 8)?.len;
            if count > MOST {
                return Err(buffer.error(values.at, &format!("more than {MOST} instructions")));
            }
            members.push(writer.function(module, function)?);
        }
    }
    let root = writer.pickle.tuple(members);
    writer.pickle.set_root(root);
    Ok(writer.pickle)
}

impl PickleWriter<'_> {
    fn function(&mut self, module: &ModuleDraft<'_>, table: FlatTable) -> Result<Id, ReadError> {
        let buffer = &module.buffer;
        let name = buffer.text(table, function::NAME)?;
        let instructions = self.instructions(module, table, &name)?;
        let operators = buffer.vector(table, function::OPERATORS, 4)?;
        let mut all = Vec::new();
        for n in 0..operators.len {
            let one = buffer.element(operators, n)?;
            let (operator, overload) = (buffer.text(one, 0)?, buffer.text(one, 1)?);
            let given = i64::from(buffer.int(one, 2, -1)?);
            let parts = [
                self.pickle.text(&operator),
                self.pickle.text(&overload),
                self.pickle.push(PickleValue::Int(given)),
            ];
            all.push(self.pickle.tuple(parts));
        }
        let operators = self.pickle.tuple(all);
        let constants = buffer.vector(table, function::CONSTANTS, 4)?;
        let constants: Vec<Id> = (0..constants.len)
            .map(|n| self.value(buffer.number(constants.at + 4 * n, 4)?))
            .collect::<Result<_, _>>()?;
        let constants = self.pickle.tuple(constants);
        let types = buffer.vector(table, function::TYPES, 4)?;
        let types: Vec<Id> = (0..types.len)
            .map(|n| Ok(self.pickle.text(&buffer.element_text(types, n)?)))
            .collect::<Result<_, ReadError>>()?;
        let types = self.pickle.tuple(types);
        let registers = i64::from(buffer.int(table, function::REGISTERS, 0)?);
        let registers = self.pickle.push(PickleValue::Int(registers));
        let code = self.pairs([
            ("instructions", instructions),
            ("operators", operators),
            ("constants", constants),
            ("types", types),
            ("register_size", registers),
        ]);
        let schema = self.schema(module, table)?;
        let name = self.pickle.text(&name);
        Ok(self.pickle.tuple([name, code, schema]))
    }

    fn instructions(
        &mut self,
        module: &ModuleDraft<'_>,
        table: FlatTable,
        function: &str,
    ) -> Result<Id, ReadError> {
        let buffer = &module.buffer;
        let vector = buffer.vector(table, function::INSTRUCTIONS, 8)?;
        let mut all = Vec::new();
        for n in 0..vector.len {
            let at = vector.at + 8 * n;
            let number = buffer.number(at, 1)?;
            let name = usize::try_from(number).ok().and_then(|number| INSTRUCTIONS.get(number));
            let Some(name) = name else {
                let what = format!("an archive has no instruction {number}");
                self.found.blocked.push((what, function.to_owned()));
                continue;
            };
            let parts = [
                self.pickle.text(name),
                self.pickle
                    .push(PickleValue::Int(i64::from(buffer.number(at + 4, 4)? as u32 as i32))),
                self.pickle.push(PickleValue::Int(buffer.number(at + 2, 2)? as i64)),
            ];
            all.push(self.pickle.tuple(parts));
        }
        Ok(self.pickle.tuple(all))
    }

    /// What a function takes and gives.
    fn schema(&mut self, module: &ModuleDraft<'_>, table: FlatTable) -> Result<Id, ReadError> {
        let buffer = &module.buffer;
        let schema = buffer.child(table, function::SCHEMA)?;
        let mut lists = Vec::new();
        for field in 0..2 {
            let mut all = Vec::new();
            let vector = schema.map(|schema| buffer.vector(schema, field, 4)).transpose()?;
            for n in 0..vector.map_or(0, |vector| vector.len) {
                let Some(vector) = vector else { break };
                let one = buffer.element(vector, n)?;
                let name = self.pickle.text(&buffer.text(one, 0)?);
                let ty = self.pickle.text(&buffer.text(one, 1)?);
                // Number 0 is none.
                let default = self.value(buffer.scalar(one, 2, 4)?)?;
                all.push(self.pairs([("name", name), ("type", ty), ("default_value", default)]));
            }
            lists.push(self.pickle.tuple(all));
        }
        Ok(self.pairs([("arguments", lists[0]), ("returns", lists[1])]))
    }

    fn pairs<const N: usize>(&mut self, pairs: [(&str, Id); N]) -> Id {
        let all = pairs.map(|(name, value)| {
            let name = self.pickle.text(name);
            self.pickle.tuple([name, value])
        });
        self.pickle.tuple(all)
    }
}
