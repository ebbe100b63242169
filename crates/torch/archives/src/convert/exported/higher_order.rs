//! Results of operators of higher order, such as `cond`.
//!
//! One tensor and a tuple of one tensor look alike among the outputs of a node. From schema 8.7 on a field
//! of the node says which it is; before, a tuple of one was a list of tensors, and one tensor was one.

use super::migration::Migration;
use super::schema_migrator::MigrationReport;
use crate::json::JsonValue;

const FIELD: &str = "is_hop_single_tensor_return";

/// Has the nodes of `graph` say what they give back in the way of the other schema.
pub(super) fn put(graph: &mut JsonValue, course: &Migration, found: &mut MigrationReport) {
    let has = |schema: &super::ExportSchema| {
        schema.shape("Node").is_some_and(|s| s.field(FIELD).is_some())
    };
    match (has(&course.from), has(&course.to)) {
        (false, true) => each(graph, &mut |node| {
            let target = node.get("target").and_then(JsonValue::as_text);
            let is_higher = target.is_some_and(|target| target.contains("torch.ops.higher_order"));
            if is_higher && node.get(FIELD).is_none() {
                node.set(FIELD, JsonValue::Bool(true));
                found.change(format!("{FIELD} is said: true"));
            }
        }),
        (true, false) => each(graph, &mut |node| {
            if node.take(FIELD) != Some(JsonValue::Bool(false)) {
                return;
            }
            let Some(JsonValue::List(outputs)) = node.get_mut("outputs") else { return };
            let [output] = outputs.as_mut_slice() else { return };
            match output.take("as_tensor") {
                Some(tensor) => {
                    *output = JsonValue::object([("as_tensors", JsonValue::List(vec![tensor]))]);
                    found.change("a tuple of one tensor is a list of tensors");
                }
                None => found.block("has no tuple of one value that is no tensor", "a node"),
            }
        }),
        _ => {}
    }
}

fn each(graph: &mut JsonValue, visit: &mut dyn FnMut(&mut JsonValue)) {
    for node in graph.get_mut("nodes").map_or(&mut [][..], JsonValue::items_mut) {
        visit(node);
        for input in node.get_mut("inputs").map_or(&mut [][..], JsonValue::items_mut) {
            let inner = input.get_mut("arg").and_then(|arg| arg.get_mut("as_graph"));
            if let Some(graph) = inner.and_then(|argument| argument.get_mut("graph")) {
                each(graph, visit);
            }
        }
    }
}
