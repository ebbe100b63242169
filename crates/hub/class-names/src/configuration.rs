//! Configurations that name classes: `model_index.json` of diffusers, `modules.json` of sentence-transformers, `dataset_info.json`
//! of datasets.

use std::sync::Arc;

use serde_json::{Map, Value};
use unskew_core::{Party, Role};
use unskew_source::{ReadError, Source, read_json};

use crate::names::{ClassNames, NameLookup};
use crate::party::with_names;

/// The most names of a file, and the longest of them.
const NAMES: usize = 1 << 10;
const LONGEST: usize = 256;

/// How deep features nest.
const DEPTH: usize = 64;

/// A configuration that names classes; none if it is another file.
///
/// # Errors
/// If it is one, but not JSON, or larger than 64 MiB.
pub(crate) fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let name = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    let read = match name.to_ascii_lowercase().as_str() {
        "model_index.json" => pipeline,
        "modules.json" => modules,
        "dataset_info.json" => dataset,
        _ => return Ok(None),
    };
    let json = read_json(&**source)?;
    Ok(read(&json).filter(|found| !found.names.names.is_empty()).map(|found| {
        let mut party = Party::new(name, Role::Artifact, found.kind);
        if let Some(writer) = found.written_by {
            party = party.from_origin(format!("written by {writer}"));
        }
        with_names(party, found.names)
    }))
}

/// What a configuration says.
struct Configuration {
    kind: &'static str,
    written_by: Option<String>,
    names: ClassNames,
}

impl Configuration {
    fn new(kind: &'static str, asked_by: NameLookup, names: Vec<String>) -> Self {
        let names = names.into_iter().filter(|name| name.len() <= LONGEST).take(NAMES).collect();
        Self { kind, written_by: None, names: ClassNames { names, asked_by } }
    }
}

/// `"unet": ["diffusers", "UNet2DConditionModel"]`, and the class of the pipeline. What stands in other packages is theirs.
fn pipeline(json: &Value) -> Option<Configuration> {
    let all = json.as_object()?;
    let text = |key: &str| all.get(key).and_then(Value::as_str);
    let class = text("_class_name")?;
    let mut names = vec![format!("diffusers.{class}")];
    for part in all.values().filter_map(Value::as_array) {
        if let [Value::String(package), Value::String(class)] = part.as_slice()
            && package == "diffusers"
        {
            names.push(format!("diffusers.{class}"));
        }
    }
    let mut found = Configuration::new("pipeline of diffusers", NameLookup::Diffusers, names);
    found.written_by = text("_diffusers_version").map(|version| format!("diffusers {version}"));
    Some(found)
}

/// `"type": "sentence_transformers.models.Pooling"`.
fn modules(json: &Value) -> Option<Configuration> {
    let types = json.as_array()?.iter().filter_map(|one| one.get("type")?.as_str());
    let names = types.filter(|name| name.contains('.')).map(str::to_owned).collect();
    Some(Configuration::new(
        "model of sentence-transformers",
        NameLookup::SentenceTransformers,
        names,
    ))
}

/// The types of features: `"_type": "Value"`.
fn dataset(json: &Value) -> Option<Configuration> {
    let mut names = Vec::new();
    features(json.as_object()?.get("features")?, DEPTH, &mut names);
    Some(Configuration::new("description of a dataset", NameLookup::Datasets, names))
}

fn features(value: &Value, depth: usize, names: &mut Vec<String>) {
    if depth == 0 || names.len() >= NAMES {
        return;
    }
    match value {
        Value::Object(all) => {
            names.extend(feature_type(all));
            all.values().for_each(|one| features(one, depth - 1, names));
        }
        Value::Array(all) => all.iter().for_each(|one| features(one, depth - 1, names)),
        _ => {}
    }
}

fn feature_type(feature: &Map<String, Value>) -> Option<String> {
    let name = feature.get("_type")?.as_str()?;
    Some(format!("datasets.{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(read: fn(&Value) -> Option<Configuration>, text: &str) -> Vec<String> {
        let json: Value = serde_json::from_str(text).unwrap();
        read(&json).map(|one| one.names.names.into_iter().collect()).unwrap_or_default()
    }

    #[test]
    fn a_pipeline_names_its_own_classes() {
        let text = r#"{"_class_name": "FluxPipeline", "transformer": ["diffusers", "FluxTransformer2DModel"],
                       "text_encoder": ["transformers", "CLIPTextModel"], "safety_checker": [null, null]}"#;
        assert_eq!(
            names(pipeline, text),
            ["diffusers.FluxPipeline", "diffusers.FluxTransformer2DModel"]
        );
        assert!(names(pipeline, "[]").is_empty());
    }

    #[test]
    fn modules_are_named_by_their_type() {
        let text = r#"[{"idx": 0, "type": "sentence_transformers.models.Pooling"}, {"idx": 1}]"#;
        assert_eq!(names(modules, text), ["sentence_transformers.models.Pooling"]);
    }

    #[test]
    fn features_are_found_inside_of_others() {
        let text = r#"{"features": {"a": {"dtype": "int64", "_type": "Value"},
                                    "b": {"feature": {"_type": "Image"}, "_type": "List"}, "c": [{"_type": "Audio"}]}}"#;
        let found = names(dataset, text);
        assert_eq!(found, ["datasets.Audio", "datasets.Image", "datasets.List", "datasets.Value"]);
    }
}
