//! Ops that a release may carry out otherwise than the writer of the graph did, by what a machine measured:
//! `data/behaviour.tsv`. It is never an error: what was measured are some values and shapes, and a graph has its own.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt as _};
use unskew_core::{Places, Unjudged, aspect};
use unskew_definitions::Effect;

use crate::behaviour::Presence;
use crate::measured_behaviour::{self, MeasuredBehaviour};
use crate::{AttrValue, GraphUse, OpUse, TensorFlowRuntime, promise};

/// How many ops are named of which it is not told.
const NAMED: usize = 8;

/// The rows, of those of its op, that are or may be of a node with these attributes.
fn fitting<'r>(
    one: &'r OpUse,
    rows: &'r [&'static MeasuredBehaviour],
    runtime: &'r TensorFlowRuntime,
) -> impl Iterator<Item = &'static MeasuredBehaviour> + 'r {
    // Of most ops there is none.
    let found = (!rows.is_empty()).then(|| runtime.ops.look_up(&one.op));
    rows.iter().copied().filter(move |row| {
        let Some(op) = found.as_ref().and_then(|found| found.op()) else { return false };
        let newest = || found.as_ref()?.all().last()?.get();
        let default = |name: &str| {
            let attr = op.attr(name).or_else(|| newest()?.attr(name));
            attr.and_then(|attr| attr.default.as_ref())
        };
        let value = |name: &str| -> Option<&AttrValue> { one.attr(name).or_else(|| default(name)) };
        row.fits(value) != Presence::No
    })
}

pub(super) fn unjudged(
    graph: &GraphUse,
    as_objects: bool,
    runtime: &TensorFlowRuntime,
) -> Option<Unjudged> {
    let (writers, _) = promise::producers(graph, runtime);
    let producer = graph.effective_versions().producer;
    let mut open: BTreeMap<&str, (Effect, String)> = BTreeMap::new();
    let mut places = Places::default();
    let mut known: HashMap<&str, Vec<&'static MeasuredBehaviour>> = HashMap::new();
    // Nothing calls the others when the model is used by its signatures.
    for one in graph.uses.iter().filter(|one| runtime.looks_at(one.scope, as_objects)) {
        let rows =
            known.entry(&one.op).or_insert_with(|| measured_behaviour::behaviours_of(&one.op));
        for row in fitting(one, rows, runtime) {
            let Some(effect) = row.meets(&writers, runtime.version) else { continue };
            if row.is_told_by_hand(&one.op, &writers, producer, runtime.version) {
                continue;
            }
            open.entry(&one.op).or_insert_with(|| (effect, row.words()));
            places.extend(&one.places);
        }
    }
    if open.is_empty() {
        return None;
    }
    let more = match open.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named: Vec<String> = open
        .iter()
        .take(NAMED)
        .map(|(op, (effect, words))| {
            format!("{op} ({effect}, changed by {}{words})", effect.since())
        })
        .collect();
    let reason = format!(
        "{}{more}: TensorFlow {} and the writer differ there, and whether it comes to that the graph does not say",
        named.join(", "),
        runtime.version
    );
    Some(Unjudged::new(aspect::BEHAVIOUR, reason).at(places))
}
