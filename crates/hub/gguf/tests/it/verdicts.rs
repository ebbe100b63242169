//! What a release makes of a file.

use std::sync::Arc;

use unskew_core::{Context, Date, Judgement, Phase, check};
use unskew_gguf::{
    GgufFile, LlamaFamily, LlamaNames, LlamaRelease, NextRelease, judge, party, with_parts,
};

use crate::written::{Written, source};

const NAMES: &str = "#releases\t100 200 300\n\
                     2(file version)\t100-\n\
                     3(file version)\t100-\n\
                     F32(type)\t100-\n\
                     context_length(key)\t100-\n\
                     epsilon(key of llama)\t200-\n\
                     gpt2(tokenizer)\t100-\n\
                     llama(architecture)\t100-\n\
                     llama-bpe(pre-tokenizer)\t200-\n\
                     pre-tokenizer(check)\t200-\n\
                     qwen3(architecture)\t300-\n\
                     splits(check)\t200-\n";

fn release(version: &str, next: Option<NextRelease>) -> LlamaRelease {
    LlamaRelease {
        family: LlamaFamily::LlamaCpp,
        version: version.parse().unwrap(),
        next,
        released: Date::constant(2026, 11, 1),
        names: Arc::new(LlamaNames::from_text(NAMES).unwrap()),
    }
}

fn judged(file: &Written, release: &LlamaRelease) -> Judgement {
    judge(&GgufFile::read(&file.source()).unwrap().unwrap(), release)
}

fn codes(judgement: &Judgement) -> Vec<&str> {
    judgement.findings.iter().map(|one| one.rule.code).collect()
}

#[test]
fn a_name_is_known_from_a_release_on_and_the_fix_names_it() {
    let file = Written::new().word("general.architecture", "qwen3");
    let old = judged(&file, &release("200", None));
    assert_eq!(codes(&old), ["GG003"]);
    assert_eq!(old.findings[0].fix.as_deref(), Some("Use llama.cpp b300 or newer."));
    assert!(codes(&judged(&file, &release("300", None))).is_empty());
}

#[test]
fn between_two_releases_only_what_both_agree_in_is_judged() {
    let between = release("200", Some(NextRelease::Known("300".parse().unwrap())));
    let asked = |name: &str| {
        let judgement = judged(&Written::new().word("general.architecture", name), &between);
        let versions = judgement.unjudged.iter().filter(|one| one.aspect == "version").count();
        (judgement.findings.len(), versions)
    };
    assert_eq!(asked("llama"), (0, 0));
    assert_eq!(asked("qwen3"), (0, 1));
    assert_eq!(asked("none"), (1, 0));
    let after = release("300", Some(NextRelease::Unknown));
    let judgement = judged(&Written::new().word("general.architecture", "none"), &after);
    assert!(
        judgement.findings.is_empty() && judgement.unjudged[0].reason.contains("may have come")
    );
}

#[test]
fn a_pre_tokenizer_that_is_not_read_changes_tokens_silently() {
    let file = Written::new()
        .word("general.architecture", "llama")
        .word("tokenizer.ggml.model", "gpt2")
        .word("tokenizer.ggml.pre", "llama-bpe");
    let old = judged(&file, &release("100", None));
    assert_eq!(codes(&old), ["GG005"]);
    assert_eq!(old.findings[0].phase, Some(Phase::Silent));
    assert!(codes(&judged(&file, &release("200", None))).is_empty());
}

#[test]
fn keys_are_demanded_of_files_with_tensors_by_architecture() {
    let file = Written::new()
        .word("general.architecture", "llama")
        .number("llama.context_length", 32)
        .tensor("a", &[8], 0, 0)
        .with_data(32);
    assert!(codes(&judged(&file, &release("100", None))).is_empty());
    let new = judged(&file, &release("200", None));
    assert_eq!(codes(&new), ["GG009"]);
    assert_eq!(new.findings[0].symptom.as_deref(), Some("key not found in model: llama.epsilon"));
}

#[test]
fn parts_are_looked_for_beside_the_first_and_their_tensors_count() {
    let part = |number: u32, name: &str| {
        Written::new()
            .word("general.architecture", "llama")
            .number("llama.context_length", 32)
            .number("llama.epsilon", 1)
            .number("split.no", number)
            .number("split.count", 2)
            .number("split.tensors.count", 2)
            .tensor(name, &[8], 0, 0)
            .with_data(32)
    };
    let release = release("300", None);
    let found = |other: Option<Vec<u8>>| {
        let first = source("net-00001-of-00002.gguf", part(0, "a").bytes());
        let file = party(&first).unwrap().unwrap();
        let file = with_parts(file, &|name: &str| {
            assert_eq!(name, "net-00002-of-00002.gguf");
            other.clone().map(|bytes| source(name, bytes))
        });
        let verdict = check(&file, &release.party(), &Context::on(release.released));
        verdict.findings.iter().map(|one| one.rule.code).collect::<Vec<_>>()
    };
    assert!(found(Some(part(1, "b").bytes())).is_empty());
    assert_eq!(found(None), ["GG010"]);
    assert_eq!(found(Some(b"GGUF".to_vec())), ["GG010"]);
    assert_eq!(found(Some(part(0, "b").bytes())), ["GG013"]);
    assert_eq!(found(Some(part(1, "b").tensor("c", &[8], 0, 32).with_data(64).bytes())), ["GG013"]);
}
