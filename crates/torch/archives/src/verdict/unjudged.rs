//! What is not judged of a file and a release, beyond what was measured of single operators.
//!
//! Names and schemas of quantized operators are held against the table like all others. What the release makes of packed
//! weights, and what its engine calculates with them, was not measured.

use std::collections::BTreeSet;

use unskew_core::{Places, Unjudged, aspect};

use super::pair::Pair;
use crate::model::Model;

/// The namespaces of quantized operators.
const QUANTIZED: [&str; 2] = ["quantized::", "_quantized::"];

/// Operators on tensors that have a scale.
const TENSORS: [&str; 6] = [
    "aten::quantize_per_tensor",
    "aten::quantize_per_channel",
    "aten::quantize_per_tensor_dynamic",
    "aten::dequantize",
    "aten::int_repr",
    "aten::_empty_affine_quantized",
];

/// The prefix of classes of packed weights.
const PACKED: &str = "quantized.";

/// What is not judged.
pub(super) fn of(pair: &Pair<'_>) -> Vec<Unjudged> {
    // The release that wrote a file runs it.
    let minor = pair.runtime.minor();
    let writer = pair.writer();
    if writer.since == Some(minor) && writer.until == Some(minor) {
        return Vec::new();
    }
    let mut all = Vec::new();
    all.extend(quantized(pair));
    all.extend(classes(pair));
    all
}

fn quantized(pair: &Pair<'_>) -> Option<Unjudged> {
    let (names, places) = quantized_uses(pair.model);
    if names.is_empty() {
        return None;
    }
    let (runtime, writer) = (&pair.runtime_name, pair.writer());
    let first: Vec<&str> = names.iter().take(3).map(String::as_str).collect();
    let more = if names.len() > first.len() {
        format!(" and {} more", names.len() - 3)
    } else {
        String::new()
    };
    let reason = format!(
        "{}{more}: whether {runtime} reads the packed weights of {writer}, and what its engine calculates with them, was not measured",
        first.join(", ")
    );
    Some(Unjudged::new(aspect::QUANTIZED, reason).at(places))
}

/// The quantized operators and classes of a file, with their places.
fn quantized_uses(model: &Model) -> (BTreeSet<String>, Places) {
    let (mut names, mut places) = (BTreeSet::new(), Places::default());
    for (one, known) in &model.uses {
        let is_quantized = QUANTIZED.iter().any(|prefix| one.name.starts_with(prefix));
        if is_quantized || TENSORS.contains(&one.name.as_str()) {
            names.insert(one.name.clone());
            places.extend(&known.places);
        }
    }
    for (class, known) in model.classes.iter().filter(|(class, _)| class.starts_with(PACKED)) {
        names.insert(class.clone());
        places.extend(known);
    }
    (names, places)
}

/// Classes registered in C++ that are not of quantized weights: what the release reads of their state is its own affair.
fn classes(pair: &Pair<'_>) -> Option<Unjudged> {
    let (mut names, mut places) = (Vec::new(), Places::default());
    for (class, known) in pair.model.classes.iter().filter(|(class, _)| !class.starts_with(PACKED))
    {
        names.push(class.as_str());
        places.extend(known);
    }
    if names.is_empty() {
        return None;
    }
    names.truncate(3);
    let reason = format!(
        "{}: whether {} reads the state of objects of these classes was not measured",
        names.join(", "),
        pair.runtime_name
    );
    Some(Unjudged::new(aspect::CLASSES, reason).at(places))
}
