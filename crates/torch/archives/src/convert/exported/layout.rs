//! Views of tensors that another release lays out otherwise.
//!
//! A graph keeps the layouts that its writer saw: where a result lay as a view needs it, the copy before the view is
//! gone. Before 2.5 attention with a mask lays its result out in the order of its dimensions, and such a view is
//! refused. `reshape` gives the same view where there is one, and a copy else. In graphs without operators that write
//! to their arguments, which are all before 2.5, nothing can tell the two apart.

use super::schema_migrator::MigrationReport;
use crate::json::JsonValue;

const ATTENTION: &str = "torch.ops.aten.scaled_dot_product_attention.default";

/// Has views reshape, in a graph that has attention.
pub(super) fn put(graph: &mut JsonValue, found: &mut MigrationReport) {
    if has_attention(graph) {
        reshape(graph, found);
    }
}

fn target(node: &JsonValue) -> Option<&str> {
    node.get("target").and_then(JsonValue::as_text)
}

fn has_attention(graph: &JsonValue) -> bool {
    graph.get("nodes").map_or(&[][..], JsonValue::items).iter().any(|node| {
        let inputs = node.get("inputs").map_or(&[][..], JsonValue::items).iter();
        let mut inner = inputs.filter_map(|input| input.get("arg")?.get("as_graph")?.get("graph"));
        target(node) == Some(ATTENTION) || inner.any(has_attention)
    })
}

fn reshape(graph: &mut JsonValue, found: &mut MigrationReport) {
    for node in graph.get_mut("nodes").map_or(&mut [][..], JsonValue::items_mut) {
        let is_view = target(node) == Some("torch.ops.aten.view.default");
        for input in node.get_mut("inputs").map_or(&mut [][..], JsonValue::items_mut) {
            if is_view && input.get("name").and_then(JsonValue::as_text) == Some("size") {
                input.set("name", JsonValue::text("shape"));
            }
            let inner = input.get_mut("arg").and_then(|arg| arg.get_mut("as_graph"));
            if let Some(graph) = inner.and_then(|argument| argument.get_mut("graph")) {
                reshape(graph, found);
            }
        }
        if is_view {
            node.set("target", JsonValue::text("torch.ops.aten.reshape.default"));
            found.change("aten::view is aten::reshape, because attention gives another layout");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn views(attention: bool) -> String {
        let other = if attention { ATTENTION } else { "torch.ops.aten.relu.default" };
        let text = format!(
            r#"{{"nodes": [{{"target": "{other}", "inputs": []}},
                {{"target": "torch.ops.aten.view.default", "inputs": [{{"name": "self"}}, {{"name": "size"}}]}}]}}"#
        );
        let (mut graph, mut found) = (JsonValue::literal(&text), MigrationReport::default());
        put(&mut graph, &mut found);
        assert_eq!(found.changed.is_empty(), !attention);
        graph.to_string()
    }

    #[test]
    fn a_view_reshapes_where_there_is_attention_and_stays_elsewhere() {
        let with = views(true);
        assert!(with.contains("aten.reshape.default") && with.contains("shape"), "{with}");
        let without = views(false);
        assert!(without.contains("aten.view.default") && without.contains("size"), "{without}");
    }
}
