//! Regions of a graph that a release has no operator for: those that switch gradients or autocast for some nodes.
//!
//! Where the switch leaves no effect, the nodes of the region stand in its place. Values are the same with gradients and
//! without; autocast that is off changes nothing, as none is on around a program that was exported.

use std::collections::{BTreeMap, BTreeSet};

use super::schema_migrator::MigrationReport;
use crate::exported::loader;
use crate::json::JsonValue;

/// Puts the nodes of regions in their place, where the release does not take them; `refused` says so by the name of the
/// operator.
pub(super) fn put(
    graph: &mut JsonValue,
    refused: &dyn Fn(&str) -> bool,
    found: &mut MigrationReport,
) {
    let mut names: BTreeSet<String> = BTreeSet::new();
    if let Some(values) = graph.get("tensor_values") {
        names.extend(values.fields().iter().map(|(name, _)| name.clone()));
    }
    let Some(JsonValue::List(nodes)) = graph.get_mut("nodes") else { return };
    let mut left: Vec<JsonValue> = std::mem::take(nodes).into_iter().rev().collect();
    let (mut kept, mut values) = (Vec::with_capacity(left.len()), Vec::new());
    while let Some(node) = left.pop() {
        let target = node.get("target").and_then(JsonValue::as_text);
        let region = target.and_then(loader::region).filter(|name| refused(name));
        let Some(region) = region.map(str::to_owned) else {
            kept.push(node);
            continue;
        };
        match inlined(&region, &node, &mut names) {
            Some((inner, metas)) => {
                found.change(format!("the nodes of {region} stand in its place"));
                left.extend(inner.into_iter().rev());
                values.extend(metas);
            }
            None => {
                found.block(format!("has no {region}"), "graph_module.graph.nodes");
                kept.push(node);
            }
        }
    }
    if let Some(nodes) = graph.get_mut("nodes") {
        *nodes = JsonValue::List(kept);
    }
    if let Some(JsonValue::Object(known)) = graph.get_mut("tensor_values") {
        known.extend(values);
    }
}

/// What a graph says of its values, by name.
type NamedValues = Vec<(String, JsonValue)>;

/// The nodes of a region in the names of the graph around it, and what is to be said of their values; none if they cannot
/// stand in its place.
fn inlined(
    region: &str,
    node: &JsonValue,
    names: &mut BTreeSet<String>,
) -> Option<(Vec<JsonValue>, NamedValues)> {
    let inputs: Vec<&JsonValue> =
        node.get("inputs")?.items().iter().filter_map(|input| input.get("arg")).collect();
    let is_effective = match region {
        "wrap_with_set_grad_enabled" => false,
        "wrap_with_autocast" => inputs.get(2)?.get("as_bool")? != &JsonValue::Bool(false),
        _ => true,
    };
    let at = inputs.iter().position(|input| input.get("as_graph").is_some())?;
    let inner = inputs.get(at)?.get("as_graph")?.get("graph")?;
    let symbols = ["sym_int_values", "sym_bool_values", "sym_float_values"];
    let has_symbols = symbols
        .iter()
        .any(|table| inner.get(table).is_some_and(|values| !values.fields().is_empty()));
    if is_effective || has_symbols {
        return None;
    }
    let mut renamed: BTreeMap<String, String> = BTreeMap::new();
    let given = inner.get("inputs")?.items();
    if given.len() != inputs.len() - at - 1 {
        return None;
    }
    for (own, outer) in given.iter().zip(inputs.iter().skip(at + 1)) {
        renamed.insert(tensor(own)?, tensor(outer)?);
    }
    let mut results = Vec::new();
    for output in node.get("outputs")?.items() {
        match output.get("as_tensors") {
            Some(all) => results.extend(all.items().iter().map(name)),
            None => results.push(tensor(output)),
        }
    }
    let own = inner.get("outputs")?.items();
    if own.len() != results.len() {
        return None;
    }
    for (own, outer) in own.iter().zip(results) {
        // What a region gives back unchanged, or twice, has no node of its own.
        if renamed.insert(tensor(own)?, outer?).is_some() {
            return None;
        }
    }
    let mut metas = Vec::new();
    for (value, meta) in inner.get("tensor_values")?.fields() {
        if renamed.contains_key(value) {
            continue;
        }
        let mut free = value.clone();
        let mut number = 0;
        while names.contains(&free) {
            number += 1;
            free = format!("{value}_{number}");
        }
        names.insert(free.clone());
        metas.push((free.clone(), meta.clone()));
        renamed.insert(value.clone(), free);
    }
    let mut nodes = inner.get("nodes")?.items().to_vec();
    nodes.iter_mut().for_each(|node| rename(node, &renamed));
    Some((nodes, metas))
}

/// The name of an argument that is one tensor.
fn tensor(argument: &JsonValue) -> Option<String> {
    name(argument.get("as_tensor")?)
}

fn name(tensor: &JsonValue) -> Option<String> {
    tensor.get("name")?.as_text().map(str::to_owned)
}

/// Gives tensors other names; graphs within have names of their own.
fn rename(value: &mut JsonValue, renamed: &BTreeMap<String, String>) {
    match value {
        JsonValue::List(items) => items.iter_mut().for_each(|item| rename(item, renamed)),
        JsonValue::Object(fields) => {
            if let [(key, JsonValue::Text(name))] = fields.as_mut_slice()
                && key == "name"
                && let Some(other) = renamed.get(name)
            {
                name.clone_from(other);
                return;
            }
            let outer = fields.iter_mut().filter(|(key, _)| key != "graph" && key != "metadata");
            outer.for_each(|(_, value)| rename(value, renamed));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph with a region around `mul`, of this operator and with these arguments before the graph.
    fn graph(target: &str, before: &str) -> JsonValue {
        JsonValue::literal(&format!(
            r#"{{"nodes": [
                {{"target": "{target}", "inputs": [{before}
                    {{"name": "", "arg": {{"as_graph": {{"name": "submod", "graph": {{
                        "inputs": [{{"as_tensor": {{"name": "a"}}}}],
                        "nodes": [
                            {{"target": "mul", "inputs": [{{"name": "self", "arg": {{"as_tensor": {{"name": "a"}}}}}}],
                              "outputs": [{{"as_tensor": {{"name": "x"}}}}]}},
                            {{"target": "neg", "inputs": [{{"name": "self", "arg": {{"as_tensor": {{"name": "x"}}}}}}],
                              "outputs": [{{"as_tensor": {{"name": "neg"}}}}]}}],
                        "outputs": [{{"as_tensor": {{"name": "neg"}}}}],
                        "tensor_values": {{"a": 1, "x": 2, "neg": 3}}}}}}}}}},
                    {{"name": "", "arg": {{"as_tensor": {{"name": "x"}}}}}}],
                  "outputs": [{{"as_tensors": [{{"name": "getitem"}}]}}]}}],
                "tensor_values": {{"x": 0, "getitem": 3}}}}"#
        ))
    }

    fn put_in_place(target: &str, before: &str) -> (String, bool) {
        let (mut graph, mut found) = (graph(target, before), MigrationReport::default());
        put(&mut graph, &|_| true, &mut found);
        (graph.to_string(), found.blocked.is_empty())
    }

    #[test]
    fn a_region_without_effect_is_its_nodes_under_names_that_are_free() {
        let off = r#"{"name": "", "arg": {"as_bool": false}},"#;
        let target = "torch.ops.higher_order.wrap_with_set_grad_enabled";
        let (text, is_possible) = put_in_place(target, off);
        assert!(is_possible && !text.contains("as_graph"), "{text}");
        let mul = r#"{"target": "mul", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}}], "outputs": [{"as_tensor": {"name": "x_1"}}]}"#;
        let neg = r#"{"target": "neg", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x_1"}}}], "outputs": [{"as_tensor": {"name": "getitem"}}]}"#;
        assert!(text.contains(&format!("{mul}, {neg}")), "{text}");
        assert!(text.contains(r#""tensor_values": {"x": 0, "getitem": 3, "x_1": 2}"#), "{text}");
    }

    #[test]
    fn autocast_that_is_on_has_no_form() {
        let autocast = |enabled: bool| {
            format!(
                r#"{{"name": "", "arg": {{"as_string": "cpu"}}}}, {{"name": "", "arg": {{"as_scalar_type": 13}}}},
                {{"name": "", "arg": {{"as_bool": {enabled}}}}}, {{"name": "", "arg": {{"as_bool": false}}}},"#
            )
        };
        let target = "torch.ops.higher_order.wrap_with_autocast";
        assert!(put_in_place(target, &autocast(false)).1);
        let (text, is_possible) = put_in_place(target, &autocast(true));
        assert!(!is_possible && text.contains("as_graph"), "{text}");
        assert!(!put_in_place("torch.ops.higher_order.cond", "").1);
    }
}
