//! The wiring of a graph against a release, and what is checked although no definition of an op says so.

use unskew_core::{Finding, Phase, Version};

use super::for_sessions_only;
use super::report::Report;
use crate::behaviour::{Behaviour, BehaviourEffect, NOTED_SHAPES, behaviours};
use crate::structure::GraphStructure;
use crate::{GraphUse, TensorFlowRuntime, convert, promise, rules};

pub(super) fn judge(
    graph: &GraphUse,
    as_objects: bool,
    runtime: &TensorFlowRuntime,
    report: &mut Report,
) {
    let python = runtime.imports_in_python();
    let producer = graph.effective_versions().producer;
    let (writers, _) = promise::producers(graph, runtime);
    let findings = |structure, producer| findings(structure, producer, &writers, runtime);
    let mut of_graph = findings(&graph.structure, producer);
    for finding in &mut of_graph {
        // Python importers wire by name, and leave loops to the runtime.
        if python && finding.rule.code == rules::TF301.code {
            finding.phase = Some(Phase::FirstUse);
        }
    }
    for finding in of_graph {
        report.add(if as_objects { for_sessions_only(finding) } else { finding });
    }
    if !runtime.imports_functions() {
        return;
    }
    let functions = &graph.functions;
    // The loader of objects builds each function with its own number, whatever the file says.
    let producer = if as_objects { runtime.graph_def.version } else { producer };
    let others = findings(&functions.other_bodies, producer);
    let others = others.into_iter().filter(|_| as_objects);
    for mut finding in findings(&functions.called_bodies, producer).into_iter().chain(others) {
        if python && !as_objects && finding.phase == Some(Phase::Load) {
            finding.phase = Some(Phase::FirstUse);
        }
        // The importer counts what it adds to a body, too.
        if finding.rule.code == rules::TF301.code {
            finding.symptom = Some("nodes in a cycle".to_owned());
        }
        report.add(finding);
    }
}

fn findings(
    structure: &GraphStructure,
    producer: i64,
    writers: &[Version],
    runtime: &TensorFlowRuntime,
) -> Vec<Finding> {
    let mut found = Vec::new();
    if !structure.cycle.is_empty() {
        let count = structure.cycle.count();
        let finding = rules::Cycle { count: &count }.finding();
        let symptom = format!("{count} nodes in a cycle");
        found.push(finding.with_symptom(symptom).at(structure.cycle.clone()));
    }
    if !structure.dangling.is_empty() {
        let rule = rules::InputOfNoNode { count: &structure.dangling.count() };
        found.push(rule.finding().at(structure.dangling.clone()));
    }
    if !structure.duplicates.is_empty() {
        let rule = rules::NameTwice { count: &structure.duplicates.count() };
        found.push(rule.finding().at(structure.duplicates.clone()));
    }
    for (behaviour, places) in behaviours().iter().zip(&structure.behaviours) {
        let era = behaviour.era(runtime.version, producer).filter(|_| !places.is_empty());
        let Some(era) = era else { continue };
        // Who wrote it got this answer.
        let same = |writer: &Version| behaviour.era(*writer, producer).is_some();
        if behaviour.does == Some(BehaviourEffect::Answer)
            && !writers.is_empty()
            && writers.iter().all(same)
        {
            continue;
        }
        let finding =
            of_behaviour(behaviour, producer, runtime).map(|finding| match &*era.symptom {
                "" => finding,
                symptom => finding.with_symptom(symptom),
            });
        found.extend(finding.map(|finding| finding.at(places.clone())));
    }
    if runtime.imports_in_python() && !structure.valueless.is_empty() {
        let (count, consumer) = (&structure.valueless.count(), &runtime.version);
        let finding = rules::ValuelessConstant { count, consumer }.finding();
        let finding = finding.with_symptom("cannot reshape array of size 0 into shape");
        found.push(finding.with_adaptation(convert::WRITE_ZEROS).at(structure.valueless.clone()));
    }
    found
}

/// The finding of a behaviour that counts for this release and producer.
fn of_behaviour(
    behaviour: &Behaviour,
    producer: i64,
    runtime: &TensorFlowRuntime,
) -> Option<Finding> {
    let consumer = &runtime.version;
    let (op, what) = (&behaviour.ops_in_words(), &behaviour.what);
    let fix = |finding: Finding| match &*behaviour.fix {
        "" => finding,
        fix => finding.with_fix(fix),
    };
    match behaviour.does {
        Some(BehaviourEffect::RefuseShapes) => {
            return Some(fix(rules::ShapesRefused { op, consumer, what }.finding()));
        }
        Some(BehaviourEffect::Refuse) => {
            return Some(fix(rules::KernelRefuses { op, consumer, what }.finding()));
        }
        Some(BehaviourEffect::Answer) => {
            return Some(fix(rules::OtherAnswer { op, consumer, what }.finding()));
        }
        None => {}
    }
    Some(match behaviour.name.as_str() {
        "deep-reduction-indices" => {
            let border = behaviour.border(*consumer);
            let when = border.map_or("from every producer".to_owned(), |from| {
                format!("from producer {from} on; the graph has producer {producer}")
            });
            rules::DeepReductionIndices { consumer, when: &when }.finding()
        }
        NOTED_SHAPES => {
            let finding = rules::NotedShapes { consumer }.finding();
            finding.with_adaptation(convert::DROP_SHAPES)
        }
        "scalar-placeholder" => {
            let border = &behaviour.border(*consumer)?;
            rules::ScalarPlaceholder { consumer, producer: &producer, border }.finding()
        }
        "gradient-of-training" => rules::GradientOfTraining { consumer }.finding(),
        "colocated-with-no-node" => rules::ColocatedWithNoNode { consumer }.finding(),
        _ => return None,
    })
}
