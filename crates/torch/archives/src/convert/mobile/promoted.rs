//! Instructions that came with version 8, as the operators that they were before.
//!
//! An interpreter of before takes an instruction that it does not know for a call of an operator, and says nothing: so
//! what has no operator here is a blocker.

use unskew_core::{Conversion, Places, Rewrite};

use crate::bytecode::{Bytecode, Instruction, Operator};
use crate::convert::task::{Task, block};
use crate::history;

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

/// Has operators in the place of instructions that came with version 8.
pub(super) fn replace(task: &Task<'_>, plan: &mut Conversion, code: &mut Bytecode) {
    for function in &mut code.functions {
        for at in 0..function.instructions.len() {
            let name = function.instructions[at].name.clone();
            if name == "FORMAT" {
                let operator = Operator {
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
            let known = PROMOTED.iter().find(|(instruction, ..)| *instruction == name);
            if let Some((_, operator, overload, given)) = known {
                let operator = Operator {
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
