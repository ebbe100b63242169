//! Layers and models: their classes, their arguments, and the nodes between them.

use serde_json::Value;

use super::{ConfigWalk, DEPTH, ObjectContext, Problem, class_of, special, text};
use crate::KerasFormat;
use crate::table::KerasClass;

/// Whether a Sequential has its shape in its first layer, and no input layer.
pub(crate) fn begins_a_model(layers: &[Value]) -> bool {
    let first = layers.first().filter(|first| {
        class_of(first).is_some_and(|class| class != "InputLayer" && !MODELS.contains(&class))
    });
    first.is_some_and(|first| first["config"]["batch_input_shape"].is_array())
}

/// Classes whose configuration is a list of layers.
pub(super) const MODELS: [&str; 3] = ["Functional", "Sequential", "Model"];

impl ConfigWalk<'_> {
    /// A layer or a model, and all in it.
    pub(super) fn layer(&mut self, value: &Value, place: &str, inside: ObjectContext) {
        let Some(name) = class_of(value) else { return };
        if self.depth >= DEPTH {
            return;
        }
        let config = &value["config"];
        let own = text(config, "name").or_else(|| text(value, "name")).unwrap_or(name);
        let place = match place {
            "" => own.to_owned(),
            above => format!("{above}/{own}"),
        };
        if self.three() && own.contains('/') {
            let what = format!("the name {own}, which has a `/`");
            self.refused(&place, what, "cannot contain character `/`");
        }
        self.depth += 1;
        let class = self.class_of_layer(value, name, &place, inside);
        if MODELS.contains(&name) {
            self.layers(config, &place, name);
        } else if let Some(class) = class {
            if name == "Lambda" {
                self.lambda(config, &place);
            } else {
                let by_name = if self.is_found_by_module(value, inside) {
                    ObjectContext::Layer
                } else {
                    inside
                };
                self.arguments(&class, config, &place, by_name);
                self.special(name, value, &place);
                self.quantized_layer(name, config, &place);
                self.values(config, &place);
            }
        }
        self.depth -= 1;
    }

    fn class_of_layer(
        &mut self,
        value: &Value,
        name: &str,
        place: &str,
        inside: ObjectContext,
    ) -> Option<std::sync::Arc<KerasClass>> {
        if self.is_found_by_module(value, inside) {
            return self.by_public_name(value, name, "layer", place);
        }
        if self.three() && inside == ObjectContext::Layer {
            self.refused(
                place,
                format!("{name} inside of a layer without the module of its class"),
                "Could not locate class",
            );
            return None;
        }
        let class = self.keras.class(name, "layer").filter(|class| {
            // What is only for old archives is not among the layers that HDF5 files are read with.
            !self.three() || class.exports.iter().any(|one| one.starts_with("keras.layers."))
        });
        let class = class.or_else(|| self.keras.class(name, "model"));
        if class.is_none() {
            self.unknown(place, "layer", name);
        }
        class
    }

    /// Whether a layer is looked up by its module. HDF5 files have none as they are written, but Keras 3 reads one there.
    fn is_found_by_module(&self, value: &Value, inside: ObjectContext) -> bool {
        let in_model = self.three() && self.depth > 1;
        self.by_module(value)
            && (self.form == KerasFormat::Archive || inside == ObjectContext::Layer || in_model)
    }

    /// The first layer of a Sequential without an input layer, as it was written up to TensorFlow 2.1.
    fn first_layer(&mut self, layers: &[Value], place: &str) {
        if !self.three() || self.form != KerasFormat::Hdf5 || !begins_a_model(layers) {
            return;
        }
        let name = text(&layers[0]["config"], "name").unwrap_or("the first layer");
        let what = format!(
            "`batch_input_shape` of {place}/{name}: it takes the shape for one without the batch, so the input has a dimension too many"
        );
        self.problem(Problem::FirstCall { what, symptom: "Invalid input shape for input" });
    }

    /// The layers of a model, and the nodes between them.
    fn layers(&mut self, config: &Value, place: &str, class: &str) {
        // Up to Keras 2.2.2 a Sequential was the list alone.
        let Some(layers) = config.get("layers").unwrap_or(config).as_array() else {
            if class == "Model" || class == "Functional" {
                self.unjudged(place, "a model without a list of layers");
            }
            return;
        };
        if class == "Sequential" {
            self.first_layer(layers, place);
        }
        for (at, layer) in layers.iter().enumerate() {
            self.layer(layer, place, ObjectContext::Model);
            if class == "Sequential" {
                self.model_in_sequential(config, at, place);
            }
        }
        if class != "Sequential" {
            self.nodes(layers, place);
            self.tensors(config, layers, place);
        }
        if let Some(dtype) = config.get("dtype") {
            self.policy(dtype, place);
        }
    }

    pub(super) fn arguments(
        &mut self,
        class: &KerasClass,
        config: &Value,
        place: &str,
        inside: ObjectContext,
    ) {
        let Some(config) = config.as_object() else { return };
        for argument in config.keys() {
            if class.takes(argument) {
                continue;
            }
            // What is looked up without a module is read as Keras 2 wrote it, in archives too.
            let old = inside == ObjectContext::Model;
            if self.three() && old && argument == "batch_input_shape" {
                continue;
            }
            if &*class.name == "InputLayer" && argument == "batch_shape" && !self.three() {
                self.problem(Problem::Input);
                return;
            }
            self.problem(Problem::Argument {
                place: place.to_owned(),
                class: class.name.to_string(),
                argument: argument.clone(),
            });
        }
        let needed = class.arguments.iter().filter(|(_, default)| default.is_none());
        for (argument, _) in needed {
            if !config.contains_key(&**argument) && special::is_needed(class, argument) {
                self.problem(Problem::Missing {
                    place: place.to_owned(),
                    class: class.name.to_string(),
                    argument: argument.to_string(),
                });
            }
        }
    }

    /// Whatever stands in the configuration of a layer: layers, initializers, activations, policies.
    pub(super) fn values(&mut self, config: &Value, place: &str) {
        let Some(config) = config.as_object() else { return };
        self.half_weights(config, place);
        for (key, value) in config {
            match &**key {
                "layer" | "cell" | "forward_layer" | "backward_layer" => {
                    self.layer(value, place, ObjectContext::Layer);
                    self.model_in_wrapper(value, place);
                }
                "cells" => {
                    for cell in value.as_array().into_iter().flatten() {
                        self.layer(cell, place, ObjectContext::Layer);
                    }
                }
                "dtype" => self.policy(value, place),
                "activation" | "recurrent_activation" => self.activation(value, place),
                _ => {
                    for kind in ["initializer", "regularizer", "constraint"] {
                        if key
                            .strip_suffix(kind)
                            .is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
                        {
                            self.object(value, kind, place);
                        }
                    }
                }
            }
        }
    }

    /// Weights of a dtype that HDF5 does not have: what an HDF5 file keeps of them is two bytes without a meaning.
    fn half_weights(&mut self, config: &serde_json::Map<String, Value>, place: &str) {
        let Some(dtype) = config.get("dtype").filter(|_| self.three() && self.has_weights) else {
            return;
        };
        let name = dtype.as_str().or_else(|| text(&dtype["config"], "name"));
        if self.form == KerasFormat::Hdf5
            && name == Some("bfloat16")
            && config.keys().any(|key| key.ends_with("_initializer") || key == "variance")
        {
            let what = "weights of the dtype bfloat16 in an HDF5 file";
            self.refused(place, what, "No cast function available");
        }
    }

    pub(super) fn unjudged(&mut self, place: &str, why: &'static str) {
        self.problem(Problem::Unjudged { place: place.to_owned(), why });
    }
}
