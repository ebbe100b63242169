//! Unjudged aspects of a graph.

use unskew_core::{Places, Unjudged, Version, aspect};

use super::{kernels, loaders, measured_behaviour};
use crate::behaviour::{Behaviour, behaviours};
use crate::structure::GraphStructure;
use crate::{GraphUse, TensorFlowRuntime, promise};

/// What is not judged of `graph` on `runtime`.
pub fn unjudged(graph: &GraphUse, runtime: &TensorFlowRuntime) -> Vec<Unjudged> {
    let release = runtime.version;
    let as_objects = runtime.as_objects(graph);
    let mut found: Vec<Unjudged> =
        kernels::unjudged(graph, as_objects, runtime).into_iter().collect();
    found.extend(loaders::unjudged(graph, runtime));
    found.extend(measured_behaviour::unjudged(graph, as_objects, runtime));
    let (writers, _) = promise::producers(graph, runtime);
    let producer = graph.effective_versions().producer;
    for (at, behaviour) in behaviours().iter().enumerate() {
        let mut places = Places::default();
        // Where it is seen for sure, a rule speaks of what this release has, and none of what it lacks.
        let differs =
            !behaviour.changed.is_empty() || behaviour.gave_up(&writers, producer, release);
        let others = as_objects.then_some(&graph.functions.other_bodies);
        let bodies = [&graph.structure, &graph.functions.called_bodies];
        for body in bodies.into_iter().chain(others) {
            places.extend(possibly(body, at));
            if differs {
                places.extend(surely(body, at));
            }
        }
        if places.is_empty() {
            continue;
        }
        if let Some(reason) = reason(behaviour, &writers, producer, release) {
            found.push(Unjudged::new(aspect::BEHAVIOUR, reason).at(places));
        }
    }
    found
}

fn possibly(body: &GraphStructure, at: usize) -> &Places {
    body.possibly.get(at).unwrap_or(&NOWHERE)
}

fn surely(body: &GraphStructure, at: usize) -> &Places {
    body.behaviours.get(at).unwrap_or(&NOWHERE)
}

static NOWHERE: std::sync::LazyLock<Places> = std::sync::LazyLock::new(Places::default);

/// Why it cannot be told what a behaviour does to a graph by one of these writers, if it cannot.
fn reason(
    behaviour: &Behaviour,
    writers: &[Version],
    producer: i64,
    release: Version,
) -> Option<String> {
    let (ops, what) = (behaviour.ops_in_words(), &behaviour.what);
    if behaviour.changed_between(writers, release) {
        let changed: Vec<String> = behaviour.changed.iter().map(Version::to_string).collect();
        let changed = changed.join(" and ");
        return Some(format!(
            "what {ops} computes for {what} changed with TensorFlow {changed}; whether such a value comes, the \
             graph does not say"
        ));
    }
    if behaviour.gave_up(writers, producer, release) {
        return Some(format!(
            "{ops} of the TensorFlow that wrote the graph {what}, and that of {release} does not; whether it matters here, \
             the graph does not say"
        ));
    }
    behaviour.era(release, producer)?;
    // Who wrote it had the same behaviour, and ran it.
    let same = |writer: &Version| behaviour.era(*writer, producer).is_some();
    if !writers.is_empty() && writers.iter().all(same) {
        return None;
    }
    behaviour.does?;
    Some(format!(
        "{ops} of TensorFlow {release} {what}; whether that is so here, the graph does not say"
    ))
}
