//! A file as a party.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_core::{Party, Places, Provision, Requirement, Role, Version};
use unskew_source::{ReadError, Source};

use crate::judge::{ModelRequirement, OrtRequirement, TextRequirement};
use crate::runtime::{IR_AXIS, OPSET_AXIS, ORT_AXIS, full_name};
use crate::{OnnxModel, read};

/// The axis of what is said of a model in text; nobody provides it.
const TEXT_AXIS: &str = "onnx.text";

/// How many operators are named.
const NAMED: usize = 8;

/// The party in `source`; none if it is no model of ONNX.
///
/// # Errors
/// If it is one, but broken; with the byte and the field.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let name = source.name().rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    if let Some(packed) = read::ort::packed(&**source)? {
        return Ok(Some(of_packed(name, packed)));
    }
    let in_text = read::in_text(&**source)?.is_some();
    let party = read::model(&**source)?.map(|model| of_model(name.clone(), model));
    Ok(party.map(|party| match in_text {
        true => party
            .fact("syntax", "the textual syntax of ONNX")
            .require(Requirement::matches(TEXT_AXIS, TextRequirement(name)).irrelevant_if_absent()),
        false => party,
    }))
}

fn of_model(name: String, model: OnnxModel) -> Party {
    let [producer, version] = &model.producer;
    let mut party = Party::new(name, Role::Artifact, "ONNX model");
    party = party.from_origin(match (&**producer, &**version) {
        ("", _) => "without a producer".to_owned(),
        (producer, "") => format!("written by {producer}"),
        (producer, version) => format!("written by {producer} {version}"),
    });
    party = party
        .provide(Provision::version(IR_AXIS, Version::number(model.ir_version)).at("ir_version"))
        .fact("IR version", model.ir_version);
    for (domain, version) in &model.opsets {
        if domain.is_empty() && party.provision(&OPSET_AXIS.into()).is_none() {
            let opset = Provision::version(OPSET_AXIS, Version::number(*version));
            party = party.provide(opset.at("opset_import"));
        }
        let shown = if domain.is_empty() { "ai.onnx" } else { domain };
        party = party.fact(format!("opset {shown}"), version);
    }
    let graphs = model.graph.all();
    let inside = graphs.len().saturating_sub(1);
    let inside = if inside > 0 { format!(", {inside} graphs inside") } else { String::new() };
    let nodes: usize = graphs.iter().map(|graph| graph.nodes.len()).sum();
    let operators = operators(&model);
    party = party
        .fact("nodes", format!("{nodes} of {} operators{inside}", operators.len()))
        .fact("operators", most_used(&operators));
    if !model.functions.is_empty() {
        let names = model.functions.iter().map(|one| full_name(&one.domain, &one.name));
        party = party.fact("functions", names.collect::<Places>());
    }
    let values = |values: &[crate::ValueInfo]| {
        let shown = values.iter().map(|value| match &value.kind {
            Some(kind) => format!("{} {kind}", value.name),
            None => value.name.to_string(),
        });
        shown.collect::<Places>()
    };
    for (label, list) in [("inputs", &model.graph.inputs), ("outputs", &model.graph.outputs)] {
        if !list.is_empty() {
            party = party.fact(label, values(list));
        }
    }
    let tensors: Vec<_> = model.graph.tensors().collect();
    if !tensors.is_empty() {
        let bytes = tensors.iter().fold(0_u64, |sum, one| sum.saturating_add(one.stored));
        party = party.fact("tensors", format!("{}, {bytes} bytes in the model", tensors.len()));
    }
    if model.training {
        party = party.fact("training", "has information for training");
    }
    let model = Arc::new(model);
    party
        .require(Requirement::matches(IR_AXIS, ModelRequirement::new(model.clone())))
        .with_capability(model)
}

/// How often each operator is used, by its name.
fn operators(model: &OnnxModel) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for graph in model.graphs() {
        for node in &graph.nodes {
            *all.entry(full_name(&node.domain, &node.op)).or_insert(0) += 1;
        }
    }
    all
}

fn most_used(operators: &BTreeMap<String, usize>) -> String {
    let mut all: Vec<(&String, &usize)> = operators.iter().collect();
    all.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    let more = all.len().saturating_sub(NAMED);
    let named: Vec<String> =
        all.iter().take(NAMED).map(|(name, count)| format!("{count} {name}")).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

/// The operators that a model calls, in the order of their names.
pub fn operator_names(model: &OnnxModel) -> Vec<String> {
    operators(model).into_keys().collect()
}

/// A file of the format `.ort`.
fn of_packed(name: String, packed: read::ort::OrtModel) -> Party {
    let read::ort::OrtModel { version, model, typed } = packed;
    let operators = operators(&model);
    let nodes: usize = operators.values().sum();
    let party = Party::new(name, Role::Artifact, "ORT format model")
        .from_origin(format!("format version {version}"))
        .provide(Provision::version(ORT_AXIS, Version::number(version)).at("ort_version"))
        .fact("ORT format", version)
        .fact("nodes", format!("{nodes} of {} operators", operators.len()))
        .fact("operators", most_used(&operators));
    let packed = OrtRequirement { version, model, typed };
    party.require(Requirement::matches(ORT_AXIS, packed).irrelevant_if_absent())
}
