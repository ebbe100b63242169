//! Two graphs in one.

use unskew_core::{DataConsumer, DataVersions, Finding, Judgement, Party, Version};

use crate::{GraphFile, GraphUse, behaviour, rules};

/// What is to be said about a graph of the versions `a` into which one of `b` is imported, or the
/// other way round: the result is the same.
pub(crate) fn merge_check(a: &DataVersions, b: &DataVersions) -> Vec<Finding> {
    let merged = a.merged_with(b);
    let list: Vec<String> = merged.bad_consumers.iter().map(i64::to_string).collect();
    let bad = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    let rule = rules::MergedVersions {
        producer: &merged.producer,
        min_consumer: &merged.min_consumer,
        bad: &bad,
    };
    let mut findings = vec![rule.finding()];
    if a.producer != b.producer {
        let (lower, higher) = (a.producer.min(b.producer), a.producer.max(b.producer));
        let symptom = format!(
            "Importing a graph with a lower producer version {lower} into an existing graph with \
             producer version {higher}. Shape inference will have run different parts of the graph \
             with different producer versions."
        );
        let rule = rules::MergeLowersProducer { lower: &lower, higher: &higher };
        findings.push(rule.finding().with_symptom(symptom));
    }
    for version in [a.producer, b.producer] {
        let writer = DataConsumer { version, min_producer: 0 };
        let closed = merged.accepted_by(writer).is_err();
        // A graph without versions was written by nobody in particular.
        if closed && version > 0 {
            let min_consumer = &merged.min_consumer;
            let rule = rules::MergeForbidsConsumer { version: &version, min_consumer };
            findings.push(rule.finding());
        }
    }
    findings.dedup();
    findings
}

/// Both sides of a pair of graphs ask; one of them answers for both.
pub(super) fn judge(
    owner: &Party,
    mine: &GraphFile,
    other: &Party,
    theirs: &GraphFile,
) -> Judgement {
    let key = |party: &Party, file: &GraphFile| {
        let versions = file.graphs.first().map(|graph| graph.effective_versions());
        let versions = versions.unwrap_or_default();
        (party.name.clone(), versions.producer, versions.min_consumer, std::ptr::from_ref(file))
    };
    if key(owner, mine) > key(other, theirs) {
        return Judgement::default();
    }
    let findings = match (mine.graphs.first(), theirs.graphs.first()) {
        (Some(a), Some(b)) => {
            let (x, y) = (a.effective_versions(), b.effective_versions());
            let mut findings = merge_check(&x, &y);
            findings.extend(placeholders([(a, x.producer), (b, y.producer)]));
            findings
        }
        _ => Vec::new(),
    };
    Judgement { findings, ..Judgement::default() }
}

/// Placeholders whose shape means something else after the merge: they are in the graph of the higher
/// producer.
fn placeholders(graphs: [(&GraphUse, i64); 2]) -> Option<Finding> {
    let (index, behaviour) = behaviour::named("scalar-placeholder")?;
    let newest = Version::number(i64::MAX);
    let [(.., a), (.., b)] = graphs;
    let (lower, higher) = (a.min(b), a.max(b));
    let border = behaviour.border(newest).filter(|border| lower < *border && *border <= higher)?;
    let (newer, _) = graphs.into_iter().find(|(_, producer)| *producer == higher)?;
    let places = newer.structure.behaviours.get(index).filter(|places| !places.is_empty())?;
    let (lower, higher, border) = (&lower, &higher, &border);
    let rule = rules::MergeChangesPlaceholders { lower, higher, border };
    Some(rule.finding().at(places.clone()))
}
