//! Instructions that came with version 8, as the operators that they were before.
//!
//! An interpreter of before takes an instruction that it does not know for a call of an operator, and says nothing: so
//! what has no operator here is a blocker.

use unskew_core::{Conversion, Places, Rewrite};

use crate::bytecode::{BytecodeFunction, BytecodeOperator, Instruction, MobileBytecode};
use crate::convert::task::{ConversionTask, block};
use crate::history;
use crate::pickle::{Pickle, PickleValue};

pub(super) const BYTECODE: &str = "bytecode-version";

/// Instructions of version 8, and the operators of version 7 that do the same: name, overload, and how many
/// values they take.
const PROMOTED: [(&str, &str, &str, i64); 12] = [
    ("__IS__", "aten::__is__", "", 2),
    ("UN_INITIALIZED", "prim::Uninitialized", "", 0),
    ("__ISNOT__", "aten::__isnot__", "", 2),
    ("DEVICE", "prim::device", "", 1),
    ("DTYPE", "prim::dtype", "", 1),
    ("DIM", "aten::dim", "", 1),
    ("__NOT__", "aten::__not__", "", 1),
    ("NUM_TO_TENSOR", "prim::NumToTensor", "Scalar", 1),
    ("IS_CUDA", "prim::is_cuda", "", 1),
    ("TUPLE_INDEX", "prim::TupleIndex", "", 2),
    ("UNCHECKED_CAST", "prim::unchecked_cast", "", 1),
    // The message, and the class of the exception.
    ("RAISE_EXCEPTION", "prim::RaiseException", "", 2),
];

/// The type of the key by which a dictionary is read: that of the constant before, or that of all dictionaries that the
/// function names.
fn key(function: &BytecodeFunction, pickle: &Pickle, at: usize) -> Option<&'static str> {
    const KEYS: [&str; 6] = ["str", "int", "float", "bool", "complex", "Tensor"];
    let before = at.checked_sub(1).and_then(|before| function.instructions.get(before));
    if let Some(constant) = before.filter(|before| before.name == "LOADC") {
        let id = function.constants.get(usize::try_from(constant.x).ok()?)?;
        match pickle.value(*id) {
            PickleValue::Text(_) => return Some("str"),
            PickleValue::Int(_) => return Some("int"),
            PickleValue::Float(_) => return Some("float"),
            PickleValue::Bool(_) => return Some("bool"),
            _ => {}
        }
    }
    let types = function.types.iter().filter_map(|id| pickle.value(*id).text());
    let mut keys = types.flat_map(|ty| ty.split("Dict[").skip(1)).map(|rest| {
        let name = rest.split(',').next().unwrap_or_default().trim();
        KEYS.into_iter().find(|key| *key == name)
    });
    let first = keys.next()??;
    keys.all(|key| key == Some(first)).then_some(first)
}

/// Has operators in the place of instructions that came with version 8.
pub(super) fn replace(task: &ConversionTask<'_>, plan: &mut Conversion, code: &mut MobileBytecode) {
    for function in &mut code.functions {
        for at in 0..function.instructions.len() {
            let name = function.instructions[at].name.clone();
            if name == "FORMAT" {
                let operator = BytecodeOperator {
                    name: "aten::format".to_owned(),
                    overload: String::new(),
                    given: None,
                };
                let number = function.operator(operator);
                let instruction = &mut function.instructions[at];
                // It takes any number of values: as many as the instruction says.
                let (name, n) = ("OPN".to_owned(), instruction.x);
                *instruction = Instruction { name, x: number, n };
                continue;
            }
            if name == "TO_LIST" {
                // 1.7.1 writes such calls. Its schema says nothing of what it takes, and 1.10 looks for defaults of what is not
                // given: so all three are.
                let (name, overload) = ("prim::tolist".to_owned(), String::new());
                let number = function.operator(BytecodeOperator { name, overload, given: Some(3) });
                let name = "OP".to_owned();
                function.instructions[at] = Instruction { name, x: number, n: 0 };
                let what = "the instruction TO_LIST is an operator";
                plan.add(Rewrite::new(BYTECODE, what).at(&function.name));
                continue;
            }
            if name == "DICT_INDEX" {
                let Some(key) = key(function, &code.pickle, at) else {
                    let what = "version 7 of bytecode has an operator for each type of key in place of DICT_INDEX, and the \
                                type of this key is not known";
                    block(task, plan, what, Places::from_iter([&function.name]));
                    continue;
                };
                let (name, overload) = ("aten::__getitem__".to_owned(), format!("Dict_{key}"));
                let number = function.operator(BytecodeOperator { name, overload, given: Some(2) });
                let name = "OP".to_owned();
                function.instructions[at] = Instruction { name, x: number, n: 0 };
                let what = "the instruction DICT_INDEX is an operator";
                plan.add(Rewrite::new(BYTECODE, what).at(&function.name));
                continue;
            }
            let known = PROMOTED.iter().find(|(instruction, ..)| *instruction == name);
            if let Some((_, operator, overload, given)) = known {
                let operator = BytecodeOperator {
                    name: (*operator).to_owned(),
                    overload: (*overload).to_owned(),
                    given: Some(*given),
                };
                let number = function.operator(operator);
                let instruction = &mut function.instructions[at];
                instruction.name = "OP".to_owned();
                (instruction.x, instruction.n) = (number, 0);
                let what = format!("the instruction {name} is an operator");
                plan.add(Rewrite::new(BYTECODE, what).at(&function.name));
            } else if history::is_promoted(&name) {
                let what = format!("version 7 of bytecode has no instruction {name}");
                block(task, plan, &what, Places::from_iter([&function.name]));
            }
        }
    }
}
