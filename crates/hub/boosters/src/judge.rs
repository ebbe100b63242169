//! Check of a model for a release.

use std::collections::BTreeSet;

use unskew_core::{Finding, Judgement, Severity, Unjudged, aspect};

use crate::release::{MeasuredOutcome, MeasuredProperty};
use crate::{BoosterModel, BoosterRelease, rules};

/// What a release makes of a model; none if the model is of another library.
pub fn judge(model: &BoosterModel, release: &BoosterRelease) -> Option<Judgement> {
    if release.package() != model.library.package() {
        return None;
    }
    let mut judgement = Judgement { findings: findings(model, release), ..Judgement::default() };
    if is_broken(&judgement.findings) {
        let fix = fix(model, release);
        judgement.findings.iter_mut().for_each(|finding| finding.fix = Some(fix.clone()));
    }
    not_judged(model, release, &mut judgement);
    Some(judgement)
}

fn is_broken(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

/// What was measured of the properties of the model: the first thing that goes wrong.
fn findings(model: &BoosterModel, release: &BoosterRelease) -> Vec<Finding> {
    let applies = |row: &MeasuredProperty| row.properties.iter().all(|one| model.has(one));
    let rows: BTreeSet<MeasuredProperty> = release
        .measured()
        .filter(|row| row.outcome != MeasuredOutcome::Same && applies(row))
        .collect();
    let Some(first) = rows.iter().map(|row| row.outcome).min() else { return Vec::new() };
    let rows: Vec<MeasuredProperty> = rows.into_iter().filter(|row| row.outcome == first).collect();
    let label = label(model, release);
    let mut errors: Vec<&str> = rows.iter().map(|row| row.error.as_str()).collect();
    errors.sort_unstable();
    errors.dedup();
    let found = |error: &&str| {
        let of_error = rows.iter().filter(|row| row.error == **error);
        let causes: Vec<String> = of_error.map(|row| in_words(&row.properties)).collect();
        let cause = causes.join("; ");
        let finding = match first {
            MeasuredOutcome::Load => {
                rules::BoosterNotLoaded { release: &label, cause: &cause }.finding()
            }
            _ => rules::BoosterAnswersDiffer { release: &label, cause: &cause }.finding(),
        };
        if error.is_empty() { finding } else { finding.with_symptom((*error).to_owned()) }
    };
    errors.iter().map(found).collect()
}

/// Properties, as people read them: `objective rank_xendcg`, `the key learner.x`.
fn in_words(properties: &[String]) -> String {
    let words = properties.iter().map(|property| match property.split_once('=') {
        Some(("key", key)) => format!("the key {key}"),
        Some(("version", version)) => format!("version {version}"),
        Some(("version>", version)) => format!("version {version} or later"),
        Some(("version<", version)) => format!("version {version} or earlier"),
        Some(("base_score", "list")) => "base score written as a list".to_owned(),
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
    let package = release.package();
    let all: Vec<BoosterRelease> = release.all().collect();
    let works = |one: &BoosterRelease| findings(model, one).is_empty();
    let Some(last) = all.iter().rposition(works) else {
        return "Load the model with the release that wrote it, and save it in another format."
            .to_owned();
    };
    let earlier = all.iter().take(last + 1).rev().take_while(|one| works(one)).count();
    let name = |at: usize| all.get(at).map_or("", BoosterRelease::version);
    let first = name(last + 1 - earlier);
    match last + 1 == all.len() {
        true => format!("Install {package} {first} or later."),
        false if earlier == 1 => format!("Install {package} {first}."),
        false => format!("Install {package} {first} to {}.", name(last)),
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
    let objective = model.property("objective").map(|name| format!("objective={name}"));
    let is_known = |wanted: &String| {
        release.measured().any(|row| row.properties.iter().any(|property| property == wanted))
    };
    if let Some(objective) = objective.filter(|wanted| !is_known(wanted)) {
        let name = objective.trim_start_matches("objective=");
        let why = format!("the objective {name}: no model with it was measured");
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
    }
    let why = "what was measured are small models, with one objective or option each";
    judgement.unjudged.push(Unjudged::new(aspect::BEHAVIOUR, why));
}
