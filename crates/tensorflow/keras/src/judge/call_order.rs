//! The order in which a release makes the calls of a functional model.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;
use unskew_core::Version;

use super::layers::MODELS;
use super::{class_of, text};

/// Releases that make the calls of a layer one after the other, and stop at one whose input is made later: a layer that is
/// called again with what came of its first call. Measured: not 3.7.0, and 3.2.1 to 3.6.0; no file of this kind got as far in
/// 3.0 and 3.1.
pub(super) const IN_ORDER: Range<Version> = Version::pair(3, 2)..Version::pair(3, 7);

/// The first layer that is called with what no layer before it gives. Models among the inputs are passed over: their calls are
/// not always counted from 0.
pub(super) fn called_before_its_input(layers: &[Value]) -> Option<&str> {
    let places: HashMap<&str, usize> = (0..)
        .zip(layers)
        .filter(|(_, layer)| class_of(layer).is_some_and(|class| !MODELS.contains(&class)))
        .filter_map(|(at, layer)| Some((text(layer, "name")?, at)))
        .collect();
    for (at, layer) in layers.iter().enumerate() {
        let nodes = layer.get("inbound_nodes").and_then(Value::as_array);
        for (number, node) in nodes.into_iter().flatten().enumerate() {
            let mut inputs = Vec::new();
            tensors_of(node, &mut inputs, 0);
            let is_later = |(name, call): &(&str, u64)| match places.get(name) {
                Some(place) if *place == at => *call >= number as u64,
                Some(place) => *place > at,
                None => false,
            };
            if inputs.iter().any(is_later) {
                return text(layer, "name");
            }
        }
    }
    None
}

/// The layers and the calls of them that a call reads.
fn tensors_of<'n>(value: &'n Value, found: &mut Vec<(&'n str, u64)>, depth: usize) {
    if depth > super::DEPTH {
        return;
    }
    match value {
        Value::Array(all) => all.iter().for_each(|one| tensors_of(one, found, depth + 1)),
        Value::Object(map) => {
            let history = map.get("keras_history").and_then(Value::as_array);
            if let Some([Value::String(name), node, _]) = history.map(Vec::as_slice)
                && let Some(node) = node.as_u64()
            {
                found.push((name, node));
            }
            map.values().for_each(|one| tensors_of(one, found, depth + 1));
        }
        _ => {}
    }
}
