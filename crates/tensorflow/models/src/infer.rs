//! Producer inference: which TensorFlow a graph came from, from its ops and attributes.
//!
//! An exporter writes all attributes that its registry gives an op, and no others. So the releases
//! whose registries have exactly these sets, and allow these values, are those that may have written the graph.
//! Where attributes at default were left out (most SavedModels) the sets bound it only from below, and ops that
//! were removed from above; but such files carry the definitions of the ops that they use, and the releases
//! that have exactly these definitions bound it from both sides. Each end of the bracket has its evidence: what
//! the release before it lacks, and what the one after it would have written otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use unskew_core::{Fact, Party, Version};
use unskew_definitions::Runs;

use crate::op_def::AttrDef;
use crate::{AttrValue, GraphFile, GraphUse, OpDef, OpDefinition, OpHistory, OpUse, op_changes};

/// The releases that may have written a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerRange {
    /// The releases of the history that fit, oldest first.
    pub releases: Vec<Version>,
    /// Whether no release after the last one that fits is known.
    pub open: bool,
    /// Whether attributes at their default may have been left out.
    pub stripped: bool,
    /// Whether the definitions that the file carries of its own ops were found in releases.
    pub by_definitions: bool,
    /// Why the release before the first one cannot have written it.
    pub not_before: Option<String>,
    /// Why the release after the last one cannot have written it.
    pub not_after: Option<String>,
}

impl ProducerRange {
    /// Whether no release fits: several wrote parts of the graph, or a changed TensorFlow did.
    pub fn is_empty(&self) -> bool {
        self.releases.is_empty()
    }
}

impl fmt::Display for ProducerRange {
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
pub fn bracket(graph: &GraphUse, history: &OpHistory) -> ProducerRange {
    let own = own_definitions(graph, history);
    let exact =
        if graph.stripped_defaults { Vec::new() } else { attributes(graph, history, false) };
    let loose = attributes(graph, history, true);
    // A changed TensorFlow, or several, may have written parts of it: then fewer clues are asked.
    let ways = [(&exact, true, false), (&loose, true, true), (&exact, false, false)];
    for (clues, with_own, stripped) in ways {
        let own = if with_own { own.as_slice() } else { &[] };
        let clues: Vec<&ProducerEvidence<'_>> = clues.iter().chain(own).collect();
        let found = finish(&clues, history, stripped, !own.is_empty());
        if !(found.is_empty() || clues.is_empty() || graph.stripped_defaults && !stripped) {
            return found;
        }
    }
    finish(&loose.iter().collect::<Vec<_>>(), history, true, false)
}

/// What one op says about its exporter.
struct ProducerEvidence<'g> {
    op: &'g str,
    /// The definitions that fit.
    able: Vec<Runs>,
    says: EvidenceKind<'g>,
}

enum EvidenceKind<'g> {
    /// The uses of the op, and whether attributes at default may have been left out.
    Uses(Vec<&'g OpUse>, bool),
    /// Its definition as the file carries it.
    Definition(&'g OpDef),
}

impl ProducerEvidence<'_> {
    fn fits(&self, release: Version) -> bool {
        self.able.iter().any(|runs| runs.contains(release))
    }

    /// Why `release` does not fit.
    fn why(&self, history: &OpHistory, release: Version) -> String {
        let op = self.op;
        let definitions = history.named(op);
        let has = definitions.iter().find(|definition| definition.runs.contains(release));
        let Some(theirs) = has.and_then(OpDefinition::get) else {
            return format!("{release} has no op `{op}`");
        };
        match &self.says {
            EvidenceKind::Definition(own) => {
                let changes = op_changes(own, theirs);
                let what = changes.first().map_or("is defined otherwise".to_owned(), |change| {
                    format!("is defined otherwise ({change})")
                });
                format!("in {release} op `{op}` {what}")
            }
            EvidenceKind::Uses(uses, stripped) => {
                let unknown = uses.iter().flat_map(|one| one.attrs.iter());
                let unknown =
                    unknown.map(|(name, _)| &**name).find(|name| theirs.attr(name).is_none());
                let absent = |attr: &&AttrDef| {
                    let left_out = *stripped && attr.default.is_some();
                    !left_out && uses.iter().any(|one| one.attr(&attr.name).is_none())
                };
                match (unknown, theirs.attrs.iter().find(absent)) {
                    (Some(attr), _) => format!("op `{op}` of {release} has no attribute `{attr}`"),
                    (_, Some(attr)) => {
                        format!("{release} writes attribute `{}` of op `{op}`", attr.name)
                    }
                    _ => format!("op `{op}` of {release} does not allow a value that it has here"),
                }
            }
        }
    }
}

fn finish(
    clues: &[&ProducerEvidence<'_>],
    history: &OpHistory,
    stripped: bool,
    own: bool,
) -> ProducerRange {
    let all = history.releases();
    let fits = |release: &Version| clues.iter().all(|clue| clue.fits(*release));
    let releases: Vec<Version> = all.iter().copied().filter(fits).collect();
    let open = releases.last().is_some_and(|last| all.last() == Some(last));
    let why = |release: Option<&Version>| {
        let release = *release?;
        let clue = clues.iter().find(|clue| !clue.fits(release))?;
        Some(clue.why(history, release))
    };
    let before = releases.first().and_then(|first| all.iter().rfind(|release| *release < first));
    let after = releases.last().and_then(|last| all.iter().find(|release| *release > last));
    let (not_before, not_after) = (why(before), why(after));
    ProducerRange { releases, open, stripped, by_definitions: own, not_before, not_after }
}

fn attributes<'g>(
    graph: &'g GraphUse,
    history: &OpHistory,
    stripped: bool,
) -> Vec<ProducerEvidence<'g>> {
    let mut by_op: BTreeMap<&str, Vec<&OpUse>> = BTreeMap::new();
    for one in &graph.uses {
        by_op.entry(&one.op).or_default().push(one);
    }
    let clue = |(op, uses): (&'g str, Vec<&'g OpUse>)| {
        let definitions = history.named(op);
        // An op of a library of custom ops, or an internal one that old registries do not list.
        if definitions.is_empty() || op.starts_with('_') {
            return None;
        }
        let able = definitions.iter().filter(|definition| {
            definition.get().is_some_and(|op| {
                uses.iter().all(|one| {
                    let set = one.attrs.iter().map(|(name, _)| &**name).collect();
                    fits_set(op, &set, stripped) && allows(op, one)
                })
            })
        });
        let able = able.map(|definition| definition.runs.clone()).collect();
        Some(ProducerEvidence { op, able, says: EvidenceKind::Uses(uses, stripped) })
    };
    by_op.into_iter().filter_map(clue).collect()
}

/// What the definitions say that the file carries of its own ops; those that no release has say nothing.
fn own_definitions<'g>(graph: &'g GraphUse, history: &OpHistory) -> Vec<ProducerEvidence<'g>> {
    let clue = |own: &'g OpDef| {
        let definitions = history.named(&own.name);
        let same = definitions.iter().filter(|definition| definition.get() == Some(own));
        let able: Vec<Runs> = same.map(|definition| definition.runs.clone()).collect();
        let says = EvidenceKind::Definition(own);
        (!able.is_empty() && !own.name.starts_with('_')).then_some(ProducerEvidence {
            op: &own.name,
            able,
            says,
        })
    };
    graph.own_ops.iter().filter_map(clue).collect()
}

/// Whether a definition allows the values of a use.
fn allows(op: &OpDef, one: &OpUse) -> bool {
    one.attrs.iter().all(|(name, value)| {
        let allowed = op.attr(name).and_then(|attr| attr.allowed.as_ref());
        let values = match value {
            AttrValue::List(values) => values.as_slice(),
            AttrValue::Placeholder(_) | AttrValue::Large(..) => &[],
            single => std::slice::from_ref(single),
        };
        allowed.is_none_or(|allowed| values.iter().all(|value| allowed.contains(value)))
    })
}

fn fits_set(op: &OpDef, set: &BTreeSet<&str>, stripped: bool) -> bool {
    let known = set.iter().all(|name| op.attr(name).is_some());
    let mut missing = op.attrs.iter().filter(|attr| !set.contains(&*attr.name));
    known && missing.all(|attr| stripped && attr.default.is_some())
}

/// The bracket of the graph of `party`, if it is one of TensorFlow's; of the first of several.
pub(crate) fn infer_producer(party: &Party, history: &OpHistory) -> Option<ProducerRange> {
    let graph = party.capability::<GraphFile>()?.graphs.first()?;
    Some(bracket(graph, history))
}

/// The same as facts that `inspect` shows: the bracket, and its evidence on either side.
pub fn producer_facts(party: &Party, history: &OpHistory) -> Vec<Fact> {
    let Some(bracket) = infer_producer(party, history) else { return Vec::new() };
    let how = match (bracket.by_definitions, bracket.stripped) {
        (true, true) => "from its ops and their definitions; attributes at default were left out",
        (true, false) => "from its ops, attributes and definitions; exact",
        (false, true) => "from its ops and attributes; attributes at default were left out",
        (false, false) => "from its ops and attributes; exact",
    };
    let fact = |label: &str, value: String| Fact { label: label.to_owned(), value };
    let mut facts = vec![fact("producer bracket", format!("{bracket} ({how})"))];
    facts.extend(bracket.not_before.map(|why| fact("not before", why)));
    facts.extend(bracket.not_after.map(|why| fact("not after", why)));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AttrValue, DataType, GraphDef, NodeDef};

    const HISTORY: &str = "#releases\t1.4.1 1.11.0 1.15.0 2.15.1\n\
        Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type}\t1.4.1\n\
        Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type, Truncate: bool = false}\t1.11.0-\n\
        Old() -> ()\t1.4.1-1.15.0\n";

    fn graph(op: &str, attrs: &[&str]) -> GraphUse {
        let attrs = attrs.iter().map(|name| ((*name).into(), AttrValue::Type(DataType(1))));
        let node = NodeDef {
            name: "n".into(),
            op: op.into(),
            attrs: attrs.collect(),
            ..NodeDef::default()
        };
        GraphUse::of_graph(&GraphDef { nodes: vec![node], ..GraphDef::default() })
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
        let history = OpHistory::from_text(HISTORY).unwrap();
        let why = bracket(&newer, &history);
        assert_eq!(why.not_before.unwrap(), "op `Cast` of 1.4.1 has no attribute `Truncate`");
        let older = bracket(&graph("Cast", &["SrcT", "DstT"]), &history);
        assert_eq!(older.not_after.unwrap(), "1.11.0 writes attribute `Truncate` of op `Cast`");
    }

    #[test]
    fn without_attributes_at_default_only_a_lower_end_is_known() {
        let mut graph = graph("Cast", &["SrcT", "DstT"]);
        graph.stripped_defaults = true;
        assert_eq!(says(&graph), "tensorflow 1.4.1 or later");
    }

    #[test]
    fn definitions_that_the_file_carries_bound_it_from_both_sides() {
        let mut graph = graph("Cast", &["SrcT", "DstT"]);
        graph.stripped_defaults = true;
        graph.own_ops =
            vec!["Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type}".parse().unwrap()];
        assert_eq!(says(&graph), "tensorflow 1.4.1");
        // A definition of no release says nothing.
        graph.own_ops = vec!["Cast(x: SrcT) -> () {SrcT: type}".parse().unwrap()];
        assert_eq!(says(&graph), "tensorflow 1.4.1 or later");
    }

    #[test]
    fn custom_ops_say_nothing_of_the_release() {
        assert_eq!(says(&graph("Addons>Gelu", &["T"])), "tensorflow 1.4.1 or later");
    }
}
