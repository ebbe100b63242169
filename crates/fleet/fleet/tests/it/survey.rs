//! What a survey says without asking is what a decision says.

use std::path::Path;

use unskew_core::Date;
use unskew_fleet::{
    AnswerIndex, DecisionKind, DeliveryMode, DeliveryPolicy, Fleet, RuntimeAnswer, RuntimeProfile,
    coverage,
};

fn example(name: &str) -> std::path::PathBuf {
    Path::new(env!("UNSKEW_ROOT")).join(name)
}

#[test]
fn a_survey_says_what_decisions_say_and_nothing_before_somebody_asked() {
    let folder = tempfile::tempdir().unwrap();
    let mut fleet = Fleet::open(folder.path()).unwrap();
    let profiles = [
        r#"{ "fleet_runtime": 1, "name": "phones", "devices": 400, "release": "torch@1.10" }"#,
        r#"{ "fleet_runtime": 1, "name": "servers", "devices": 7, "release": "torch@2.15" }"#,
        r#"{ "fleet_runtime": 1, "name": "cut", "devices": 40, "release": "torch@2.1", "without": ["aten::gelu"] }"#,
        r#"{ "fleet_runtime": 1, "name": "flow", "devices": 5, "release": "tensorflow@2.15" }"#,
    ];
    for profile in profiles {
        fleet.put_runtime(&RuntimeProfile::read(profile).unwrap(), "2026-11-01").unwrap();
    }
    let model = example("examples/gelu-2.15.0.pt");
    fleet.publish("gelu", &model, "2026-11-01").unwrap();
    let policy = DeliveryPolicy::on(Date::constant(2026, 11, 21));
    let runtimes = fleet.runtimes().unwrap();
    let versions = fleet.versions("gelu", "2026-11-21").unwrap();

    let mut survey = AnswerIndex::default();
    let before = survey.gets(&mut fleet, &versions, &runtimes, &policy).unwrap();
    assert_eq!(before, [RuntimeAnswer::NotAsked; 4]);

    let mut said = Vec::new();
    for runtime in &runtimes {
        let decision = fleet.decide("gelu", &runtime.name, &policy).unwrap();
        said.push(match decision.decision {
            DecisionKind::AsIs => RuntimeAnswer::Version(1, DeliveryMode::AsIs),
            DecisionKind::Converted => RuntimeAnswer::Version(1, DeliveryMode::Converted),
            DecisionKind::Unrelated => RuntimeAnswer::Unrelated,
            _ => RuntimeAnswer::Nothing,
        });
    }
    let after = survey.gets(&mut fleet, &versions, &runtimes, &policy).unwrap();
    assert_eq!(after, said);
    // By name: cut, flow, phones, servers.
    assert_eq!(after[..2], [RuntimeAnswer::Nothing, RuntimeAnswer::Unrelated]);
    let all = coverage(runtimes.iter().zip(after), Some(1));
    assert_eq!((all.served, all.unserved, all.unrelated, all.not_asked), (407, 40, 5, 0));
    assert_eq!((all.older, all.concerned()), (0, 447));
}
