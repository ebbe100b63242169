//! What a release makes of a configuration.

use serde_json::Value;
use unskew_core::{Finding, Judgement, Places, Severity, Unjudged, Version, aspect};
use unskew_definitions::Runs;

use crate::release::UnknownFields;
use crate::{PeftConfiguration, PeftRelease, rules};

/// The adaptation that leaves out fields at their default.
pub(crate) const DEFAULTS_DROPPED: &str = "drop-default-fields";

/// What a field says to a release that does not have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldMeaning {
    /// Its value is the default: the same as without it.
    Nothing,
    /// Its value is another one.
    Something,
    /// No release in the database has such a field.
    Unknown,
}

/// What a release makes of a configuration: its type, its fields, its values.
pub fn judge(config: &PeftConfiguration, release: &PeftRelease) -> Judgement {
    let mut judgement = judged(config, release);
    if judgement.findings.iter().any(is_error) {
        let fits: Vec<Version> = release
            .all()
            .filter(|one| !judged(config, one).findings.iter().any(is_error))
            .map(|one| one.version)
            .collect();
        let fix = fix(&fits, release.names.rows().releases());
        for finding in judgement.findings.iter_mut().filter(|one| one.fix.is_none()) {
            finding.fix.clone_from(&fix);
        }
    }
    let why = "the weights of the adapter, and whether they fit the base model";
    judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
    judgement
}

/// The same without a fix.
pub(crate) fn judged(config: &PeftConfiguration, release: &PeftRelease) -> Judgement {
    let mut judgement = Judgement::default();
    let (label, kind) = (release.label(), config.peft_type.as_str());
    if !release.knows(kind) {
        let finding = rules::PeftTypeUnknown { release: &label, kind: &kind }.finding();
        let finding = finding.with_symptom(format!("KeyError: '{kind}'")).at(place("peft_type"));
        judgement.findings.push(finding);
        return judgement;
    }
    values(config, release, &mut judgement);
    fields(config, release, &mut judgement);
    judgement
}

/// Values that the release refuses of a type that it knows.
fn values(config: &PeftConfiguration, release: &PeftRelease, judgement: &mut Judgement) {
    let (label, kind) = (release.label(), config.peft_type.as_str());
    for condition in release.refused(kind) {
        let (field, holds) = match (condition.strip_prefix('-'), condition.strip_suffix("=null")) {
            (Some(field), _) => (field, !config.fields.contains_key(field)),
            (_, Some(field)) => (field, config.fields.get(field) == Some(&Value::Null)),
            _ => continue,
        };
        if holds {
            let rule = rules::PeftValueRefused { release: &label, kind: &kind, field: &field };
            judgement.findings.push(rule.finding().at(place(field)));
        }
    }
}

/// Fields that the release does not have.
fn fields(config: &PeftConfiguration, release: &PeftRelease, judgement: &mut Judgement) {
    let (label, kind) = (release.label(), config.peft_type.as_str());
    let missing: Vec<(&str, FieldMeaning)> = config
        .fields
        .iter()
        .filter(|(field, _)| !release.has_field(kind, field))
        .map(|(field, value)| (field.as_str(), meaning(kind, field, value, release)))
        .collect();
    if missing.is_empty() {
        return;
    }
    let named = |meaning: FieldMeaning| -> Vec<&str> {
        missing.iter().filter(|(_, one)| *one == meaning).map(|(field, _)| *field).collect()
    };
    let (something, unknown) = (named(FieldMeaning::Something), named(FieldMeaning::Unknown));
    match release.unknown_fields() {
        Some(UnknownFields::Refused) => {
            let all: Vec<&str> = missing.iter().map(|(field, _)| *field).collect();
            let shown = shown(&all);
            let rule = rules::PeftFieldRefused { release: &label, kind: &kind, fields: &shown };
            // The first that Python finds is named, and that is any of them.
            let symptom = "got an unexpected keyword argument";
            let finding = rule.finding().with_symptom(symptom).at(all.iter().collect());
            let is_exact = something.is_empty() && unknown.is_empty();
            judgement.findings.push(match is_exact {
                true => finding.with_adaptation(DEFAULTS_DROPPED),
                false => finding,
            });
            return;
        }
        Some(UnknownFields::AllLost) => {
            let rule = rules::PeftFieldsLost { release: &label };
            judgement.findings.push(rule.finding());
        }
        Some(UnknownFields::Ignored | UnknownFields::Warned) => {}
        None => {
            let why = format!("what {label} does with fields that it does not have");
            judgement.unjudged.push(Unjudged::new(aspect::BEHAVIOUR, why));
            return;
        }
    }
    if !something.is_empty() {
        let shown = shown(&something);
        let rule = rules::PeftFieldIgnored { release: &label, kind: &kind, fields: &shown };
        judgement.findings.push(rule.finding().at(something.iter().collect()));
    }
    if !unknown.is_empty() {
        let why = format!("fields of {kind} that no release in the database has");
        let places = unknown.iter().map(|field| field.chars().take(100).collect::<String>());
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why).at(places.collect()));
    }
}

/// What a field says to a release that does not have it.
pub(crate) fn meaning(
    kind: &str,
    field: &str,
    value: &Value,
    release: &PeftRelease,
) -> FieldMeaning {
    // Who wrote the file changes nothing.
    if field == "peft_version" {
        return FieldMeaning::Nothing;
    }
    let defaults = release.defaults(kind, field);
    match defaults.is_empty() {
        true => FieldMeaning::Unknown,
        false if defaults.iter().all(|one| is_same(one, value)) => FieldMeaning::Nothing,
        false => FieldMeaning::Something,
    }
}

/// Numbers are the same whether they are written with a point or not.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => (one - other).abs() <= f64::EPSILON * one.abs(),
        _ => one == other,
    }
}

/// Some names, and how many there are more.
fn shown(all: &[&str]) -> String {
    /// As many as a line has room for.
    const MOST: usize = 6;
    let short: Vec<String> =
        all.iter().take(MOST).map(|field| field.chars().take(100).collect()).collect();
    let more = all.len().saturating_sub(MOST);
    match more {
        0 => short.join(", "),
        _ => format!("{} and {more} more", short.join(", ")),
    }
}

fn is_error(finding: &Finding) -> bool {
    finding.severity == Severity::Error
}

fn place(text: &str) -> Places {
    Places::from_iter([text])
}

/// The releases that load the configuration, in words; none if no release does.
fn fix(fits: &[Version], all: &[Version]) -> Option<String> {
    let runs = Runs::from_releases(all, |version| fits.contains(&version));
    runs.in_words().map(|spans| format!("Install PEFT {spans}."))
}
