//! Operations of CHLO for readers before other dialects came in: one of VHLO, those that a function is made of, or the
//! calls that JAX wrote for what XLA itself has.
//!
//! An artifact has them between casts: from the types of VHLO to those of MLIR itself, and back. All of them are
//! replaced, or none: a value of another dialect that is left has no older form.

use std::collections::HashMap;

use unskew_core::Version;

use super::{functions, values};
use crate::bytecode::operations::Value;
use crate::module::{Block, Field, Id, Module, Operation, Sort, VHLO};

/// Since when they may stand there.
const SINCE: Version = Version::triple(1, 11, 0);
const CHLO: &str = "chlo";
const MLIR: &str = "builtin";
const CAST: &str = "unrealized_conversion_cast";

/// What an operation of CHLO is in VHLO, for one or two operands whose elements are those of the result.
const SAME: [(&str, &str); 16] = [
    ("broadcast_add", "add_v1"),
    ("broadcast_and", "and_v1"),
    ("broadcast_atan2", "atan2_v1"),
    ("broadcast_divide", "divide_v1"),
    ("broadcast_maximum", "maximum_v1"),
    ("broadcast_minimum", "minimum_v1"),
    ("broadcast_multiply", "multiply_v1"),
    ("broadcast_or", "or_v1"),
    ("broadcast_power", "power_v1"),
    ("broadcast_remainder", "remainder_v1"),
    ("broadcast_shift_left", "shift_left_v1"),
    ("broadcast_shift_right_arithmetic", "shift_right_arithmetic_v1"),
    ("broadcast_shift_right_logical", "shift_right_logical_v1"),
    ("broadcast_subtract", "subtract_v1"),
    ("broadcast_xor", "xor_v1"),
    ("tan", "tan_v1"),
];

/// What XLA takes for an operation of its own, by the names with which JAX before 0.6.2 called it.
const CALLS: [(&str, &str); 2] = [("erf", "mhlo.erf"), ("top_k", "mhlo.topk")];

/// What was done to the values of a program.
#[derive(Default)]
struct Replaced {
    /// The value of VHLO that each value of another dialect is.
    own: HashMap<Value, Value>,
    /// The values whose casts are gone, and what stands for them.
    renamed: HashMap<Value, Value>,
    names: Vec<String>,
}

/// Puts operations of VHLO in the places of those of CHLO if that can be done with all. Says what was done.
pub(super) fn replace(module: &mut Module, top: &mut Block, target: Version) -> Vec<String> {
    if target >= SINCE || !has(top, &|one| *one.dialect == *CHLO) || has(top, &is_strange) {
        return Vec::new();
    }
    let mut replaced = Replaced::default();
    let mut made = top.clone();
    if replaced.block(module, &mut made).is_none() {
        return Vec::new();
    }
    *top = made;
    replaced.names
}

/// Whether any operation is one of these.
fn has(block: &Block, is: &dyn Fn(&Operation) -> bool) -> bool {
    let inner = |one: &Operation| one.regions.iter().flatten().any(|block| has(block, is));
    block.operations.iter().any(|one| is(one) || inner(one))
}

/// Whether it is of another dialect and is not replaced.
fn is_strange(one: &Operation) -> bool {
    match &*one.dialect {
        VHLO => false,
        MLIR => !["module", CAST].contains(&&*one.name),
        CHLO => {
            let known = |(name, _): &(&str, &str)| *name == &*one.name;
            !SAME.iter().chain(&CALLS).any(known) && !functions::is_known(broadcast_of(&one.name))
        }
        _ => true,
    }
}

impl Replaced {
    /// Replaces what a block has; none if something cannot be.
    fn block(&mut self, module: &mut Module, block: &mut Block) -> Option<()> {
        for mut operation in std::mem::take(&mut block.operations) {
            for operand in &mut operation.operands {
                *operand = self.renamed.get(operand).copied().unwrap_or(*operand);
            }
            for inner in operation.regions.iter_mut().flatten() {
                self.block(module, inner)?;
            }
            if operation.is(MLIR, CAST) {
                self.cast(module, &operation)?;
            } else if *operation.dialect == *CHLO {
                self.operation(module, operation, &mut block.operations)?;
            } else {
                block.operations.push(operation);
            }
        }
        Some(())
    }

    /// A cast is the value that it is of.
    fn cast(&mut self, module: &Module, cast: &Operation) -> Option<()> {
        let ([from], [to]) = (&cast.operands[..], &cast.results[..]) else { return None };
        let kind = |value: Value| module.values.get(value).copied();
        if let Some(own) = self.own.get(from) {
            (kind(*own)? == kind(*to)?).then_some(())?;
            self.renamed.insert(*to, *own);
        } else {
            values::tensor(module, kind(*from)?)?;
            self.own.insert(*to, *from);
        }
        Some(())
    }

    fn operation(
        &mut self,
        module: &mut Module,
        mut operation: Operation,
        out: &mut Vec<Operation>,
    ) -> Option<()> {
        let own = |value: &Value| self.own.get(value).copied();
        let mut operands = operation.operands.iter().map(own).collect::<Option<Vec<_>>>()?;
        let before = format!("`{CHLO}.{}`", operation.name);
        if let Some((_, target)) = CALLS.iter().find(|(name, _)| *name == &*operation.name) {
            operation.operands = operands;
            self.call(module, &mut operation, target)?;
            out.push(operation);
            super::note(&mut self.names, format!("{before} as a call of `{target}`"));
            return Some(());
        }
        // Dimensions that are said are not the last ones, which broadcasting takes by itself.
        operation.attributes.is_empty().then_some(())?;
        let [result] = operation.results[..] else { return None };
        let (dims, element) = joined(module, &operands)?;
        let kind = values::tensor_type(module, &dims, element);
        for operand in &mut operands {
            *operand = broadcast(module, &operation, *operand, (&dims, kind), out)?;
        }
        let Some((_, name)) = SAME.iter().find(|(name, _)| *name == &*operation.name) else {
            operation.name = broadcast_of(&operation.name).into();
            let value = functions::emit(module, &operation, &operands, (&dims, element), out)?;
            self.own.insert(result, value);
            super::note(&mut self.names, format!("{before} as the operations that it is made of"));
            return Some(());
        };
        let value = module.value(kind);
        self.own.insert(result, value);
        operation.dialect = VHLO.into();
        operation.name = (*name).into();
        (operation.operands, operation.results) = (operands, vec![value]);
        out.push(operation);
        super::note(&mut self.names, format!("{before} as `{name}`"));
        Some(())
    }

    /// Makes an operation the call that XLA takes for it.
    fn call(&mut self, module: &mut Module, operation: &mut Operation, target: &str) -> Option<()> {
        let [operand] = operation.operands[..] else { return None };
        let kind = *module.values.get(operand)?;
        let (mut dims, element) = values::tensor(module, kind)?;
        let (mut said, mut kinds) = (Vec::new(), vec![kind]);
        if target == "mhlo.topk" {
            let count = module.attribute(operation, "k")?;
            let count = values::plain_integer(module, count)?;
            *dims.last_mut()? = count;
            let places = module.vhlo(Sort::Type, vec![Field::Number(values::code::I32)]);
            kinds = [element, places].map(|part| values::tensor_type(module, &dims, part)).into();
            said.push(("k", values::signed(module, count)));
            said.push(("largest", values::truth(module, true)));
        }
        (operation.results.len() == kinds.len()).then_some(())?;
        let said = values::dictionary(module, &said);
        let first = values::signed(module, 1);
        values::call(
            module,
            operation,
            target,
            &[("mhlo.attributes", said), ("mhlo.version", first)],
        );
        for (result, kind) in operation.results.iter_mut().zip(kinds) {
            let value = module.value(kind);
            self.own.insert(*result, value);
            *result = value;
        }
        Some(())
    }
}

/// The function that an operation broadcasts its operands for.
fn broadcast_of(name: &str) -> &str {
    name.strip_prefix("broadcast_").unwrap_or(name)
}

/// The dimensions to which values are broadcast, and what an element is; none if dimensions are not known.
fn joined(module: &Module, operands: &[Value]) -> Option<(Vec<i64>, Id)> {
    let mut all: Option<(Vec<i64>, Id)> = None;
    for operand in operands {
        let (mut dims, element) = values::tensor(module, *module.values.get(*operand)?)?;
        dims.iter().all(|dim| *dim >= 0).then_some(())?;
        let Some((mut longer, other)) = all.take() else {
            all = Some((dims, element));
            continue;
        };
        (other == element).then_some(())?;
        if longer.len() < dims.len() {
            std::mem::swap(&mut longer, &mut dims);
        }
        for (one, other) in longer.iter_mut().rev().zip(dims.iter().rev()) {
            match (*one, *other) {
                (1, other) => *one = other,
                (own, other) => (own == other || other == 1).then_some(())?,
            }
        }
        all = Some((longer, element));
    }
    all
}

/// A value in these dimensions.
fn broadcast(
    module: &mut Module,
    like: &Operation,
    operand: Value,
    (dims, kind): (&[i64], Id),
    out: &mut Vec<Operation>,
) -> Option<Value> {
    let (own, _) = values::tensor(module, *module.values.get(operand)?)?;
    if own == dims {
        return Some(operand);
    }
    let first = dims.len().checked_sub(own.len())?;
    let last = i64::try_from(dims.len()).ok()?;
    let places: Vec<i64> = (i64::try_from(first).ok()?..last).collect();
    let places = values::integers(module, &[places.len() as i64], &places);
    let value = module.value(kind);
    let mut made = Operation::vhlo("broadcast_in_dim_v1", like, vec![operand], vec![value]);
    made.attributes.push((module.text(b"broadcast_dimensions"), places));
    out.push(made);
    Some(value)
}
