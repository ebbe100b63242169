//! The names under which archives keep the weights of layers: three generations, each read by its own releases only.

use std::collections::BTreeSet;

use serde_json::Value;
use unskew_core::Version;

use super::layers::MODELS;
use super::{ConfigWalk, class_of};
use crate::{KerasFormat, KerasModel};

/// How a release names the groups of layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WeightPaths {
    /// Up to 2.13: `_layer_checkpoint_dependencies`, where a layer with weights is counted twice.
    CountedTwice,
    /// 2.14: the same folder, counted once.
    CountedOnce,
    /// Since 2.15: `layers`.
    Layers,
}

impl WeightPaths {
    fn of_release(keras: Version) -> Self {
        match keras {
            old if old < Version::pair(2, 14) => Self::CountedTwice,
            old if old < Version::pair(2, 15) => Self::CountedOnce,
            _ => Self::Layers,
        }
    }
}

impl ConfigWalk<'_> {
    /// Whether the weights of an archive are looked for where its writer put them.
    pub(super) fn weight_paths(&mut self, model: &KerasModel) {
        let (Some(writer), Some(config)) = (model.version(), &model.config) else { return };
        // keras_core counts its versions from 0.
        let known = writer >= Version::pair(2, 0);
        if model.form != KerasFormat::Archive || model.weights.0 == 0 || !known {
            return;
        }
        let (written, read) =
            (WeightPaths::of_release(writer), WeightPaths::of_release(self.keras.version));
        let one_folder = written != WeightPaths::Layers && read != WeightPaths::Layers;
        if written == read || one_folder && !has_two_of_a_class(config) {
            return;
        }
        let what = format!("the weights as Keras {writer} names them in an archive");
        self.refused("model.weights.h5", what, "received 0 variables during loading");
    }
}

/// Whether a model has two layers of one class: the first has a name of its own, and the second a number behind it.
fn has_two_of_a_class(config: &Value) -> bool {
    let layers = config["config"]["layers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut seen = BTreeSet::new();
    // Only classes that have weights are counted twice; `units`, `filters` and their like tell those.
    let has_weights = |layer: &Value| {
        layer["config"]
            .as_object()
            .is_some_and(|config| config.keys().any(|key| key.ends_with("_initializer")))
    };
    layers.iter().any(|layer| {
        let Some(class) = class_of(layer) else { return false };
        MODELS.contains(&class) && has_two_of_a_class(layer)
            || has_weights(layer) && !seen.insert(class.to_owned())
    })
}
