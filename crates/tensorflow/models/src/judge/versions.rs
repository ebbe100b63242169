//! The numbers of a graph or a checkpoint against those of a release.

use unskew_core::{
    DataConsumer, DataRefusal, DataVersions, Finding, Phase, Places, Severity, Version,
};

use super::report::Report;
use crate::{GraphUse, TensorFlowRuntime, object, rules};

/// The versions of the graph, by the rule of the document.
pub(super) fn judge(
    graph: &GraphUse,
    as_objects: bool,
    runtime: &TensorFlowRuntime,
    report: &mut Report,
) {
    let versions = graph.effective_versions();
    let Err(refusal) = versions.accepted_by(runtime.graph_def) else { return };
    if as_objects {
        let consumer = &runtime.version;
        report.add(rules::VersionsNotLookedAt { refusal: &refusal, consumer }.finding());
        return;
    }
    let phase = if runtime.imports_in_python() { Phase::FirstUse } else { Phase::Load };
    let finding = refused("GraphDef", &versions, runtime.graph_def, refusal, runtime.version);
    report.add(finding.in_phase(phase).at(Places::from_iter(["versions"])));
}

/// The finding of a refusal, with the words that TensorFlow prints.
pub(super) fn refused(
    data: &str,
    versions: &DataVersions,
    reader: DataConsumer,
    refusal: DataRefusal,
    release: Version,
) -> Finding {
    let what = if data == "GraphDef" { "graph" } else { "checkpoint" };
    let (version, consumer) = (&reader.version, &release);
    let (finding, symptom) = match refusal {
        // A consumer that is too old for itself is no release: each has a `min_producer` of 0.
        DataRefusal::ProducerTooOld { min_producer, .. }
        | DataRefusal::ConsumerBroken { min_producer, .. } => {
            let (producer, min_producer) = (&versions.producer, &min_producer);
            let rule = rules::ProducerTooOld { data: &data, producer, min_producer, consumer };
            (
                rule.finding(),
                format!(
                    "{data} producer version {producer} below min producer {min_producer} supported \
                     by TensorFlow {release}.  Please regenerate your {what}."
                ),
            )
        }
        DataRefusal::ConsumerTooOld { min_consumer, .. } => (
            rules::ConsumerTooOld { data: &data, min_consumer: &min_consumer, version, consumer }
                .finding(),
            format!(
                "{data} min consumer version {} above current version {version} for TensorFlow \
                 {release}.  Please upgrade TensorFlow.",
                versions.min_consumer
            ),
        ),
        DataRefusal::BadConsumer { .. } => (
            rules::BadConsumer { data: &data, version, consumer }.finding(),
            format!(
                "{data} disallows consumer version {version}.  Please upgrade TensorFlow: this \
                 version is likely buggy."
            ),
        ),
    };
    finding.with_symptom(symptom)
}

/// What revives an optimizer of Keras 2.
const OPTIMIZER: &str = "optimizer";

/// Signatures that no session can run. The loader of objects restores otherwise, and runs them.
pub(super) fn signatures(
    graph: &GraphUse,
    as_objects: bool,
    runtime: &TensorFlowRuntime,
    report: &mut Report,
) {
    for (signature, variables) in &graph.without_values {
        let count = &variables.count();
        let finding = rules::VariablesWithoutValues { signature, count }.finding();
        let finding = finding.at(variables.clone()).with_symptom(
            match runtime.version >= Version::pair(2, 0) {
                true => "Could not find variable",
                false => "Error while reading resource variable",
            },
        );
        report.add(match as_objects {
            true => finding.with_severity(Severity::Warning),
            false => finding,
        });
    }
}

/// The versions of the objects of a SavedModel: who is not admitted gets a generic object.
pub(super) fn objects(graph: &GraphUse, runtime: &TensorFlowRuntime, report: &mut Report) {
    if graph.captured_tensors > 0 && !runtime.knows_captured_tensors() {
        let (count, consumer) = (&graph.captured_tensors, &runtime.version);
        let finding = rules::CapturedTensorUnknown { count, consumer }.finding();
        let finding = finding.at(Places::from_iter(["object_graph_def"]));
        report.add(finding.with_symptom("Unknown SavedObject type: None"));
    }
    for object in graph.objects.iter().flatten() {
        let reader = object::reader(&object.identifier, runtime.version);
        if let Err(refusal) = object.versions.accepted_by(reader) {
            let rule = rules::ObjectFallsBack {
                identifier: &object.identifier,
                refusal: &refusal,
                consumer: &runtime.version,
            };
            report.add(rule.finding().at(Places::from_iter(["object_graph_def"])));
        }
        if object.identifier == OPTIMIZER && object.slots > 0 && !runtime.revives_optimizers() {
            let rule =
                rules::OptimizerNotRevived { slots: &object.slots, consumer: &runtime.version };
            let finding = rule.finding().at(Places::from_iter(["object_graph_def"]));
            report.add(
                finding.with_symptom(
                    "AttributeError: '_UserObject' object has no attribute 'add_slot'",
                ),
            );
        }
    }
}
