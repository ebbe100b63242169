//! What a server of language models makes of a folder.

use std::sync::Arc;

use unskew_core::{Context, Date, Verdict, check};
use unskew_source::{BytesSource, Source};
use unskew_transformers::{KnownNames, ServerKind, ServerRelease, party};

const SERVER: &str = "#releases\t0.6.6 0.8.5 0.30.0
LlamaForCausalLM(architecture)\t0.6.6-
Qwen3ForCausalLM(architecture)\t0.8.5-
compressed-tensors(quantization)\t0.8.5-
gptq(quantization)\t0.6.6-
transformers(requires <5,>=4.51.1)\t0.30.0
transformers(requires >=4.45.2)\t0.6.6
transformers(requires >=4.51.1)\t0.8.5
transformers-fallback(feature)\t0.8.5-
";

const TRANSFORMERS: &str = "#releases\t4.45.2 4.51.3 5.0.0
gemma5(model)\t5.0.0
llama(model)\t4.45.2-
qwen3(model)\t4.51.3-
";

fn verdict(config: &str, version: &str) -> Verdict {
    let bytes = config.as_bytes().to_vec();
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("config.json", bytes));
    let file = party(&source).unwrap().unwrap();
    let release = ServerRelease {
        kind: ServerKind::Vllm,
        version: version.parse().unwrap(),
        released: Date::constant(2026, 11, 1),
        names: Arc::new(KnownNames::from_text(SERVER).unwrap()),
        transformers: Some(Arc::new(KnownNames::from_text(TRANSFORMERS).unwrap())),
    };
    check(&file, &release.party(), &Context::on(release.released))
}

fn codes(config: &str, version: &str) -> Vec<&'static str> {
    verdict(config, version).findings.iter().map(|one| one.rule.code).collect()
}

const QWEN: &str = r#"{"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"]}"#;

#[test]
fn an_architecture_is_known_from_its_release_on() {
    assert_eq!(codes(QWEN, "0.6.6"), ["HF014"]);
    assert!(codes(QWEN, "0.8.5").is_empty());
    let fix = verdict(QWEN, "0.6.6").findings[0].fix.clone().unwrap();
    assert_eq!(fix, "Install vllm 0.8.5 or later.");
}

#[test]
fn the_first_class_that_is_known_counts() {
    let two = r#"{"model_type": "llama", "architectures": ["OwnModel", "LlamaForCausalLM"]}"#;
    assert!(codes(two, "0.6.6").is_empty());
}

#[test]
fn what_is_not_in_the_table_of_a_later_release_is_tried_by_the_code_of_transformers() {
    let other = r#"{"model_type": "llama", "architectures": ["OwnModel"]}"#;
    assert_eq!(codes(other, "0.6.6"), ["HF014"]);
    assert_eq!(codes(other, "0.8.5"), ["HF015"]);
}

#[test]
fn a_method_of_quantization_is_known_under_both_ways_to_write_it() {
    let by = |method: &str| {
        format!(
            r#"{{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "quantization_config": {{"quant_method": "{method}"}}}}"#
        )
    };
    assert!(codes(&by("gptq"), "0.6.6").is_empty());
    assert_eq!(codes(&by("compressed_tensors"), "0.6.6"), ["HF016"]);
    assert!(codes(&by("compressed_tensors"), "0.8.5").is_empty());
}

#[test]
fn the_type_of_the_model_is_known_to_a_transformers_that_the_server_accepts() {
    let gemma = r#"{"model_type": "gemma5", "architectures": ["LlamaForCausalLM"]}"#;
    assert_eq!(codes(gemma, "0.30.0"), ["HF017"]);
    let newer = verdict(gemma, "0.8.5");
    assert!(newer.findings.is_empty());
    assert!(newer.unjudged.iter().any(|one| one.reason.contains("from 5.0.0 on")));
}
