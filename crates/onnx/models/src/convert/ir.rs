//! Adaptations to a lower IR version: what a model has that it does not.

use unskew_core::{Conversion, Places};

use crate::{OnnxGraph, OnnxModel, ValueType, rules};

/// The IR version that brought element types, by the highest of their numbers.
const ELEMENTS: [(i32, i64); 5] = [(16, 1), (20, 9), (22, 10), (23, 11), (24, 12)];

/// The version of the types behind these.
const NEWEST_ELEMENTS: i64 = 13;

/// Adds what stands in the way of an IR version.
pub(super) fn blockers(model: &OnnxModel, ir: i64, plan: &mut Conversion) {
    if ir >= model.ir_version {
        return;
    }
    let mut needs: Vec<(i64, &str, Places)> = Vec::new();
    if !model.opsets.is_empty() && ir < 3 {
        needs.push((3, "opsets", Places::default()));
    }
    let functions: Places = model.functions.iter().map(|one| &one.name).collect();
    if !model.functions.is_empty() {
        needs.push((8, "functions of the model", functions));
    }
    if model.training {
        needs.push((7, "information for training", Places::default()));
    }
    let free = |graph: &OnnxGraph| {
        let inputs = &graph.inputs;
        let is_input = |name: &str| inputs.iter().any(|input| *input.name == *name);
        graph
            .initializers
            .iter()
            .filter(|tensor| !is_input(&tensor.name))
            .map(|one| one.name.clone())
            .collect::<Vec<_>>()
    };
    let graphs: Vec<&OnnxGraph> = model.graphs().collect();
    if ir < 4 {
        let tensors: Places = graphs.iter().flat_map(|graph| free(graph)).collect();
        if !graphs.iter().all(|graph| free(graph).is_empty()) {
            needs.push((4, "tensors that are no inputs", tensors));
        }
    }
    for graph in graphs {
        let values = graph.inputs.iter().chain(&graph.outputs).chain(&graph.values);
        let kinds = values.filter_map(|value| match &value.kind {
            Some(ValueType::Tensor(element)) => Some((element.0, &value.name)),
            _ => None,
        });
        let tensors = graph.initializers.iter().map(|tensor| (tensor.element.0, &tensor.name));
        for (number, name) in kinds.chain(tensors) {
            let row = ELEMENTS.iter().find(|(highest, _)| number <= *highest);
            let since = row.map_or(NEWEST_ELEMENTS, |row| row.1);
            if since > ir {
                needs.push((since, "element types", Places::from_iter([name])));
            }
        }
    }
    for (since, what, places) in needs.into_iter().filter(|(since, ..)| *since > ir) {
        let why = format!("{what} are new in IR version {since}");
        let rule = rules::OnnxNoExactForm {
            what: &"the model",
            goal: &format!("IR version {ir}"),
            why: &why,
        };
        plan.blockers.push(rule.finding().at(places));
    }
}
