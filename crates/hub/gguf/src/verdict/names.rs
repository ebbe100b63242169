//! Names that a release knows or does not: the architecture, its keys, types of tensors.

use unskew_core::{Judgement, Phase, Places};

use super::{between, rules, shown};
use crate::LlamaRelease;
use crate::file::GgufFile;
use crate::tensor_type;

/// Whether the release knows the architecture, or may.
pub(super) fn architecture(
    file: &GgufFile,
    release: &LlamaRelease,
    judgement: &mut Judgement,
) -> bool {
    let name = file.architecture().unwrap_or_default();
    match release.knows(name, "architecture") {
        Some(true) => true,
        Some(false) => {
            let (label, architecture) = (release.label(), shown(file.architecture()));
            let rule =
                rules::GgufArchitectureUnknown { release: &label, architecture: &architecture };
            let symptom =
                format!("unknown model architecture: '{}'", crate::header::printable(name));
            judgement.findings.push(rule.finding().with_symptom(symptom));
            false
        }
        None => {
            judgement
                .unjudged
                .push(between(release, &format!("architecture {}", shown(Some(name)))));
            true
        }
    }
}

/// Keys that the release demands and the file does not have.
pub(super) fn keys(file: &GgufFile, release: &LlamaRelease, judgement: &mut Judgement) {
    // A file of a vocabulary alone is loaded without the rest.
    if file.tensors == 0 {
        return;
    }
    let name = file.architecture().unwrap_or_default();
    let mut missing = Vec::new();
    for (key, is_demanded) in release.demands(name) {
        match is_demanded.filter(|_| !file.keys.contains_key(&key)) {
            Some(true) => missing.push(key),
            Some(false) => {}
            None if file.keys.contains_key(&key) => {}
            None => judgement.unjudged.push(between(release, &format!("key {key}"))),
        }
    }
    if let Some(first) = missing.first() {
        let (label, count) = (release.label(), missing.len());
        let rule = rules::GgufKeyMissing { release: &label, key: first, count: &count };
        let symptom = format!("key not found in model: {first}");
        let finding = rule.finding().with_symptom(symptom);
        judgement.findings.push(finding.at(missing.iter().collect::<Places>()));
    }
}

/// Types of tensors that the release does not know, or knows no more.
pub(super) fn types(file: &GgufFile, release: &LlamaRelease, judgement: &mut Judgement) {
    for (number, count) in &file.types {
        let name = tensor_type::name_of(*number);
        match release.knows(&name, "type") {
            Some(true) => {}
            None => judgement.unjudged.push(between(release, &format!("type {name}"))),
            Some(false) => {
                let label = release.label();
                let rule =
                    rules::GgufTypeUnknown { release: &label, name: &name, count: &count.tensors };
                let mut finding = rule.finding().at(count.places.clone());
                // Readers older than split models look a size up beyond the end of their table: what comes of it is chance.
                if release.checks("splits") == Some(false) {
                    finding = finding.in_phase(Phase::FirstUse);
                }
                if let Some(symptom) = symptom_of_type(&name, *number, release, &count.places) {
                    finding = finding.with_symptom(symptom);
                }
                judgement.findings.push(finding);
            }
        }
    }
}

/// What the release prints about a type, where its reader says something.
fn symptom_of_type(
    name: &str,
    number: u32,
    release: &LlamaRelease,
    places: &Places,
) -> Option<String> {
    // The reader that came with this check says what is wrong with a tensor.
    release.checks("offsets").filter(|is_there| *is_there)?;
    let tensor = places.named().first()?;
    let of = match name {
        "Q4_0_4_4" | "Q4_0_4_8" | "Q4_0_8_8" => "Q4_0",
        "IQ4_NL_4_4" | "IQ4_NL_4_8" | "IQ4_NL_8_8" => "IQ4_NL",
        _ => return Some(format!("tensor '{tensor}' has invalid ggml type {number}")),
    };
    Some(format!(
        "tensor '{tensor}' of type {number} (TYPE_{name} REMOVED, use {of} with runtime repacking)"
    ))
}
