//! Numbers that a release reads under another key, or not at all: it loads, and answers otherwise.

use unskew_core::{Judgement, Unjudged, aspect};

use super::place;
use crate::config::DtypeKeys;
use crate::{ModelFolder, TransformersRelease, rules};

/// The form of the rotary position embedding.
pub(super) fn rope(folder: &ModelFolder, release: &TransformersRelease, judgement: &mut Judgement) {
    parameters(folder, release, judgement);
    scaling(folder, release, judgement);
}

/// `rope_parameters`, which releases before 5.0 do not read.
fn parameters(folder: &ModelFolder, release: &TransformersRelease, judgement: &mut Judgement) {
    let rope = &folder.config.rope;
    if rope.parameters.is_empty() {
        return;
    }
    let label = release.label();
    if release.does("rope-parameters") {
        for kind in rope.parameters.iter().filter_map(|one| one.kind.as_deref()) {
            rope_type(kind, "config.json, rope_parameters", release, judgement);
        }
        return;
    }
    let model_type = folder.config.model_type.as_deref().unwrap_or_default();
    let Some(default) = release.default_theta(model_type) else {
        let why = format!(
            "{label} does not read rope_parameters, and what it takes instead is not known"
        );
        judgement.unjudged.push(Unjudged::new(aspect::BEHAVIOUR, why));
        return;
    };
    let read = rope.theta.unwrap_or(default);
    let differs = rope.parameters.iter().find(|one| {
        one.theta.is_some_and(|theta| (theta - read).abs() > f64::EPSILON * theta.abs())
            || one.kind.as_deref().is_some_and(|kind| kind != "default") && rope.scaling.is_none()
    });
    if let Some(one) = differs {
        let meant = match (one.theta, one.kind.as_deref()) {
            (Some(theta), Some(kind)) => format!("rope_theta {theta}, rope_type {kind}"),
            (Some(theta), None) => format!("rope_theta {theta}"),
            (None, kind) => format!("rope_type {}", kind.unwrap_or("default")),
        };
        let finding =
            rules::HfRopeParametersIgnored { release: &label, meant: &meant, read: &read };
        judgement.findings.push(finding.finding().at(place("config.json, rope_parameters")));
    }
}

/// `rope_scaling`, whose fields older releases check.
fn scaling(folder: &ModelFolder, release: &TransformersRelease, judgement: &mut Judgement) {
    let Some(scaling) = &folder.config.rope.scaling else { return };
    let model_type = folder.config.model_type.as_deref().unwrap_or_default();
    let label = release.label();
    let two = ["type", "factor"];
    let has_two = scaling.fields.len() == 2
        && two.iter().all(|key| scaling.fields.iter().any(|one| one == key));
    if release.wants_two_fields(model_type) {
        if !has_two {
            let fields = scaling.fields.join(", ");
            let finding = rules::HfRopeScalingRefused { release: &label, fields: &fields };
            let symptom =
                "`rope_scaling` must be a dictionary with two fields, `type` and `factor`, got {";
            let finding = finding.finding().with_symptom(symptom);
            judgement.findings.push(finding.at(place("config.json, rope_scaling")));
        }
        return;
    }
    if let Some(kind) = &scaling.kind {
        rope_type(kind, "config.json, rope_scaling", release, judgement);
    }
}

/// A way to compute the positions that the release has no function for.
fn rope_type(kind: &str, at: &str, release: &TransformersRelease, judgement: &mut Judgement) {
    // Not written as a function of its own, but read: positions as they are, and as of several axes.
    let is_known = matches!(kind, "default" | "mrope" | "su") || release.knows(kind, "rope");
    // Before the functions, each model had its own.
    if is_known || !release.knows("linear", "rope") {
        return;
    }
    let label = release.label();
    // Some models compute a type of their own.
    if !release.is_known_to_any(kind, "rope") {
        let why = format!("whether {label} computes positions of the rope_type {kind}");
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
        return;
    }
    let finding = rules::HfRopeTypeUnknown { release: &label, kind: &kind };
    let finding = finding.finding().with_symptom(format!("KeyError: '{kind}'"));
    judgement.findings.push(finding.at(place(at)));
}

/// `dtype`, which older releases know as `torch_dtype`.
pub(super) fn dtype(
    folder: &ModelFolder,
    release: &TransformersRelease,
    judgement: &mut Judgement,
) {
    let is_smaller = folder.config.dtype == DtypeKeys::New { is_smaller: true };
    if is_smaller && !release.does("dtype-key") {
        let label = release.label();
        let finding = rules::HfDtypeIgnored { release: &label };
        judgement.findings.push(finding.finding().at(place("config.json, dtype")));
    }
}
