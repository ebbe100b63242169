//! A graph against a released TensorFlow, and against another graph.

mod checkpoint;
mod merge;
mod node;
mod report;
mod versions;

use std::sync::Arc;

use unskew_core::{Context, Finding, Judgement, Matcher, Party, Phase, Severity};

pub use checkpoint::CheckpointMatcher;
pub use merge::merge_check;

use crate::structure::Structure;
use crate::{GraphFile, GraphUse, Runtime, convert, promise, rules};
use report::Report;

/// Judges a file with graphs against a release, or against another such file into which it is merged.
pub struct GraphMatcher(pub Arc<GraphFile>);

impl Matcher for GraphMatcher {
    fn judge(&self, owner: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        if let Some(runtime) = other.capability::<Runtime>() {
            let mut judgement = Judgement::default();
            for graph in &self.0.graphs {
                judgement.findings.extend(findings(graph, &self.0, runtime));
                judgement.promises.extend(promise::promises(graph, runtime));
            }
            judgement.promises.dedup();
            return Some(judgement);
        }
        let file = other.capability::<GraphFile>()?;
        Some(merge::judge(owner, &self.0, other, file))
    }
}

/// What is to be said about `graph` on `runtime`.
pub fn findings(graph: &GraphUse, file: &GraphFile, runtime: &Runtime) -> Vec<Finding> {
    // TensorFlow 2 loads a SavedModel with objects function by function, and looks at no versions.
    let as_objects = graph.objects.is_some() && runtime.loads_objects();
    let mut report = Report::default();
    versions::judge(graph, as_objects, runtime, &mut report);
    if as_objects {
        versions::objects(graph, runtime, &mut report);
    }
    if let Some(schema) = file.schema_version.filter(|schema| *schema != 1) {
        report.add(rules::SchemaNotLookedAt { schema: &schema }.finding());
    }
    for one in &graph.uses {
        node::judge(one, graph, as_objects, runtime, &mut report);
    }
    if !graph.calls.is_empty() && !runtime.imports_functions() {
        let rule = rules::FunctionsNotImported { consumer: &runtime.version };
        report.add(rule.finding().at(graph.calls.clone()));
    }
    structure(&graph.structure, graph, runtime, &mut report);
    report.finish(graph, runtime)
}

/// What the wiring of the graph says.
fn structure(structure: &Structure, graph: &GraphUse, runtime: &Runtime, report: &mut Report) {
    let consumer = &runtime.version;
    if !structure.cycle.is_empty() {
        let phase = if runtime.imports_in_python() { Phase::FirstUse } else { Phase::Load };
        let count = structure.cycle.count();
        let finding = rules::Cycle { count: &count }.finding().in_phase(phase);
        report.add(
            finding.with_symptom(format!("{count} nodes in a cycle")).at(structure.cycle.clone()),
        );
    }
    if !structure.dangling.is_empty() {
        let rule = rules::InputOfNoNode { count: &structure.dangling.count() };
        report.add(rule.finding().at(structure.dangling.clone()));
    }
    if !structure.duplicates.is_empty() {
        let rule = rules::NameTwice { count: &structure.duplicates.count() };
        report.add(rule.finding().at(structure.duplicates.clone()));
    }
    let producer = graph.effective_versions().producer;
    let from = runtime.flat_indices_from();
    if !structure.deep_indices.is_empty() && from.is_none_or(|from| producer >= from) {
        let when = from.map_or("from every producer".to_owned(), |from| {
            format!("from producer {from} on; the graph has producer {producer}")
        });
        let rule = rules::DeepReductionIndices { consumer, when: &when };
        let symptom = "Shape must be at most rank 1 but is rank 2";
        report.add(rule.finding().with_symptom(symptom).at(structure.deep_indices.clone()));
    }
    if !structure.noted_shapes.is_empty() && runtime.computes_empty_reserves() {
        let symptom = "has an _output_shapes attribute inconsistent with the GraphDef for output #3: \
            Dimension 0 in both shapes must be equal";
        let rule = rules::NotedShapes { consumer };
        let finding = rule.finding().with_symptom(symptom).with_adaptation(convert::DROP_SHAPES);
        report.add(finding.at(structure.noted_shapes.clone()));
    }
}

/// Whether a finding stops the import.
fn stops_import(finding: &Finding) -> bool {
    finding.severity == Severity::Error && finding.phase == Some(Phase::Load)
}
