//! Operators that an artifact calls.

use std::collections::BTreeSet;

use unskew_core::Party;

/// The operators that an artifact calls, in the order of their names: those of a PyTorch program with their overloads
/// (`aten::add.Tensor`), the ops of TensorFlow graphs and their functions, the operators of ONNX models with their domains. Empty for what calls none, or does not say.
pub fn operators(party: &Party) -> Vec<String> {
    let mut names = BTreeSet::new();
    if let Some(model) = party.capability::<unskew_torch::TorchModel>() {
        names.extend(model.uses.keys().map(unskew_torch::OperatorUse::full_name));
    }
    if let Some(file) = party.capability::<unskew_tensorflow::GraphFile>() {
        let uses = file.graphs.iter().flat_map(|graph| &graph.uses);
        names.extend(uses.map(|one| one.op.to_string()));
    }
    if let Some(model) = party.capability::<unskew_onnx::OnnxModel>() {
        names.extend(unskew_onnx::operator_names(model));
    }
    names.into_iter().collect()
}
