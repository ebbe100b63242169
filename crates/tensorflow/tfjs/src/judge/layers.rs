//! A configuration of Keras as TensorFlow.js reads it: classes by one name each, whatever they are.

use std::collections::BTreeSet;

use serde_json::Value;
use unskew_core::{Judgement, Places};

use super::special;
use crate::{TfjsModel, TfjsRelease, rules};

/// What a release says of a weight that no layer has.
const NO_TARGET: &str = "Provided weight data has no target variable";

/// Deeper than this no configuration is followed. serde_json reads none deeper than twice this.
const DEPTH: usize = 64;

struct LayerWalk<'a> {
    tfjs: &'a TfjsRelease,
    judgement: &'a mut Judgement,
}

/// Adds what a release makes of the configuration of a model, and of the names of its weights.
pub(super) fn judge(model: &TfjsModel, tfjs: &TfjsRelease, judgement: &mut Judgement) {
    let mut walk = LayerWalk { tfjs, judgement };
    if let Some(config) = &model.config {
        walk.object(config, "", 0);
    }
    let weights = || model.groups.iter().flat_map(|group| &group.weights);
    let none = !model.groups.is_empty() && weights().next().is_none();
    if none && special::asks_for_weights(tfjs.version) {
        let what = "layers without weights; 4.8 and 4.11 do".to_owned();
        walk.refused((what, "Cannot read properties of undefined (reading 'split')"), "weights");
    }
    if let Some(lost) = weights().map(|one| &one.name).find(|n| special::is_lost(n, tfjs.version)) {
        let what = "weights under the names that TensorFlow 2 writes them";
        walk.refused((what.to_owned(), NO_TARGET), lost);
    }
    let Some(config) = &model.config else { return };
    let mut names = BTreeSet::new();
    names_of_layers(config, 0, &mut names);
    let is_numbered = weights().next().is_some_and(|one| special::is_numbered(&one.name));
    let is_strange =
        |name: &&String| name.split_once('/').is_some_and(|(first, _)| !names.contains(first));
    if let Some(lost) = weights().map(|one| &one.name).find(is_strange).filter(|_| !is_numbered) {
        let what = format!("the weight {lost}, whose name begins with that of no layer");
        walk.refused((what, NO_TARGET), lost);
    }
}

/// The names with which those of weights begin: of layers, and of layers in models among them. A model itself gives its
/// name to no weight, and a wrapper keeps that of its part behind its own.
fn names_of_layers<'c>(model: &'c Value, depth: usize, names: &mut BTreeSet<&'c str>) {
    if depth > DEPTH {
        return;
    }
    for layer in special::layers_of(model) {
        let class = layer.get("class_name").and_then(Value::as_str).unwrap_or_default();
        if special::MODELS.contains(&class) {
            names_of_layers(layer, depth + 1, names);
        } else {
            names.extend(layer["config"].get("name").and_then(Value::as_str));
        }
    }
}

impl LayerWalk<'_> {
    /// An object with a class, and all in it.
    fn object(&mut self, value: &Value, place: &str, depth: usize) {
        let Some(class) = value.get("class_name").and_then(Value::as_str) else { return };
        let config = &value["config"];
        let own = config.get("name").and_then(Value::as_str).unwrap_or(class);
        let place = if place.is_empty() { own.to_owned() } else { format!("{place}/{own}") };
        if !self.tfjs.has_class(class) {
            self.unknown(class, &place);
        } else if let Some(refused) = special::of_layer(class, value, self.tfjs.version) {
            self.refused(refused, &place);
        }
        self.values(config, &place, depth + 1);
    }

    /// What is in a configuration: objects with classes, and activations by their names.
    fn values(&mut self, value: &Value, place: &str, depth: usize) {
        if depth > DEPTH {
            return;
        }
        match value {
            Value::Array(list) => {
                for one in list {
                    self.values(one, place, depth + 1);
                }
            }
            Value::Object(map) if map.contains_key("class_name") => {
                self.object(value, place, depth + 1);
            }
            Value::Object(map) => {
                // A policy of types is read by nobody.
                for (key, one) in map.iter().filter(|(key, _)| *key != "dtype") {
                    match one.as_str() {
                        Some(name) if key.ends_with("activation") => {
                            let name = camel(name);
                            if !self.tfjs.has_class(&name) {
                                self.unknown(&name, place);
                            }
                        }
                        _ => self.values(one, place, depth + 1),
                    }
                }
            }
            _ => {}
        }
    }

    fn refused(&mut self, (what, symptom): special::RefusalText, place: &str) {
        let rule = rules::TfjsValueRefused { version: &self.tfjs.version, what: &what };
        let mut places = Places::default();
        places.add(place);
        self.judgement.findings.push(rule.finding().with_symptom(symptom).at(places));
    }

    fn unknown(&mut self, name: &str, place: &str) {
        let elsewhere = self.tfjs.elsewhere(name, &["layer", "class"]);
        let version = &self.tfjs.version;
        let rule = rules::TfjsClassUnknown { version, name: &name, elsewhere: &elsewhere };
        let mut places = Places::default();
        places.add(place);
        // Layers are unknown layers, activations unknown activations.
        let finding = rule.finding().with_symptom(format!(": {name}. This may be due to one of"));
        self.judgement.findings.push(finding.at(places));
    }
}

/// `hard_sigmoid` as TensorFlow.js writes it: `hardSigmoid`.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let mut text = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        text.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        text.push_str(letters.as_str());
    }
    text
}
