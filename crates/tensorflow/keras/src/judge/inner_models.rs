//! Models inside of a Sequential or of a wrapper, whose only output a file has as a list: the next layer gets a list of one
//! tensor, where a release does not take the tensor out of it.
//!
//! What each class makes of such a list is measured: Keras 3.10.0 wrote a model for each class with one layer alone and with
//! another behind it, and 3.11.3 and 3.15.1 loaded and called them, as archives and as HDF5. Classes that are not named here
//! fail when the model is loaded.

use serde_json::Value;
use unskew_core::Version;

use super::{ConfigWalk, Problem, class_of, text};
use crate::KerasFormat;

/// Releases that give the output of a model on in the form in which the file has it. Measured: 3.1.1, 3.4.1, 3.11.3 and
/// later do, 3.3.3 and 3.5.0 to 3.10.0 do not.
pub(crate) fn gives_lists(keras: Version) -> bool {
    keras < Version::pair(3, 3)
        || (Version::pair(3, 4)..Version::pair(3, 5)).contains(&keras)
        || keras >= Version::pair(3, 11)
}

/// The first Keras of those that builds a Sequential by the shape of a model at its beginning. Measured: not 3.2.1 and 3.4.1,
/// and 3.11.3.
const BUILT_BY_MODEL: Version = Version::pair(3, 11);

/// Layers that give the list on as it is.
const PASSES: [&str; 9] = [
    "ActivityRegularization",
    "AlphaDropout",
    "Dropout",
    "GaussianDropout",
    "GaussianNoise",
    "Identity",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
];

/// Layers that make a tensor with one more dimension of it.
const ADDS_A_DIMENSION: [&str; 6] =
    ["Activation", "LeakyReLU", "Normalization", "ReLU", "Rescaling", "UnitNormalization"];

/// Layers that take a tensor with one more dimension, as it comes out of a Dense that was given the list. Measured on 3.2.1,
/// 3.4.1, 3.11.3 and 3.15.1: others behind a Dense fail when the model is loaded.
const TAKES_A_DIMENSION: [&str; 9] = [
    "Activation",
    "Dropout",
    "Flatten",
    "LayerNormalization",
    "LeakyReLU",
    "ReLU",
    "Rescaling",
    "Softmax",
    "UnitNormalization",
];

/// Layers whose first call fails.
const FAILS_AT_CALL: [&str; 10] = [
    "AugMix",
    "AutoContrast",
    "BatchNormalization",
    "CutMix",
    "LayerNormalization",
    "MixUp",
    "PReLU",
    "RMSNormalization",
    "RandAugment",
    "Softmax",
];

/// Of those, the layers without anything to build: they are loaded from HDF5 too, which does not tell the shapes of layers.
const WITHOUT_BUILD: [&str; 4] = ["AutoContrast", "CutMix", "MixUp", "Softmax"];

/// Layers whose first call fails if nothing comes behind them, and which are not loaded if something does; the last of them
/// from an archive only.
const FAILS_AT_CALL_AS_LAST: [&str; 3] = ["MaxPool1D", "MaxPooling1D", "SpectralNormalization"];

/// Whether tensors are written as a list with one: `[["dense", 0, 0]]`.
pub(crate) fn is_list_of_one(tensors: &Value) -> bool {
    tensors.as_array().is_some_and(|all| all.len() == 1 && all[0].is_array())
}

/// Whether the only output of a model is written as a list; that of a Sequential is that of its last layer.
fn is_written_as_list(model: &Value, depth: usize) -> bool {
    let config = &model["config"];
    match class_of(model) {
        Some("Functional" | "Model") => is_list_of_one(&config["output_layers"]),
        Some("Sequential") if depth < super::DEPTH => {
            let last = config["layers"].as_array().and_then(|layers| layers.last());
            last.is_some_and(|last| is_written_as_list(last, depth + 1))
        }
        _ => false,
    }
}

fn takes_a_dimension(layer: &Value) -> bool {
    class_of(layer).is_some_and(|class| TAKES_A_DIMENSION.contains(&class))
}

/// What becomes of a list of one tensor.
enum ListOutcome {
    Taken,
    Differs,
    FailsAtCall(&'static str),
    FailsAtLoad,
}

impl ConfigWalk<'_> {
    /// The model at a place in a Sequential, with the layers behind it.
    pub(super) fn model_in_sequential(&mut self, sequential: &Value, at: usize, place: &str) {
        let layers = sequential.get("layers").unwrap_or(sequential).as_array();
        let Some((model, behind)) = layers.and_then(|all| all.get(at..)?.split_first()) else {
            return;
        };
        if !self.gives_a_list(model) {
            return;
        }
        let outcome = match self.of_list(behind) {
            ListOutcome::FailsAtLoad if !self.is_built_at_load(sequential) => {
                ListOutcome::FailsAtCall("input(s)")
            }
            outcome => outcome,
        };
        self.list_outcome(model, outcome, place);
    }

    /// Whether a Sequential is built when it is loaded: one that says no shape is so only where its first model says it.
    fn is_built_at_load(&self, sequential: &Value) -> bool {
        let first = sequential["layers"].get(0).and_then(class_of);
        self.keras.version >= BUILT_BY_MODEL
            || first == Some("InputLayer")
            || sequential.get("build_input_shape").is_some()
    }

    /// A model in a wrapper.
    pub(super) fn model_in_wrapper(&mut self, model: &Value, place: &str) {
        if self.gives_a_list(model) {
            self.list_outcome(model, ListOutcome::FailsAtLoad, place);
        }
    }

    fn gives_a_list(&self, model: &Value) -> bool {
        self.three() && gives_lists(self.keras.version) && is_written_as_list(model, 0)
    }

    fn of_list(&self, behind: &[Value]) -> ListOutcome {
        let Some((next, rest)) = behind.split_first() else { return ListOutcome::Taken };
        let class = class_of(next).unwrap_or_default();
        let archive = self.form == KerasFormat::Archive;
        let is_last = rest.is_empty();
        match class {
            "Sequential" | "Functional" | "Model" => ListOutcome::Taken,
            _ if PASSES.contains(&class) => self.of_list(rest),
            "Dense" if archive && rest.iter().all(takes_a_dimension) => ListOutcome::Differs,
            "LayerNormalization"
                if archive
                    && self.keras.version < BUILT_BY_MODEL
                    && rest.iter().all(takes_a_dimension) =>
            {
                ListOutcome::Differs
            }
            "Normalization" if !archive => ListOutcome::FailsAtLoad,
            _ if ADDS_A_DIMENSION.contains(&class) && (archive || is_last) => ListOutcome::Differs,
            _ if class.starts_with("Global") && is_last => {
                ListOutcome::FailsAtCall("Output with path `1` is not connected")
            }
            "SpectralNormalization" if !archive => ListOutcome::FailsAtLoad,
            _ if FAILS_AT_CALL_AS_LAST.contains(&class) && is_last => {
                ListOutcome::FailsAtCall("'list' object has no attribute")
            }
            _ if class.starts_with("Random") => {
                ListOutcome::FailsAtCall("'list' object has no attribute")
            }
            _ if FAILS_AT_CALL.contains(&class)
                && (archive || is_last && WITHOUT_BUILD.contains(&class)) =>
            {
                ListOutcome::FailsAtCall("'list' object has no attribute")
            }
            _ => ListOutcome::FailsAtLoad,
        }
    }

    fn list_outcome(&mut self, model: &Value, outcome: ListOutcome, place: &str) {
        let name = text(&model["config"], "name").unwrap_or("model");
        let what = format!(
            "the model {name} inside of {place}: its only output is written as a list, and is given on as one"
        );
        match outcome {
            ListOutcome::Taken => {}
            ListOutcome::Differs => {
                let what = "the output of an inner model is a list, and the layer behind it adds a dimension";
                self.problem(Problem::Differs { place: place.to_owned(), what });
            }
            ListOutcome::FailsAtCall(symptom) => {
                self.problem(Problem::FirstCall { what, symptom });
            }
            ListOutcome::FailsAtLoad => {
                self.refused(place, what, "Exception encountered when calling");
            }
        }
    }
}
