//! The types of the constants that code names: `CONSTANTS.c0`.

use unskew_torch_schemas::matching::ScriptType;

use crate::pickle::{Pickle, PickleValue};

/// The types of the members of `constants.pkl`.
pub(crate) fn types(pickle: &Pickle) -> Vec<ScriptType> {
    pickle.members(pickle.root()).map(|value| type_of(pickle, value)).collect()
}

fn type_of(pickle: &Pickle, value: &PickleValue) -> ScriptType {
    match value {
        PickleValue::None => ScriptType::None,
        PickleValue::Bool(_) => ScriptType::Bool,
        PickleValue::Int(_) | PickleValue::BigInt(_) => ScriptType::Int,
        PickleValue::Float(_) => ScriptType::Float,
        PickleValue::Text(_) => ScriptType::Str,
        PickleValue::Persistent(_) => ScriptType::Tensor,
        PickleValue::Call(call) => match pickle.value(call.callee) {
            PickleValue::Global(module, name) if module.starts_with("__torch__") => {
                ScriptType::Class(format!("{module}.{name}").into())
            }
            // `_rebuild_tensor_v2`, `_rebuild_qtensor`, `_rebuild_sparse_tensor`.
            PickleValue::Global(_, name) if name.starts_with("_rebuild") => ScriptType::Tensor,
            _ => ScriptType::Unknown,
        },
        _ => ScriptType::Unknown,
    }
}
