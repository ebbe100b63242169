//! Calls of operators that the other release takes differently.
//!
//! A node names an overload and its arguments. Where the other release has the overload with fewer
//! arguments, those that have their default value are left out; so are those of checks, which give nothing.

use unskew_torch_schemas::{FunctionSchema, OperatorTable};

use super::schema_migrator::MigrationReport;
use crate::format::target;
use crate::json::JsonValue;

/// Fits the nodes of `graph` to the operators of the other release.
pub(super) fn put(graph: &mut JsonValue, table: &OperatorTable, found: &mut MigrationReport) {
    for node in graph.get_mut("nodes").map_or(&mut [][..], JsonValue::items_mut) {
        for input in node.get_mut("inputs").map_or(&mut [][..], JsonValue::items_mut) {
            let inner = input.get_mut("arg").and_then(|arg| arg.get_mut("as_graph"));
            if let Some(graph) = inner.and_then(|argument| argument.get_mut("graph")) {
                put(graph, table, found);
            }
        }
        fit(node, table, found);
    }
}

fn fit(node: &mut JsonValue, table: &OperatorTable, found: &mut MigrationReport) {
    let Some((name, overload)) = node.get("target").and_then(JsonValue::as_text).and_then(target)
    else {
        return;
    };
    let Some(schema) = table.overload(&name, &overload) else { return };
    let Some(JsonValue::List(inputs)) = node.get_mut("inputs") else { return };
    let known = |input: &JsonValue| {
        let name = input.get("name").and_then(JsonValue::as_text).unwrap_or_default();
        name.is_empty() || schema.arguments.iter().any(|argument| argument.name == name)
    };
    if inputs.iter().all(known) {
        return;
    }
    let definitions = table.history().named(&name);
    let newer = definitions.iter().filter(|definition| definition.overload() == overload);
    let newer: Vec<&FunctionSchema> = newer.filter_map(|newer| Some(&**newer.schema()?)).collect();
    let is_check = schema.returns.is_empty();
    inputs.retain(|input| {
        if known(input) {
            return true;
        }
        let argument = input.get("name").and_then(JsonValue::as_text).unwrap_or_default();
        let mut same = newer.iter().flat_map(|schema| &schema.arguments);
        let default = same.find(|a| a.name == argument).and_then(|a| a.default.as_deref());
        let value = input.get("arg").unwrap_or(&JsonValue::Null);
        let is_default = default.is_some_and(|default| means(value, default));
        if is_default || is_check {
            let why = if is_default { "it has its default" } else { "the check is left out" };
            found.change(format!("{name}: {argument} is left out, {why}"));
        }
        !(is_default || is_check)
    });
}

/// Whether an argument is a default as a schema writes it.
fn means(argument: &JsonValue, default: &str) -> bool {
    let mut meant = argument.fields().iter().filter(|(_, value)| *value != JsonValue::Null);
    let Some((kind, value)) = meant.next() else { return false };
    match kind.as_str() {
        "as_none" => default == "None",
        "as_bool" => value.to_string().eq_ignore_ascii_case(default),
        "as_int" | "as_float" => {
            let number = |text: &str| text.parse::<f64>().ok();
            number(&value.to_string()).is_some_and(|n| Some(n) == number(default))
        }
        "as_string" => value.as_text() == Some(default.trim_matches(['"', '\''])),
        _ => false,
    }
}
