//! Wiring check: every value of a model is made, once, and before it is used.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};
use unskew_core::{Finding, Places, Version};

use super::model_walk::place;
use crate::{ModelReader, OnnxFunction, OnnxGraph, OnnxModel, OnnxNode, OnnxRelease, rules};

/// The most values of one fault that are named.
const NAMED: usize = 20;

/// Values that a graph takes from around it, with the node that uses each.
type FreeValues<'m> = Vec<(&'m str, String)>;

/// The names that a graph sees: its own so far, and those around it.
struct VisibleNames<'s, 'm> {
    own: HashSet<&'m str>,
    around: Option<&'s VisibleNames<'s, 'm>>,
}

impl VisibleNames<'_, '_> {
    fn has(&self, name: &str) -> bool {
        self.own.contains(name) || self.around.is_some_and(|around| around.has(name))
    }
}

/// A graph or the body of a function.
struct Body<'m> {
    nodes: &'m [OnnxNode],
    given: Vec<&'m str>,
    stored: Vec<&'m str>,
    outputs: Vec<&'m str>,
    /// Whether nodes may stand in any order.
    any_order: bool,
    /// Whether it may be given two values of one name.
    repeats: bool,
    /// Whether an output may be something that is given.
    passes: bool,
}

#[derive(Default)]
struct Wiring {
    reader: Option<ModelReader>,
    undefined: BTreeMap<String, Places>,
    twice: BTreeMap<String, Places>,
    circular: Places,
    early: BTreeMap<String, Places>,
}

/// What is wrong with the values of a model and of the functions that `called` says.
pub(super) fn findings(
    model: &OnnxModel,
    runtime: &OnnxRelease,
    called: impl Fn(&OnnxFunction) -> bool,
) -> Vec<Finding> {
    let reader = runtime.reader;
    let mut wiring = Wiring { reader: Some(reader), ..Wiring::default() };
    let is_before = |minor: i64| {
        reader == ModelReader::OnnxRuntime && runtime.version < Version::triple(1, minor, 0)
    };
    let body = wiring.body(&model.graph, true);
    let free = wiring.check(&body, None);
    wiring.missing(free);
    for function in model.functions.iter().filter(|one| called(one)) {
        let body = Body {
            nodes: &function.body.nodes,
            given: texts(&function.inputs),
            stored: Vec::new(),
            outputs: if reader == ModelReader::Onnx {
                Vec::new()
            } else {
                texts(&function.outputs)
            },
            // Types of the values in a function are inferred since 1.15, in the order of its nodes.
            any_order: is_before(15),
            repeats: reader == ModelReader::OnnxRuntime && !is_before(15),
            passes: false,
        };
        let free = wiring.check(&body, None);
        wiring.missing(free);
    }
    wiring.findings()
}

impl Wiring {
    fn body<'m>(&self, graph: &'m OnnxGraph, is_outermost: bool) -> Body<'m> {
        Body {
            nodes: &graph.nodes,
            given: graph.inputs.iter().map(|one| &*one.name).collect(),
            stored: graph.initializers.iter().map(|one| &*one.name).collect(),
            outputs: graph.outputs.iter().map(|one| &*one.name).collect(),
            // ONNX Runtime has onnx check the graphs inside of nodes, and sorts its own.
            any_order: is_outermost && self.reader != Some(ModelReader::Onnx),
            repeats: false,
            passes: is_outermost,
        }
    }

    /// Looks at a graph; gives what it takes from around it.
    fn check<'m>(
        &mut self,
        body: &Body<'m>,
        around: Option<&VisibleNames<'_, 'm>>,
    ) -> FreeValues<'m> {
        let mut names = VisibleNames { own: HashSet::new(), around };
        for name in &body.given {
            if !names.own.insert(name) && !name.is_empty() && !body.repeats {
                add(&mut self.twice, name, "an input");
            }
        }
        names.own.extend(&body.stored);
        let mut makers: HashMap<&str, usize> = HashMap::new();
        for (at, node) in body.nodes.iter().enumerate() {
            makers.extend(node.outputs.iter().map(|name| (&**name, at)));
        }
        let makes = |name: &str| makers.contains_key(name);
        let mut free = FreeValues::new();
        let mut waits: Vec<Vec<usize>> = vec![Vec::new(); body.nodes.len()];
        for (at, node) in body.nodes.iter().enumerate() {
            let shown = place(node);
            let inner = self.inside(node, &names);
            let used = node.inputs.iter().filter(|name| !name.is_empty());
            let used = used.map(|name| (&**name, shown.clone())).chain(inner);
            for (name, user) in used {
                match makers.get(name) {
                    _ if names.own.contains(name) && !makes(name) => {}
                    Some(maker) => {
                        if let Some(waits) = waits.get_mut(at) {
                            waits.push(*maker);
                        }
                        if !body.any_order && *maker >= at && !names.own.contains(name) {
                            add(&mut self.early, name, user);
                        }
                    }
                    None => free.push((name, user)),
                }
            }
            for name in node.outputs.iter().filter(|name| !name.is_empty()) {
                if names.has(name) {
                    add(&mut self.twice, name, &shown);
                }
                names.own.insert(name);
            }
        }
        for name in &body.outputs {
            let made = makes(name) || body.passes && names.own.contains(name);
            let given = !body.passes && names.own.contains(name) && body.stored.contains(name);
            let unnamed = name.is_empty() && self.reader == Some(ModelReader::OnnxRuntime);
            if !made && !given && (!name.is_empty() || unnamed) {
                add(&mut self.undefined, name, "an output");
            }
        }
        self.circles(body.nodes, &waits);
        free
    }

    /// Looks at the graphs in the attributes of a node; gives what they take from around them.
    fn inside<'m>(&mut self, node: &'m OnnxNode, names: &VisibleNames<'_, 'm>) -> FreeValues<'m> {
        let graphs = node.attributes.iter().flat_map(|(_, attribute)| attribute.graphs());
        let mut free = FreeValues::new();
        for graph in graphs {
            let mut body = self.body(graph, false);
            // The body of a loop may hand on what it was given.
            body.stored.extend(body.given.clone());
            free.extend(self.check(&body, Some(names)));
        }
        free
    }

    fn circles(&mut self, nodes: &[OnnxNode], waits: &[Vec<usize>]) {
        let mut open: Vec<usize> = waits.iter().map(Vec::len).collect();
        let mut needed: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for (at, all) in waits.iter().enumerate() {
            for other in all {
                if let Some(needed) = needed.get_mut(*other) {
                    needed.push(at);
                }
            }
        }
        let mut ready: Vec<usize> =
            open.iter().enumerate().filter(|(_, count)| **count == 0).map(|(at, _)| at).collect();
        let mut done = 0;
        while let Some(at) = ready.pop() {
            done += 1;
            for other in needed.get(at).into_iter().flatten() {
                if let Some(count) = open.get_mut(*other) {
                    *count -= 1;
                    if *count == 0 {
                        ready.push(*other);
                    }
                }
            }
        }
        if done < nodes.len() {
            let stuck = nodes.iter().zip(&open).filter(|(_, count)| **count > 0);
            stuck.for_each(|(node, _)| self.circular.add(place(node)));
        }
    }

    fn missing(&mut self, free: FreeValues<'_>) {
        for (name, user) in free {
            add(&mut self.undefined, name, user);
        }
    }

    fn findings(self) -> Vec<Finding> {
        let mut all = Vec::new();
        for (value, places) in self.undefined.into_iter().take(NAMED) {
            let symptom = format!(
                "Invalid model. Node input '{value}' is not a graph input, initializer, or output of a previous node."
            );
            let rule = rules::ValueUndefined { value: &value };
            all.push(rule.finding().at(places).with_symptom(symptom));
        }
        for (value, places) in self.twice.into_iter().take(NAMED) {
            let symptom = format!("Duplicate definition of name ({value}).");
            let rule = rules::DefinedTwice { value: &value };
            all.push(rule.finding().at(places).with_symptom(symptom));
        }
        if !self.circular.is_empty() {
            let symptom = "This is an invalid model. Error: the graph is not acyclic.";
            let count = self.circular.count();
            let rule = rules::GraphIsCircular { count: &count };
            all.push(rule.finding().at(self.circular).with_symptom(symptom));
        }
        for (value, places) in self.early.into_iter().take(NAMED) {
            let rule = rules::NodeBeforeItsInput { value: &value };
            let symptom = "Nodes in a graph must be topologically sorted";
            all.push(rule.finding().at(places).with_symptom(symptom));
        }
        all
    }
}

fn texts(all: &[Box<str>]) -> Vec<&str> {
    all.iter().map(|name| &**name).collect()
}

fn add(all: &mut BTreeMap<String, Places>, name: &str, place: impl Into<String>) {
    all.entry(name.to_owned()).or_default().add(place.into());
}
