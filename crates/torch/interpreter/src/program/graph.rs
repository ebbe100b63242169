//! Graphs of `torch.export`: nodes that call overloads with named arguments.
//!
//! The JSON of every age is read as it lies: unions with all their keys (2.1, 2.2) or with one, a
//! signature of names (2.1) or of specifications, weights as a pickle (to 2.7) or as records with a table.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use serde_json::Value as Json;
use unskew_source::{BytesSource, ReadError, Source};

use super::objects;
use super::output_form::OutputForm;
use super::records::Records;
use crate::dtype::Dtype;
use crate::limits::Meter;
use crate::tensor::Storage;
use crate::{ProgramCode, RunProblem, ScalarValue, ScriptValue, Tensor};

/// A graph, ready to run.
pub(crate) struct Graph {
    nodes: Vec<Json>,
    outputs: Vec<Json>,
    /// The inputs in their order: what the caller gives, or a weight.
    inputs: Vec<(String, Option<ScriptValue>)>,
    /// How the outputs are put together; none if the archive does not say.
    form: Option<OutputForm>,
}

/// The graph of an archive; none if it holds none.
pub(super) fn read(records: &Records) -> Result<Option<Graph>, ReadError> {
    const OLD: &str = "serialized_exported_program.json";
    let is_model = |name: &&str| name.starts_with("models/") && name.ends_with(".json");
    let record = match records.has(OLD) {
        true => OLD.to_owned(),
        false => match records.names().find(is_model) {
            Some(name) => name.to_owned(),
            None => return Ok(None),
        },
    };
    let bytes = records.get(&record)?.unwrap_or_default();
    let program: Json = serde_json::from_slice(&bytes)
        .map_err(|error| records.fault(&record, error.to_string()))?;
    let fault = |what: &str| records.fault(&record, what);
    let module = &program["graph_module"];
    let graph = &module["graph"];
    let list = |json: &Json| json.as_array().cloned();
    let nodes = list(&graph["nodes"]).ok_or_else(|| fault("no nodes"))?;
    let outputs = list(&graph["outputs"]).ok_or_else(|| fault("no outputs"))?;
    let weights = weights(records)?;
    let inputs = inputs(&module["signature"], &weights).map_err(|what| fault(&what))?;
    let outputs = user_outputs(&module["signature"], outputs);
    let form = OutputForm::from_module(module).filter(|form| form.leaves() == outputs.len());
    Ok(Some(Graph { nodes, outputs, inputs, form }))
}

/// The set member of a union: its name and content.
fn member(union: &Json) -> Option<(&str, &Json)> {
    let set = |(_, value): &(&String, &Json)| !value.is_null();
    let members = union.as_object()?;
    match members.iter().find(set) {
        Some((name, value)) => Some((name.as_str(), value)),
        // `as_none` is null itself.
        None => members.get_key_value("as_none").map(|(name, value)| (name.as_str(), value)),
    }
}

fn inputs(
    signature: &Json,
    weights: &HashMap<String, ScriptValue>,
) -> Result<Vec<(String, Option<ScriptValue>)>, String> {
    let weight = |name: &str| match weights.get(name) {
        Some(value) => Ok(Some(value.clone())),
        None => Err(format!("no weights of this name: {name}")),
    };
    let mut inputs = Vec::new();
    if let Some(specs) = signature["input_specs"].as_array() {
        for spec in specs {
            let (kind, content) = member(spec).ok_or("an input that is nothing")?;
            let arg = &content["arg"];
            let name = arg["name"].as_str().or_else(|| member(arg)?.1["name"].as_str());
            let stored = ["parameter_name", "buffer_name", "tensor_constant_name"];
            let stored = stored.iter().find_map(|key| content[*key].as_str());
            match (kind, name, stored) {
                ("user_input", name, _) => inputs.push((name.unwrap_or("").to_owned(), None)),
                (_, Some(name), Some(stored)) => inputs.push((name.to_owned(), weight(stored)?)),
                _ => return Err(format!("an input of this kind: {kind}")),
            }
        }
        return Ok(inputs);
    }
    for table in ["inputs_to_parameters", "inputs_to_buffers"] {
        for (name, stored) in signature[table].as_object().into_iter().flatten() {
            inputs.push((name.clone(), weight(stored.as_str().unwrap_or(""))?));
        }
    }
    for name in signature["user_inputs"].as_array().into_iter().flatten() {
        inputs.push((name.as_str().unwrap_or("").to_owned(), None));
    }
    Ok(inputs)
}

/// Without what is only written back to weights.
fn user_outputs(signature: &Json, outputs: Vec<Json>) -> Vec<Json> {
    let Some(specs) = signature["output_specs"].as_array() else {
        let written = signature["buffers_to_mutate"].as_object().map_or(0, serde_json::Map::len);
        return outputs.into_iter().skip(written).collect();
    };
    let wanted = |spec: &Json| member(spec).is_some_and(|(kind, _)| kind == "user_output");
    let kept = outputs.into_iter().zip(specs).filter(|(_, spec)| wanted(spec));
    kept.map(|(output, _)| output).collect()
}

/// Every weight, buffer and constant by name.
fn weights(records: &Records) -> Result<HashMap<String, ScriptValue>, ReadError> {
    let mut weights = HashMap::new();
    let old = ["serialized_state_dict", "serialized_constants"]
        .map(|name| [format!("{name}.json"), format!("{name}.pt")]);
    for name in old.iter().flatten().filter(|name| records.has(name)) {
        pickled(records, name, &mut weights)?;
    }
    let tables: Vec<String> = records
        .names()
        .filter(|name| {
            name.ends_with("_weights_config.json") || name.ends_with("_constants_config.json")
        })
        .map(str::to_owned)
        .collect();
    for name in &tables {
        table(records, name, &mut weights)?;
    }
    // The first archives of this container have pickles there.
    let nested: Vec<String> = records
        .names()
        .filter(|name| {
            name.starts_with("data/") && name.ends_with(".pt") && !name.contains("sample_inputs")
        })
        .map(str::to_owned)
        .collect();
    for name in nested {
        pickled(records, &name, &mut weights)?;
    }
    Ok(weights)
}

/// A record that is an archive of its own, with a dictionary of tensors.
fn pickled(
    records: &Records,
    name: &str,
    weights: &mut HashMap<String, ScriptValue>,
) -> Result<(), ReadError> {
    let bytes = records.get(name)?.unwrap_or_default();
    if !bytes.starts_with(b"PK") {
        return Ok(());
    }
    let source: Arc<dyn Source> = Arc::new(BytesSource::new(name, bytes));
    let inner = Records::open(&source)?;
    match objects::read(&inner, &ProgramCode::default(), "data", &[])? {
        Some(ScriptValue::Dict(dict)) => {
            for (key, value) in dict.borrow().iter() {
                weights.insert(key.to_string(), value.clone());
            }
            Ok(())
        }
        _ => Err(records.fault(name, "no dictionary of tensors")),
    }
}

fn table(
    records: &Records,
    name: &str,
    weights: &mut HashMap<String, ScriptValue>,
) -> Result<(), ReadError> {
    let bytes = records.get(name)?.unwrap_or_default();
    let table: Json =
        serde_json::from_slice(&bytes).map_err(|error| records.fault(name, error.to_string()))?;
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
    let meter = Meter::new(records.limits());
    for (key, row) in table["config"].as_object().into_iter().flatten() {
        let path = format!("{folder}/{}", row["path_name"].as_str().unwrap_or(""));
        if row["use_pickle"].as_bool() == Some(true) {
            continue;
        }
        let Some(bytes) = records.get(&path)? else { continue };
        let meta = &row["tensor_meta"];
        let sizes = |json: &Json| -> Option<Vec<usize>> {
            json.as_array()?.iter().map(|n| usize::try_from(n["as_int"].as_u64()?).ok()).collect()
        };
        let tensor = || {
            let dtype = scalar_type(meta["dtype"].as_i64()?)?;
            let (shape, strides) = (sizes(&meta["sizes"])?, sizes(&meta["strides"])?);
            let offset = usize::try_from(meta["storage_offset"]["as_int"].as_u64()?).ok()?;
            let storage = Storage::new(&meter, bytes).ok()?;
            Tensor::over(storage, dtype, offset, shape, strides).ok()
        };
        let tensor = tensor().ok_or_else(|| records.fault(name, format!("no tensor: {key}")))?;
        weights.insert(key.clone(), tensor.into());
    }
    Ok(())
}

/// The types have numbers of their own there.
fn scalar_type(code: i64) -> Option<Dtype> {
    Some(match code {
        1 => Dtype::U8,
        2 => Dtype::I8,
        3 => Dtype::I16,
        4 => Dtype::I32,
        5 => Dtype::I64,
        6 => Dtype::F16,
        7 => Dtype::F32,
        8 => Dtype::F64,
        10 => Dtype::C64,
        11 => Dtype::C128,
        12 => Dtype::Bool,
        13 => Dtype::BF16,
        _ => return None,
    })
}

impl Graph {
    /// Runs it; `call` calls an overload with named arguments.
    pub(crate) fn run(
        &self,
        given: Vec<ScriptValue>,
        call: impl Fn(&str, Vec<(String, ScriptValue)>) -> Result<ScriptValue, crate::RunError>,
    ) -> Result<ScriptValue, crate::RunError> {
        let mut names: HashMap<&str, ScriptValue> = HashMap::new();
        let mut given = given.into_iter();
        for (name, weight) in &self.inputs {
            let value = weight.clone().or_else(|| given.next());
            let value =
                value.ok_or_else(|| RunProblem::Malformed(format!("no input for {name}")))?;
            names.insert(name, value);
        }
        if given.next().is_some() {
            return Err(RunProblem::Malformed("too many inputs".into()).into());
        }
        for (at, node) in self.nodes.iter().enumerate() {
            let here = |mut error: crate::RunError| {
                let target = node["target"].as_str().unwrap_or("");
                error.place.get_or_insert_with(|| format!("node {at}, {target}"));
                error
            };
            self.node(node, &mut names, &call).map_err(here)?;
        }
        let mut outputs = Vec::new();
        for output in &self.outputs {
            outputs.push(argument(output, &names)?);
        }
        Ok(match (&self.form, outputs.len()) {
            (Some(form), _) => form.filled(&mut outputs.into_iter()),
            (None, 1) => outputs.remove(0),
            (None, _) => ScriptValue::tuple(outputs),
        })
    }

    fn node<'g>(
        &self,
        node: &'g Json,
        names: &mut HashMap<&'g str, ScriptValue>,
        call: impl Fn(&str, Vec<(String, ScriptValue)>) -> Result<ScriptValue, crate::RunError>,
    ) -> Result<(), crate::RunError> {
        let target = node["target"].as_str().unwrap_or("");
        let name =
            operator(target).ok_or_else(|| RunProblem::UnknownOperator(target.to_owned()))?;
        let mut named = Vec::new();
        for input in node["inputs"].as_array().into_iter().flatten() {
            let key = input["name"].as_str().unwrap_or("").to_owned();
            named.push((key, argument(&input["arg"], names)?));
        }
        let result = call(&name, named)?;
        let outputs: Vec<&Json> = node["outputs"].as_array().into_iter().flatten().collect();
        if let [one] = outputs.as_slice() {
            return store(one, result, names);
        }
        let values = result.items().unwrap_or_default();
        if values.len() < outputs.len() && !outputs.is_empty() {
            return Err(RunProblem::Malformed(format!(
                "{} outputs: {}",
                outputs.len(),
                values.len()
            ))
            .into());
        }
        outputs.into_iter().zip(values).try_for_each(|(output, value)| store(output, value, names))
    }
}

/// `aten::add.Tensor` of `torch.ops.aten.add.Tensor`; the overload without a name is `default`.
fn operator(target: &str) -> Option<String> {
    // Sizes are calculated with by Python's own operators.
    if target.starts_with("_operator.") {
        return Some(target.to_owned());
    }
    let (namespace, rest) = target.strip_prefix("torch.ops.")?.split_once('.')?;
    let (name, overload) = rest.rsplit_once('.')?;
    Some(match overload {
        "default" => format!("{namespace}::{name}."),
        overload => format!("{namespace}::{name}.{overload}"),
    })
}

fn store<'g>(
    output: &'g Json,
    value: ScriptValue,
    names: &mut HashMap<&'g str, ScriptValue>,
) -> Result<(), crate::RunError> {
    match member(output) {
        Some(("as_tensors", list)) => {
            let items = value.items().unwrap_or_default();
            for (one, value) in list.as_array().into_iter().flatten().zip(items) {
                names.insert(one["name"].as_str().unwrap_or(""), value);
            }
        }
        Some(("as_none", _)) | None => {}
        Some((_, content)) => {
            let name = content["name"].as_str().or_else(|| content["as_name"].as_str());
            names.insert(name.unwrap_or(""), value);
        }
    }
    Ok(())
}

fn argument(union: &Json, names: &HashMap<&str, ScriptValue>) -> Result<ScriptValue, RunProblem> {
    let Some((kind, content)) = member(union) else {
        return Err(RunProblem::Malformed("an argument that is nothing".into()));
    };
    let each = |kind: &'static str| -> Result<ScriptValue, RunProblem> {
        let items = content.as_array().into_iter().flatten();
        let one = |item: &Json| argument(&serde_json::json!({ kind: item }), names);
        Ok(ScriptValue::list(items.map(one).collect::<Result<_, _>>()?))
    };
    Ok(match kind {
        "as_none" => ScriptValue::None,
        "as_tensor" | "as_name" => known(content, names)?,
        "as_tensors" => each("as_tensor")?,
        "as_optional_tensors" => {
            let items = content.as_array().into_iter().flatten();
            ScriptValue::list(items.map(|item| argument(item, names)).collect::<Result<_, _>>()?)
        }
        "as_int" => ScriptValue::from(content.as_i64().unwrap_or(0)),
        "as_ints" => each("as_int")?,
        "as_float" => ScriptValue::from(float(content)),
        "as_floats" => each("as_float")?,
        "as_string" => ScriptValue::from(content.as_str().unwrap_or("")),
        "as_strings" => each("as_string")?,
        "as_bool" => ScriptValue::from(content.as_bool().unwrap_or(false)),
        "as_bools" => each("as_bool")?,
        "as_sym_int" | "as_sym_bool" | "as_sym_float" => argument(content, names)?,
        "as_sym_ints" => each("as_sym_int")?,
        "as_scalar_type" => match content.as_i64().and_then(scalar_type) {
            Some(dtype) => ScriptValue::Number(ScalarValue::Int(dtype.code())),
            None => return Err(RunProblem::Unsupported(format!("elements of the type {content}"))),
        },
        "as_device" => ScriptValue::Device(content["type"].as_str().unwrap_or("cpu").into()),
        "as_layout" | "as_memory_format" => ScriptValue::from(0_i64),
        other => return Err(RunProblem::Unsupported(format!("an argument of this kind: {other}"))),
    })
}

/// Numbers without end are texts in JSON.
fn float(content: &Json) -> f64 {
    match content.as_str() {
        Some("Infinity" | "inf") => f64::INFINITY,
        Some("-Infinity" | "-inf") => f64::NEG_INFINITY,
        Some(_) => f64::NAN,
        None => content.as_f64().unwrap_or(f64::NAN),
    }
}

fn known(content: &Json, names: &HashMap<&str, ScriptValue>) -> Result<ScriptValue, RunProblem> {
    let name = content["name"].as_str().or_else(|| content.as_str()).unwrap_or("");
    match names.get(name) {
        Some(value) => Ok(value.clone()),
        None => Err(RunProblem::Malformed(format!("a name without a value: {name}"))),
    }
}
