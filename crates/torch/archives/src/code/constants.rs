//! The types of the constants that code names: `CONSTANTS.c0`.

use unskew_torch_schemas::matching::ScriptType;

use crate::pickle::{Pickle, Value};

/// The types of the members of `constants.pkl`.
pub(crate) fn types(pickle: &Pickle) -> Vec<ScriptType> {
    pickle.members(pickle.root()).map(|value| type_of(pickle, value)).collect()
}

fn type_of(pickle: &Pickle, value: &Value) -> ScriptType {
    match value {
        Value::None => ScriptType::None,
        Value::Bool(_) => ScriptType::Bool,
        Value::Int(_) | Value::BigInt(_) => ScriptType::Int,
        Value::Float(_) => ScriptType::Float,
        Value::Text(_) => ScriptType::Str,
        Value::Persistent(_) => ScriptType::Tensor,
        Value::Call(call) => match pickle.value(call.callee) {
            Value::Global(module, name) if module.starts_with("__torch__") => {
                ScriptType::Class(format!("{module}.{name}").into())
            }
            // `_rebuild_tensor_v2`, `_rebuild_qtensor`, `_rebuild_sparse_tensor`.
            Value::Global(_, name) if name.starts_with("_rebuild") => ScriptType::Tensor,
            _ => ScriptType::Unknown,
        },
        _ => ScriptType::Unknown,
    }
}
