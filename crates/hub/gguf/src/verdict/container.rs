//! The container: version, byte order, alignment, tensors in their places.

use unskew_core::{Finding, Judgement, Phase, Places, Unjudged, aspect};

use super::{between, rules};
use crate::LlamaRelease;
use crate::file::{BrokenRule, GgufFile};

/// Whether the release reads the version and the byte order, or may.
pub(super) fn format(file: &GgufFile, release: &LlamaRelease, judgement: &mut Judgement) -> bool {
    if file.is_big_endian {
        let label = release.label();
        let finding = rules::GgufByteOrder { release: &label }.finding();
        judgement.findings.push(match release.checks("byte-order") {
            Some(true) => {
                finding.with_symptom("is there a mismatch between the host and model endianness?")
            }
            _ if release.checks("newer-version") == Some(true) => {
                finding.with_symptom("but this software only supports up to version 3")
            }
            _ => finding,
        });
        return false;
    }
    let is_known = release.knows(&file.version.to_string(), "file version");
    // Releases without this check take a later version for the last one.
    let refuses = match file.version {
        0..=3 => Some(true),
        _ => release.checks("newer-version"),
    };
    match (is_known, refuses) {
        (Some(true), _) => true,
        (Some(false), Some(true)) => {
            let (label, version) = (release.label(), file.version);
            let rule = rules::GgufVersionUnknown { release: &label, version: &version };
            let finding = rule.finding();
            judgement.findings.push(match version {
                1 => finding.with_symptom("GGUFv1 is no longer supported, please use a more up-to-date version"),
                4.. => finding.with_symptom(format!("this GGUF file is version {version} but this software only supports up to version 3")),
                _ => finding,
            });
            false
        }
        _ => {
            let what = format!("version {} of the format", file.version);
            judgement.unjudged.push(between(release, &what));
            true
        }
    }
}

/// What is wrong with a file whatever reads it.
pub(crate) fn of_the_file_alone(file: &GgufFile) -> Vec<Finding> {
    truncated(file).into_iter().collect()
}

fn truncated(file: &GgufFile) -> Option<Finding> {
    let count = file.beyond.count();
    let rule = rules::GgufTruncated { size: &file.size, needed: &file.needed, count: &count };
    (count > 0).then(|| rule.finding().at(file.beyond.clone()))
}

/// What is wrong with tensors and keys, as far as the release looks.
pub(super) fn tensors(file: &GgufFile, release: &LlamaRelease, judgement: &mut Judgement) {
    if let Some(finding) = truncated(file) {
        let first = file.beyond.named().first().cloned().unwrap_or_default();
        judgement.findings.push(match release.checks("bounds") {
            Some(true) => finding.with_symptom(format!(
                "tensor '{first}' data is not within the file bounds, model is corrupted or incomplete"
            )),
            // It maps the file, and ends when it touches what is not there.
            Some(false) => finding.in_phase(Phase::FirstUse),
            None => finding,
        });
    }
    if file.alignment().is_none() {
        let stated = file.number("general.alignment");
        let said = stated.map_or_else(|| "no number".to_owned(), |number| number.to_string());
        let label = release.label();
        match release.checks("alignment") {
            Some(true) => {
                let rule = rules::GgufAlignment { release: &label, said: &said };
                let symptom = format!("alignment {said} is not a power of 2");
                judgement.findings.push(rule.finding().with_symptom(symptom));
            }
            _ => {
                let why = format!("what {label} makes of the alignment ({said}) is not known");
                judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
            }
        }
    }
    for broken in &file.broken {
        let (what, check, place, symptom) = words(broken);
        match check.map_or(Some(true), |check| release.checks(check)) {
            Some(true) => {
                let label = release.label();
                let rule = rules::GgufHeaderInconsistent { release: &label, what: &what };
                let finding = rule.finding().at(std::iter::once(place).collect::<Places>());
                judgement.findings.push(finding.with_symptom(symptom));
            }
            Some(false) => {
                let why = format!("{what} ({place}), which {} does not check", release.label());
                judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
            }
            None => judgement.unjudged.push(between(release, &what)),
        }
    }
}

/// What is broken, the check of it in the sources (none: every release refuses it), where, and what is printed.
fn words(broken: &BrokenRule) -> (String, Option<&'static str>, &str, String) {
    match broken {
        BrokenRule::DuplicateKey(key) => (
            "a key is there twice".to_owned(),
            Some("duplicate-key"),
            key,
            format!("duplicate key '{key}' for"),
        ),
        BrokenRule::DuplicateTensor(name) => (
            "a tensor stands twice".to_owned(),
            Some("duplicate-tensor"),
            name,
            format!("'{name}'"),
        ),
        BrokenRule::NestedArray(key) => (
            "a key has an array of arrays".to_owned(),
            None,
            key,
            format!("key '{key}' has invalid GGUF type 9"),
        ),
        BrokenRule::Offset { tensor, offset, expected } => (
            format!(
                "a tensor begins at byte {offset} of the data, and {expected} is the end of the one before it"
            ),
            Some("offsets"),
            tensor,
            format!("tensor '{tensor}' has offset {offset}, expected {expected}"),
        ),
        BrokenRule::Shape(name) => (
            "a tensor has a shape that its type cannot have".to_owned(),
            Some("offsets"),
            name,
            format!("tensor '{name}'"),
        ),
    }
}
