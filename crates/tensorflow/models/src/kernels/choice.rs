//! Choice of kernels by a function or a node.

use crate::{AttrValue, Attrs, FunctionDef, GraphDef, NodeDef};
use foldhash::{HashMap, HashMapExt as _, HashSet};

/// The attribute with which a node asks for a kernel of this name.
const LABEL: &str = "_kernel";

/// The attribute with which a function or a call of one says that XLA compiles it.
const COMPILED: &str = "_XlaMustCompile";

/// The attribute with which one of several functions that compute the same says where it is the best of them.
const PREFERRED: &str = "api_preferred_device";

/// Where the kernels of a node come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KernelChoice {
    /// Whatever the device has that fits.
    #[default]
    OfDevice,
    /// One of this name, which the node says.
    Labelled,
    /// XLA compiles what the node is in.
    Compiled,
    /// The function is called only where there is a GPU: on a CPU another one is, which computes the same.
    OnGpuOnly,
}

impl KernelChoice {
    /// What a node says, in a body of which this is said.
    pub(crate) fn of_node(self, node: &NodeDef) -> Self {
        match node.attr(LABEL) {
            Some(AttrValue::String(label)) if !label.is_empty() => Self::Labelled,
            _ => self,
        }
    }

    /// What is said of the body of each function of a library.
    pub(crate) fn of_functions(graph: &GraphDef) -> Vec<Self> {
        let mut by_name = HashMap::with_capacity(graph.functions.len());
        for (at, function) in graph.functions.iter().enumerate() {
            by_name.entry(&*function.signature.name).or_insert(at);
        }
        let mut found: Vec<Self> = graph.functions.iter().map(of_function).collect();
        // What compiled functions call is compiled with them.
        let compiled = found.iter().enumerate().filter(|(_, it)| **it == Self::Compiled);
        let mut open: Vec<usize> = compiled.map(|(at, _)| at).collect();
        let bodies = graph.functions.iter().map(|function| &function.nodes);
        let calls = bodies.chain([&graph.nodes]).flatten();
        let calls = calls.filter(|node| is_set(&node.attrs, COMPILED));
        open.extend(calls.flat_map(called).filter_map(|name| by_name.get(name).copied()));
        let mut seen: HashSet<usize> = open.iter().copied().collect();
        while let Some(at) = open.pop() {
            if let Some(found) = found.get_mut(at) {
                *found = Self::Compiled;
            }
            let nodes = graph.functions.get(at).map_or(&[][..], |function| &function.nodes);
            let callees = nodes.iter().flat_map(called).filter_map(|name| by_name.get(name));
            open.extend(callees.copied().filter(|callee| seen.insert(*callee)));
        }
        found
    }
}

fn of_function(function: &FunctionDef) -> KernelChoice {
    match function.attrs.get(PREFERRED) {
        _ if is_set(&function.attrs, COMPILED) => KernelChoice::Compiled,
        Some(AttrValue::String(device)) if &**device == b"GPU" => KernelChoice::OnGpuOnly,
        _ => KernelChoice::OfDevice,
    }
}

fn is_set(attrs: &Attrs, name: &str) -> bool {
    attrs.get(name) == Some(&AttrValue::Bool(true))
}

fn called(node: &NodeDef) -> impl Iterator<Item = &str> {
    node.attrs.functions().chain([&*node.op])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpDef;

    #[test]
    fn what_a_compiled_function_calls_is_compiled_too() {
        let function = |name: &str, calls: &str, attr: &str, value| FunctionDef {
            signature: OpDef { name: name.into(), ..OpDef::default() },
            nodes: vec![NodeDef { op: calls.into(), ..NodeDef::default() }],
            attrs: vec![(attr.into(), value)].into(),
            ..FunctionDef::default()
        };
        let gpu = AttrValue::String(b"GPU".as_slice().into());
        let functions = vec![
            function("leaf", "NoOp", "", AttrValue::Missing),
            function("root", "leaf", COMPILED, AttrValue::Bool(true)),
            function("lstm", "NoOp", PREFERRED, gpu),
            function("other", "NoOp", COMPILED, AttrValue::Bool(false)),
        ];
        let found = KernelChoice::of_functions(&GraphDef { functions, ..GraphDef::default() });
        use KernelChoice::{Compiled, OfDevice, OnGpuOnly};
        assert_eq!(found, [Compiled, Compiled, OnGpuOnly, OfDevice]);
    }
}
