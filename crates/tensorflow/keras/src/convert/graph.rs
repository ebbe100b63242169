//! The calls of layers in a functional model: how they are counted, and operators as layers that compute the same.
//!
//! Keras 2 counts the calls of a model inside of a model from 1, because its own input was the first; Keras 3 counts from
//! 0. An operator such as `a + b` is a `TFOpLambda` with the name of a function in Keras 2 and a class of its own in Keras
//! 3: neither loads the other's. Where a layer of both computes the same, it takes their place.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::judge::calls::is_one_tensor;
use crate::judge::inner_models::is_list_of_one;
use crate::judge::{class_of, text};

/// A call of a layer: its name, the number of the call, the number of the output.
type LayerCall = (String, u64, u64);

/// Edits the layers of a functional model for Keras 3 or 2; what was done, and to which layer.
pub(super) fn edit(config: &mut Value, three: bool) -> Vec<(&'static str, String, String)> {
    let mut said = Vec::new();
    let own = |layer: &Value| {
        let nodes = layer["inbound_nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
        nodes.iter().any(|node| node.get("args").is_some())
    };
    // What the same generation wrote is counted as it counts.
    let by_three = layers(config).iter().any(own);
    if by_three == three {
        return said;
    }
    if three {
        let ranks = ranks(config);
        from_lambdas(config, &ranks, &mut said);
        from_slices(config, &ranks, &mut said);
        attentions(config, &ranks, &mut said);
        count_from_zero(config, &mut said);
    } else {
        from_operations(config, &mut said);
        count_from_one(config, &mut said);
    }
    said
}

/// Writes the only input and output of a model without a list, as Keras does since 3.11: whoever calls it gets a tensor.
pub(super) fn outputs_without_list(config: &mut Value) -> bool {
    let mut done = false;
    if is_list_of_one(&config["output_layers"]) {
        for key in ["input_layers", "output_layers"] {
            if is_list_of_one(&config[key]) {
                config[key] = config[key][0].take();
                done = true;
            }
        }
    }
    done
}

/// Writes the only input and output of a model as lists of one tensor, as Keras did before 3.11.
pub(super) fn tensors_in_lists(config: &mut Value) -> bool {
    let mut done = false;
    for key in ["input_layers", "output_layers"] {
        if let Some(tensors) = config.get_mut(key).filter(|tensors| is_one_tensor(tensors)) {
            *tensors = Value::Array(vec![tensors.take()]);
            done = true;
        }
    }
    done
}

/// Two tensors or a tensor and a number to a layer: its class and its configuration.
fn binary(function: &str, number: Option<&Value>) -> Option<(&'static str, Value)> {
    let Some(number) = number else {
        let class = match function {
            "add" => "Add",
            "multiply" => "Multiply",
            "subtract" => "Subtract",
            "maximum" => "Maximum",
            "minimum" => "Minimum",
            _ => return None,
        };
        return Some((class, json!({})));
    };
    let value = number.as_f64()?;
    let (scale, offset) = match function {
        "add" => (1.0, value),
        "subtract" => (1.0, -value),
        "multiply" => (value, 0.0),
        _ => return None,
    };
    Some(("Rescaling", json!({"scale": scale, "offset": offset})))
}

/// A function of one tensor to a layer.
fn unary(function: &str) -> Option<(&'static str, Value)> {
    Some(match function {
        "relu" => ("ReLU", json!({})),
        "sigmoid" | "tanh" | "elu" | "selu" | "softplus" | "softsign" => {
            ("Activation", json!({"activation": function}))
        }
        _ => return None,
    })
}

/// Puts a layer of another class in the place of one.
fn replace(layer: &mut Value, class: &str, mut config: Value, nodes: Value, archive: bool) {
    let name = layer["name"].clone();
    if let Some(config) = config.as_object_mut() {
        config.insert("name".to_owned(), name.clone());
        config.insert("trainable".to_owned(), json!(true));
        config.insert("dtype".to_owned(), json!("float32"));
    }
    let mut new =
        json!({"class_name": class, "config": config, "name": name, "inbound_nodes": nodes});
    if let Some(new) = new.as_object_mut().filter(|_| archive) {
        let module = match class {
            "SlicingOpLambda" => "keras.src.layers.core.tf_op_layer",
            _ => "keras.layers",
        };
        new.insert("module".to_owned(), json!(module));
        new.insert("registered_name".to_owned(), Value::Null);
    }
    *layer = new;
}

fn layers(config: &mut Value) -> &mut [Value] {
    config
        .get_mut("layers")
        .and_then(Value::as_array_mut)
        .map(Vec::as_mut_slice)
        .unwrap_or_default()
}

/// `TFOpLambda` of Keras 2 as layers.
fn from_lambdas(
    config: &mut Value,
    ranks: &BTreeMap<String, usize>,
    said: &mut Vec<(&'static str, String, String)>,
) {
    let whole: Vec<String> = layers(config)
        .iter()
        .filter(|one| {
            text(&one["config"], "dtype").is_some_and(|dtype| !dtype.starts_with("float"))
        })
        .filter_map(|one| text(one, "name").map(str::to_owned))
        .collect();
    for layer in layers(config) {
        if class_of(layer) != Some("TFOpLambda") {
            continue;
        }
        let Some(function) = text(&layer["config"], "function").map(str::to_owned) else {
            continue;
        };
        let short = function.rsplit('.').next().unwrap_or_default();
        let Some([call]) = layer["inbound_nodes"].as_array().map(Vec::as_slice) else { continue };
        let Some([name, node, index, arguments]) = call.as_array().map(Vec::as_slice) else {
            continue;
        };
        let one = json!([name, node, index, {}]);
        let first = name.as_str().unwrap_or_default().to_owned();
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let mut more = arguments.iter().filter(|(key, value)| *key != "name" && !value.is_null());
        let (class, new, nodes) = match (more.next(), more.next()) {
            (None, _) => match unary(short) {
                Some((class, new)) => (class, new, json!([[one]])),
                None => continue,
            },
            (Some((key, value)), None) if key == "y" => {
                let number = Some(value).filter(|value| value.is_number());
                let Some((class, new)) = binary(short, number) else { continue };
                if number.is_some() {
                    if whole.contains(&first) {
                        continue;
                    }
                    (class, new, json!([[one]]))
                } else {
                    let Some([other, node, index]) = value.as_array().map(Vec::as_slice) else {
                        continue;
                    };
                    let rank = |name: &str| ranks.get(name);
                    let equal = other.as_str().is_some_and(|other| rank(other) == rank(&first));
                    if !equal || rank(&first).is_none() {
                        continue;
                    }
                    (class, new, json!([[one, [other, node, index, {}]]]))
                }
            }
            _ => continue,
        };
        let archive = layer.get("module").is_some();
        let place = text(layer, "name").unwrap_or_default().to_owned();
        replace(layer, class, new, nodes, archive);
        said.push(("operator", format!("operator tf.{function} as the layer {class}"), place));
    }
}

/// Slices of Keras 2 as the operation of Keras 3.
fn from_slices(
    config: &mut Value,
    ranks: &BTreeMap<String, usize>,
    said: &mut Vec<(&'static str, String, String)>,
) {
    for layer in layers(config) {
        if class_of(layer) != Some("SlicingOpLambda")
            || text(&layer["config"], "function") != Some("__operators__.getitem")
        {
            continue;
        }
        let Some([call]) = layer["inbound_nodes"].as_array().map(Vec::as_slice) else { continue };
        let Some([name, node, index, arguments]) = call.as_array().map(Vec::as_slice) else {
            continue;
        };
        let only = arguments.as_object().filter(|all| {
            all.iter().all(|(key, value)| key == "slice_spec" || key == "name" && value.is_null())
        });
        let spec = only.and_then(|all| all.get("slice_spec")?.as_array());
        let slice = |one: &Value| match one.as_object() {
            Some(parts) => {
                let known = |key: &String| matches!(&**key, "start" | "stop" | "step");
                let plain = |part: &Value| part.is_null() || part.is_i64();
                let all = parts.iter().all(|(key, part)| known(key) && plain(part));
                (all && parts.len() == 3).then(|| json!({"class_name": "__slice__", "config": one}))
            }
            None if one.is_i64() => Some(one.clone()),
            _ => None,
        };
        let Some(spec) = spec.and_then(|all| all.iter().map(slice).collect::<Option<Vec<_>>>())
        else {
            continue;
        };
        let Some(tensor) = tensor([name, node, index], ranks) else { continue };
        let own = layer["name"].clone();
        let place = own.as_str().unwrap_or_default().to_owned();
        *layer = json!({
            "module": "keras.src.ops.numpy",
            "class_name": "GetItem",
            "config": {"name": own},
            "registered_name": "GetItem",
            "name": own,
            "inbound_nodes": [{"args": [tensor, spec], "kwargs": {}}],
        });
        said.push(("operator", "a slice as the operation GetItem of Keras 3".to_owned(), place));
    }
}

/// Calls of attentions with all tensors in a row, from whose shapes Keras 3 builds them.
fn attentions(
    config: &mut Value,
    ranks: &BTreeMap<String, usize>,
    said: &mut Vec<(&'static str, String, String)>,
) {
    for layer in layers(config) {
        // Archives name its weights in another way.
        if class_of(layer) != Some("MultiHeadAttention") || layer.get("module").is_some() {
            continue;
        }
        let calls = layer["inbound_nodes"].as_array().cloned().unwrap_or_default();
        let nodes: Option<Vec<Value>> = calls.iter().map(|call| in_a_row(call, ranks)).collect();
        let Some(nodes) = nodes.filter(|nodes| !nodes.is_empty()) else { continue };
        let place = text(layer, "name").unwrap_or_default().to_owned();
        layer["inbound_nodes"] = Value::Array(nodes);
        let what = "the calls of MultiHeadAttention as Keras 3 writes them";
        said.push(("calls", what.to_owned(), place));
    }
}

/// The call of an attention with a query, a value and perhaps a key.
fn in_a_row(call: &Value, ranks: &BTreeMap<String, usize>) -> Option<Value> {
    let [one] = call.as_array()?.as_slice() else { return None };
    let [name, node, index, arguments] = one.as_array()?.as_slice() else { return None };
    let mut all = vec![tensor([name, node, index], ranks)?];
    let mut arguments = arguments.as_object()?.clone();
    for key in ["value", "key"] {
        let Some(of) = arguments.remove(key).filter(|of| !of.is_null()) else { continue };
        let [name, node, index] = of.as_array()?.as_slice() else { return None };
        all.push(tensor([name, node, index], ranks)?);
    }
    // A mask is another matter.
    let rest = arguments.values().all(Value::is_null);
    (rest && all.len() > 1).then(|| json!({"args": all, "kwargs": {}}))
}

/// A tensor as Keras 3 writes it. Its shape is looked at by nobody, as the history tells which tensor it is.
fn tensor(history: [&Value; 3], ranks: &BTreeMap<String, usize>) -> Option<Value> {
    let rank = *ranks.get(history[0].as_str()?)?;
    let shape = vec![Value::Null; rank];
    let config = json!({"shape": shape, "dtype": "float32", "keras_history": history});
    Some(json!({"class_name": "__keras_tensor__", "config": config}))
}

/// How many dimensions each layer gives, where that follows from its class: what is added in a layer has the same number.
fn ranks(config: &mut Value) -> BTreeMap<String, usize> {
    let mut known = BTreeMap::new();
    for layer in layers(config) {
        let Some(class) = class_of(layer).map(str::to_owned) else { continue };
        let inputs = tensors(&layer["inbound_nodes"]);
        let before = inputs.first().and_then(|(name, _, _)| known.get(name)).copied();
        let config = &layer["config"];
        let listed = |key: &str| config[key].as_array().map(Vec::len);
        let sequences = config["return_sequences"] == true;
        let rank = match &*class {
            "InputLayer" => listed("batch_input_shape").or_else(|| listed("batch_shape")),
            "Flatten" => Some(2),
            "Reshape" => listed("target_shape").map(|rank| rank + 1),
            "Embedding" => before.map(|rank| rank + 1),
            "LSTM" | "GRU" | "SimpleRNN" => Some(if sequences { 3 } else { 2 }),
            name if name.starts_with("Global") && config["keepdims"] != true => Some(2),
            "Dense" | "Dropout" | "Activation" | "BatchNormalization" | "LayerNormalization"
            | "ReLU" | "LeakyReLU" | "ELU" | "PReLU" | "Softmax" | "Add" | "Multiply"
            | "Subtract" | "Average" | "Maximum" | "Minimum" | "Concatenate" | "TFOpLambda"
            | "Rescaling" | "Conv1D" | "Conv2D" | "Conv3D" | "DepthwiseConv2D"
            | "SeparableConv1D" | "SeparableConv2D" | "Conv2DTranspose" | "Conv1DTranspose"
            | "MaxPooling1D" | "MaxPooling2D" | "AveragePooling1D" | "AveragePooling2D"
            | "ZeroPadding1D" | "ZeroPadding2D" | "Cropping1D" | "Cropping2D" | "UpSampling1D"
            | "UpSampling2D" | "SpatialDropout1D" | "SpatialDropout2D" | "GaussianNoise"
            | "Masking" => {
                // An operator between tensors of other ranks, or with more than one call, is not followed.
                let same = inputs.iter().all(|(name, _, _)| known.get(name).copied() == before);
                let merged = !matches!(&*class, "TFOpLambda") || is_elementwise(config);
                before.filter(|_| same && merged)
            }
            _ => None,
        };
        if let (Some(rank), Some(name)) = (rank, text(layer, "name")) {
            known.insert(name.to_owned(), rank);
        }
    }
    known
}

/// Whether the function of an operator leaves the shape as it is.
fn is_elementwise(config: &Value) -> bool {
    let function = text(config, "function").unwrap_or_default();
    let short = function.rsplit('.').next().unwrap_or_default();
    unary(short).is_some() || binary(short, None).is_some()
}

/// The tensors in calls of Keras 2, wherever they stand.
fn tensors(value: &Value) -> Vec<LayerCall> {
    let mut all = Vec::new();
    match value {
        Value::Array(list) => {
            if let [Value::String(name), node, index, ..] = list.as_slice()
                && let (Some(node), Some(index)) = (node.as_u64(), index.as_u64())
            {
                all.push((name.clone(), node, index));
            }
            list.iter().for_each(|one| all.extend(tensors(one)));
        }
        Value::Object(map) => map.values().for_each(|one| all.extend(tensors(one))),
        _ => {}
    }
    all
}

/// The history of a tensor of Keras 3, and how many dimensions it has.
fn history(value: &Value) -> Option<(Value, usize)> {
    if class_of(value)? != "__keras_tensor__" {
        return None;
    }
    let config = &value["config"];
    Some((config.get("keras_history")?.clone(), config["shape"].as_array()?.len()))
}

/// The call of a layer of Keras 2 with one tensor.
fn call(of: &Value, arguments: Value) -> Value {
    json!([of[0], of[1], of[2], arguments])
}

/// Operations of Keras 3 as layers of both, and calls with several tensors.
fn from_operations(config: &mut Value, said: &mut Vec<(&'static str, String, String)>) {
    for layer in layers(config) {
        let Some(class) = class_of(layer).map(str::to_owned) else { continue };
        let Some([node]) = layer["inbound_nodes"].as_array().map(Vec::as_slice) else { continue };
        let kwargs = node["kwargs"].as_object().is_none_or(|all| all.values().all(Value::is_null));
        let Some(args) = node["args"].as_array().filter(|_| kwargs).cloned() else { continue };
        let place = text(layer, "name").unwrap_or_default().to_owned();
        let (new, config, nodes) = match (&*class, args.as_slice()) {
            ("MultiHeadAttention", [query, value, key @ ..]) if key.len() < 2 => {
                if heads(layer, query, value, key.first()) {
                    let what =
                        "the calls and the shapes of MultiHeadAttention as Keras 2 writes them";
                    said.push(("calls", what.to_owned(), place));
                }
                continue;
            }
            // A layer has the type of its weights, an operation has nothing but a name.
            _ if layer["config"].get("dtype").is_some() => continue,
            ("GetItem", [tensor, spec]) => {
                let (Some((of, _)), Some(spec)) = (history(tensor), slices(spec)) else { continue };
                let config = json!({"function": "__operators__.getitem"});
                ("SlicingOpLambda", config, json!([call(&of, json!({"slice_spec": spec}))]))
            }
            (_, [tensor]) => {
                let Some((of, _)) = history(tensor) else { continue };
                let Some((new, config)) = unary(&class.to_ascii_lowercase()) else { continue };
                (new, config, json!([[call(&of, json!({}))]]))
            }
            (_, [tensor, other]) => {
                let Some((of, rank)) = history(tensor) else { continue };
                let number = Some(other).filter(|other| other.is_number());
                let Some((new, config)) = binary(&class.to_ascii_lowercase(), number) else {
                    continue;
                };
                let mut calls = vec![call(&of, json!({}))];
                match history(other) {
                    Some((other, same)) if same == rank => calls.push(call(&other, json!({}))),
                    None if number.is_some() && is_float(tensor) => {}
                    _ => continue,
                }
                (new, config, json!([calls]))
            }
            _ => continue,
        };
        let archive = layer.get("module").is_some();
        replace(layer, new, config, nodes, archive);
        said.push(("operator", format!("operation {class} of Keras 3 as the layer {new}"), place));
    }
}

fn is_float(tensor: &Value) -> bool {
    text(&tensor["config"], "dtype").is_some_and(|dtype| dtype.starts_with("float"))
}

/// Slices as Keras 2 writes them; none if there is anything but slices and numbers.
fn slices(spec: &Value) -> Option<Value> {
    let list = match spec.get("class_name").and_then(Value::as_str) {
        Some("__tuple__") => spec.get("items")?,
        _ => spec,
    };
    let one = |one: &Value| match class_of(one) {
        Some("__slice__") => Some(one["config"].clone()),
        None if one.is_i64() => Some(one.clone()),
        _ => None,
    };
    list.as_array()?.iter().map(one).collect::<Option<Vec<_>>>().map(Value::Array)
}

/// The call of an attention with its query, value and key, and the shapes that Keras 2 builds it with.
fn heads(layer: &mut Value, query: &Value, value: &Value, key: Option<&Value>) -> bool {
    let shape = |tensor: &Value| tensor["config"]["shape"].clone();
    let (Some((of, _)), Some((other, _))) = (history(query), history(value)) else { return false };
    let mut arguments = Map::new();
    arguments.insert("value".to_owned(), other);
    let mut shapes = vec![("query_shape", shape(query)), ("value_shape", shape(value))];
    match key.map(history) {
        Some(Some((of, _))) => {
            arguments.insert("key".to_owned(), of);
            shapes.push(("key_shape", key.map(shape).unwrap_or_default()));
        }
        Some(None) => return false,
        None => shapes.push(("key_shape", shape(value))),
    }
    layer["inbound_nodes"] = json!([[call(&of, Value::Object(arguments))]]);
    if let Some(config) = layer["config"].as_object_mut() {
        config.extend(shapes.into_iter().map(|(name, shape)| (name.to_owned(), shape)));
    }
    true
}

/// The models of a model whose own input Keras 2 counts as a call.
fn models(config: &mut Value) -> Vec<String> {
    let is = |layer: &&mut Value| {
        let inner = &layer["config"]["layers"];
        matches!(class_of(layer), Some("Sequential" | "Functional" | "Model"))
            && inner.get(0).and_then(class_of) == Some("InputLayer")
    };
    let named = layers(config).iter_mut().filter(is);
    named.filter_map(|one| text(one, "name").map(str::to_owned)).collect()
}

/// Calls of models counted as Keras 2 does.
fn count_from_one(config: &mut Value, said: &mut Vec<(&'static str, String, String)>) {
    for name in models(config) {
        shift(config, &name, 1);
        said.push(("calls", "calls of a model counted from 1, as in Keras 2".to_owned(), name));
    }
}

/// Calls of models counted as Keras 3 does.
fn count_from_zero(config: &mut Value, said: &mut Vec<(&'static str, String, String)>) {
    let models: Vec<(String, u64)> = layers(config)
        .iter()
        .filter(|layer| matches!(class_of(layer), Some("Sequential" | "Functional" | "Model")))
        .filter_map(|layer| {
            let nodes = layer["inbound_nodes"].as_array()?.len() as u64;
            Some((text(layer, "name")?.to_owned(), nodes))
        })
        .collect();
    for (name, nodes) in models {
        let mut calls: Vec<u64> = Vec::new();
        let mut add = |value: &Value| {
            let of = tensors(value).into_iter().filter(|(called, _, _)| *called == name);
            calls.extend(of.map(|(_, node, _)| node));
        };
        layers(config).iter().for_each(|layer| add(&layer["inbound_nodes"]));
        add(&config["output_layers"]);
        let (least, most) = (calls.iter().min(), calls.iter().max());
        if least.is_some_and(|least| *least > 0) && most.is_some_and(|most| *most >= nodes) {
            shift(config, &name, -1);
            said.push(("calls", "calls of a model counted from 0, as in Keras 3".to_owned(), name));
        }
    }
}

/// Counts the calls of a layer by one more or less.
fn shift(config: &mut Value, name: &str, by: i64) {
    for layer in layers(config) {
        shift_in(&mut layer["inbound_nodes"], name, by, 0);
    }
    for key in ["input_layers", "output_layers"] {
        if let Some(listed) = config.get_mut(key) {
            shift_in(listed, name, by, 0);
        }
    }
}

fn shift_in(value: &mut Value, name: &str, by: i64, depth: usize) {
    if depth > 64 {
        return;
    }
    match value {
        Value::Array(list) => {
            if let [Value::String(called), node, index, ..] = list.as_mut_slice()
                && called == name
                && index.is_u64()
                && let Some(number) = node.as_i64()
            {
                *node = json!(number + by);
            }
            list.iter_mut().for_each(|one| shift_in(one, name, by, depth + 1));
        }
        Value::Object(map) => map.values_mut().for_each(|one| shift_in(one, name, by, depth + 1)),
        _ => {}
    }
}
