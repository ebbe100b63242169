//! Objects of a layer: initializers, regularizers, constraints, activations, policies of dtypes.

use std::sync::Arc;

use serde_json::Value;
use unskew_core::Version;

use super::{ConfigWalk, ObjectContext, class_of, text};
use crate::KerasPackage;
use crate::table::KerasClass;

/// The first Keras 3 that reads a layer as an activation of another layer. Measured: not 3.9.2, and 3.11.3.
const LAYER_AS_ACTIVATION: Version = Version::pair(3, 10);

impl ConfigWalk<'_> {
    /// The class under the module and the name of an object: by its public name, or where it is defined.
    pub(super) fn by_public_name(
        &mut self,
        value: &Value,
        name: &str,
        kind: &str,
        place: &str,
    ) -> Option<Arc<KerasClass>> {
        let Some(module) = text(value, "module") else {
            // A class of the user's own has no module, and the name under which it is registered.
            self.unknown(place, kind, text(value, "registered_name").unwrap_or(name));
            return None;
        };
        let root = module.split('.').next().unwrap_or_default();
        let own = root == "keras" || root == self.keras.package.as_str();
        if !own {
            self.unknown(place, kind, &format!("{module}.{name}"));
            return None;
        }
        // tf_keras imports a module of Keras 2 as its own.
        let imported = match self.keras.package {
            KerasPackage::TfKeras if root == "keras" => format!("tf_{module}"),
            _ => module.to_owned(),
        };
        let public = format!("{module}.{name}");
        let all = self.keras.named(name);
        let found = all.iter().find(|class| class.exports.iter().any(|one| **one == *public));
        let found = found.or_else(|| all.iter().find(|class| *class.module == *imported));
        if let Some(class) = found {
            return Some(class.clone());
        }
        // A public name may be that of another module by now: what counts is the name as it was written.
        if self.keras.classes.first(name, kind, None).is_some() || is_own_model(module, name) {
            self.refused(
                place,
                format!(
                    "{kind} {public}, which {} does not have under this name",
                    self.keras.name()
                ),
                "Could not deserialize",
            );
        } else {
            self.unknown(place, kind, name);
        }
        None
    }

    /// An initializer, a regularizer or a constraint: a name, or a class with its arguments.
    pub(super) fn object(&mut self, value: &Value, kind: &str, place: &str) {
        let Some(name) = class_of(value) else { return };
        let class = if self.by_module(value) && value["module"].is_null() {
            self.by_public_name(value, name, kind, place)
        } else {
            let class = self.keras.class(name, kind);
            if class.is_none() && self.keras.class(name, "function").is_none() {
                self.unknown(place, kind, name);
            }
            class
        };
        if let Some(class) = class {
            self.arguments(&class, &value["config"], place, ObjectContext::Layer);
        }
    }

    /// An activation: a function by its name, or a layer.
    pub(super) fn activation(&mut self, value: &Value, place: &str) {
        let name = match value {
            Value::String(name) => &**name,
            Value::Object(_) => match class_of(value) {
                Some("function") => return self.function(value, place),
                Some(name) if self.keras.class(name, "function").is_some() => return,
                Some(name) => {
                    if self.three() && self.keras.version < LAYER_AS_ACTIVATION {
                        let what = format!("the layer {name} as an activation");
                        self.refused(place, what, "could not be deserialized properly");
                    }
                    return self.layer(value, place, ObjectContext::Layer);
                }
                None => return,
            },
            _ => return,
        };
        let known = ["function", "layer"].iter().any(|kind| self.keras.class(name, kind).is_some());
        if !known {
            self.unknown(place, "function", name);
        }
    }

    /// The policy of a layer: a dtype, or a class with its name.
    pub(super) fn policy(&mut self, value: &Value, place: &str) {
        self.quantization(value, place);
        if let Some(name) = class_of(value)
            && self.keras.class(name, "policy").is_none()
        {
            match self.three() {
                true => self.refused(
                    place,
                    format!("dtype policy {name}, which Keras 3 does not have"),
                    "'str' object has no attribute 'quantization_mode'",
                ),
                false => self.unknown(place, "policy", name),
            }
        } else if let Some(name) = class_of(value)
            && self.three()
            && let Some(class) = self.keras.class(name, "policy")
        {
            self.arguments(&class, &value["config"], place, ObjectContext::Layer);
        }
    }
}

/// Whether an object is a model by the module in which Keras 2 has its class.
fn is_own_model(module: &str, name: &str) -> bool {
    name == "Functional" && module.ends_with(".functional")
}
