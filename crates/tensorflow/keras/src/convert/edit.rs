//! The edits: what is written in another way and means the same.

use serde_json::{Map, Value, json};
use unskew_core::{Conversion, Rewrite, Version};

use super::graph;
use super::weights::snake;
use crate::judge::calls::ANY_FORM;
use crate::judge::inner_models::gives_lists;
use crate::judge::layers::begins_a_model;
use crate::judge::special::{DOT_IS_FUNCTION, DOT_OF_LISTS, built_by_lists};
use crate::judge::{class_of, text};
use crate::{KerasFormat, KerasModel, KerasRelease};

/// Arguments without a meaning, or with one value that changes nothing: class, argument, value. `*` is any class, and a
/// value of none any value.
const IDLE: [(&str, &str, Option<&str>); 21] = [
    // TensorFlow 1 writes it with initializers; a variable has the dtype of its layer.
    ("*", "dtype", Some("\"float32\"")),
    ("*", "time_major", Some("false")),
    ("*", "groups", Some("1")),
    ("*", "causal", Some("false")),
    // Layers that do not take it have their channels last.
    ("*", "data_format", Some("\"channels_last\"")),
    ("*", "decay", Some("0.0")),
    ("*", "trainable", Some("true")),
    ("*", "implementation", None),
    ("*", "is_legacy_optimizer", None),
    ("*", "jit_compile", None),
    ("*", "use_cudnn", None),
    ("*", "optional", Some("false")),
    ("MultiHeadAttention", "query_shape", None),
    ("MultiHeadAttention", "key_shape", None),
    ("MultiHeadAttention", "value_shape", None),
    // A separable convolution has a kernel for each of its halves, and none of this name.
    ("Separable", "kernel_initializer", None),
    ("Separable", "kernel_regularizer", Some("null")),
    ("Separable", "kernel_constraint", Some("null")),
    ("*", "fn", None),
    ("*", "weight_decay", Some("null")),
    ("*", "use_ema", Some("false")),
];

/// From this Keras 2 on it is measured that an activation may be a layer; 2.4 refuses it.
const LAYER_AS_ACTIVATION: Version = Version::pair(2, 9);

/// Edits a model for a release, as far as what is written means the same.
pub(super) fn model(model: &mut KerasModel, keras: &KerasRelease, plan: &mut Conversion) {
    let writer = model.version();
    let mut edit = Edit { keras, writer, form: model.form, plan };
    if let Some(config) = &mut model.config {
        edit.value(config, "", 0);
    }
    if let Some(training) = &mut model.training {
        edit.training(training);
    }
}

struct Edit<'e> {
    keras: &'e KerasRelease,
    writer: Option<Version>,
    form: KerasFormat,
    plan: &'e mut Conversion,
}

impl Edit<'_> {
    fn three(&self) -> bool {
        self.keras.is_three()
    }

    fn say(&mut self, adaptation: &'static str, what: String, place: &str) {
        let places = [place.to_owned()].into_iter().collect();
        self.plan.add(Rewrite { adaptation, what, places, lossy: false });
    }

    /// An object and all in it.
    fn value(&mut self, value: &mut Value, place: &str, depth: usize) {
        if depth > 64 {
            return;
        }
        match value {
            Value::Array(all) => all.iter_mut().for_each(|one| self.value(one, place, depth + 1)),
            Value::Object(_) => {
                let class = class_of(value).map(str::to_owned);
                let own = text(&value["config"], "name").or(class.as_deref()).unwrap_or_default();
                let place = match (place, own) {
                    ("", own) => own.to_owned(),
                    (above, "") => above.to_owned(),
                    (above, own) => format!("{above}/{own}"),
                };
                if let Some(class) = class {
                    self.object(value, &class, &place, depth);
                }
                for one in value.as_object_mut().into_iter().flat_map(Map::values_mut) {
                    self.value(one, &place, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, value: &mut Value, class: &str, place: &str, depth: usize) {
        self.module(value, class, place);
        if let Some(known) = self.policy(value, class, place) {
            *value = known;
            return;
        }
        if matches!(class, "Functional" | "Model")
            && let Some(config) = value.get_mut("config")
        {
            if self.three() {
                let keras = self.keras.version;
                if keras < ANY_FORM && graph::tensors_in_lists(config) {
                    let what =
                        "the only input or output of a model, written as a list of one tensor";
                    self.say("output", what.to_owned(), place);
                } else if depth > 0 && gives_lists(keras) && graph::outputs_without_list(config) {
                    let what =
                        "the only output of a model inside of another, written without a list";
                    self.say("output", what.to_owned(), place);
                }
            }
            for (adaptation, what, layer) in graph::edit(config, self.three()) {
                self.say(adaptation, what, &format!("{place}/{layer}"));
            }
        }
        if class == "Sequential" && self.three() && self.form == KerasFormat::Hdf5 {
            self.input_layer(value, place);
        }
        if class == "Dot"
            && self.three()
            && self.keras.version < DOT_OF_LISTS
            && built_by_lists(value)
            && let Some(layer) = value.as_object_mut()
        {
            layer.shift_remove("build_config");
            let what =
                "how Dot was built removed: it has no weights, and is built when it is called";
            self.say("build", what.to_owned(), place);
        }
        self.alias(value, class, place);
        self.nodes(value, place);
        self.unnamed(value, class, place);
        let three = self.three();
        let Some(config) = value.get_mut("config").and_then(Value::as_object_mut) else { return };
        if class == "InputLayer"
            && !three
            && let Some(shape) = config.shift_remove("batch_shape")
        {
            config.insert("batch_input_shape".to_owned(), shape);
            self.say(
                "input-shape",
                "`batch_shape` renamed to `batch_input_shape`".to_owned(),
                place,
            );
        }
        if class == "BatchNormalization"
            && three
            && let Some([axis]) = config.get("axis").and_then(Value::as_array).map(Vec::as_slice)
        {
            let axis = axis.clone();
            config.insert("axis".to_owned(), axis);
            self.say("axis", "`axis` of BatchNormalization as a number".to_owned(), place);
        }
        let renamed = match class {
            "LeakyReLU" if !three => Some(("negative_slope", "alpha")),
            _ if place.starts_with("optimizer") && three => Some(("lr", "learning_rate")),
            _ => None,
        };
        if let Some((old, new)) = renamed
            && !config.contains_key(new)
            && let Some(value) = config.shift_remove(old)
        {
            config.insert(new.to_owned(), value);
            self.say("renamed-argument", format!("`{old}` of {class} renamed to `{new}`"), place);
        }
        if class == "Attention"
            && self.keras.version >= DOT_IS_FUNCTION
            && self.form == KerasFormat::Hdf5
            && config.get("score_mode") == Some(&json!("dot"))
        {
            config.shift_remove("score_mode");
            let what = "`score_mode` of Attention removed, which is `dot` without it";
            self.say("default-argument", what.to_owned(), place);
        }
        self.functions(config, place);
        if three && config.get("reduction") == Some(&json!("auto")) {
            config.insert("reduction".to_owned(), json!("sum_over_batch_size"));
            let what = "reduction `auto` of a loss by its meaning: `sum_over_batch_size`";
            self.say("reduction", what.to_owned(), place);
        }
        self.arguments(value, class, place);
        self.nested(value, place);
    }

    /// An input layer for a Sequential that has its shape in the first layer.
    fn input_layer(&mut self, value: &mut Value, place: &str) {
        let Some(layers) = value["config"].get_mut("layers").and_then(Value::as_array_mut) else {
            return;
        };
        if !begins_a_model(layers) {
            return;
        }
        let first = &mut layers[0]["config"];
        let name = text(first, "name").unwrap_or("layer").to_owned();
        // An embedding computes floats of what it reads as numbers of tokens.
        let dtype = text(first, "dtype").unwrap_or("float32").to_owned();
        let Some(shape) =
            first.as_object_mut().and_then(|first| first.shift_remove("batch_input_shape"))
        else {
            return;
        };
        let config = json!({"batch_input_shape": shape, "dtype": dtype, "sparse": false, "name": format!("{name}_input")});
        layers.insert(0, json!({"class_name": "InputLayer", "config": config}));
        let what = "`batch_input_shape` of the first layer as an input layer of its own";
        self.say("input-shape", what.to_owned(), &format!("{place}/{name}"));
    }

    /// An initializer by the name that the release lists, where it lists only one of two.
    fn alias(&mut self, value: &mut Value, class: &str, place: &str) {
        let other = match class {
            "Orthogonal" => "OrthogonalInitializer",
            "OrthogonalInitializer" => "Orthogonal",
            "IdentityInitializer" => "Identity",
            _ => return,
        };
        let has = |name: &str| self.keras.class(name, "initializer").is_some();
        if self.three() && !has(class) && has(other) {
            value["class_name"] = json!(other);
            self.say("name", format!("initializer {class} by its older name {other}"), place);
        }
    }

    /// Activations that have another name in the release, or are a layer there.
    fn functions(&mut self, config: &mut Map<String, Value>, place: &str) {
        for key in ["activation", "recurrent_activation"] {
            let Some(name) = config.get(key).and_then(Value::as_str).map(str::to_owned) else {
                continue;
            };
            if self.keras.class(&name, "function").is_some() {
                continue;
            }
            let (new, what) = match &*name {
                "silu" => (json!("swish"), "`swish`"),
                // In Keras 3 the function has this slope.
                "leaky_relu" if !self.three() && self.keras.version >= LAYER_AS_ACTIVATION => {
                    let config = json!({"name": "leaky_re_lu", "trainable": true, "dtype": "float32", "alpha": 0.2});
                    let mut layer = json!({"class_name": "LeakyReLU", "config": config});
                    if self.form == KerasFormat::Archive {
                        layer["module"] = json!("keras.layers");
                        layer["registered_name"] = Value::Null;
                    }
                    (layer, "the layer LeakyReLU with `alpha` 0.2")
                }
                _ => continue,
            };
            config.insert(key.to_owned(), new);
            self.say("activation", format!("activation `{name}` as {what}"), place);
        }
    }

    /// Arguments that the class of the release does not take, if they say what is so without them.
    fn arguments(&mut self, value: &mut Value, class: &str, place: &str) {
        let mut all = self.keras.named(class);
        if place.starts_with("optimizer") && self.form == KerasFormat::Hdf5 {
            all = self.keras.old_optimizers(class);
        } else if place.starts_with("loss") {
            all.retain(|one| &*one.kind == "loss");
        }
        if text(value, "module").is_some_and(|module| module.starts_with("keras.src.ops")) {
            all.retain(|one| &*one.kind == "operation");
        }
        if all.is_empty() || matches!(class, "Functional" | "Sequential" | "Model" | "Lambda") {
            return;
        }
        let is_operation = all.iter().any(|one| &*one.kind == "operation");
        let old = self.writer.map(|writer| self.near(writer, class)).unwrap_or_default();
        let archive = self.form == KerasFormat::Archive;
        let Some(config) = value.get_mut("config").and_then(Value::as_object_mut) else { return };
        let unknown: Vec<String> = config
            .keys()
            .filter(|argument| !all.iter().any(|one| one.takes(argument)))
            .cloned()
            .collect();
        for argument in unknown {
            let Some(known) = config.get(&argument) else { continue };
            let text = known.to_string();
            if argument == "batch_input_shape" && class != "InputLayer" && self.keras.is_three() {
                // A layer that begins a model has the shape of its input, without the size of a batch.
                let shape = known.as_array().filter(|shape| shape.first() == Some(&Value::Null));
                if let Some(shape) = shape.map(|shape| shape[1..].to_vec()).filter(|_| archive) {
                    config.shift_remove(&argument);
                    config.insert("input_shape".to_owned(), Value::Array(shape));
                    let what = "`batch_input_shape` of a layer as `input_shape`".to_owned();
                    self.say("input-shape", what, place);
                }
                continue;
            }
            let idle = IDLE.iter().any(|(of, name, value)| {
                (*of == "*" || class.starts_with(of))
                    && *name == argument
                    && value.is_none_or(|value| value == text)
            });
            let default = old.iter().any(|one| {
                one.arguments.get(&*argument).and_then(Option::as_deref) == Some(&*text)
            });
            // The name of an operation stands beside its configuration too, and that one is read.
            if idle || default || is_operation && argument == "name" {
                config.shift_remove(&argument);
                let what = format!(
                    "argument `{argument}` of {class} removed, which says what is so without it: {text}"
                );
                self.say("default-argument", what, place);
            }
        }
    }

    /// The classes of this name in the release that wrote the file, or the nearest that is known.
    fn near(&self, writer: Version, class: &str) -> Vec<std::sync::Arc<crate::KerasClass>> {
        let releases = self.keras.classes.rows().releases();
        let minor = |one: &&Version| (one.major(), one.minor()) == (writer.major(), writer.minor());
        let near = releases.iter().rev().find(minor);
        near.map(|release| self.keras.classes.classes_of(*release, class)).unwrap_or_default()
    }

    /// The dtype of a layer in the form of the other generation.
    fn policy(&mut self, value: &Value, class: &str, place: &str) -> Option<Value> {
        let name = text(&value["config"], "name")?;
        let new = match (class, self.three()) {
            ("DTypePolicy", false) if !name.starts_with("mixed") => json!(name),
            ("DTypePolicy", false) => json!({"class_name": "Policy", "config": {"name": name}}),
            ("Policy", true) => json!(name),
            _ => return None,
        };
        self.say("dtype-policy", format!("dtype policy {class} by its name"), place);
        Some(new)
    }

    /// Whether Keras 3 keeps a layer for old archives only.
    fn is_for_archives(&self, class: &str) -> bool {
        let public = |folder: &str| {
            let name = format!("{folder}.{class}");
            let all = self.keras.named(class);
            all.iter().any(|one| one.exports.iter().any(|export| **export == *name))
        };
        public("keras._legacy.layers") && !public("keras.layers")
    }

    /// Layers and operations that Keras 3 finds by their module alone, which HDF5 files do not have as they are written:
    /// layers that it keeps for archives of Keras 2, and operations. An operation has nothing but a name, which begins with
    /// that of its class.
    fn unnamed(&mut self, value: &mut Value, class: &str, place: &str) {
        if !self.three() || self.form != KerasFormat::Hdf5 || value.get("module").is_some() {
            return;
        }
        let config = value["config"].as_object();
        let alone = config.filter(|config| config.len() == 1).and_then(|config| config.get("name"));
        let named = alone.and_then(Value::as_str);
        let is_operation = named.is_some_and(|name| name.starts_with(&snake(class)))
            && value["inbound_nodes"].as_array().is_some_and(|nodes| !nodes.is_empty());
        let operation = self.keras.class(class, "operation").filter(|_| is_operation);
        let (module, registered) = match operation {
            Some(operation) => (operation.module.to_string(), json!(class)),
            None if self.is_for_archives(class) => ("keras._legacy.layers".to_owned(), Value::Null),
            None => return,
        };
        self.say("module", format!("{class} with the module of its class: {module}"), place);
        value["module"] = json!(module);
        value["registered_name"] = registered;
    }

    /// Modules that have another name in the release.
    fn module(&mut self, value: &mut Value, class: &str, place: &str) {
        let Some(module) = text(value, "module").map(str::to_owned) else { return };
        let new = match &*module {
            "keras.src.engine.functional" | "tf_keras.src.engine.functional" if self.three() => {
                "keras.src.models.functional"
            }
            "keras.src.models.functional" if !self.three() => "keras.src.engine.functional",
            "keras.optimizers.experimental" if self.three() => "keras.optimizers",
            "keras._legacy.layers" if !self.three() => "keras.layers",
            "keras.layers" if self.three() && self.is_for_archives(class) => "keras._legacy.layers",
            _ => return,
        };
        value["module"] = json!(new);
        self.say("module", format!("{class} by the module {new}"), place);
    }

    /// Layers inside of layers, which Keras 3 looks up by their module.
    fn nested(&mut self, value: &mut Value, place: &str) {
        if !self.three() {
            return;
        }
        let Some(config) = value.get_mut("config").and_then(Value::as_object_mut) else { return };
        let mut said = Vec::new();
        let mut name = |value: &mut Value, module: &str| {
            if let Some(class) = class_of(value).map(str::to_owned)
                && value.get("module").is_none()
                && let Some(object) = value.as_object_mut()
            {
                object.insert("module".to_owned(), json!(module));
                object.insert("registered_name".to_owned(), Value::Null);
                said.push(class);
            }
        };
        for key in ["layer", "cell", "forward_layer", "backward_layer"] {
            if let Some(inner) = config.get_mut(key) {
                name(inner, "keras.layers");
            }
        }
        for cell in config.get_mut("cells").and_then(Value::as_array_mut).into_iter().flatten() {
            name(cell, "keras.layers");
        }
        if let Some(rate) = config.get_mut("learning_rate") {
            name(rate, "keras.optimizers.schedules");
        }
        for class in said {
            self.say("module", format!("{class} with the module of its class"), place);
        }
    }

    /// Calls of layers as Keras 2 writes them: lists, not arguments.
    fn nodes(&mut self, value: &mut Value, place: &str) {
        if self.three() {
            return;
        }
        let Some(nodes) = value.get_mut("inbound_nodes").and_then(Value::as_array_mut) else {
            return;
        };
        let mut changed = false;
        for node in nodes.iter_mut() {
            if let Some(calls) = node.get("args").and_then(|args| old_calls(args, &node["kwargs"]))
            {
                *node = calls;
                changed = true;
            }
        }
        if changed {
            self.say("calls", "calls of layers as Keras 2 writes them".to_owned(), place);
        }
    }

    fn training(&mut self, training: &mut Value) {
        // The optimizer of an HDF5 file has no name that the walk would show.
        for (key, place) in
            [("optimizer_config", "optimizer"), ("optimizer", "optimizer"), ("loss", "loss")]
        {
            if let Some(value) = training.get_mut(key) {
                self.value(value, place, 0);
            }
        }
        if let Some(optimizer) = training.get_mut("optimizer_config") {
            let class = class_of(optimizer).map(str::to_owned);
            if let Some(own) = class.as_deref().and_then(|class| class.strip_prefix("Custom>"))
                && !self.three()
                && self.keras.version < Version::pair(2, 11)
                && !self.keras.old_optimizers(own).is_empty()
            {
                optimizer["class_name"] = json!(own);
                self.arguments(optimizer, own, "optimizer");
                self.say("optimizer", format!("optimizer {own} by its own name"), "optimizer");
            }
        }
        if !self.three() {
            return;
        }
        if self.form == KerasFormat::Archive {
            if training.get("steps_per_execution").is_some_and(Value::is_null) {
                training["steps_per_execution"] = json!(1);
                let what = "`steps_per_execution` 1, which null meant";
                self.say("steps", what.to_owned(), "compiled");
            }
            return;
        }
        let keras = self.keras;
        let mut said = Vec::new();
        each(&mut training["loss"], &mut |loss| {
            let Some(short) = loss.as_str().map(str::to_owned) else { return };
            let public = |class: &crate::KerasClass| {
                let names =
                    class.exports.iter().filter_map(|one| one.strip_prefix("keras.losses."));
                names.map(str::to_owned).next()
            };
            let taken = |class: &crate::KerasClass| {
                class.exports.iter().any(|one| **one == *format!("keras.losses.{short}"))
            };
            if let Some(class) = keras.class(&short, "function").filter(|class| !taken(class))
                && let Some(long) = public(&class)
            {
                said.push(format!("loss `{short}` by its public name `{long}`"));
                *loss = json!(long);
            }
        });
        for what in said {
            self.say("loss", what, "loss");
        }
    }
}

fn each(value: &mut Value, one: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(|value| each(value, one)),
        Value::Object(map) if !map.contains_key("class_name") => {
            map.values_mut().for_each(|value| each(value, one));
        }
        Value::Null => {}
        value => one(value),
    }
}

/// The call of a layer with tensors alone, as lists of `[layer, node, tensor, arguments]`.
fn old_calls(args: &Value, kwargs: &Value) -> Option<Value> {
    let kwargs = kwargs.as_object()?;
    // What has a value of its own means something; `mask` and `training` left out mean nothing.
    if !kwargs.values().all(Value::is_null) {
        return None;
    }
    let [only] = args.as_array()?.as_slice() else { return None };
    let tensor = |value: &Value| {
        let history = value.get("config")?.get("keras_history")?.as_array()?;
        let [layer, node, index] = history.as_slice() else { return None };
        Some(json!([layer, node, index, {}]))
    };
    let calls: Option<Vec<Value>> = match only {
        Value::Array(all) => all.iter().map(tensor).collect(),
        one => Some(vec![tensor(one)?]),
    };
    Some(Value::Array(calls?))
}
