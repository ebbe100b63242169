//! Check of a model for a release.

use std::collections::BTreeMap;

use unskew_core::{Finding, Judgement, Unjudged, Version, aspect};
use unskew_definitions::Runs;

use crate::release::{MeasuredOutcome, MeasuredProperty};
use crate::{BoosterModel, BoosterRelease, rules};

/// What a release makes of a model; none if the model is of another library.
pub fn judge(model: &BoosterModel, release: &BoosterRelease) -> Option<Judgement> {
    if release.package() != model.library.package() {
        return None;
    }
    let mut judgement = Judgement { findings: findings(model, release), ..Judgement::default() };
    if !judgement.findings.is_empty() {
        let fix = fix(model, release);
        judgement.findings.iter_mut().for_each(|finding| finding.fix = Some(fix.clone()));
    }
    not_judged(model, release, &mut judgement);
    Some(judgement)
}

/// What was measured of the properties of the model: the first thing that goes wrong, once for each error.
fn findings(model: &BoosterModel, release: &BoosterRelease) -> Vec<Finding> {
    let applies = |row: &MeasuredProperty| row.properties.iter().all(|one| model.has(one));
    let is_wrong = |row: &MeasuredProperty| row.outcome != MeasuredOutcome::Same && applies(row);
    let rows: Vec<MeasuredProperty> = release.measured().filter(is_wrong).collect();
    let first = rows.iter().map(|row| row.outcome).min();
    let mut causes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in rows.iter().filter(|row| Some(row.outcome) == first) {
        causes.entry(&row.error).or_default().push(in_words(&row.properties));
    }
    let label = label(model, release);
    let found = |(error, causes): (&str, Vec<String>)| {
        let cause = causes.join("; ");
        let finding = match first {
            Some(MeasuredOutcome::Load) => {
                rules::BoosterNotLoaded { release: &label, cause: &cause }.finding()
            }
            _ => rules::BoosterAnswersDiffer { release: &label, cause: &cause }.finding(),
        };
        if error.is_empty() { finding } else { finding.with_symptom(error.to_owned()) }
    };
    causes.into_iter().map(found).collect()
}

/// Properties, as people read them: `objective rank_xendcg`, `linear trees`, `the key learner.x`.
fn in_words(properties: &[String]) -> String {
    let words = properties.iter().map(|property| match property.split_once('=') {
        Some(("key", key)) => format!("the key {key}"),
        Some(("version", version)) => format!("version {version}"),
        Some(("version>", version)) => format!("version {version} or later"),
        Some(("version<", version)) => format!("version {version} or earlier"),
        Some(("base_score", "list")) => "base score written as a list".to_owned(),
        Some((name @ ("trees" | "features" | "targets" | "leaves"), kind)) => {
            format!("{kind} {name}")
        }
        Some(("pickled", format)) => format!("a pickle with {format}"),
        Some(("configuration", key)) => format!("the key {key} of the configuration"),
        Some(("attribute", name)) => format!("the attribute {name}"),
        Some(("lacks", name)) => format!("no attribute {name}"),
        Some((name, value)) => format!("{name} {value}"),
        None => property.clone(),
    });
    words.collect::<Vec<_>>().join(", ")
}

fn label(model: &BoosterModel, release: &BoosterRelease) -> String {
    format!("{} {}", model.library.as_str(), release.version())
}

/// The measured releases that load the model and answer the same, in one sentence.
fn fix(model: &BoosterModel, release: &BoosterRelease) -> String {
    let all: Vec<(Version, bool)> = release
        .all()
        .filter_map(|one| Some((one.version().parse().ok()?, findings(model, &one).is_empty())))
        .collect();
    let versions: Vec<Version> = all.iter().map(|(version, _)| *version).collect();
    let works = Runs::from_releases(&versions, |version| all.contains(&(version, true)));
    match works.in_words() {
        Some(spans) => format!("Install {} {spans}.", release.package()),
        None => "Load the model with the release that wrote it, and save it in another format."
            .to_owned(),
    }
}

fn not_judged(model: &BoosterModel, release: &BoosterRelease, judgement: &mut Judgement) {
    // What the releases on both sides do alike, the one between does, too.
    let codes = |release: &BoosterRelease| -> Vec<&str> {
        findings(model, release).iter().map(|finding| finding.rule.code).collect()
    };
    let is_between_equals =
        release.around().is_some_and(|[before, after]| codes(&before) == codes(&after));
    if let Some(other) = release.stand_in().filter(|_| !is_between_equals) {
        let why = format!(
            "{} was not measured: judged as {other}, which has the same minor version",
            label(model, release)
        );
        judgement.unjudged.push(Unjudged::new(aspect::VERSION, why));
    }
    let is_measured = |name: &&str| {
        let wanted = format!("objective={name}");
        release.measured().any(|row| row.properties.contains(&wanted))
    };
    if let Some(name) = model.property("objective").filter(|name| !is_measured(name)) {
        let why = format!("the objective {name}: no model with it was measured");
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
    }
    let why = "what was measured are small models with few options";
    judgement.unjudged.push(Unjudged::new(aspect::BEHAVIOUR, why));
}
