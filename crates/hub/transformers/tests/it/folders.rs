//! What a release makes of a folder.

use std::sync::Arc;

use unskew_core::{Context, Date, check};
use unskew_source::{BytesSource, Source};
use unskew_tokenizers::TokenizersNames;
use unskew_transformers::{KnownNames, TransformersRelease, party, with_files};

const NAMES: &str = "#releases\t4.42.4 4.57.6 5.0.0
LlamaForCausalLM(class)\t4.42.4-
LlamaTokenizer(class)\t4.42.4-
LlamaTokenizerFast(class)\t4.42.4-4.57.6
TokenizersBackend(class)\t5.0.0-
dtype-key(feature)\t4.57.6-
linear(rope)\t4.57.6-
llama(model)\t4.42.4-
llama(theta 10000)\t4.42.4-4.57.6
llama(two-fields)\t4.42.4
llama3(rope)\t4.57.6-
proportional(rope)\t5.0.0-
rope-parameters(feature)\t5.0.0-
safetensors(feature)\t4.42.4-
shards(feature)\t4.42.4-
tokenizers(requires >=0.19,<0.20)\t4.42.4
tokenizers(requires >=0.22.0,<=0.23.0)\t4.57.6-
";

const TOKENIZERS: &str = "#releases\t0.19.1 0.22.0 0.22.2
BPE(model)\t0.19.1-
model.BPE(fails: merges=pairs)\t0.19.1
model.BPE(field ignore_merges)\t0.22.0-
model.BPE(field merges)\t0.19.1-
model.BPE(ids: ignore_merges=true)\t0.19.1
model.BPE(value merges=pairs)\t0.19.1-
top(field model)\t0.19.1-
";

/// The codes of what a release finds in a folder of these files.
fn codes(files: &[(&str, &str)], version: &str) -> Vec<&'static str> {
    let source = |name: &str| -> Option<Arc<dyn Source>> {
        let (_, text) = files.iter().find(|(known, _)| *known == name)?;
        Some(Arc::new(BytesSource::new(name, text.as_bytes().to_vec())))
    };
    let folder = party(&source("config.json").unwrap()).unwrap().unwrap();
    let folder = with_files(folder, &source);
    let released = Date::constant(2026, 11, 1);
    let release = TransformersRelease {
        version: version.parse().unwrap(),
        released,
        names: Arc::new(KnownNames::from_text(NAMES).unwrap()),
        tokenizers: Some(Arc::new(TokenizersNames::from_text(TOKENIZERS).unwrap())),
    };
    let verdict = check(&folder, &release.party(), &Context::on(released));
    verdict.findings.iter().map(|one| one.rule.code).collect()
}

#[test]
fn rope_parameters_are_silent_where_the_default_is_another() {
    let theta = |theta: &str| {
        format!(
            r#"{{"model_type": "llama", "rope_parameters": {{"rope_type": "default", "rope_theta": {theta}}}}}"#
        )
    };
    assert_eq!(codes(&[("config.json", &theta("500000.0"))], "4.57.6"), ["HF006"]);
    assert!(codes(&[("config.json", &theta("10000.0"))], "4.57.6").is_empty());
    assert!(codes(&[("config.json", &theta("500000.0"))], "5.0.0").is_empty());
    let both =
        r#"{"model_type": "llama", "rope_theta": 5e5, "rope_parameters": {"rope_theta": 5e5}}"#;
    assert!(codes(&[("config.json", both)], "4.57.6").is_empty());
}

#[test]
fn rope_scaling_is_held_to_two_fields_by_releases_that_do() {
    let scaling =
        |fields: &str| format!(r#"{{"model_type": "llama", "rope_scaling": {{{fields}}}}}"#);
    let three = scaling(r#""rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0"#);
    assert_eq!(codes(&[("config.json", &three)], "4.42.4"), ["HF007"]);
    assert!(codes(&[("config.json", &three)], "4.57.6").is_empty());
    let two = scaling(r#""type": "linear", "factor": 8.0"#);
    assert!(codes(&[("config.json", &two)], "4.42.4").is_empty());
    let later = scaling(r#""rope_type": "proportional", "factor": 8.0"#);
    assert_eq!(codes(&[("config.json", &later)], "4.57.6"), ["HF008"]);
    assert!(codes(&[("config.json", &later)], "5.0.0").is_empty());
    let own = scaling(r#""rope_type": "spiral", "factor": 8.0"#);
    assert!(codes(&[("config.json", &own)], "4.57.6").is_empty());
}

#[test]
fn a_tokenizer_is_known_by_its_class_and_by_the_form_of_its_merges() {
    let config = ("config.json", r#"{"model_type": "llama"}"#);
    let class = |name: &str| format!(r#"{{"tokenizer_class": "{name}"}}"#);
    let written = class("TokenizersBackend");
    assert_eq!(codes(&[config, ("tokenizer_config.json", &written)], "4.57.6"), ["HF003"]);
    assert!(codes(&[config, ("tokenizer_config.json", &written)], "5.0.0").is_empty());
    // From 5.0 on every name is taken for the one that is there.
    let gone = class("LlamaTokenizerFast");
    assert!(codes(&[config, ("tokenizer_config.json", &gone)], "5.0.0").is_empty());
    let merges = ("tokenizer.json", r#"{"model": {"type": "BPE", "merges": [["a", "b"]]}}"#);
    assert_eq!(codes(&[config, merges], "4.42.4"), ["HF012"]);
    assert!(codes(&[config, merges], "4.57.6").is_empty());
    let ignored = ("tokenizer.json", r#"{"model": {"type": "BPE", "ignore_merges": true}}"#);
    assert_eq!(codes(&[config, ignored], "4.42.4"), ["HF013"]);
    assert!(codes(&[config, ignored], "4.57.6").is_empty());
}

#[test]
fn weights_are_looked_for_beside_the_configuration() {
    let config = ("config.json", r#"{"model_type": "llama"}"#);
    let index = ("model.safetensors.index.json", r#"{"weight_map": {"a": "one.safetensors"}}"#);
    assert_eq!(codes(&[config, index], "4.57.6"), ["HF011"]);
    assert!(codes(&[config, index, ("one.safetensors", "")], "4.57.6").is_empty());
    assert!(codes(&[config], "4.57.6").is_empty());
}

#[test]
fn code_in_the_folder_is_not_judged() {
    let remote = r#"{"model_type": "mine", "auto_map": {"AutoConfig": "mine.Config"}}"#;
    assert!(codes(&[("config.json", remote)], "4.57.6").is_empty());
    assert_eq!(codes(&[("config.json", r#"{"model_type": "mine"}"#)], "4.57.6"), ["HF001"]);
}
