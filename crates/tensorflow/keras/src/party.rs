//! A file as a party.

use std::sync::Arc;

use unskew_core::{Party, Requirement, Role};
use unskew_source::{ReadError, Source};

use crate::verdict::KerasMatcher;
use crate::{KerasFormat, KerasModel};

/// The axis on which files of Keras meet a release.
pub const KERAS_AXIS: &str = "keras";

/// The party in `source`; none if it is no file of Keras.
///
/// # Errors
/// If it is one, but broken; with the place.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(model) = KerasModel::read(source)? else { return Ok(None) };
    let file = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default().to_owned();
    let mut party = Party::new(file, Role::Artifact, model.form.as_str());
    party = party.from_origin(match &model.keras {
        Some(keras) => format!("written by Keras {keras}"),
        None => "without the version of its Keras".to_owned(),
    });
    let facts = [("keras_version", &model.keras), ("backend", &model.backend)];
    for (label, value) in facts {
        if let Some(value) = value {
            party = party.fact(label, printable(value));
        }
    }
    if let Some(config) = &model.config {
        let class = config.get("class_name").and_then(serde_json::Value::as_str);
        party = party.fact("model", printable(class.unwrap_or("without a class")));
        party = party.fact("layers", layers(config, 0));
    }
    let (datasets, bytes) = model.weights;
    party = party.fact("weights", format!("{datasets}, {bytes} bytes"));
    if model.form != KerasFormat::Weights {
        let compiled = if model.training.is_some() { "yes" } else { "no" };
        party = party.fact("compiled", compiled);
    }
    let model = Arc::new(model);
    let judged = Requirement::matches(KERAS_AXIS, KerasMatcher(model.clone()));
    Ok(Some(party.require(judged.irrelevant_if_absent()).with_capability(model)))
}

/// How many layers there are, models inside of models counted by theirs.
fn layers(config: &serde_json::Value, depth: usize) -> usize {
    let inner = &config["config"];
    let list = inner.get("layers").unwrap_or(inner).as_array();
    match list {
        Some(list) if depth < 64 => list.iter().map(|one| layers(one, depth + 1)).sum(),
        _ => 1,
    }
}

/// A short text without anything that a terminal would act on.
fn printable(text: &str) -> String {
    text.chars().filter(|one| !one.is_control()).take(64).collect()
}
