//! The signature of PyTorch 2.1, and that of all later releases.
//!
//! 2.1 says by maps which input is a parameter and which a buffer, and has the structure of the arguments
//! in a `call_spec`. From 2.2 on there is a spec for each input and output, in their order, and the
//! structure belongs to the entry of the whole module in the `module_call_graph`, where positional and
//! named arguments stand apart.

use super::schema_migrator::MigrationReport;
use crate::json::JsonValue;

/// The structure of no named arguments.
const NO_NAMED: &str = r#"{"type": "builtins.dict", "context": "[]", "children_spec": []}"#;

/// A program of 2.1 in the words of 2.2.
pub(super) fn up(program: &mut JsonValue, found: &mut MigrationReport) {
    let equalities = program.take("equality_constraints");
    if equalities.is_some_and(|all| !all.items().is_empty()) {
        found.change("equality_constraints are left out: a check of inputs that 2.2 does not make");
    }
    program.take("example_inputs");
    let Some(module) = program.get_mut("graph_module") else { return };
    let constants = module.get_mut("graph").and_then(|graph| graph.take("constants"));
    for (name, _) in constants.iter().flat_map(JsonValue::fields) {
        let what = "keeps constants in a record of their own, not in the graph";
        found.block(what, format_args!("graph_module.graph.constants.{name}"));
    }
    if let Some(graph) = module.get_mut("graph") {
        each_metadata(graph, &mut |metadata| {
            if let Some(stack) = metadata.get_mut("nn_module_stack")
                && let Some(text) = stack.as_text()
            {
                *stack = JsonValue::text(later_stack(text));
            }
            if let Some(function) = metadata.take("source_fn") {
                metadata.set("source_fn_stack", function);
            }
        });
    }
    let old = module.take("signature").unwrap_or(JsonValue::Null);
    let graph = module.get("graph");
    let listed = |name| graph.and_then(|graph| graph.get(name)).map_or(&[][..], JsonValue::items);
    let inputs = listed("inputs").iter().map(|arg| input_spec(arg, &old, found)).collect();
    let outputs = listed("outputs").iter().map(|arg| output_spec(arg, &old, found)).collect();
    let (inputs, outputs) = (JsonValue::List(inputs), JsonValue::List(outputs));
    module
        .set("signature", JsonValue::object([("input_specs", inputs), ("output_specs", outputs)]));
    found.change("the signature is a list of specs");
    if let Some(call) = module.take("call_spec") {
        let part = |name: &str| call.get(name).and_then(JsonValue::as_text).unwrap_or_default();
        let signature = JsonValue::object([
            ("inputs", JsonValue::List(Vec::new())),
            ("outputs", JsonValue::List(Vec::new())),
            ("in_spec", JsonValue::text(with_named(part("in_spec")))),
            ("out_spec", JsonValue::text(part("out_spec"))),
        ]);
        let whole = JsonValue::object([("fqn", JsonValue::text("")), ("signature", signature)]);
        let mut entries =
            module.get("module_call_graph").map_or(&[][..], JsonValue::items).to_vec();
        entries.retain(|entry| entry.get("fqn").and_then(JsonValue::as_text) != Some(""));
        entries.insert(0, whole);
        module.set("module_call_graph", JsonValue::List(entries));
        found.change("call_spec is the entry of the whole module in module_call_graph");
    }
}

/// Visits what every node says of its origin, in the graphs within the graph too.
fn each_metadata(graph: &mut JsonValue, visit: &mut dyn FnMut(&mut JsonValue)) {
    for node in graph.get_mut("nodes").map_or(&mut [][..], JsonValue::items_mut) {
        if let Some(metadata) = node.get_mut("metadata") {
            visit(metadata);
        }
        for input in node.get_mut("inputs").map_or(&mut [][..], JsonValue::items_mut) {
            let inner = input.get_mut("arg").and_then(|arg| arg.get_mut("as_graph"));
            if let Some(graph) = inner.and_then(|argument| argument.get_mut("graph")) {
                each_metadata(graph, visit);
            }
        }
    }
}

/// The modules that a node comes from: `key:(path,type);...` in 2.1, `key,path,type;...` later.
fn later_stack(stack: &str) -> String {
    let later = |item: &str| {
        let (key, rest) = item.split_once(":(")?;
        Some(format!("{key},{}", rest.strip_suffix(')')?))
    };
    let items = stack.split(';').map(|item| later(item).unwrap_or_else(|| item.to_owned()));
    items.collect::<Vec<_>>().join(";")
}

fn tensor(argument: &JsonValue) -> Option<&str> {
    argument.get("as_tensor")?.get("name")?.as_text()
}

fn named<'j>(signature: &'j JsonValue, map: &str, name: &str) -> Option<&'j JsonValue> {
    signature.get(map)?.get(name)
}

fn contains(signature: &JsonValue, list: &str, name: &str) -> bool {
    let items = signature.get(list).map_or(&[][..], JsonValue::items);
    items.iter().any(|item| item.as_text() == Some(name))
}

/// A union with all its alternatives.
fn spelled<const N: usize>(all: [&str; N], meant: &str, value: JsonValue) -> JsonValue {
    let mut value = Some(value);
    JsonValue::object(all.map(|name| {
        let meant = if name == meant { value.take() } else { None };
        (name, meant.unwrap_or(JsonValue::Null))
    }))
}

fn input_spec(argument: &JsonValue, old: &JsonValue, found: &mut MigrationReport) -> JsonValue {
    const ALL: [&str; 4] = ["user_input", "parameter", "buffer", "tensor_constant"];
    let Some(name) = tensor(argument) else {
        return spelled(ALL, "user_input", JsonValue::object([("arg", argument.clone())]));
    };
    let arg = JsonValue::object([("name", JsonValue::text(name))]);
    if let Some(target) = named(old, "inputs_to_parameters", name) {
        let spec = JsonValue::object([("arg", arg), ("parameter_name", target.clone())]);
        return spelled(ALL, "parameter", spec);
    }
    if let Some(target) = named(old, "inputs_to_buffers", name) {
        let spec = JsonValue::object([("arg", arg), ("buffer_name", target.clone())]);
        return spelled(ALL, "buffer", spec);
    }
    if !contains(old, "user_inputs", name) {
        found.block(
            "needs to know what every input is",
            format_args!("graph_module.graph.inputs, {name}"),
        );
    }
    spelled(ALL, "user_input", JsonValue::object([("arg", argument.clone())]))
}

fn output_spec(argument: &JsonValue, old: &JsonValue, found: &mut MigrationReport) -> JsonValue {
    const ALL: [&str; 5] = [
        "user_output",
        "loss_output",
        "buffer_mutation",
        "gradient_to_parameter",
        "gradient_to_user_input",
    ];
    let backward = old.get("backward_signature").unwrap_or(&JsonValue::Null);
    let Some(name) = tensor(argument) else {
        return spelled(ALL, "user_output", JsonValue::object([("arg", argument.clone())]));
    };
    let arg = JsonValue::object([("name", JsonValue::text(name))]);
    if let Some(buffer) = named(old, "buffers_to_mutate", name) {
        let spec = JsonValue::object([("arg", arg), ("buffer_name", buffer.clone())]);
        return spelled(ALL, "buffer_mutation", spec);
    }
    if backward.get("loss_output").and_then(JsonValue::as_text) == Some(name) {
        return spelled(ALL, "loss_output", JsonValue::object([("arg", arg)]));
    }
    for (map, alternative, field) in [
        ("gradients_to_parameters", "gradient_to_parameter", "parameter_name"),
        ("gradients_to_user_inputs", "gradient_to_user_input", "user_input_name"),
    ] {
        if let Some(target) = named(backward, map, name) {
            return spelled(
                ALL,
                alternative,
                JsonValue::object([("arg", arg), (field, target.clone())]),
            );
        }
    }
    if !contains(old, "user_outputs", name) {
        found.block(
            "needs to know what every output is",
            format_args!("graph_module.graph.outputs, {name}"),
        );
    }
    spelled(ALL, "user_output", JsonValue::object([("arg", argument.clone())]))
}

/// `[1, SPEC]` of the positional arguments, with that of no named ones. 2.1 has both in it only if the
/// module takes named ones.
fn with_named(spec: &str) -> String {
    let Ok(JsonValue::List(parts)) = JsonValue::read("", "", spec.as_bytes()) else {
        return spec.to_owned();
    };
    let [protocol, tree] = parts.as_slice() else { return spec.to_owned() };
    let is = |tree: &JsonValue, ty| tree.get("type").and_then(JsonValue::as_text) == Some(ty);
    let children = tree.get("children_spec").map_or(&[][..], JsonValue::items);
    if let [first, second] = children
        && is(tree, "builtins.tuple")
        && is(first, "builtins.tuple")
        && is(second, "builtins.dict")
    {
        return spec.to_owned();
    }
    let both = JsonValue::object([
        ("type", JsonValue::text("builtins.tuple")),
        ("context", JsonValue::text("null")),
        ("children_spec", JsonValue::List(vec![tree.clone(), JsonValue::literal(NO_NAMED)])),
    ]);
    JsonValue::List(vec![protocol.clone(), both]).to_string()
}

/// The positional arguments of `[1, SPEC]`, if there are no named ones.
fn without_named(spec: &str) -> String {
    let Ok(JsonValue::List(parts)) = JsonValue::read("", "", spec.as_bytes()) else {
        return spec.to_owned();
    };
    let [protocol, tree] = parts.as_slice() else { return spec.to_owned() };
    match tree.get("children_spec").map_or(&[][..], JsonValue::items) {
        [positional, named] if named.get("children_spec").is_some_and(|c| c.items().is_empty()) => {
            JsonValue::List(vec![protocol.clone(), positional.clone()]).to_string()
        }
        _ => spec.to_owned(),
    }
}

/// A program in the words of 2.2 as one of 2.1.
pub(super) fn down(program: &mut JsonValue, found: &mut MigrationReport) {
    program.set("equality_constraints", JsonValue::List(Vec::new()));
    program.set("example_inputs", JsonValue::Null);
    let Some(module) = program.get_mut("graph_module") else { return };
    if let Some(graph) = module.get_mut("graph") {
        // Where a node comes from is written in another way, and nothing that runs depends on it.
        each_metadata(graph, &mut |metadata| {
            metadata.take("nn_module_stack");
            metadata.take("source_fn_stack");
        });
    }
    let old = module.take("signature").unwrap_or(JsonValue::Null);
    let mut maps = Maps::default();
    for (n, spec) in old.get("input_specs").map_or(&[][..], JsonValue::items).iter().enumerate() {
        let place = format!("graph_module.signature.input_specs[{n}]");
        maps.input(spec, &place, found);
    }
    for (n, spec) in old.get("output_specs").map_or(&[][..], JsonValue::items).iter().enumerate() {
        let place = format!("graph_module.signature.output_specs[{n}]");
        maps.output(spec, &place, found);
    }
    module.set("signature", maps.finish());
    let mut entries =
        module.take("module_call_graph").map_or_else(Vec::new, |g| g.items().to_vec());
    let whole = entries.iter().position(|e| e.get("fqn").and_then(JsonValue::as_text) == Some(""));
    let whole = whole.map_or(JsonValue::Null, |at| entries.remove(at));
    let part = |name| whole.get("signature").and_then(|s| s.get(name)).and_then(JsonValue::as_text);
    let call = JsonValue::object([
        ("in_spec", JsonValue::text(without_named(part("in_spec").unwrap_or_default()))),
        ("out_spec", JsonValue::text(part("out_spec").unwrap_or_default())),
    ]);
    module.set("call_spec", call);
    module.set("module_call_graph", JsonValue::List(entries));
    found.change("the signature is a set of maps, with a call_spec");
}

#[derive(Default)]
struct Maps {
    parameters: Vec<(String, JsonValue)>,
    buffers: Vec<(String, JsonValue)>,
    inputs: Vec<JsonValue>,
    outputs: Vec<JsonValue>,
    mutated: Vec<(String, JsonValue)>,
}

impl Maps {
    fn input(&mut self, spec: &JsonValue, place: &str, found: &mut MigrationReport) {
        let Some((kind, value)) = meant(spec) else { return };
        let arg = value.get("arg").unwrap_or(&JsonValue::Null);
        let name = || arg.get("name").and_then(JsonValue::as_text).unwrap_or_default().to_owned();
        let text = |field| value.get(field).cloned().unwrap_or(JsonValue::Null);
        match (kind, tensor(arg)) {
            ("parameter", _) => self.parameters.push((name(), text("parameter_name"))),
            ("buffer", _) => self.buffers.push((name(), text("buffer_name"))),
            ("user_input", Some(tensor)) => self.inputs.push(JsonValue::text(tensor)),
            _ => found.block(format!("has no input of the kind {kind}"), place),
        }
    }

    fn output(&mut self, spec: &JsonValue, place: &str, found: &mut MigrationReport) {
        let Some((kind, value)) = meant(spec) else { return };
        let arg = value.get("arg").unwrap_or(&JsonValue::Null);
        match (kind, tensor(arg)) {
            ("user_output", Some(tensor)) => self.outputs.push(JsonValue::text(tensor)),
            ("buffer_mutation", _) => {
                let name = arg.get("name").and_then(JsonValue::as_text).unwrap_or_default();
                let buffer = value.get("buffer_name").cloned().unwrap_or(JsonValue::Null);
                self.mutated.push((name.to_owned(), buffer));
            }
            _ => found.block(format!("has no output of the kind {kind}"), place),
        }
    }

    fn finish(self) -> JsonValue {
        JsonValue::object([
            ("inputs_to_parameters", JsonValue::Object(self.parameters)),
            ("inputs_to_buffers", JsonValue::Object(self.buffers)),
            ("user_inputs", JsonValue::List(self.inputs)),
            ("user_outputs", JsonValue::List(self.outputs)),
            ("buffers_to_mutate", JsonValue::Object(self.mutated)),
            ("backward_signature", JsonValue::Null),
        ])
    }
}

fn meant(union: &JsonValue) -> Option<(&str, &JsonValue)> {
    let mut fields = union.fields().iter().filter(|(_, value)| *value != JsonValue::Null);
    fields.next().map(|(name, value)| (name.as_str(), value))
}
