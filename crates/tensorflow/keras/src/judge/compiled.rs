//! Compile configuration of a model: optimizer, losses, metrics.

use serde_json::Value;

use super::{ConfigWalk, ObjectContext, Problem, class_of, text};
use crate::table::KerasClass;
use crate::{KerasFormat, KerasModel};

/// The first Keras 3 whose losses may be means.
const MEANS: unskew_core::Version = unskew_core::Version::pair(3, 7);

/// The first Keras 3 whose Nadam keeps its product behind its moments. Measured: not 3.4.1 and 3.9.2, and 3.10.0, 3.12.4 and
/// 3.15.1.
const PRODUCT_LAST: unskew_core::Version = unskew_core::Version::pair(3, 10);

/// Losses that Keras 3.0 and 3.1 have, and do not find by the class alone that HDF5 files name. Measured: 3.0.5 and 3.1.1
/// with every loss of 3.12.
const LOSSES_NOT_LISTED: [&str; 3] =
    ["BinaryFocalCrossentropy", "CTC", "CategoricalFocalCrossentropy"];

/// The first Keras 3 that finds them.
const LOSSES_LISTED: unskew_core::Version = unskew_core::Version::pair(3, 2);

/// Optimizers that HDF5 files name and a Keras that has them does not find so, and the first that does.
const OPTIMIZERS_NOT_LISTED: [(&str, Option<unskew_core::Version>); 2] =
    [("Lamb", None), ("Muon", Some(unskew_core::Version::pair(3, 14)))];

/// The variables of an optimizer that was not built: the count of steps and the rate.
const NOT_BUILT: u64 = 2;

/// How Keras 2.11 to 2.15 names its own optimizers in HDF5 files.
const CUSTOM: &str = "Custom>";

impl ConfigWalk<'_> {
    /// The attribute `training_config` of an HDF5 file.
    pub(super) fn training_config(&mut self, training: &Value) {
        if let Some(optimizer) = training.get("optimizer_config") {
            self.old_optimizer(optimizer);
        }
        self.each(&training["loss"], &mut |walk, loss| walk.loss(loss, true));
        for key in ["metrics", "weighted_metrics"] {
            self.each(&training[key], &mut Self::metric);
        }
    }

    /// The part `compile_config` of an archive.
    pub(super) fn compile_config(&mut self, training: &Value) {
        self.each(&training["optimizer"], &mut Self::new_optimizer);
        self.each(&training["loss"], &mut |walk, loss| walk.loss(loss, false));
        for key in ["metrics", "weighted_metrics"] {
            self.each(&training[key], &mut Self::metric);
        }
        if self.three() && training.get("steps_per_execution").is_some_and(Value::is_null) {
            self.problem(Problem::FirstCall {
                what: "`steps_per_execution` of the compiled model is null, which Keras 3 compares with a number"
                    .to_owned(),
                symptom: "'>' not supported between instances of 'NoneType' and 'int'",
            });
        }
    }

    /// The variables of the optimizer, which an archive has by their number alone.
    pub(super) fn optimizer_variables(&mut self, model: &KerasModel, training: &Value) {
        let is_new = |version| version >= PRODUCT_LAST;
        let Some(writer) = self.writer.filter(|_| self.three() && !self.two) else { return };
        if class_of(&training["optimizer"]) == Some("Nadam")
            && model.optimizer_variables > NOT_BUILT
            && is_new(writer) != is_new(self.keras.version)
        {
            let what = "the variables of Nadam, which Keras 3.10 has put into another order";
            self.refused("optimizer", what, "List of objects that could not be loaded");
        }
    }

    /// Every object in lists and maps: a model with several outputs has a loss for each.
    fn each(&mut self, value: &Value, one: &mut dyn FnMut(&mut Self, &Value)) {
        match value {
            Value::Array(all) => all.iter().for_each(|value| self.each(value, one)),
            Value::Object(map) if class_of(value).is_none() => {
                map.values().for_each(|value| self.each(value, one));
            }
            Value::Object(_) | Value::String(_) => one(self, value),
            _ => {}
        }
    }

    fn old_optimizer(&mut self, value: &Value) {
        let Some(name) = class_of(value) else { return };
        let unlisted = OPTIMIZERS_NOT_LISTED.iter().find(|(one, _)| *one == name);
        if unlisted.is_some_and(|(_, since)| since.is_none_or(|since| self.keras.version < since))
            && self.is_optimizer(name)
        {
            let what = format!("the optimizer {name} in HDF5, which it does not find by its name");
            return self.refused("optimizer", what, "Could not interpret optimizer identifier");
        }
        if let Some(own) = name.strip_prefix(CUSTOM) {
            // Keras 3 takes the optimizer of that name with its defaults; before 2.11 nothing is registered so.
            if self.three() || self.keras.version >= unskew_core::Version::pair(2, 11) {
                if !self.is_optimizer(own) {
                    self.unknown("optimizer", "optimizer", own);
                }
                return;
            }
            self.problem(Problem::Unknown {
                place: "optimizer".to_owned(),
                kind: "optimizer".to_owned(),
                name: name.to_owned(),
                custom: false,
            });
            return;
        }
        self.optimizer_arguments(name, value);
    }

    fn new_optimizer(&mut self, value: &Value) {
        let Some(name) = class_of(value) else { return };
        if self.by_module(value) {
            if let Some(class) = self.by_public_name(value, name, "optimizer", "optimizer") {
                self.arguments(&class, &value["config"], "optimizer", ObjectContext::Layer);
                self.schedule(&value["config"]);
            }
            return;
        }
        self.optimizer_arguments(name, value);
    }

    fn is_optimizer(&self, name: &str) -> bool {
        self.keras.class(name, "optimizer").is_some()
    }

    fn optimizer_arguments(&mut self, name: &str, value: &Value) {
        // Names are compared in small letters: `sgd` is SGD.
        let all = match value["config"].get("is_legacy_optimizer") {
            Some(Value::Bool(false)) => self.keras.named(name),
            _ => self.keras.old_optimizers(name),
        };
        if all.is_empty() {
            self.unknown("optimizer", "optimizer", name);
            return;
        }
        for argument in value["config"].as_object().into_iter().flat_map(|config| config.keys()) {
            if !all.iter().any(|class| class.takes(argument)) {
                self.problem(Problem::Argument {
                    place: "optimizer".to_owned(),
                    class: name.to_owned(),
                    argument: argument.clone(),
                });
            }
        }
        self.schedule(&value["config"]);
    }

    fn schedule(&mut self, config: &Value) {
        let Some(rate) = config.get("learning_rate") else { return };
        let Some(name) = class_of(rate) else { return };
        let place = "optimizer/learning_rate";
        if self.three() && rate.get("module").is_none() {
            let what = format!("schedule {name} without the module of its class");
            self.refused(place, what, "Could not locate class");
        } else if self.by_module(rate) {
            self.by_public_name(rate, name, "schedule", place);
        } else if self.keras.class(name, "schedule").is_none() {
            self.unknown(place, "schedule", name);
        }
    }

    /// A loss. `old`: of an HDF5 file.
    fn loss(&mut self, value: &Value, old: bool) {
        if let Some(name) = value.as_str() {
            // Keras 3 looks a loss of an archive up when the model is trained.
            if !self.three() || old {
                self.loss_by_name(name, old);
            }
            return;
        }
        let Some(name) = class_of(value) else { return };
        if old
            && self.three()
            && self.keras.version < LOSSES_LISTED
            && LOSSES_NOT_LISTED.contains(&name)
        {
            let what = format!("the loss {name} in HDF5, which it does not find by its class");
            self.refused("loss", what, "Could not interpret loss identifier");
        }
        let class = if name == "function" {
            return self.function(value, "loss");
        } else if self.by_module(value) {
            self.by_public_name(value, name, "loss", "loss")
        } else {
            let class = self.keras.class(name, "loss");
            if class.is_none() && self.keras.class(name, "function").is_none() {
                self.unknown("loss", "loss", name);
            }
            class
        };
        let config = &value["config"];
        if let Some(class) = class {
            self.arguments(&class, config, "loss", ObjectContext::Layer);
        }
        let mean = matches!(text(config, "reduction"), Some("mean" | "mean_with_sample_weight"));
        if mean && self.three() && self.keras.version < MEANS {
            let what = "reduction `mean` of a loss, which Keras 3.7 is the first to take";
            self.refused("loss", what, "Invalid value for argument `reduction`");
        }
        if self.three() && text(config, "reduction") == Some("auto") {
            let what = "reduction `auto` of a loss, which is of Keras 2";
            self.refused("loss", what, "Invalid value for argument `reduction`");
        }
    }

    fn loss_by_name(&mut self, name: &str, old: bool) {
        let known = self.keras.named(name);
        let known = known.iter().filter(|one| matches!(&*one.kind, "function" | "loss"));
        let known: Vec<_> = known.collect();
        let public = |class: &KerasClass| {
            let names = ["losses", "metrics"].map(|module| format!("keras.{module}.{name}"));
            class.exports.iter().any(|export| names.iter().any(|name| **export == *name))
        };
        if self.three() && old && !known.is_empty() && !known.iter().any(|one| public(one)) {
            // What is found by its name is looked up a second time, by its public name.
            let what = format!("loss `{name}`, which is no public name in Keras 3");
            self.refused("loss", what, "because it is not a KerasSaveable subclass");
        } else if known.is_empty() {
            self.unknown("loss", "loss", name);
        }
    }

    fn metric(&mut self, value: &Value) {
        let Some(name) = class_of(value) else { return };
        let late = value["config"].get("num_labels").is_some();
        if name == "AUC" && late && self.keras.version < unskew_core::Version::pair(2, 5) {
            self.problem(Problem::Argument {
                place: "metrics".to_owned(),
                class: name.to_owned(),
                argument: "num_labels".to_owned(),
            });
        }
        if name == "function" && self.form == KerasFormat::Archive {
            return self.function(value, "metrics");
        }
        if name == "function" || name == "MeanMetricWrapper" {
            return;
        }
        if self.by_module(value) {
            self.by_public_name(value, name, "metric", "metrics");
            return;
        }
        let kinds = ["metric", "layer", "function"];
        if !kinds.iter().any(|kind| self.keras.class(name, kind).is_some()) {
            self.unknown("metrics", "metric", name);
        }
    }
}
