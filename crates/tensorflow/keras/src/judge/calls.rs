//! Calls of layers in a functional model, and the tensors that a model takes and gives.
//!
//! A call is written as `{"args": …, "kwargs": …}` by Keras 3 and as a list of `[layer, node, tensor, arguments]` by Keras
//! 2. What a model takes and gives are such lists too: one of them alone, or several in a list, a map, or lists of lists.

use std::ops::Range;

use serde_json::Value;
use unskew_core::Version;

use super::call_order::{IN_ORDER, called_before_its_input};
use super::layers::MODELS;
use super::{ConfigWalk, class_of, text};
use crate::KerasFormat;

/// The first Keras 3 that reads what a model takes and gives in any form; before it is a list or a map of tensors.
/// Measured: not 3.3.3, and 3.4.1.
pub(crate) const ANY_FORM: Version = Version::pair(3, 4);

/// The first Keras 3 that counts the calls of a functional model from 1 where it is what another model gives. Measured: not
/// 3.2.1, and 3.3.3.
const FROM_ONE: Version = Version::pair(3, 3);

/// Releases that refuse an input that nothing reads. Measured: not 3.9.2, 3.10.0 and 3.12.4, not 3.14.1; read in the source
/// of 3.11.3 and 3.13.2.
const CONNECTED: Range<Version> = Version::pair(3, 10)..Version::pair(3, 14);

/// Layers that take one list of tensors. An operation of this name takes two tensors.
const MERGES: [&str; 6] = ["Add", "Average", "Maximum", "Minimum", "Multiply", "Subtract"];

/// Whether tensors are written as one alone: `["dense", 0, 0]`.
pub(crate) fn is_one_tensor(tensors: &Value) -> bool {
    tensors
        .as_array()
        .is_some_and(|all| matches!(all.as_slice(), [Value::String(_), node, _] if node.is_u64()))
}

/// Whether tensors are a list or a map of tensors, as all releases of Keras 3 read them.
fn is_flat(tensors: &Value) -> bool {
    match tensors {
        Value::Array(all) => all.iter().all(is_one_tensor),
        Value::Object(map) => map.values().all(is_one_tensor),
        _ => true,
    }
}

impl ConfigWalk<'_> {
    /// The calls of the layers of a functional model.
    pub(super) fn nodes(&mut self, layers: &[Value], place: &str) {
        if IN_ORDER.contains(&self.keras.version)
            && let Some(name) = called_before_its_input(layers)
        {
            let what = format!("a call of {name} with what a layer behind it in the file gives");
            self.refused(place, what, "Layer node index out of bounds");
        }
        for layer in layers {
            let Some(nodes) = layer.get("inbound_nodes").and_then(Value::as_array) else {
                continue;
            };
            let name = text(layer, "name").unwrap_or_default();
            let place = format!("{place}/{name}");
            for node in nodes {
                match node.get("args") {
                    Some(arguments) => {
                        self.new_node(layer, arguments, &place);
                        if self.three() {
                            self.operation(layer, node, &place);
                            self.histories(node, layers, &place, 0);
                        }
                    }
                    None if self.three() => self.old_calls(node, layers, &place),
                    None => {}
                }
            }
        }
    }

    fn new_node(&mut self, layer: &Value, arguments: &Value, place: &str) {
        if !self.three() {
            self.refused(place, "calls of layers as Keras 3 writes them", "KeyError");
            return;
        }
        // An operation of this name is not in the file: a layer of the same name is taken.
        if self.form != KerasFormat::Hdf5 || layer.get("module").is_some() {
            return;
        }
        let arguments = arguments.as_array().map(Vec::as_slice).unwrap_or_default();
        if arguments.iter().any(Value::is_number) {
            let what =
                "a number among the inputs of an operation, which HDF5 files name as a layer";
            self.refused(place, what, "Only input tensors may be passed as positional arguments");
        } else if arguments.len() > 1
            && let Some(class) = class_of(layer).filter(|class| MERGES.contains(class))
        {
            let what = format!(
                "two inputs of the operation {class}, which HDF5 files name as the layer {class}"
            );
            self.refused(place, what, "too many positional arguments");
        }
    }

    /// Tensors of calls that are not in the file: `keras_history` names a layer, its call and its output.
    fn histories(&mut self, value: &Value, layers: &[Value], place: &str, depth: usize) {
        if depth > super::DEPTH {
            return;
        }
        match value {
            Value::Array(all) => {
                all.iter().for_each(|one| self.histories(one, layers, place, depth + 1));
            }
            Value::Object(map) => {
                let history = map.get("keras_history").and_then(Value::as_array);
                if let Some([Value::String(name), node, _]) = history.map(Vec::as_slice)
                    && let Some(node) = node.as_u64()
                    && let Some(called) =
                        layers.iter().find(|layer| text(layer, "name") == Some(name))
                    && node >= calls_of(called)
                {
                    let what = format!("call {node} of {name}, which the file does not have");
                    self.refused(place, what, "Layer node index out of bounds");
                }
                map.values().for_each(|one| self.histories(one, layers, place, depth + 1));
            }
            _ => {}
        }
    }

    /// What a model takes or gives, in `input_layers` or `output_layers`.
    pub(super) fn tensors(&mut self, config: &Value, layers: &[Value], place: &str) {
        if !self.three() {
            return;
        }
        for key in ["input_layers", "output_layers"] {
            let Some(tensors) = config.get(key) else { continue };
            if self.keras.version < ANY_FORM && !is_flat(tensors) {
                let what = format!(
                    "`{key}` of a model that is neither a list nor a map of tensors, which Keras 3.4 is the first to read"
                );
                self.refused(place, what, "get_tensor() takes 3 positional arguments");
            }
        }
        if let Some(outputs) = config.get("output_layers") {
            self.outputs(outputs, layers, place, 0);
        }
        if CONNECTED.contains(&self.keras.version)
            && let Some(name) = unconnected(config, layers)
        {
            let what = format!("the input {name}, which no layer of the model reads");
            self.refused(place, what, "`inputs` not connected to `outputs`");
        }
    }

    /// Tensors that a model gives, of a model that it calls.
    fn outputs(&mut self, tensors: &Value, layers: &[Value], place: &str, depth: usize) {
        if depth > super::DEPTH {
            return;
        }
        if let Some([Value::String(name), index, _]) = tensors.as_array().map(Vec::as_slice)
            && let Some(index) = index.as_u64()
        {
            let called = layers.iter().find(|layer| text(layer, "name") == Some(name));
            let Some(called) =
                called.filter(|one| class_of(one).is_some_and(|class| MODELS.contains(&class)))
            else {
                return;
            };
            let functional = class_of(called) != Some("Sequential");
            let from = u64::from(functional && self.keras.version >= FROM_ONE);
            if index.saturating_sub(from) >= calls_of(called) {
                self.miscounted(name, place);
            }
            return;
        }
        match tensors {
            Value::Array(all) => {
                all.iter().for_each(|one| self.outputs(one, layers, place, depth + 1));
            }
            Value::Object(map) => {
                map.values().for_each(|one| self.outputs(one, layers, place, depth + 1));
            }
            _ => {}
        }
    }

    /// A list of calls `[layer, node, tensor, arguments]`. A model that is called has one node less in Keras 3.
    fn old_calls(&mut self, calls: &Value, layers: &[Value], place: &str) {
        for call in calls.as_array().into_iter().flatten() {
            let (Some(name), Some(index)) = (call[0].as_str(), call[1].as_u64()) else { continue };
            let called = layers.iter().find(|layer| text(layer, "name") == Some(name));
            let is_model =
                |one: &&Value| class_of(one).is_some_and(|class| MODELS.contains(&class));
            let Some(called) = called.filter(is_model) else { continue };
            if index >= calls_of(called) {
                self.miscounted(name, place);
            }
        }
    }

    fn miscounted(&mut self, name: &str, place: &str) {
        let what = format!("the call of the model {name}, which Keras 3 counts from 0");
        self.refused(place, what, "IndexError: list index out of range");
    }
}

/// How often a layer is called in a model; an input layer once, without being called.
fn calls_of(layer: &Value) -> u64 {
    let nodes = layer.get("inbound_nodes").and_then(Value::as_array);
    match nodes.map_or(0, Vec::len) as u64 {
        0 if class_of(layer) == Some("InputLayer") => 1,
        count => count,
    }
}

/// An input of a model that no layer reads and that is no output itself. Models of the old form of calls are passed over.
fn unconnected<'m>(config: &Value, layers: &'m [Value]) -> Option<&'m str> {
    let inputs = layers.iter().filter(|layer| class_of(layer) == Some("InputLayer"));
    let names: Vec<&str> = inputs.filter_map(|layer| text(layer, "name")).collect();
    if names.len() < 2 {
        return None;
    }
    let mut read = std::collections::BTreeSet::new();
    for layer in layers {
        named(&layer["inbound_nodes"], &mut read, 0);
    }
    named(&config["output_layers"], &mut read, 0);
    names.into_iter().find(|name| !read.contains(name))
}

/// Every name of a layer in calls or lists of tensors of either form.
fn named<'v>(value: &'v Value, into: &mut std::collections::BTreeSet<&'v str>, depth: usize) {
    match value {
        _ if depth > super::DEPTH => {}
        Value::Array(all) => {
            if let [Value::String(name), node, ..] = all.as_slice()
                && node.is_u64()
            {
                into.insert(name);
            }
            all.iter().for_each(|one| named(one, into, depth + 1));
        }
        Value::Object(map) => map.values().for_each(|one| named(one, into, depth + 1)),
        _ => {}
    }
}
