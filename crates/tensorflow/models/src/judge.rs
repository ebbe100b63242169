//! A graph against a released TensorFlow, and against another graph.

mod call_module;
mod checkpoint;
mod checkpoint_files;
mod edges;
mod functions;
mod kernels;
mod loaders;
mod measured_behaviour;
mod merge;
mod node;
mod report;
mod saved_model_files;
mod standalone_keras;
mod unjudged;
mod versions;
mod wiring;

use std::sync::Arc;

use unskew_core::{Context, Finding, Judgement, Matcher, Party, Phase, Severity, Unjudged, aspect};

pub use call_module::CallModuleSupport;
pub use checkpoint::CheckpointMatcher;
pub(crate) use checkpoint_files::with_findings;
pub(crate) use checkpoint_files::{data_findings, restore_findings};
pub(crate) use loaders::ServingLayout;
pub(crate) use saved_model_files::VariablesMatcher;
pub use standalone_keras::StandaloneKeras;
pub use unjudged::unjudged;

use crate::read::{Checkpoint, TensorFlowFileKind};
use crate::registry::OpLookup;
use crate::{GraphFile, GraphUse, SavedModelLoader, TensorFlowRuntime, promise, rules};
use report::Report;

/// Judges a file with graphs against a release, or against another such file into which it is merged.
pub struct GraphMatcher(pub Arc<GraphFile>);

impl Matcher for GraphMatcher {
    fn judge(&self, owner: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        if let Some(runtime) = other.capability::<TensorFlowRuntime>() {
            let mut judgement = Judgement::default();
            for graph in loaders::looked_at(&self.0, runtime) {
                judgement.findings.extend(findings(graph, &self.0, runtime));
                judgement.promises.extend(promise::promises(graph, runtime));
                judgement.unjudged.extend(unjudged(graph, runtime));
            }
            if self.0.kind == TensorFlowFileKind::SavedModel
                && runtime.usage.loader == Some(SavedModelLoader::Keras)
            {
                keras(runtime, &mut judgement);
            }
            loaders::serving(owner, &self.0, runtime, &mut judgement);
            let support = other.capability::<CallModuleSupport>();
            call_module::judge(&self.0, runtime.version, support, &mut judgement);
            judgement.promises.dedup();
            return Some(judgement);
        }
        if let Some(keras) = other.capability::<StandaloneKeras>() {
            return standalone_keras::judge(&self.0, keras);
        }
        if let Some(checkpoint) = other.capability::<Checkpoint>() {
            let findings = restore_findings(&self.0.restores, checkpoint);
            return Some(Judgement { findings, ..Judgement::default() });
        }
        let file = other.capability::<GraphFile>()?;
        Some(merge::judge(owner, &self.0, other, file))
    }
}

/// What `keras.models.load_model` makes of a SavedModel.
fn keras(runtime: &TensorFlowRuntime, judgement: &mut Judgement) {
    if runtime.keras_reads_no_saved_model() {
        let consumer = format!("TensorFlow {}", runtime.version);
        let finding = rules::KerasReadsNoSavedModel { consumer: &consumer }.finding();
        judgement.findings.push(finding.with_symptom("File format not supported"));
        return;
    }
    let release = runtime.version;
    let reason = format!(
        "which layers and objects `keras.models.load_model` of TensorFlow {release} makes of the metadata for Keras is \
         not judged"
    );
    judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, reason));
}

/// What is to be said about `graph` on `runtime`.
pub fn findings(graph: &GraphUse, file: &GraphFile, runtime: &TensorFlowRuntime) -> Vec<Finding> {
    // TensorFlow 2 loads a SavedModel with objects function by function, and looks at no versions.
    let as_objects = runtime.as_objects(graph);
    let mut report = Report::default();
    versions::judge(graph, as_objects, runtime, &mut report);
    if as_objects {
        versions::objects(graph, runtime, &mut report);
    }
    versions::signatures(graph, as_objects, runtime, &mut report);
    if let Some(schema) = file.schema_version.filter(|schema| *schema != 1) {
        report.add(rules::SchemaNotLookedAt { schema: &schema }.finding());
    }
    let looked: Vec<OpLookup> = graph.uses.iter().map(|one| runtime.ops.look_up(&one.op)).collect();
    for (one, found) in graph.uses.iter().zip(&looked) {
        node::judge(one, found, graph, as_objects, runtime, &mut report);
    }
    edges::judge(graph, &looked, as_objects, runtime, &mut report);
    functions::judge(graph, as_objects, runtime, &mut report);
    wiring::judge(graph, as_objects, runtime, &mut report);
    loaders::devices(graph, file, runtime, &mut report);
    report.finish(graph, runtime)
}

/// What is to be said of the graph itself where the loader builds functions only: a warning.
fn for_sessions_only(finding: Finding) -> Finding {
    let severity = finding.severity.min(Severity::Warning);
    finding.with_severity(severity).with_fix(
        "Load it with `tf.saved_model.load`, which builds the functions and does not look at the graph \
         itself; the loader of sessions and TensorFlow Serving do.",
    )
}

fn stops_import(finding: &Finding) -> bool {
    finding.severity == Severity::Error && finding.phase == Some(Phase::Load)
}
