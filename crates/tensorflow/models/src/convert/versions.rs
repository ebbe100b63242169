//! The versions of a graph, set or cleared on request.

use std::collections::BTreeSet;

use unskew_core::{Conversion, DataVersions, Rewrite};

use super::edit::VersionsEdit;
use crate::{GraphDef, TensorFlowRuntime};
use unskew_source::Rope;

/// The adaptation of all changes of versions.
const SET_VERSIONS: &str = "set-versions";

/// What becomes of the versions of graphs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionOptions {
    /// The producer to write. It brings deprecations to life: an op that is deprecated since a version is
    /// refused in graphs of this producer and later ones.
    pub producer: Option<i64>,
    /// Whether the versions go. A graph without versions counts as one of producer 0, which may use every op
    /// that is there.
    pub clear: bool,
    /// The oldest consumer that may read the graph.
    pub min_consumer: Option<i64>,
    /// Consumers that must not read it, besides those it names already.
    pub bad_consumers: BTreeSet<i64>,
    /// The op that a graph must have for `min_consumer` and `bad_consumers` to be set.
    pub only_with_op: Option<String>,
}

/// The versions that `graph` gets, and what they switch on in `to`.
pub(super) fn plan(
    graph: &GraphDef,
    to: &TensorFlowRuntime,
    options: &VersionOptions,
) -> (VersionsEdit, Conversion) {
    let before = graph.versions.clone().unwrap_or_default();
    let mut words = Conversion::default();
    if options.clear && graph.versions.is_some() {
        let what =
            format!("versions removed (producer {}): no deprecation applies", before.producer);
        words.add(Rewrite::new(SET_VERSIONS, what));
    }
    if let Some(producer) = options.producer.filter(|producer| *producer != before.producer) {
        words.add(Rewrite::new(SET_VERSIONS, produced(graph, to, before.producer, producer)));
    }
    let applies = options.only_with_op.as_ref().is_none_or(|op| uses(graph, op));
    set(&before, options, applies, words)
}

/// The versions that a checkpoint gets. It has no ops, so what is asked for only with an op is not set.
pub(super) fn plan_checkpoint(
    before: &DataVersions,
    options: &VersionOptions,
) -> (VersionsEdit, Conversion) {
    let mut words = Conversion::default();
    if options.clear && *before != DataVersions::default() {
        let what = format!("versions removed (producer {})", before.producer);
        words.add(Rewrite::new(SET_VERSIONS, what));
    }
    if let Some(producer) = options.producer.filter(|producer| *producer != before.producer) {
        let what = format!("producer {} becomes {producer}", before.producer);
        words.add(Rewrite::new(SET_VERSIONS, what));
    }
    set(before, options, options.only_with_op.is_none(), words)
}

/// The versions after `before`; `applies` says whether consumers are shut out.
fn set(
    before: &DataVersions,
    options: &VersionOptions,
    applies: bool,
    mut words: Conversion,
) -> (VersionsEdit, Conversion) {
    let mut after = if options.clear { DataVersions::default() } else { before.clone() };
    after.producer = options.producer.unwrap_or(after.producer);
    if let Some(min) = options.min_consumer.filter(|_| applies) {
        after.min_consumer = min;
        let what = format!("min_consumer {} becomes {min}", before.min_consumer);
        words.add(Rewrite::new(SET_VERSIONS, what));
    }
    for bad in options.bad_consumers.iter().filter(|_| applies) {
        if after.bad_consumers.insert(*bad) {
            words.add(Rewrite::new(SET_VERSIONS, format!("consumer {bad} is refused from now on")));
        }
    }
    let edit = match (words.changes_nothing(), after == DataVersions::default()) {
        (true, _) => VersionsEdit::Keep,
        (false, true) => VersionsEdit::Clear,
        (false, false) => VersionsEdit::Set(encode(&after)),
    };
    (edit, words)
}

fn uses(graph: &GraphDef, op: &str) -> bool {
    let bodies = graph.functions.iter().flat_map(|function| &function.nodes);
    graph.nodes.iter().chain(bodies).any(|node| &*node.op == op)
}

fn produced(graph: &GraphDef, to: &TensorFlowRuntime, before: i64, after: i64) -> String {
    let bodies = graph.functions.iter().flat_map(|function| &function.nodes);
    let ops: BTreeSet<&str> = graph.nodes.iter().chain(bodies).map(|node| &*node.op).collect();
    let since = |op: &&str| {
        let found = to.ops.look_up(op);
        let version = found.op()?.deprecation.as_ref()?.version;
        Some((op.to_string(), version))
    };
    let all: Vec<(String, i64)> = ops.iter().filter_map(since).collect();
    let list = |alive: &dyn Fn(i64) -> bool| {
        let named = all.iter().filter(|(_, version)| alive(*version));
        named.map(|(op, version)| format!("`{op}` ({version})")).collect::<Vec<_>>().join(", ")
    };
    let on = list(&|version| before < version && version <= after);
    let off = list(&|version| after < version && version <= before);
    let mut what = format!("producer {before} becomes {after}");
    for (text, ops) in [("refused from now on", on), ("allowed from now on", off)] {
        if !ops.is_empty() {
            what = format!("{what}; {text} by tensorflow {}: {ops}", to.version);
        }
    }
    let deep = 21;
    if before < deep && deep <= after {
        what.push_str("; reductions take indices of one dimension only");
    }
    what
}

/// The bytes of a `VersionDef`.
pub(super) fn encode(versions: &DataVersions) -> Vec<u8> {
    let mut rope = Rope::default();
    for (field, number) in [(1, versions.producer), (2, versions.min_consumer)] {
        if number != 0 {
            rope.number(field, number as u64);
        }
    }
    for bad in &versions.bad_consumers {
        rope.number(3, *bad as u64);
    }
    rope.new_bytes()
}
