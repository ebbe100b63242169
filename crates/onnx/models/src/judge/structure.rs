//! Structure check: names of nodes and graphs, types of inputs, tensors that are stored twice.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};
use unskew_core::{Finding, Places};

use super::model_walk::place;
use crate::{ModelReader, OnnxFunction, OnnxGraph, OnnxModel, OnnxTensor, rules};

/// The most names of one fault that are told.
const NAMED: usize = 20;

/// What is wrong with the graphs of a model and with the functions that `called` says.
pub(super) fn findings(
    model: &OnnxModel,
    reader: ModelReader,
    called: impl Fn(&OnnxFunction) -> bool,
) -> Vec<Finding> {
    let bodies = model.functions.iter().filter(|one| called(one)).map(|one| &one.body);
    let outermost: Vec<&OnnxGraph> = std::iter::once(&model.graph).chain(bodies).collect();
    let mut found = stored_twice(&model.graph, reader);
    if reader == ModelReader::Onnx {
        return found;
    }
    let all: Vec<&OnnxGraph> = outermost.iter().flat_map(|graph| graph.all()).collect();
    // ONNX Runtime has onnx check the graphs inside of nodes.
    let mut unnamed = Places::default();
    for node in all.iter().flat_map(|graph| &graph.nodes) {
        for inner in node.attributes.iter().flat_map(|(_, value)| value.graphs()) {
            found.extend(stored_twice(inner, ModelReader::Onnx));
            if inner.name.is_empty() {
                unnamed.add(place(node));
            }
        }
    }
    if !unnamed.is_empty() {
        found.push(rules::GraphWithoutName {}.finding().at(unnamed));
    }
    for graph in all {
        found.extend(same_names(graph));
    }
    let untyped = model.graph.inputs.iter().filter(|one| one.is_untyped && !one.name.is_empty());
    let stored = |name: &str| model.graph.initializers.iter().any(|one| *one.name == *name);
    for input in untyped.filter(|one| !stored(&one.name)).take(NAMED) {
        let symptom = format!("Model input ({}) does not have type information.", input.name);
        let rule = rules::InputWithoutType { input: &input.name };
        found.push(rule.finding().with_symptom(symptom));
    }
    found
}

/// Nodes of one graph that have one name. Constants become tensors of the model before names are looked at.
fn same_names(graph: &OnnxGraph) -> Vec<Finding> {
    let mut names: BTreeMap<&str, Places> = BTreeMap::new();
    let mut seen: HashMap<&str, String> = HashMap::new();
    let is_kept = |op: &str, domain: &str| !(op == "Constant" && domain.is_empty());
    let named = graph.nodes.iter().filter(|one| !one.name.is_empty());
    for node in named.filter(|one| is_kept(&one.op, &one.domain)) {
        let output = node.outputs.first().map(|name| &**name).unwrap_or_default();
        let shown = format!("{} ({output})", node.op);
        match seen.get(&*node.name) {
            Some(first) => {
                let places = names.entry(&node.name).or_default();
                places.add(first.clone());
                places.add(shown);
            }
            None => {
                seen.insert(&node.name, shown);
            }
        }
    }
    let finding = |(name, places): (&str, Places)| {
        let symptom =
            format!("This is an invalid model. Error: two nodes with same node name ({name}).");
        rules::NodeNameTwice { node: &name }.finding().at(places).with_symptom(symptom)
    };
    names.into_iter().take(NAMED).map(finding).collect()
}

/// Tensors that a graph stores twice. ONNX Runtime takes the last one, if both have the same dimensions.
fn stored_twice(graph: &OnnxGraph, reader: ModelReader) -> Vec<Finding> {
    let mut first: HashMap<&str, &OnnxTensor> = HashMap::new();
    let mut told = HashSet::new();
    let mut found = Vec::new();
    for tensor in graph.initializers.iter().filter(|one| !one.name.is_empty()) {
        let Some(other) = first.insert(&tensor.name, tensor) else { continue };
        let differ = other.dims != tensor.dims || other.element != tensor.element;
        if (reader == ModelReader::Onnx || differ)
            && told.insert(&*tensor.name)
            && told.len() <= NAMED
        {
            let symptom = format!("{} initializer name is not unique", tensor.name);
            let rule = rules::DefinedTwice { value: &tensor.name };
            found.push(rule.finding().with_symptom(symptom));
        }
    }
    found
}
