//! What a release makes of a configuration, and what is made of it for a release.

use std::sync::Arc;

use unskew_core::{Context, Date, Verdict, check};
use unskew_peft::{PeftNames, PeftRelease, convert, party};
use unskew_source::{BytesSource, ConvertedArtifact, Source, SourceExt as _};

const NAMES: &str = "#releases\t0.5.0 0.13.2 0.14.0 0.15.0
ADALORA(fails -total_step)\t0.15.0-
ADALORA(fails total_step=null)\t0.15.0-
ADALORA(field peft_type = \"ADALORA\")\t0.5.0-
ADALORA(field total_step = null)\t0.5.0-
ADALORA(type)\t0.5.0-
LORA(field lora_bias = false)\t0.14.0-
LORA(field peft_type = \"LORA\")\t0.5.0-
LORA(field r = 8)\t0.5.0-
LORA(type)\t0.5.0-
MISS(type)\t0.15.0-
unknown-fields(all lost)\t0.14.0
unknown-fields(ignored)\t0.5.0
unknown-fields(refused)\t0.13.2
unknown-fields(warned)\t0.15.0-
";

fn release(version: &str) -> PeftRelease {
    PeftRelease {
        version: version.parse().unwrap(),
        released: Date::constant(2026, 11, 1),
        names: Arc::new(PeftNames::from_text(NAMES).unwrap()),
    }
}

fn source(text: &str) -> Arc<dyn Source> {
    Arc::new(BytesSource::new("adapter_config.json", text.as_bytes().to_vec()))
}

fn verdict(text: &str, version: &str) -> Verdict {
    let file = party(&source(text)).unwrap().unwrap();
    let release = release(version);
    check(&file, &release.party(), &Context::on(release.released))
}

fn codes(text: &str, version: &str) -> Vec<&'static str> {
    verdict(text, version).findings.iter().map(|one| one.rule.code).collect()
}

#[test]
fn a_type_is_known_from_its_release_on() {
    assert_eq!(codes(r#"{"peft_type": "MISS"}"#, "0.14.0"), ["PE001"]);
    assert!(codes(r#"{"peft_type": "MISS"}"#, "0.15.0").is_empty());
}

#[test]
fn a_field_that_is_missing_is_passed_over_or_refused_as_the_release_does() {
    let at_default = r#"{"peft_type": "LORA", "r": 4, "lora_bias": false}"#;
    let set = r#"{"peft_type": "LORA", "r": 4, "lora_bias": true}"#;
    assert!(codes(at_default, "0.5.0").is_empty());
    assert_eq!(codes(set, "0.5.0"), ["PE003"]);
    assert_eq!(codes(at_default, "0.13.2"), ["PE002"]);
    assert_eq!(codes(set, "0.13.2"), ["PE002"]);
    assert!(codes(set, "0.14.0").is_empty());
    let announced = |text: &str| verdict(text, "0.13.2").findings[0].adaptation.is_some();
    assert!(announced(at_default) && !announced(set));
}

#[test]
fn a_release_that_loses_all_fields_says_so_only_where_one_is_unknown() {
    let unknown = r#"{"peft_type": "LORA", "r": 4, "tomorrow": 1}"#;
    assert_eq!(codes(unknown, "0.14.0"), ["PE005"]);
    let found = verdict(unknown, "0.15.0");
    assert!(found.findings.is_empty());
    assert!(found.unjudged.iter().any(|one| one.reason.contains("no release in the database")));
}

#[test]
fn a_value_that_a_type_cannot_do_without_is_demanded() {
    for text in [r#"{"peft_type": "ADALORA"}"#, r#"{"peft_type": "ADALORA", "total_step": null}"#] {
        assert_eq!(codes(text, "0.15.0"), ["PE004"], "{text}");
        assert!(codes(text, "0.14.0").is_empty());
    }
    assert!(codes(r#"{"peft_type": "ADALORA", "total_step": 9}"#, "0.15.0").is_empty());
}

#[test]
fn a_field_at_its_default_is_left_out_and_another_stands_in_the_way() {
    let made = |text: &str| {
        let (plan, output) = convert(&source(text), &release("0.13.2")).unwrap().unwrap();
        let ConvertedArtifact::File(output) = output else { panic!("a folder") };
        let source: &dyn Source = &*output;
        plan.is_possible().then(|| String::from_utf8(source.all().unwrap()).unwrap())
    };
    let text = made(r#"{"peft_type": "LORA", "lora_bias": false, "r": 4}"#).unwrap();
    assert!(!text.contains("lora_bias") && text.contains("\"r\": 4"), "{text}");
    assert_eq!(made(r#"{"peft_type": "LORA", "lora_bias": true}"#), None);
    assert_eq!(made(r#"{"peft_type": "LORA", "tomorrow": 1}"#), None);
}
