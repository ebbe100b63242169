//! Whether the weights of an archive have the names under which a release looks for them.

use std::collections::BTreeSet;

use serde_json::Value;
use unskew_core::Version;

use super::layers::MODELS;
use super::{ConfigWalk, class_of};
use crate::{KerasFormat, KerasModel, KerasWeightPaths};

impl ConfigWalk<'_> {
    /// Whether the weights of an archive are looked for where its writer put them.
    pub(super) fn weight_paths(&mut self, model: &KerasModel) {
        let (Some(writer), Some(config)) = (model.version(), &model.config) else { return };
        // keras_core counts its versions from 0.
        let known = writer >= Version::pair(2, 0);
        if model.form != KerasFormat::Archive || model.weights.0 == 0 || !known {
            return;
        }
        let mut written = KerasWeightPaths::of_release(writer);
        if written != KerasWeightPaths::Layers && !has_two_of_a_class(config) {
            written = KerasWeightPaths::CountedEither;
        }
        // Keras 3 looks for the old folder of layers, in the model itself and not in models inside of it.
        if written == KerasWeightPaths::CountedEither && self.three() && !has_model_inside(config) {
            return;
        }
        if written.is_read_as(KerasWeightPaths::of_release(self.keras.version)) {
            return;
        }
        let what = format!("the weights as Keras {writer} names them in an archive");
        self.refused("model.weights.h5", what, "received 0 variables during loading");
    }
}

/// Whether a layer of a model is a model with weights.
fn has_model_inside(config: &Value) -> bool {
    let layers = config["config"]["layers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_model = |layer: &Value| class_of(layer).is_some_and(|class| MODELS.contains(&class));
    layers.iter().any(|layer| is_model(layer) && has_weights(layer, 0))
}

/// Whether a model has two layers of one class with weights: the first has a name of its own, and the second a number
/// behind it.
fn has_two_of_a_class(config: &Value) -> bool {
    let layers = config["config"]["layers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut seen = BTreeSet::new();
    layers.iter().any(|layer| {
        let Some(class) = class_of(layer) else { return false };
        MODELS.contains(&class) && has_two_of_a_class(layer)
            || has_weights(layer, 0) && !seen.insert(class.to_owned())
    })
}

/// Whether a layer has weights of its own or in its parts; only such layers are counted twice.
fn has_weights(layer: &Value, depth: usize) -> bool {
    let config = &layer["config"];
    let class = class_of(layer).unwrap_or_default();
    if depth > super::DEPTH {
        return false;
    }
    if MODELS.contains(&class) {
        let layers = config["layers"].as_array().map(Vec::as_slice).unwrap_or_default();
        return layers.iter().any(|layer| has_weights(layer, depth + 1));
    }
    let is = |key: &str| config.get(key) != Some(&Value::Bool(false));
    match class {
        "LayerNormalization" | "GroupNormalization" => is("center") || is("scale"),
        "Normalization" => config.get("mean").is_none_or(Value::is_null),
        _ => {
            let inner = ["layer", "cell", "forward_layer"].map(|key| &config[key]);
            let own = |config: &serde_json::Map<String, Value>| {
                config.keys().any(|key| key.ends_with("_initializer"))
            };
            config.as_object().is_some_and(own)
                || config["cells"].is_array()
                || inner.iter().any(|one| one.is_object() && has_weights(one, depth + 1))
        }
    }
}
