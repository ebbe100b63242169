//! Functions of `keras.ops` in a functional model: forms of their calls that a release does not read.

use serde_json::Value;
use unskew_core::Version;

use super::{ConfigWalk, class_of, text};

/// The first Keras 3 that reads a slice of several dimensions again, which a file has as a list. Measured: not 3.1.1, and
/// 3.3.3; read in the source of 3.2.1.
const SLICES: Version = Version::pair(3, 2);

/// The first Keras 3 that reads `...`. Measured: not 3.1.1, and 3.3.3; read in the source of 3.2.1.
const ELLIPSES: Version = Version::pair(3, 3);

/// The first Keras 3 whose operations of [`LIKE`] have their dtype of the constructor, and not of the call. Measured: not
/// 3.10.0, and 3.12.4; read in the source of 3.11.3.
const DTYPE_OF_THE_CLASS: Version = Version::pair(3, 11);

/// Operations that make a tensor like another.
const LIKE: [&str; 3] = ["FullLike", "OnesLike", "ZerosLike"];

impl ConfigWalk<'_> {
    /// A call of an operation by a Keras 3.
    pub(super) fn operation(&mut self, layer: &Value, node: &Value, place: &str) {
        let keras = self.keras.version;
        let class = class_of(layer).unwrap_or_default();
        if keras < SLICES && class == "GetItem" && node["args"][1].is_array() {
            let what = "a slice of several dimensions, which Keras 3.2 is the first to read";
            self.refused(place, what, "Unsupported key type for array slice");
        }
        if keras < ELLIPSES && has_ellipsis(&node["args"], 0) {
            let what = "`...` in a slice, which Keras 3.3 is the first to read";
            self.refused(place, what, "Could not locate class '__ellipsis__'");
        }
        let is_operation =
            text(layer, "module").is_some_and(|module| module.starts_with("keras.src.ops"));
        if is_operation
            && keras >= DTYPE_OF_THE_CLASS
            && LIKE.contains(&class)
            && node["kwargs"].get("dtype").is_some()
        {
            let what = format!("`dtype` in the call of {class}, which it has of its class by now");
            self.refused(place, what, "got an unexpected keyword argument 'dtype'");
        }
    }
}

fn has_ellipsis(value: &Value, depth: usize) -> bool {
    match value {
        _ if depth > super::DEPTH => false,
        Value::Array(all) => all.iter().any(|one| has_ellipsis(one, depth + 1)),
        Value::Object(map) => {
            text(value, "class_name") == Some("__ellipsis__")
                || map.values().any(|one| has_ellipsis(one, depth + 1))
        }
        _ => false,
    }
}
