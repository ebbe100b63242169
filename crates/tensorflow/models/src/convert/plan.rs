//! Plan of the conversion of one graph.

use std::collections::BTreeSet;

use foldhash::{HashSet, HashSetExt as _};
use unskew_core::{Conversion, Rewrite};

use super::adapt::{AdaptationStep, AdaptedUse, Adapter, DROP_SHAPES, WRITE_ZEROS};
use super::edit::{GraphEdit, NodeEdit, NodePlace};
use super::{GraphConvertOptions, Wiring, op_bytes, versions};
use crate::body::Body;
use crate::read::MetaGraph;
use crate::{
    AttrValue, DataType, GraphDef, KernelChoice, NodeDef, NodeScope, OpUse, TensorFlowRuntime,
    shape_inputs, structure,
};

/// The type of a seed that says none.
const INT64: DataType = DataType(9);

/// The attribute in which exporters note shapes.
const OUTPUT_SHAPES: &str = "_output_shapes";

/// The changes that make `to` take the graph, as far as there are such, and a word on each.
pub(super) fn plan(
    meta: &MetaGraph,
    to: &TensorFlowRuntime,
    options: &GraphConvertOptions,
) -> (GraphEdit, Conversion) {
    let graph = &meta.graph;
    let mut plan = Plan { graph, edit: GraphEdit::default(), words: Conversion::default() };
    plan.versions(to, options);
    let producer = match options.versions.producer {
        Some(producer) => producer,
        None if options.versions.clear => 0,
        None => graph.versions.as_ref().map_or(0, |versions| versions.producer),
    };
    let adapter = Adapter { runtime: to, own: &meta.ops, producer, lossy: options.lossy };
    plan.nodes(None, &Body::of_graph(graph), &adapter);
    for (i, function) in graph.functions.iter().enumerate() {
        plan.nodes(Some(i), &Body::of_function(function), &adapter);
    }
    if !meta.ops.is_empty() {
        plan.list_ops(to);
    }
    (plan.edit, plan.words)
}

struct Plan<'g> {
    graph: &'g GraphDef,
    edit: GraphEdit,
    words: Conversion,
}

impl<'g> Plan<'g> {
    fn versions(&mut self, to: &TensorFlowRuntime, options: &GraphConvertOptions) {
        let (edit, words) = versions::plan(self.graph, to, &options.versions);
        self.edit.versions = edit;
        self.words.extend(words);
    }

    /// Plans for the nodes of the function at a place of the library, or of the graph itself.
    fn nodes(&mut self, function: Option<usize>, body: &Body<'g>, adapter: &Adapter<'_>) {
        let mut wiring = Wiring::new(body);
        let library: HashSet<&str> =
            self.graph.functions.iter().map(|function| &*function.signature.name).collect();
        let valueless: HashSet<&str> = match function {
            None if adapter.runtime.imports_in_python() => {
                shape_inputs::valueless(body).into_iter().collect()
            }
            _ => HashSet::new(),
        };
        let arguments = body.function.map_or(&[][..], |function| &function.signature.inputs);
        let arguments: Vec<&str> = arguments.iter().map(|arg| &*arg.name).collect();
        for (at, node) in body.nodes.iter().enumerate() {
            let mut edit = NodeEdit::default();
            let place = body.place(&node.name);
            if !library.contains(&*node.op) && !adapter.is_content(node) {
                let one = OpUse::of_node(
                    node,
                    NodeScope::Graph,
                    KernelChoice::OfDevice,
                    wiring.proved(node),
                );
                let adapted = adapter.adapt(&one);
                for step in &adapted.steps {
                    self.words.add(in_words(step, &one, &adapted).at(&place));
                }
                edit = node_edit(node, &adapted, &arguments, &wiring);
            }
            let clash = adapter.runtime.computes_empty_reserves() && function.is_none();
            if clash && structure::notes_an_old_shape(node) {
                edit.drop.insert(OUTPUT_SHAPES.to_owned());
                let what = format!(
                    "attribute `{OUTPUT_SHAPES}` of `{}` removed: it notes shapes of unused outputs as \
                     TensorFlow before 2.4 computed them",
                    node.op
                );
                self.words.add(Rewrite::new(DROP_SHAPES, what).at(&place));
            }
            if let (true, Some(dtype)) =
                (valueless.contains(&*node.name), shape_inputs::type_without_values(node))
            {
                edit.zero = Some(dtype);
                let what = "constants of zeros without values get one zero, which counts for all";
                self.words.add(Rewrite::new(WRITE_ZEROS, what).at(&place));
            }
            if !edit.is_empty() {
                self.edit.nodes.insert(NodePlace { function, node: at }, edit);
            }
        }
    }

    /// What the list of used ops loses and gets.
    fn list_ops(&mut self, to: &TensorFlowRuntime) {
        let bodies = self.graph.functions.iter().enumerate().map(|(i, f)| (Some(i), &f.nodes));
        let mut before = BTreeSet::new();
        let mut after: BTreeSet<&str> = BTreeSet::new();
        for (function, nodes) in bodies.chain([(None, &self.graph.nodes)]) {
            for (at, node) in nodes.iter().enumerate() {
                before.insert(&*node.op);
                let edit = self.edit.nodes.get(&NodePlace { function, node: at });
                after.insert(edit.and_then(|edit| edit.op.as_deref()).unwrap_or(&node.op));
            }
        }
        self.edit.unlisted =
            before.iter().filter(|op| !after.contains(*op)).map(ToString::to_string).collect();
        let new = after.iter().filter(|op| !before.contains(*op));
        let found = new.filter_map(|op| to.ops.look_up(op).op().map(op_bytes::encode));
        self.edit.listed = found.collect();
    }
}

fn in_words(step: &AdaptationStep, one: &OpUse, adapted: &AdaptedUse) -> Rewrite {
    let op = &one.op;
    let what = match step {
        AdaptationStep::Default(attr, value) => {
            format!("attribute `{attr}` of `{op}` removed, which has its default: {value}")
        }
        AdaptationStep::Idle(attr) => {
            format!("attribute `{attr}` of `{op}` removed, on which no result depends")
        }
        AdaptationStep::Lost(attr) => {
            let value = one.attr(attr).map(ToString::to_string).unwrap_or_default();
            format!("attribute `{attr}` of `{op}` removed, which is not at its default: {value}")
        }
        AdaptationStep::Replaced(from, to) => {
            let row = adapted.rows.iter().find(|row| row.from == *from && row.to == *to);
            let why = row.map_or("", |row| &row.why);
            format!("op `{from}` replaced by `{to}`. {why}")
        }
    };
    let rewrite = Rewrite::new(step.adaptation(), what);
    if matches!(step, AdaptationStep::Lost(_)) { rewrite.losing() } else { rewrite }
}

/// The steps as a change of the bytes of `node`, which stands in a function with these arguments, or in none.
fn node_edit(
    node: &NodeDef,
    adapted: &AdaptedUse,
    arguments: &[&str],
    wiring: &Wiring<'_, '_>,
) -> NodeEdit {
    let mut edit = NodeEdit::default();
    for (name, _) in node.attrs.judged() {
        let mut now = name.to_string();
        for row in &adapted.rows {
            now = row.rename.get(&now).cloned().unwrap_or(now);
        }
        if adapted.now.attr(&now).is_none() {
            edit.drop.insert(name.to_string());
        } else if now != **name {
            edit.rename.insert(name.to_string(), now);
        }
    }
    if adapted.rows.is_empty() {
        return edit;
    }
    edit.op = Some(adapted.now.op.to_string());
    if adapted.rows.iter().any(|row| !row.free.is_empty()) && node.attr(OUTPUT_SHAPES).is_some() {
        // There are fewer outputs now than shapes.
        edit.drop.insert(OUTPUT_SHAPES.to_owned());
    }
    let (mut control, mut data): (Vec<String>, Vec<String>) =
        node.inputs.iter().map(|input| input.to_string()).partition(|input| input.starts_with('^'));
    for row in &adapted.rows {
        if let Some(seed) = &row.seed
            && let Some(key) = wiring.seed(node, seed)
            && let Some(of_seed) = key.inputs.iter().find(|input| !input.starts_with('^'))
            && let Some(input) = data.get_mut(seed.key)
        {
            *input = of_seed.to_string();
            let dtype = match key.attr(&seed.attr) {
                Some(AttrValue::Type(dtype)) => *dtype,
                _ => INT64,
            };
            edit.types.insert(seed.attr.clone(), dtype);
        }
        let mut at = 0;
        data.retain(|_| {
            at += 1;
            !row.drop_inputs.contains(&(at - 1))
        });
        if row.to_control {
            for input in std::mem::take(&mut data) {
                let name = input.split(':').next().unwrap_or(&input);
                let waits = format!("^{name}");
                // An argument of a function is there before anything in it runs.
                if !arguments.contains(&name) && !control.contains(&waits) {
                    control.push(waits);
                }
            }
        }
    }
    data.append(&mut control);
    if data.iter().map(|input| &**input).ne(node.inputs.iter()) {
        edit.inputs = Some(data);
    }
    edit
}
