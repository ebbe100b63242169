//! The tokenizer of a file: how a release would make tokens of text.

use unskew_core::{Judgement, Phase};

use super::{between, rules, shown};
use crate::LlamaRelease;
use crate::file::GgufFile;

/// The tokenizers whose text is divided by a pre-tokenizer first.
const WITH_PRE_TOKENIZER: &[&str] = &["gpt2"];

/// The division that releases make that do not read `tokenizer.ggml.pre`.
const ONLY_DIVISION: &[&str] = &["gpt-2"];

pub(super) fn judge(file: &GgufFile, release: &LlamaRelease, judgement: &mut Judgement) {
    // A file without one lacks a key, which is judged with the keys.
    let Some(name) = file.tokenizer() else { return };
    match release.knows(name, "tokenizer") {
        Some(true) if WITH_PRE_TOKENIZER.contains(&name) => pre(file, release, judgement),
        Some(true) => {}
        None => {
            judgement.unjudged.push(between(release, &format!("tokenizer {}", shown(Some(name)))))
        }
        Some(false) => {
            let (label, tokenizer) = (release.label(), shown(Some(name)));
            let rule = rules::GgufTokenizerUnknown { release: &label, tokenizer: &tokenizer };
            let symptom = format!("unknown tokenizer: '{tokenizer}'");
            let mut finding = rule.finding().with_symptom(symptom);
            // Those that read no pre-tokenizer print a warning, and make tokens as for a model of llama.
            if release.checks("pre-tokenizer") == Some(false) {
                finding = finding.in_phase(Phase::Silent);
            }
            judgement.findings.push(finding);
        }
    }
}

fn pre(file: &GgufFile, release: &LlamaRelease, judgement: &mut Judgement) {
    let label = release.label();
    let reads = release.checks("pre-tokenizer");
    let Some(name) = file.pre_tokenizer().filter(|name| !name.is_empty()) else {
        if release.checks("missing-pre-tokenizer") == Some(true) {
            let rule = rules::GgufPreTokenizerMissing { release: &label };
            let symptom = "missing pre-tokenizer type, using: 'default'";
            judgement.findings.push(rule.finding().with_symptom(symptom));
        }
        return;
    };
    let shown = shown(Some(name));
    match (reads, release.knows(name, "pre-tokenizer")) {
        (Some(false), _) if ONLY_DIVISION.contains(&name) => {}
        (Some(false), _) => {
            let rule = rules::GgufPreTokenizerIgnored { release: &label, name: &shown };
            judgement.findings.push(rule.finding());
        }
        (_, Some(true)) => {}
        (Some(true), Some(false)) => {
            let rule = rules::GgufPreTokenizerUnknown { release: &label, name: &shown };
            let symptom = format!("unknown pre-tokenizer type: '{shown}'");
            judgement.findings.push(rule.finding().with_symptom(symptom));
        }
        _ => judgement.unjudged.push(between(release, &format!("pre-tokenizer {shown}"))),
    }
}
