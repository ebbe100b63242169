//! Form of the outputs of a graph: a graph gives a row of values, and the archive says which lists, tuples
//! and dictionaries the model made of them.

use serde_json::Value as Json;

use crate::ScriptValue;

/// How deep outputs may nest.
const DEPTH: usize = 100;

pub(super) enum OutputForm {
    Leaf,
    Tuple(Vec<Self>),
    List(Vec<Self>),
    Dict(Vec<(String, Self)>),
}

impl OutputForm {
    /// That of a module; none if it says nothing, or has types of its own.
    pub(super) fn from_module(module: &Json) -> Option<Self> {
        let calls = module["module_call_graph"].as_array()?;
        let own = calls.iter().find(|call| call["fqn"].as_str() == Some(""))?;
        let text = own["signature"]["out_spec"].as_str()?;
        let spec: Json = serde_json::from_str(text).ok()?;
        Self::read(spec.as_array()?.get(1)?, 0)
    }

    fn read(spec: &Json, depth: usize) -> Option<Self> {
        if depth > DEPTH {
            return None;
        }
        let Some(kind) = spec["type"].as_str() else { return Some(Self::Leaf) };
        let children = spec["children_spec"].as_array()?;
        let children = || -> Option<Vec<Self>> {
            children.iter().map(|spec| Self::read(spec, depth + 1)).collect()
        };
        match kind {
            "builtins.tuple" => children().map(Self::Tuple),
            "builtins.list" => children().map(Self::List),
            "builtins.dict" | "collections.OrderedDict" => {
                let keys: Json = serde_json::from_str(spec["context"].as_str()?).ok()?;
                let key = |key: &Json| key.as_str().map(str::to_owned);
                let keys: Vec<String> = keys.as_array()?.iter().map(key).collect::<Option<_>>()?;
                let children = children()?;
                (keys.len() == children.len())
                    .then(|| Self::Dict(keys.into_iter().zip(children).collect()))
            }
            _ => None,
        }
    }

    /// How many values it takes.
    pub(super) fn leaves(&self) -> usize {
        match self {
            Self::Leaf => 1,
            Self::Tuple(parts) | Self::List(parts) => parts.iter().map(Self::leaves).sum(),
            Self::Dict(parts) => parts.iter().map(|(_, part)| part.leaves()).sum(),
        }
    }

    /// Put together from the values in their order.
    pub(super) fn filled(&self, values: &mut impl Iterator<Item = ScriptValue>) -> ScriptValue {
        match self {
            Self::Leaf => values.next().unwrap_or(ScriptValue::None),
            Self::Tuple(parts) => {
                ScriptValue::tuple(parts.iter().map(|part| part.filled(values)).collect())
            }
            Self::List(parts) => {
                ScriptValue::list(parts.iter().map(|part| part.filled(values)).collect())
            }
            Self::Dict(parts) => {
                let pair = |(key, part): &(String, Self)| {
                    (ScriptValue::from(key.as_str()), part.filled(values))
                };
                ScriptValue::dict(parts.iter().map(pair).collect())
            }
        }
    }
}
