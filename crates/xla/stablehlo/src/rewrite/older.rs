//! Older forms that StableHLO's own serializer does not know: other operations that do the same.

use unskew_core::Version;

use super::values::{self, code};
use crate::module::{Field, Id, Module, Operation, Sort, VHLO};

/// Since when there are composites, tangents, widening reductions and configurations of the typed FFI.
const COMPOSITE: Version = Version::triple(0, 19, 0);
const TAN: Version = Version::triple(1, 4, 0);
const WIDENING: Version = Version::triple(0, 17, 0);
const TYPED: Version = Version::triple(1, 3, 0);

/// Puts in front of an operation what its older form needs, and makes it that; or puts others in its place.
/// Says what was done.
pub(super) fn replace(
    module: &mut Module,
    operation: &mut Operation,
    before: &mut Vec<Operation>,
    target: Version,
) -> Option<String> {
    let (name, _) = super::forms::split(&operation.name)?;
    match name {
        "composite" if target < COMPOSITE => composite(module, operation),
        "reduce" | "reduce_window" | "all_reduce" | "reduce_scatter" | "scatter"
            if target < WIDENING =>
        {
            widening(module, operation, before)
        }
        "custom_call" if target < TYPED => typed(module, operation),
        _ => None,
    }
}

/// The same for what rounds otherwise then: a tangent.
pub(super) fn approximate(
    module: &mut Module,
    operation: &mut Operation,
    before: &mut Vec<Operation>,
    target: Version,
) -> Option<String> {
    let (name, _) = super::forms::split(&operation.name)?;
    (name == "tan" && target < TAN).then_some(())?;
    tan(module, operation, before)
}

/// A composite is a call of the function that it is made of.
fn composite(module: &mut Module, operation: &mut Operation) -> Option<String> {
    let function = module.attribute(operation, "decomposition")?;
    operation.regions.is_empty().then_some(())?;
    let inherent = ["composite_attributes", "decomposition", "name", "version"];
    operation
        .attributes
        .retain(|(name, _)| !inherent.iter().any(|one| one.as_bytes() == module.bytes(*name)));
    let callee = module.text(b"callee");
    operation.attributes.push((callee, function));
    let before = std::mem::replace(&mut operation.name, "call_v1".into());
    Some(format!("`{before}` as a call of its decomposition"))
}

/// A tangent is about a sine by a cosine.
fn tan(
    module: &mut Module,
    operation: &mut Operation,
    before: &mut Vec<Operation>,
) -> Option<String> {
    let accuracy = module.attribute(operation, "result_accuracy");
    let default = values::default(module, "default", operation);
    (accuracy.is_none() || accuracy == default).then_some(())?;
    let operand = *operation.operands.first()?;
    let kind = *module.values.get(operand)?;
    let mut made = Vec::new();
    for name in ["sine_v1", "cosine_v1"] {
        let value = module.value(kind);
        before.push(Operation::vhlo(name, operation, vec![operand], vec![value]));
        made.push(value);
    }
    let name = module.text(b"result_accuracy");
    operation.attributes.retain(|(own, _)| *own != name);
    operation.operands = made;
    operation.name = "divide_v1".into();
    Some("a tangent as a sine by a cosine".to_owned())
}

/// A reduction whose result has wider elements is one of operands that are widened before it.
fn widening(
    module: &mut Module,
    operation: &mut Operation,
    before: &mut Vec<Operation>,
) -> Option<String> {
    let results = operation.results.len();
    let scatter = operation.name.starts_with("scatter_");
    let mut changed = false;
    for at in 0..operation.operands.len() {
        // Behind the inputs of a scatter come its indices, and then the updates.
        let of = match at {
            _ if !scatter => at % results.max(1),
            _ if at < results => at,
            _ if at == results => continue,
            _ => at - results - 1,
        };
        let operand = *operation.operands.get(at)?;
        let result = *operation.results.get(of)?;
        let (dims, element) = values::tensor(module, *module.values.get(operand)?)?;
        let (_, wide) = values::tensor(module, *module.values.get(result)?)?;
        let scalar = |id: Id| module.types.get(id).is_some_and(|item| item.fields.len() == 1);
        if element == wide || !scalar(element) || !scalar(wide) {
            continue;
        }
        let kind = values::tensor_type(module, &dims, wide);
        let value = module.value(kind);
        before.push(Operation::vhlo("convert_v1", operation, vec![operand], vec![value]));
        *operation.operands.get_mut(at)? = value;
        changed = true;
    }
    changed.then(|| format!("operands of `{}` converted to the type of its result", operation.name))
}

/// What JAX up to 0.4.30 wrote for the typed FFI: a configuration beside the call.
fn typed(module: &mut Module, operation: &mut Operation) -> Option<String> {
    let config = module.attribute(operation, "backend_config")?;
    let is_dictionary = module.attributes.get(config)?.code(VHLO)? == code::DICTIONARY;
    is_dictionary.then_some(())?;
    let beside = module.text(b"mhlo.backend_config");
    let name = module.text(b"backend_config");
    let empty = values::text(module, b"");
    for (own, value) in &mut operation.attributes {
        if *own == name {
            *value = empty;
        }
    }
    operation.attributes.push((beside, config));
    Some("the configuration of a typed custom call as `mhlo.backend_config`".to_owned())
}

pub(super) fn listed(module: &mut Module, ids: &[Id]) -> Id {
    let mut fields = vec![Field::Number(code::ARRAY), Field::Number(ids.len() as u64)];
    fields.extend(ids.iter().map(|id| Field::Attribute(*id)));
    module.vhlo(Sort::Attribute, fields)
}
