//! The library of a graph: which functions run, what they call, and what is wrong with that.
//!
//! A function is called by a node whose op is its name, or whose attributes name it (`PartitionedCall`,
//! `While`, `MapDataset`), and gradients are functions too. TensorFlow 1.8 and later wire the bodies of
//! called functions when their callers are imported; nobody looks at functions that nothing calls, except
//! the loader of SavedModels with objects, which builds all of them.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};
use unskew_core::Places;

use crate::body::Body;
use crate::structure::GraphStructure;
use crate::{GraphDef, NodeDef};

/// Ops that do nothing but call: recursion through them alone has no end for the importer.
const CALLS: [&str; 2] = ["PartitionedCall", "StatefulPartitionedCall"];

/// Takes the name of an op as well as of a function.
const GRADIENT: &str = "SymbolicGradient";

/// What is to be said about the library of a graph.
#[derive(Clone, Debug, Default)]
pub struct FunctionReport {
    /// The names of all functions, in the order of the library.
    pub names: Vec<Arc<str>>,
    /// The functions that run when the graph does, by their places in the library.
    pub(crate) called: HashSet<usize>,
    /// Those of a name that an earlier one has, by their places: releases see the first.
    repeated: HashSet<usize>,
    /// What is wrong with the calls in the graph and in the functions that it calls.
    pub calls: CallFaults,
    /// What is wrong with the calls in functions that the graph does not call.
    pub other_calls: CallFaults,
    /// Called functions that call themselves, be it through others, by plain calls alone.
    pub endless: Places,
    /// Those that do so through a condition or a loop.
    pub recursive: Places,
    /// Functions that do either and that the graph does not call.
    pub other_recursive: Places,
    /// Functions of one name with different bodies.
    pub twice: Places,
    /// Entries for gradients that name a function which is not there.
    pub gradients: Places,
    /// The wiring of the bodies of called functions.
    pub called_bodies: GraphStructure,
    /// The wiring of the bodies of all others.
    pub other_bodies: GraphStructure,
}

/// What is wrong with calls of functions.
#[derive(Clone, Debug, Default)]
pub struct CallFaults {
    /// Of functions that the library does not have: `node -> function`.
    pub missing: Places,
    /// With more or fewer inputs than the function has.
    pub miscounted: Places,
}

impl FunctionReport {
    /// Looks at the library of `graph`, but for the wiring of its bodies.
    pub(crate) fn new(graph: &GraphDef) -> Self {
        let library = FunctionLibrary::new(graph);
        let called = library.reached();
        let mut found = Self {
            names: graph.functions.iter().map(|f| f.signature.name.as_str().into()).collect(),
            ..Self::default()
        };
        library.calls("", &library.of_graph, &mut found.calls);
        for (i, (function, made)) in graph.functions.iter().zip(&library.of_functions).enumerate() {
            let name = function.signature.name.as_str();
            if library.by_name.get(name) != Some(&i) {
                let first = library.by_name.get(name).and_then(|i| graph.functions.get(*i));
                if first != Some(function) {
                    found.twice.add(name);
                }
                found.repeated.insert(i);
                continue;
            }
            let runs = called.contains(&i);
            let calls = if runs { &mut found.calls } else { &mut found.other_calls };
            library.calls(name, made, calls);
        }
        for (of, is) in &graph.gradients {
            let gone = [of, is].into_iter().filter(|name| !library.by_name.contains_key(&***name));
            gone.for_each(|name| found.gradients.add(format_args!("gradient of {of} -> {name}")));
        }
        library.recursion(&called, &mut found);
        found.called = called;
        found
    }

    /// Adds what is to be said about the wiring of the function at a place in the library.
    pub(crate) fn add_body(&mut self, place: usize, body: &Body<'_>) {
        if self.repeated.contains(&place) {
            return;
        }
        let runs = self.called.contains(&place);
        let bodies = if runs { &mut self.called_bodies } else { &mut self.other_bodies };
        bodies.extend(&GraphStructure::from_body(body));
    }
}

/// A graph with its functions by name, and all that its nodes call.
struct FunctionLibrary<'g> {
    graph: &'g GraphDef,
    by_name: HashMap<&'g str, usize>,
    gradients: HashMap<&'g str, &'g str>,
    /// What the nodes of the graph itself call.
    of_graph: Vec<NamedFunction<'g>>,
    /// What the nodes of each function call.
    of_functions: Vec<Vec<NamedFunction<'g>>>,
}

struct NamedFunction<'g> {
    node: &'g NodeDef,
    name: &'g str,
    /// Whether the op of the node is the name; else an attribute says it.
    as_op: bool,
}

impl<'g> FunctionLibrary<'g> {
    fn new(graph: &'g GraphDef) -> Self {
        let mut by_name = HashMap::with_capacity(graph.functions.len());
        for (i, function) in graph.functions.iter().enumerate() {
            by_name.entry(&*function.signature.name).or_insert(i);
        }
        let gradients = graph.gradients.iter().map(|(of, is)| (&**of, &**is)).collect();
        let (of_graph, of_functions) = (Vec::new(), Vec::new());
        let mut library = Self { graph, by_name, gradients, of_graph, of_functions };
        library.of_graph = library.named(&graph.nodes);
        let bodies = graph.functions.iter().map(|function| library.named(&function.nodes));
        library.of_functions = bodies.collect();
        library
    }

    /// The functions that nodes name, there or not; attributes for the runtime's own use apart.
    fn named(&self, nodes: &'g [NodeDef]) -> Vec<NamedFunction<'g>> {
        let mut all = Vec::new();
        let is_function =
            |op: &str| self.by_name.contains_key(op) || self.gradients.contains_key(op);
        // By the addresses of the names of ops, which nodes of an op share.
        let mut known: HashMap<usize, bool> = HashMap::new();
        for node in nodes {
            let names = node.attrs.judged_functions();
            all.extend(names.map(|name| NamedFunction { node, name, as_op: false }));
            let name = &*node.op;
            if *known.entry(name.as_ptr().addr()).or_insert_with(|| is_function(name)) {
                all.push(NamedFunction { node, name, as_op: true });
            }
        }
        all
    }

    /// The functions that run when the graph does, directly or through others, by their places.
    fn reached(&self) -> HashSet<usize> {
        let mut reached = HashSet::new();
        let mut open = vec![&self.of_graph];
        while let Some(calls) = open.pop() {
            for call in calls {
                let gradient = self.gradients.get(call.name).copied();
                for function in [Some(call.name), gradient].into_iter().flatten() {
                    let Some(i) = self.by_name.get(function) else { continue };
                    if reached.insert(*i) {
                        open.extend(self.of_functions.get(*i));
                    }
                }
            }
        }
        reached
    }

    /// The faults of the calls in the body of `function`, or in the graph if that has no name.
    fn calls(&self, function: &str, made: &[NamedFunction<'_>], found: &mut CallFaults) {
        let place = |node: &NodeDef| match function {
            "" => node.name.to_string(),
            function => format!("{function}/{}", node.name),
        };
        for NamedFunction { node, name, as_op } in made {
            let callee = self.by_name.get(name).and_then(|i| self.graph.functions.get(*i));
            match callee {
                Some(callee) if *as_op => {
                    let wanted = callee.signature.input_count(|name| node.attr(name));
                    if wanted.is_some_and(|wanted| wanted != node.data_input_count()) {
                        found.miscounted.add(place(node));
                    }
                }
                None if !as_op && &*node.op != GRADIENT && !name.is_empty() => {
                    found.missing.add(format_args!("{} -> {name}", place(node)));
                }
                _ => {}
            }
        }
    }

    fn recursion(&self, called: &HashSet<usize>, found: &mut FunctionReport) {
        let calls: Vec<Vec<Call>> = self.of_functions.iter().map(|made| self.made(made)).collect();
        let endless = cycles(called, &calls, |call| call.plain);
        let name = |i: &usize| self.graph.functions.get(*i).map(|f| &f.signature.name);
        endless.iter().filter_map(name).for_each(|name| found.endless.add(name));
        let all = cycles(called, &calls, |_| true);
        let rest = all.iter().filter(|i| !endless.contains(i));
        rest.filter_map(name).for_each(|name| found.recursive.add(name));
        let everything = cycles(&(0..calls.len()).collect(), &calls, |_| true);
        let rest = everything.iter().filter(|i| !all.contains(i));
        rest.filter_map(name).for_each(|name| found.other_recursive.add(name));
    }

    fn made(&self, made: &[NamedFunction<'_>]) -> Vec<Call> {
        let calls = made.iter().filter_map(|NamedFunction { node, name, as_op }| {
            let callee = *self.by_name.get(name)?;
            let plain =
                *as_op || CALLS.contains(&&*node.op) || self.by_name.contains_key(&*node.op);
            Some(Call { callee, plain })
        });
        calls.collect()
    }
}

/// A call of a function, by its place in the library.
struct Call {
    callee: usize,
    /// Whether nothing but a call is done, with no condition and no loop around it.
    plain: bool,
}

/// The functions among `called` that call themselves through the calls that `counts`; `calls` are those of each function.
fn cycles(
    called: &HashSet<usize>,
    calls: &[Vec<Call>],
    counts: impl Fn(&Call) -> bool,
) -> Vec<usize> {
    let mut left: Vec<usize> = called.iter().copied().collect();
    left.sort_unstable();
    let callees = |i: usize| -> HashSet<usize> {
        let made = calls.get(i).into_iter().flatten().filter(|call| counts(call));
        made.map(|call| call.callee).filter(|callee| called.contains(callee)).collect()
    };
    let calls: HashMap<usize, HashSet<usize>> = left.iter().map(|i| (*i, callees(*i))).collect();
    let mut callers: HashMap<usize, HashSet<usize>> = HashMap::new();
    for (caller, callees) in &calls {
        for callee in callees {
            callers.entry(*callee).or_default().insert(*caller);
        }
    }
    // What calls nothing that is left is in no cycle, and neither is what nothing left calls.
    peel(&mut left, &calls, &callers);
    peel(&mut left, &callers, &calls);
    left
}

/// Takes away, again and again, what has no follower among those that are left.
fn peel(
    left: &mut Vec<usize>,
    followers: &HashMap<usize, HashSet<usize>>,
    leaders: &HashMap<usize, HashSet<usize>>,
) {
    let inside: HashSet<usize> = left.iter().copied().collect();
    let of = |map: &HashMap<usize, HashSet<usize>>, i: &usize| -> Vec<usize> {
        let all = map.get(i).into_iter().flatten();
        all.copied().filter(|other| inside.contains(other)).collect()
    };
    let mut counts: HashMap<usize, usize> =
        left.iter().map(|i| (*i, of(followers, i).len())).collect();
    let mut free: Vec<usize> = left.iter().copied().filter(|i| counts.get(i) == Some(&0)).collect();
    let mut gone: HashSet<usize> = HashSet::new();
    while let Some(i) = free.pop() {
        gone.insert(i);
        for leader in of(leaders, &i) {
            if let Some(count) = counts.get_mut(&leader) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    free.push(leader);
                }
            }
        }
    }
    left.retain(|i| !gone.contains(i));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AttrValue, FunctionDef, OpDef};

    fn call(name: &str, op: &str, function: &str) -> NodeDef {
        let attrs = vec![("f".into(), AttrValue::Func(function.into()))];
        NodeDef { name: name.into(), op: op.into(), attrs: attrs.into(), ..NodeDef::default() }
    }

    fn function(name: &str, nodes: Vec<NodeDef>) -> FunctionDef {
        FunctionDef {
            signature: OpDef { name: name.into(), ..OpDef::default() },
            nodes,
            ..FunctionDef::default()
        }
    }

    fn graph(functions: Vec<FunctionDef>) -> FunctionReport {
        let nodes = vec![call("main", "PartitionedCall", "f")];
        FunctionReport::new(&GraphDef { nodes, functions, ..GraphDef::default() })
    }

    #[test]
    fn a_function_that_is_called_and_not_there_is_found_where_it_is_called() {
        let found = graph(vec![
            function("f", vec![call("inner", "PartitionedCall", "gone")]),
            function("lonely", vec![call("inner", "PartitionedCall", "also_gone")]),
        ]);
        assert_eq!(found.calls.missing.to_string(), "f/inner -> gone");
        assert_eq!(found.other_calls.missing.to_string(), "lonely/inner -> also_gone");
        let gradient = graph(vec![function("f", vec![call("g", "SymbolicGradient", "Identity")])]);
        assert!(gradient.calls.missing.is_empty());
    }

    #[test]
    fn functions_that_call_each_other_are_endless_and_their_callers_are_not() {
        let found = graph(vec![
            function("f", vec![call("a", "PartitionedCall", "g")]),
            function("g", vec![call("a", "PartitionedCall", "h"), call("b", "If", "leaf")]),
            function("h", vec![call("a", "PartitionedCall", "g")]),
            function("leaf", vec![]),
        ]);
        assert_eq!(found.endless.to_string(), "g, h");
        assert!(found.recursive.is_empty());
    }

    #[test]
    fn recursion_through_a_condition_is_told_from_plain_recursion() {
        let found = graph(vec![function("f", vec![call("a", "If", "f")])]);
        assert!(found.endless.is_empty());
        assert_eq!(found.recursive.to_string(), "f");
    }

    #[test]
    fn functions_of_one_name_may_be_there_twice_if_they_are_the_same() {
        let same = graph(vec![function("f", vec![]), function("f", vec![])]);
        assert!(same.twice.is_empty());
        let other = graph(vec![function("f", vec![]), function("f", vec![call("a", "NoOp", "")])]);
        assert_eq!(other.twice.to_string(), "f");
    }
}
