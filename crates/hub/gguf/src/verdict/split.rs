//! A split model: its other parts, and whether the release reads such.

use unskew_core::{Judgement, Places, Unjudged, aspect};

use super::{between, rules};
use crate::LlamaRelease;
use crate::file::GgufFile;

pub(super) fn judge(file: &GgufFile, release: &LlamaRelease, judgement: &mut Judgement) {
    let Some(part) = file.part() else { return };
    match release.checks("splits") {
        Some(true) => {}
        Some(false) => {
            let (label, count) = (release.label(), part.count);
            judgement
                .findings
                .push(rules::GgufPartsNotRead { release: &label, count: &count }.finding());
            return;
        }
        None => judgement.unjudged.push(between(release, "a split model")),
    }
    if part.number != 0 {
        let number = part.number + 1;
        let rule = rules::GgufPartNotFirst { number: &number, count: &part.count };
        let symptom = format!("invalid split file idx: {}", part.number);
        judgement.findings.push(rule.finding().with_symptom(symptom));
    }
    let Some(parts) = &file.parts else {
        let why = "the other parts of the model were not looked at";
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why));
        return;
    };
    if !parts.missing.is_empty() {
        let (missing, count) = (parts.missing.count(), part.count);
        let rule = rules::GgufPartMissing { missing: &missing, count: &count };
        let symptom = parts.missing.named().first();
        let symptom = symptom.map(|name| format!("failed to load GGUF split from {name}"));
        let finding = rule.finding().at(parts.missing.clone());
        judgement.findings.push(match symptom {
            Some(symptom) => finding.with_symptom(symptom),
            None => finding,
        });
        return;
    }
    if !parts.misplaced.is_empty() {
        let what = "has another number than its name says".to_owned();
        inconsistent(judgement, what, parts.misplaced.clone(), "invalid split file idx".to_owned());
    }
    if let Some(stated) = part.tensors.filter(|stated| *stated != parts.tensors) {
        let what =
            format!("{stated} tensors are stated for all parts, and they have {}", parts.tensors);
        let said =
            format!("corrupted model: {stated} tensors expected but {} found", parts.tensors);
        inconsistent(judgement, what, Places::default(), said);
    }
}

fn inconsistent(judgement: &mut Judgement, what: String, places: Places, symptom: String) {
    let rule = rules::GgufPartsInconsistent { what: &what };
    judgement.findings.push(rule.finding().at(places).with_symptom(symptom));
}
