//! Archives of 1.1 and 1.2: `model.json` says what the modules and tensors are.

use std::rc::Rc;

use serde::Deserialize;
use unskew_source::ReadError;

use super::records::Records;
use crate::ScriptObject;
use crate::limits::Meter;
use crate::tensor::Storage;
use crate::{Dtype, ScriptValue, Tensor};

/// How deep modules may nest.
const DEPTH: usize = 100;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Description {
    main_module: Module,
    #[serde(default)]
    tensors: Vec<Weights>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Module {
    #[serde(default)]
    name: String,
    #[serde(default)]
    torchscript_arena: Option<Record>,
    #[serde(default)]
    parameters: Vec<Parameter>,
    #[serde(default)]
    submodules: Vec<Module>,
}

#[derive(Deserialize)]
struct Record {
    key: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parameter {
    name: String,
    #[serde(default)]
    tensor_id: Number,
}

/// Numbers stand in quotes where they may be large.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Plain(u64),
    Quoted(String),
}

impl Default for Number {
    fn default() -> Self {
        Self::Plain(0)
    }
}

impl Number {
    fn get(&self) -> Option<usize> {
        match self {
            Self::Plain(number) => usize::try_from(*number).ok(),
            Self::Quoted(text) => text.parse().ok(),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Weights {
    #[serde(default)]
    dims: Vec<Number>,
    #[serde(default)]
    strides: Vec<Number>,
    #[serde(default)]
    offset: Number,
    data_type: String,
    data: Record,
}

/// The module, and what `CONSTANTS.c0` and the following are.
pub(super) fn read(records: &Records) -> Result<(ScriptValue, Vec<ScriptValue>), ReadError> {
    const RECORD: &str = "model.json";
    let bytes = records.get(RECORD)?.unwrap_or_default();
    let description: Description =
        serde_json::from_slice(&bytes).map_err(|error| records.fault(RECORD, error.to_string()))?;
    let meter = Meter::new(records.limits());
    let mut tensors = Vec::new();
    for weights in &description.tensors {
        let bytes = records.get(&weights.data.key)?.unwrap_or_default();
        let tensor = tensor(weights, bytes, &meter);
        tensors.push(ScriptValue::Tensor(tensor.map_err(|what| records.fault(RECORD, what))?));
    }
    let main = &description.main_module;
    let module = module(main, "", &tensors, 0).map_err(|what| records.fault(RECORD, what))?;
    Ok((module, tensors))
}

fn tensor(weights: &Weights, bytes: Vec<u8>, meter: &Rc<Meter>) -> Result<Tensor, String> {
    let sizes = |numbers: &[Number]| numbers.iter().map(Number::get).collect::<Option<Vec<_>>>();
    let (Some(shape), Some(strides), Some(offset)) =
        (sizes(&weights.dims), sizes(&weights.strides), weights.offset.get())
    else {
        return Err("a tensor whose sizes are no numbers".into());
    };
    let name = &weights.data_type;
    let dtype = Dtype::all()
        .find(|dtype| {
            dtype.storage_name().eq_ignore_ascii_case(name)
                || dtype.name().eq_ignore_ascii_case(name)
        })
        .ok_or_else(|| format!("a tensor of this type: {name}"))?;
    let storage = Storage::new(meter, bytes).map_err(|problem| problem.to_string())?;
    Tensor::over(storage, dtype, offset, shape, strides).map_err(|problem| problem.to_string())
}

/// An object whose class is the file of its functions.
fn module(
    described: &Module,
    outer: &str,
    tensors: &[ScriptValue],
    depth: usize,
) -> Result<ScriptValue, String> {
    if depth > DEPTH {
        return Err(format!("modules nest deeper than {DEPTH}"));
    }
    let class = described.torchscript_arena.as_ref().map_or(outer, |record| record.key.as_str());
    let object = Rc::new(ScriptObject { class: class.into(), attributes: Default::default() });
    for parameter in &described.parameters {
        let value = parameter.tensor_id.get().and_then(|at| tensors.get(at));
        let value = value.ok_or_else(|| format!("no tensor for {}", parameter.name))?;
        object.set(&parameter.name, value.clone());
    }
    for inner in &described.submodules {
        object.set(&inner.name, module(inner, class, tensors, depth + 1)?);
    }
    Ok(ScriptValue::Object(object))
}
