//! Models of XGBoost: JSON, UBJSON, and the binary format of releases up to 3.0.

use std::io::BufReader;
use std::sync::Arc;

use memchr::memmem;
use serde::de::DeserializeSeed as _;
use unskew_source::{ReadError, Source, SourceExt as _, SourceReader};

use crate::finite::FiniteNumbers;
use crate::model::{BoosterLibrary, BoosterModel};
use crate::outline::{Outline, OutlineSeed, WHOLE_LIST};
use crate::ubjson::UbjsonReader;

/// How far from its start the key of a model stands in JSON.
const HEAD: usize = 64;

/// The length of the parameters with which the binary format begins, and the boosters whose name follows that of the objective.
const PARAMETERS: usize = 136;
const BOOSTERS: [&str; 3] = ["gbtree", "gblinear", "dart"];

/// What stands in front of the binary format since 1.1.
const BINARY_MARK: &[u8] = b"binf";

/// Where the version of the release stands in them: two numbers of four bytes, since 1.0.
const MAJOR: usize = 20;
const MINOR: usize = 24;

/// Where the number of targets stands, since 1.6.
const TARGETS: usize = 28;

/// The longest name of an objective.
const LONGEST_NAME: usize = 64;

/// How many numbers a leaf has, in plain trees and in those of DART.
const LEAF_SIZES: [&str; 2] = [
    "learner.gradient_booster.model.trees.tree_param.size_leaf_vector",
    "learner.gradient_booster.gbtree.model.trees.tree_param.size_leaf_vector",
];

/// How much of the binary format is looked at.
const BINARY_HEAD: usize = BINARY_MARK.len() + PARAMETERS + 2 * (8 + LONGEST_NAME);

/// Keys below it are names that users give.
const ATTRIBUTES: &str = "learner.attributes.";

/// How a pickled booster of 1.0 to 1.2 begins: this, the length of the model in eight bytes, the model, and a configuration.
const WITH_CONFIGURATION: &[u8] = b"CONFIG-offset:";

/// Below these keys lie the model and the configuration of a pickled booster since 1.3.
const PICKLED_MODEL: &str = "Model.";
const PICKLED_CONFIGURATION: &str = "Config.";

/// The model in what a pickled booster holds; none if it is not one of XGBoost.
pub(crate) fn read_serialized(source: &Arc<dyn Source>) -> Result<Option<BoosterModel>, ReadError> {
    let head = source.head((WITH_CONFIGURATION.len() + 8 + BINARY_HEAD) as u64)?;
    match head.strip_prefix(WITH_CONFIGURATION) {
        Some(rest) => Ok(rest.get(8..).and_then(binary)),
        None => read(source),
    }
}

/// The model in `source`; none if it is not one of XGBoost.
pub(crate) fn read(source: &Arc<dyn Source>) -> Result<Option<BoosterModel>, ReadError> {
    let head = source.head(BINARY_HEAD as u64)?;
    let start = head.trim_ascii_start();
    let is_learner =
        |text: &[u8]| memmem::find(&text[..text.len().min(HEAD)], b"learner").is_some();
    if !start.starts_with(b"{") || !is_learner(start) {
        return Ok(binary(&head));
    }
    let mut outline = Outline::default();
    // UBJSON has the type of a length behind the brace, JSON a quotation mark or a space.
    let is_binary = start.get(1).is_some_and(|byte| b"iUIlL$#".contains(byte));
    let reader = SourceReader::new(source.clone());
    let format = if is_binary { "UBJSON" } else { "JSON" };
    if is_binary {
        let mut ubjson = UbjsonReader { reader, size: source.size(), outline: &mut outline };
        ubjson.read().map_err(|error| ReadError::malformed(source.name(), error.to_string()))?;
    } else {
        let mut json =
            serde_json::Deserializer::from_reader(BufReader::new(FiniteNumbers::new(reader)));
        let seed = OutlineSeed { outline: &mut outline, path: String::new() };
        seed.deserialize(&mut json)
            .map_err(|error| ReadError::malformed(source.name(), format!("not JSON: {error}")))?;
    }
    Ok(model(&outline, format))
}

/// The properties of an outline; none if it has no objective.
fn model(outline: &Outline, format: &'static str) -> Option<BoosterModel> {
    let is_pickled = outline.text("Model.learner.objective.name").is_some();
    let at = |path: &str| format!("{}{path}", if is_pickled { PICKLED_MODEL } else { "" });
    let objective = outline.text(&at("learner.objective.name"))?;
    let mut model = BoosterModel::new(BoosterLibrary::Xgboost, format);
    model.add("objective", objective);
    if let Some(booster) = outline.text(&at("learner.gradient_booster.name")) {
        model.add("booster", booster);
    }
    let version = outline.values(&at("version"));
    if let [major, minor, ..] = version {
        model.add("version", &format!("{major}.{minor}"));
        model.written_by = Some(version.join("."));
    }
    if let Some(score) = outline.text(&at("learner.learner_model_param.base_score")) {
        model.add("base_score", base_score_form(score, objective));
    }
    let is_above_one = |path: &str| {
        let value = outline.text(&at(path)).and_then(|text| text.parse().ok());
        value.is_some_and(|value: u32| value > 1)
    };
    if is_above_one("learner.learner_model_param.num_target") {
        model.add("targets", "several");
    }
    if LEAF_SIZES.into_iter().any(is_above_one) {
        model.add("leaves", "vector");
    }
    if outline.values(&at(WHOLE_LIST)).iter().any(|one| one == "c") {
        model.add("features", "categorical");
    }
    for key in &outline.keys {
        let key = key.strip_prefix(PICKLED_MODEL).unwrap_or(key);
        match key.strip_prefix(PICKLED_CONFIGURATION) {
            Some(key) => model.add("configuration", key),
            None if key.starts_with(ATTRIBUTES) => {}
            None => model.add("key", key),
        }
    }
    Some(model)
}

/// How a base score is written: as one number, or as a list since 3.1. A release that does not read a list goes on with one half; what
/// it adds to all classes alike changes no probability.
fn base_score_form(score: &str, objective: &str) -> &'static str {
    let Some(list) = score.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return "number";
    };
    let is_half = |one: &str| one.trim().parse::<f64>().is_ok_and(|number| number == 0.5);
    let mut numbers = list.split(',').map(str::trim);
    let first = numbers.clone().next();
    match objective.starts_with("multi:") {
        _ if numbers.clone().all(is_half) => "list of 0.5",
        true if numbers.all(|one| Some(one) == first) => "list of equals",
        _ => "list",
    }
}

/// A model in the binary format, by its head: parameters, and two names with their lengths.
fn binary(head: &[u8]) -> Option<BoosterModel> {
    let name = |bytes: &'_ [u8]| -> Option<(String, usize)> {
        let length = usize::try_from(u64::from_le_bytes(*bytes.first_chunk()?)).ok()?;
        let text = bytes.get(8..8 + length).filter(|_| length <= LONGEST_NAME)?;
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b":_-".contains(byte);
        let text = text.iter().all(is_name).then(|| String::from_utf8_lossy(text).into_owned())?;
        Some((text, 8 + length))
    };
    let head = head.strip_prefix(BINARY_MARK).unwrap_or(head);
    let rest = head.get(PARAMETERS..)?;
    let (objective, length) = name(rest)?;
    let (booster, _) = name(rest.get(length..)?)?;
    if !BOOSTERS.contains(&booster.as_str()) {
        return None;
    }
    let mut model = BoosterModel::new(BoosterLibrary::Xgboost, "binary format");
    model.add("objective", &objective);
    model.add("booster", &booster);
    let number = |at: usize| head.get(at..)?.first_chunk().map(|one| u32::from_le_bytes(*one));
    if let (Some(major @ 1..), Some(minor)) = (number(MAJOR), number(MINOR)) {
        model.add("version", &format!("{major}.{minor}"));
        model.written_by = Some(format!("{major}.{minor}"));
    }
    if number(TARGETS).is_some_and(|count| count > 1) {
        model.add("targets", "several");
    }
    Some(model)
}
