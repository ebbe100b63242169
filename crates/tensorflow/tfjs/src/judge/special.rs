//! Values of layers that constructors refuse, and names of weights that find no variable: no list of classes has them.

use serde_json::Value;
use unskew_core::Version;

/// Something that is refused, in words, and the error.
pub(super) type RefusalText = (String, &'static str);

/// The first release that looks for a weight of a cell under the name of its layer.
const NAMES_OF_CELLS: Version = Version::pair(2, 0);

/// The first release that refuses gated units whose reset comes after the product.
const REFUSES_RESET_AFTER: Version = Version::pair(2, 0);

/// The first release whose `RNN` makes the cell that a configuration has.
const MAKES_CELLS: Version = Version::pair(1, 2);

/// The releases that find no variable for what a normalization has averaged.
const NO_MOVING_MEAN: Version = Version::pair(1, 2);

/// The releases that do not load layers without weights: the first, and the first after them.
const ASKS_FOR_WEIGHTS: [Version; 2] = [Version::pair(4, 9), Version::pair(4, 11)];

/// Classes whose configuration is a list of layers.
pub(super) const MODELS: [&str; 3] = ["Functional", "Model", "Sequential"];

/// The layers of a model; of an old Sequential the configuration is the list.
pub(super) fn layers_of(model: &Value) -> &[Value] {
    let config = &model["config"];
    config.get("layers").unwrap_or(config).as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Whether the first layer of a Sequential does not say what it takes.
fn begins_without_shape(model: &Value) -> bool {
    layers_of(model).first().is_some_and(|first| {
        let class = first["class_name"].as_str().unwrap_or_default();
        let given = |key: &str| first["config"].get(key).is_some_and(|value| !value.is_null());
        class != "InputLayer"
            && !MODELS.contains(&class)
            && !["batch_input_shape", "input_shape"].iter().any(|key| given(key))
    })
}

/// Whether a release does not load layers that have no weights.
pub(super) fn asks_for_weights(release: Version) -> bool {
    let [first, after] = ASKS_FOR_WEIGHTS;
    first <= release && release < after
}

pub(super) fn of_layer(class: &str, layer: &Value, release: Version) -> Option<RefusalText> {
    let config = &layer["config"];
    let given = |key: &str| config.get(key).is_some_and(|value| !value.is_null());
    match class {
        "InputLayer" if !given("batch_input_shape") && !given("input_shape") => Some((
            "input layer without `batch_input_shape`; Keras 3 writes `batch_shape`".to_owned(),
            "An InputLayer should be passed either a `batchInputShape` or an `inputShape`",
        )),
        "Sequential" if begins_without_shape(layer) => Some((
            "Sequential whose first layer has no `batch_input_shape`".to_owned(),
            "The first layer in a Sequential model must get an `inputShape` or `batchInputShape`",
        )),
        "GRU" | "GRUCell"
            if config.get("reset_after") == Some(&Value::Bool(true))
                && release >= REFUSES_RESET_AFTER =>
        {
            Some((
                format!("{class} with `reset_after`, which Keras 2 and 3 have set"),
                "GRUCell does not support reset_after parameter set to true",
            ))
        }
        "RNN" if given("cell") && release < MAKES_CELLS => Some((
            "layer RNN of a file: its cell is not made".to_owned(),
            "The RNN cell should have an attribute `stateSize`",
        )),
        "SeparableConv2D"
            if ["kernel_initializer", "kernel_regularizer", "kernel_constraint"]
                .iter()
                .any(|key| given(key)) =>
        {
            Some((
                "SeparableConv2D with `kernel_initializer`, which Keras writes".to_owned(),
                "kernelInitializer, kernelRegularizer and kernelConstraint are invalid for SeparableConv2D",
            ))
        }
        _ if class.contains("Conv")
            && config.get("groups").and_then(Value::as_u64).is_some_and(|groups| groups > 1) =>
        {
            Some((format!("{class} with several `groups`"), "Shape mismatch"))
        }
        _ => None,
    }
}

/// Whether no variable is found for a weight of this name: that of a cell stands below the cell, and that of a cell among
/// stacked ones below those.
pub(super) fn is_lost(weight: &str, release: Version) -> bool {
    if weight.ends_with("/moving_mean") && release.starts_with(&NO_MOVING_MEAN) {
        return true;
    }
    let parts: Vec<&str> = weight.split('/').collect();
    let [.., above, cell, _] = parts.as_slice() else { return false };
    let of_cell = cell.trim_end_matches(|one: char| one.is_ascii_digit() || one == '_');
    of_cell.ends_with("_cell")
        && (release < NAMES_OF_CELLS || above.starts_with("stacked_rnn_cells"))
}

/// Whether weights have numbers instead of names, as a SavedModel of Keras counts them: these are found by their place.
pub(super) fn is_numbered(weight: &str) -> bool {
    weight.rsplit('/').next().is_some_and(|last| last.parse::<u64>().is_ok())
}
