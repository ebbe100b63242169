//! Names of tensors that Python has for something else.
//!
//! Up to 2.4 a graph gives such a tensor another name when it is loaded, and then does not find it by the one that its
//! signature has: `input` becomes `input_1`, and loading fails.

use std::collections::{BTreeMap, HashSet};

use super::functional::each_tensor;
use super::schema_migrator::MigrationReport;
use crate::json::JsonValue;

/// Builtins and keywords of Python, and what `torch.fx` has names for.
const TAKEN: &str = " abs aiter all and anext any as ascii assert async await bin bool break breakpoint bytearray bytes \
callable chr class classmethod compile complex continue copyright credits def del delattr device dict dir divmod elif \
else enumerate eval except exec exit filter finally float for format from frozenset fx_pytree getattr global globals \
hasattr hash help hex id if import in inf input int is isinstance issubclass iter lambda len license list locals map \
max memoryview min nan next nonlocal not object oct open or ord pass pow print property pytree quit raise range repr \
return reversed round set setattr slice sorted staticmethod str sum super torch try tuple type vars while with yield zip \
False None NoneType True ";

/// Gives the tensors of a program names that stay.
pub(super) fn put(program: &mut JsonValue, found: &mut MigrationReport) {
    let Some(module) = program.get_mut("graph_module") else { return };
    let Some(graph) = module.get("graph") else { return };
    let known = graph.get("tensor_values").map_or(&[][..], JsonValue::fields);
    let is_taken = |name: &str| TAKEN.split_ascii_whitespace().any(|taken| taken == name);
    let old: Vec<&String> =
        known.iter().map(|(name, _)| name).filter(|name| is_taken(name)).collect();
    if old.is_empty() {
        return;
    }
    let all: HashSet<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
    let mut new = BTreeMap::new();
    for name in old {
        let fresh =
            (1_usize..).map(|n| format!("{name}_{n}")).find(|fresh| !all.contains(fresh.as_str()));
        if let Some(fresh) = fresh {
            found.change(format!(
                "{name} is called {fresh}: Python has the name for something else"
            ));
            new.insert(name.clone(), fresh);
        }
    }
    let renamed = |name: &mut String| {
        if let Some(fresh) = new.get(name.as_str()) {
            name.clone_from(fresh);
        }
    };
    if let Some(graph) = module.get_mut("graph") {
        if let Some(JsonValue::Object(rows)) = graph.get_mut("tensor_values") {
            rows.iter_mut().for_each(|(name, _)| renamed(name));
        }
        for part in ["inputs", "outputs", "nodes"] {
            if let Some(part) = graph.get_mut(part) {
                each_tensor(part, &mut |name| renamed(name));
            }
        }
    }
    if let Some(signature) = module.get_mut("signature") {
        each_tensor(signature, &mut |name| renamed(name));
        for list in ["input_specs", "output_specs"] {
            for spec in signature.get_mut(list).map_or(&mut [][..], JsonValue::items_mut) {
                plain_names(spec, &renamed);
            }
        }
    }
}

/// Renames what a spec names without saying that it is a tensor.
fn plain_names(spec: &mut JsonValue, renamed: &dyn Fn(&mut String)) {
    let JsonValue::Object(kinds) = spec else { return };
    for (_, value) in kinds {
        if let Some(JsonValue::Text(name)) = value.get_mut("user_input_name") {
            renamed(name);
        }
        if let Some(JsonValue::Text(name)) =
            value.get_mut("arg").and_then(|arg| arg.get_mut("name"))
        {
            renamed(name);
        }
    }
}
