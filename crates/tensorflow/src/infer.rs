//! Which TensorFlow a graph came from, from its ops and attributes.
//!
//! An exporter writes all attributes that its registry gives an op, and no others. So the releases
//! whose registries have exactly these sets are those that may have written the graph. Graphs whose
//! attributes at default were left out (most SavedModels) can be bounded only from below, and by ops
//! that were removed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use unskew_core::{Fact, Party, Version};

use crate::{GraphFile, GraphUse, OpDef, OpHistory};

/// The releases that may have written a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bracket {
    /// The releases of the history that fit, oldest first.
    pub releases: Vec<Version>,
    /// Whether no release after the last one that fits is known.
    pub open: bool,
    /// Whether attributes at their default may have been left out.
    pub stripped: bool,
}

impl Bracket {
    /// Whether no release fits: several wrote parts of the graph, or a changed TensorFlow did.
    pub fn is_empty(&self) -> bool {
        self.releases.is_empty()
    }
}

impl fmt::Display for Bracket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(first), Some(last)) = (self.releases.first(), self.releases.last()) else {
            return f.write_str("no single release");
        };
        match (self.open, first == last) {
            (true, _) => write!(f, "tensorflow {first} or later"),
            (false, true) => write!(f, "tensorflow {first}"),
            (false, false) => write!(f, "tensorflow {first} to {last}"),
        }
    }
}

/// The releases of `history` that may have written `graph`. Ops that no release has are left out.
pub fn bracket(graph: &GraphUse, history: &OpHistory) -> Bracket {
    let exact = releases(graph, history, false);
    if !graph.stripped_defaults && !exact.is_empty() {
        return finish(exact, history, false);
    }
    finish(releases(graph, history, true), history, true)
}

fn finish(releases: Vec<Version>, history: &OpHistory, stripped: bool) -> Bracket {
    let open = releases.last().is_some_and(|last| history.releases().last() == Some(last));
    Bracket { releases, open, stripped }
}

fn releases(graph: &GraphUse, history: &OpHistory, stripped: bool) -> Vec<Version> {
    let mut sets: BTreeMap<&str, BTreeSet<BTreeSet<&str>>> = BTreeMap::new();
    for one in &graph.uses {
        let set = one.attrs.iter().map(|(name, _)| &**name).collect();
        sets.entry(&one.op).or_default().insert(set);
    }
    let mut fits: Vec<Version> = history.releases().to_vec();
    for (op, sets) in sets {
        let definitions = history.named(op);
        // An op of a library of custom ops, or an internal one that old registries do not list.
        if definitions.is_empty() || op.starts_with('_') {
            continue;
        }
        let able: Vec<_> = definitions
            .iter()
            .filter(|definition| sets.iter().all(|set| fits_set(&definition.op, set, stripped)))
            .collect();
        fits.retain(|release| able.iter().any(|definition| definition.runs.contains(*release)));
    }
    fits
}

fn fits_set(op: &OpDef, set: &BTreeSet<&str>, stripped: bool) -> bool {
    let known = set.iter().all(|name| op.attr(name).is_some());
    let mut missing = op.attrs.iter().filter(|attr| !set.contains(&*attr.name));
    known && missing.all(|attr| stripped && attr.default.is_some())
}

/// The bracket of the graph of `party`, if it is one of TensorFlow's; of the first of several.
pub fn infer_producer(party: &Party, history: &OpHistory) -> Option<Bracket> {
    let graph = party.capability::<GraphFile>()?.graphs.first()?;
    Some(bracket(graph, history))
}

/// The same as a fact that `inspect` shows.
pub fn producer_fact(party: &Party, history: &OpHistory) -> Option<Fact> {
    let bracket = infer_producer(party, history)?;
    let how = if bracket.stripped { "attributes at default were left out" } else { "exact" };
    let value = format!("{bracket} (from its ops and attributes; {how})");
    Some(Fact { label: "producer bracket".to_owned(), value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AttrValue, DataType, Graph, Node};

    const HISTORY: &str = "#releases\t1.4.1 1.11.0 1.15.0 2.15.1\n\
        Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type}\t1.4.1\n\
        Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type, Truncate: bool = false}\t1.11.0-\n\
        Old() -> ()\t1.4.1-1.15.0\n";

    fn graph(op: &str, attrs: &[&str]) -> GraphUse {
        let attrs = attrs.iter().map(|name| ((*name).into(), AttrValue::Type(DataType(1))));
        let node = Node { name: "n".into(), op: op.into(), inputs: vec![], attrs: attrs.collect() };
        GraphUse::of_graph(&Graph { nodes: vec![node], ..Graph::default() })
    }

    fn says(graph: &GraphUse) -> String {
        bracket(graph, &OpHistory::from_text(HISTORY).unwrap()).to_string()
    }

    #[test]
    fn exact_sets_of_attributes_bound_a_graph_from_both_sides() {
        assert_eq!(says(&graph("Cast", &["SrcT", "DstT"])), "tensorflow 1.4.1");
        let newer = graph("Cast", &["SrcT", "DstT", "Truncate"]);
        assert_eq!(says(&newer), "tensorflow 1.11.0 or later");
        assert_eq!(says(&graph("Old", &[])), "tensorflow 1.4.1 to 1.15.0");
    }

    #[test]
    fn without_attributes_at_default_only_a_lower_end_is_known() {
        let mut graph = graph("Cast", &["SrcT", "DstT"]);
        graph.stripped_defaults = true;
        assert_eq!(says(&graph), "tensorflow 1.4.1 or later");
    }

    #[test]
    fn custom_ops_say_nothing_of_the_release() {
        assert_eq!(says(&graph("Addons>Gelu", &["T"])), "tensorflow 1.4.1 or later");
    }
}
