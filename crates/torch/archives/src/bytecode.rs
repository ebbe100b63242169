//! Bytecode of the mobile interpreter, read from `bytecode.pkl` and written back.
//!
//! The mobile interpreter has a stack and registers. What it calls stands in a table of operators, each with its
//! overload; since version 6 an operator also says how many arguments the code gives it, and the rest are defaults.
//! A flatbuffer holds the same in another form: [`archive_of_flatbuffer`](crate::archive_of_flatbuffer).
//!
//! ```text
//! ( 8, ( "__torch__.M.forward",
//!        ( ("instructions", (("MOVE", 2, 0), ("OP", 0, 0), ...)),
//!          ("operators", (("aten::gelu", "", 1), ...)),  -- up to version 5 without the number
//!          ("constants", (...)), ("types", (...)), ("register_size", 2) ),
//!        ( ("arguments", ...), ("returns", ...) ) ), ... )  -- the schema: since version 4
//! ```

use std::collections::BTreeMap;
use std::fmt;

use crate::pickle::{Id, Pickle, PickleValue};

/// The record of an archive that holds it.
pub(crate) const RECORD: &str = "bytecode.pkl";

/// The version of bytecode that does not say its version.
pub const UNSAID: i64 = 3;

/// The first version in which an operator says how many arguments its calls give.
pub const COUNTED: i64 = 6;

/// The instructions whose first operand is a distance within the code.
pub(crate) const JUMPS: [&str; 3] = ["JF", "JMP", "LOOP"];

/// An instruction of the mobile interpreter, with its two operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The opcode of the mobile interpreter: `LOADC`.
    pub name: String,
    /// The first operand: most often the number of a register, a constant, an operator, or a distance.
    pub x: i64,
    /// The second operand: most often how many values.
    pub n: i64,
}

impl Instruction {
    /// Whether it calls an operator of the table.
    pub(crate) fn is_call(&self) -> bool {
        matches!(self.name.as_str(), "OP" | "OPN")
    }
}

/// An operator that a function calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BytecodeOperator {
    /// The name without the overload: `aten::add`.
    pub name: String,
    /// The overload, often empty: `Tensor`.
    pub overload: String,
    /// How many arguments are given; none if all are, or if it takes any number.
    pub given: Option<i64>,
}

impl fmt::Display for BytecodeOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dot = if self.overload.is_empty() { "" } else { "." };
        write!(f, "{}{dot}{}", self.name, self.overload)
    }
}

/// A method of the model as bytecode.
#[derive(Clone, Debug)]
pub struct BytecodeFunction {
    /// Its qualified name: `__torch__.M.forward`.
    pub name: String,
    /// Its tuple in the pickle.
    id: Id,
    /// The code, in the order of the file.
    pub instructions: Vec<Instruction>,
    /// What its instructions call.
    pub operators: Vec<BytecodeOperator>,
    /// Constants, as values of the pickle.
    pub constants: Vec<Id>,
    /// Names of types, as texts of the pickle.
    pub types: Vec<Id>,
    /// How many registers it has; the first one has the number 1.
    pub registers: i64,
}

/// The bytecode of an archive.
#[derive(Clone, Debug)]
pub struct MobileBytecode {
    /// What the constants and the types of functions stand in.
    pub pickle: Pickle,
    /// The version; [`UNSAID`] if it is not said.
    pub version: i64,
    /// All methods, in the order of the file.
    pub functions: Vec<BytecodeFunction>,
}

impl MobileBytecode {
    /// None if the pickle is not of this form.
    pub fn from_pickle(pickle: Pickle) -> Option<Self> {
        let PickleValue::Tuple(members) = pickle.root() else { return None };
        let said = members.first().and_then(|id| pickle.value(*id).int());
        let skipped = usize::from(said.is_some());
        let functions =
            members.get(skipped..)?.iter().map(|id| BytecodeFunction::from_value(&pickle, *id));
        let functions = functions.collect::<Option<Vec<_>>>()?;
        Some(Self { version: said.unwrap_or(UNSAID), functions, pickle })
    }

    pub(crate) fn finish(mut self) -> Pickle {
        let counted = self.version >= COUNTED;
        let mut members = vec![self.pickle.push(PickleValue::Int(self.version))];
        for function in &mut self.functions {
            function.drop_unused();
            function.put(&mut self.pickle, counted);
            members.push(function.id);
        }
        let root = self.pickle.tuple(members);
        self.pickle.set_root(root);
        self.pickle
    }
}

/// The value of a key in a tuple of pairs.
fn part(pickle: &Pickle, table: Id, key: &str) -> Option<Id> {
    let PickleValue::Tuple(pairs) = pickle.value(table) else { return None };
    pairs.iter().find_map(|pair| match pickle.value(*pair) {
        PickleValue::Tuple(pair) => {
            let &[name, value] = pair.as_slice() else { return None };
            (pickle.value(name).text() == Some(key)).then_some(value)
        }
        _ => None,
    })
}

impl BytecodeFunction {
    fn from_value(pickle: &Pickle, id: Id) -> Option<Self> {
        let PickleValue::Tuple(parts) = pickle.value(id) else { return None };
        let (name, table) = (pickle.value(*parts.first()?).text()?, *parts.get(1)?);
        let members = |key: &str| {
            let id = part(pickle, table, key)?;
            match pickle.value(id) {
                PickleValue::Tuple(ids) | PickleValue::List(ids) => Some(ids.to_vec()),
                _ => None,
            }
        };
        let instruction = |id: &Id| {
            let mut parts = pickle.members(pickle.value(*id));
            let name = parts.next()?.text()?.to_owned();
            Some(Instruction { name, x: parts.next()?.int()?, n: parts.next()?.int()? })
        };
        let operator = |id: &Id| {
            let mut parts = pickle.members(pickle.value(*id));
            let (name, overload) = (parts.next()?.text()?, parts.next()?.text()?);
            let given = parts.next().and_then(PickleValue::int).filter(|given| *given >= 0);
            Some(BytecodeOperator { name: name.to_owned(), overload: overload.to_owned(), given })
        };
        Some(Self {
            name: name.to_owned(),
            id,
            instructions: members("instructions")?
                .iter()
                .map(instruction)
                .collect::<Option<_>>()?,
            operators: members("operators")?.iter().map(operator).collect::<Option<_>>()?,
            constants: members("constants")?,
            // Up to 1.4 there is no such table.
            types: members("types").unwrap_or_default(),
            registers: part(pickle, table, "register_size")
                .and_then(|id| pickle.value(id).int())
                .unwrap_or(0),
        })
    }

    /// Writes the tables of the function into the pickle, in the places of the old ones.
    fn put(&self, pickle: &mut Pickle, counted: bool) {
        let instructions: Vec<Id> = self
            .instructions
            .iter()
            .map(|Instruction { name, x, n }| {
                let name = pickle.text(name);
                let (x, n) = (pickle.push(PickleValue::Int(*x)), pickle.push(PickleValue::Int(*n)));
                pickle.tuple([name, x, n])
            })
            .collect();
        let operators: Vec<Id> = self
            .operators
            .iter()
            .map(|operator| {
                let mut parts = vec![pickle.text(&operator.name), pickle.text(&operator.overload)];
                if counted {
                    parts.push(pickle.push(PickleValue::Int(operator.given.unwrap_or(-1))));
                }
                pickle.tuple(parts)
            })
            .collect();
        let PickleValue::Tuple(mut parts) = pickle.value(self.id).clone() else { return };
        if parts.len() < 2 {
            return;
        }
        let types = pickle.tuple(self.types.clone());
        let registers = pickle.push(PickleValue::Int(self.registers));
        let all = [
            ("instructions", pickle.tuple(instructions)),
            ("operators", pickle.tuple(operators)),
            ("constants", pickle.tuple(self.constants.clone())),
            ("types", types),
            ("register_size", registers),
        ];
        let pairs = all.map(|(key, value)| {
            let key = pickle.text(key);
            pickle.tuple([key, value])
        });
        parts[1] = pickle.tuple(pairs);
        pickle.replace(self.id, PickleValue::Tuple(parts));
    }

    /// Adds instructions in front of the one at `at`. Whatever jumped there runs them first.
    pub(crate) fn insert(&mut self, at: usize, new: Vec<Instruction>) {
        let (added, place) = (new.len() as i64, at as i64);
        for (here, instruction) in self.instructions.iter_mut().enumerate() {
            if !JUMPS.contains(&instruction.name.as_str()) {
                continue;
            }
            let here = here as i64;
            let to = here.saturating_add(instruction.x);
            // From above to below, or from below to at or above what is added.
            if here < place && to > place {
                instruction.x += added;
            } else if here >= place && to <= place {
                instruction.x -= added;
            }
        }
        self.instructions.splice(at..at, new);
    }

    /// Removes operators that no instruction names.
    fn drop_unused(&mut self) {
        let mut kept: Vec<BytecodeOperator> = Vec::new();
        let mut numbers: BTreeMap<i64, i64> = BTreeMap::new();
        for (old, operator) in self.operators.iter().enumerate() {
            let old = old as i64;
            if self.instructions.iter().any(|one| one.is_call() && one.x == old) {
                numbers.insert(old, kept.len() as i64);
                kept.push(operator.clone());
            }
        }
        for call in self.instructions.iter_mut().filter(|one| one.is_call()) {
            call.x = numbers.get(&call.x).copied().unwrap_or(call.x);
        }
        self.operators = kept;
    }

    pub(crate) fn has_signature(&self, pickle: &Pickle) -> bool {
        matches!(pickle.value(self.id), PickleValue::Tuple(parts) if parts.len() > 2)
    }

    /// Gives the function a signature: names and types.
    pub(crate) fn sign(&self, pickle: &mut Pickle, arguments: &[(String, String)], returns: &str) {
        let mut list = |all: &[(String, String)]| {
            let all: Vec<Id> = all
                .iter()
                .map(|(name, ty)| {
                    let fields = [
                        ("name", PickleValue::Text(name.clone())),
                        ("type", PickleValue::Text(ty.clone())),
                        ("default_value", PickleValue::None),
                    ];
                    let fields = fields.map(|(key, value)| {
                        let (key, value) = (pickle.text(key), pickle.push(value));
                        pickle.tuple([key, value])
                    });
                    pickle.tuple(fields)
                })
                .collect();
            pickle.tuple(all)
        };
        let arguments = list(arguments);
        let returns = list(&[(String::new(), returns.to_owned())]);
        let pairs = [("arguments", arguments), ("returns", returns)].map(|(key, value)| {
            let key = pickle.text(key);
            pickle.tuple([key, value])
        });
        let signature = pickle.tuple(pairs);
        if let PickleValue::Tuple(mut parts) = pickle.value(self.id).clone() {
            parts.truncate(2);
            parts.push(signature);
            pickle.replace(self.id, PickleValue::Tuple(parts));
        }
    }

    /// The number of a constant in the table, which it joins if it is not there.
    pub(crate) fn constant(&mut self, pickle: &Pickle, value: Id) -> i64 {
        let same = |id: &Id| match pickle.value(*id) {
            PickleValue::Call(_) => *id == value,
            known => known == pickle.value(value),
        };
        let at = self.constants.iter().position(same).unwrap_or_else(|| {
            self.constants.push(value);
            self.constants.len() - 1
        });
        at as i64
    }

    /// The number of a type in the table, which it joins if it is not there.
    pub(crate) fn ty(&mut self, pickle: &mut Pickle, ty: &str) -> i64 {
        let known = self.types.iter().position(|id| pickle.value(*id).text() == Some(ty));
        let at = known.unwrap_or_else(|| {
            self.types.push(pickle.text(ty));
            self.types.len() - 1
        });
        at as i64
    }

    /// The number of an operator in the table, which it joins if it is not there.
    pub(crate) fn operator(&mut self, operator: BytecodeOperator) -> i64 {
        let known = self.operators.iter().position(|one| *one == operator);
        let at = known.unwrap_or_else(|| {
            self.operators.push(operator);
            self.operators.len() - 1
        });
        at as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_keep_their_targets_when_instructions_are_added() {
        let one = |name: &str, x| Instruction { name: name.to_owned(), x, n: 0 };
        let mut function = BytecodeFunction {
            name: "f".into(),
            id: 0,
            instructions: vec![
                one("JF", 3),
                one("OP", 0),
                one("JMP", -2),
                one("OP", 1),
                one("JMP", 1),
                one("RET", 0),
            ],
            operators: Vec::new(),
            constants: Vec::new(),
            types: Vec::new(),
            registers: 0,
        };
        function.insert(3, vec![one("LOADC", 0), one("LOADC", 0)]);
        let jumps: Vec<i64> =
            function.instructions.iter().filter(|i| i.name.starts_with('J')).map(|i| i.x).collect();
        // To what was at 3 and is preceded now, back to the start, over nothing.
        assert_eq!(jumps, [3, -2, 1]);
        function.insert(1, vec![one("LOADC", 0)]);
        let jumps: Vec<i64> =
            function.instructions.iter().filter(|i| i.name.starts_with('J')).map(|i| i.x).collect();
        assert_eq!(jumps, [4, -3, 1]);
    }
}
