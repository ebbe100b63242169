//! Who loads and calls files: each verdict is what the real release did.

use unskew_core::{
    Context, Date, Outcome, Party, Phase, PromiseState, Role, Verdict, Version, check,
};

use crate::files::file;

/// A JAX release as the database makes it: what it reads of files, and its StableHLO.
fn jax(version: (i64, i64, i64), stablehlo: (i64, i64, i64), day: Date) -> Party {
    let [version, stablehlo] = [version, stablehlo].map(|(a, b, c)| Version::triple(a, b, c));
    let party = Party::new(format!("jax {version}"), Role::Host, "JAX release").dated(day);
    unskew_stablehlo::reader(unskew_jax_export::reader(party, version), stablehlo)
}

fn jax_0_4_30() -> Party {
    jax((0, 4, 30), (1, 1, 3), Date::constant(2024, 6, 18))
}

fn jax_0_8_1() -> Party {
    jax((0, 8, 1), (1, 13, 7), Date::constant(2025, 11, 18))
}

fn jax_0_8_3() -> Party {
    jax((0, 8, 3), (1, 13, 7), Date::constant(2026, 1, 13))
}

fn jax_0_12_0() -> Party {
    jax((0, 12, 0), (1, 22, 0), Date::constant(2026, 11, 5))
}

fn verdict(name: &str, jax: &Party) -> Verdict {
    let party = unskew_jax_export::party(&file(name)).unwrap().unwrap();
    check(&party, jax, &Context::on(Date::constant(2026, 11, 20)))
}

fn codes(verdict: &Verdict) -> Vec<&str> {
    verdict.findings.iter().map(|finding| finding.rule.code).collect()
}

#[test]
fn jx001_a_stored_number_is_refused_before_anything_else() {
    let refused = verdict("plain-0.12.0", &jax_0_8_1());
    assert_eq!((codes(&refused)[0], refused.first_failure()), ("JX001", Some(Phase::Load)));
    let fix = refused.findings[0].fix.as_deref().unwrap_or_default();
    assert!(fix.contains("0.8.2 or later"), "{fix}");
    assert!(!codes(&verdict("plain-0.12.0", &jax_0_12_0())).contains(&"JX001"));
}

#[test]
fn jx002_what_is_expired_is_refused() {
    for old in ["plain-0.4.30", "sharded-0.8.3"] {
        let refused = verdict(old, &jax_0_12_0());
        assert_eq!(
            (codes(&refused)[0], refused.first_failure()),
            ("JX002", Some(Phase::Load)),
            "{old}"
        );
        assert_eq!(refused.promises[0].state, PromiseState::Expired);
    }
    assert!(verdict("sharded-0.10.2", &jax_0_12_0()).works());
}

#[test]
fn jx003_a_dtype_that_came_later_is_refused() {
    let refused = verdict("float4_e2m1fn-0.5.3", &jax_0_4_30());
    assert!(codes(&refused).contains(&"JX003"));
    assert_eq!(refused.first_failure(), Some(Phase::Load));
    assert!(!codes(&verdict("float4_e2m1fn-0.5.3", &jax_0_8_1())).contains(&"JX003"));
}

#[test]
fn jx004_a_pytree_with_classes_is_refused_where_there_are_none() {
    let refused = verdict("custom_node-0.5.3", &jax_0_4_30());
    assert!(codes(&refused).contains(&"JX004"));
    assert_eq!(refused.first_failure(), Some(Phase::Load));
    assert!(!codes(&verdict("custom_node-0.5.3", &jax_0_8_1())).contains(&"JX004"));
}

#[test]
fn jx005_a_reader_that_sees_no_devices_fails_when_it_calls() {
    let refused = verdict("sharded-0.10.2", &jax_0_8_1());
    assert!(codes(&refused).contains(&"JX005"));
    assert_eq!(refused.first_failure(), Some(Phase::FirstUse));
    assert!(!codes(&verdict("sharded-0.8.3", &jax_0_8_1())).contains(&"JX005"));
}

#[test]
fn jx006_shardings_that_are_not_seen_are_a_warning() {
    let seen = verdict("sharded-0.10.2", &jax_0_8_3());
    assert!(codes(&seen).contains(&"JX006"));
    assert!(!codes(&verdict("sharded-0.8.3", &jax_0_8_3())).contains(&"JX006"));
}

#[test]
fn what_nobody_can_tell_is_not_judged() {
    assert_eq!(
        verdict("custom_node-0.12.0", &jax_0_12_0()).outcome,
        Outcome::Unjudged,
        "a class of the program"
    );
    assert_eq!(
        verdict("linalg-0.4.30", &jax_0_4_30()).outcome,
        Outcome::Unjudged,
        "a custom call to LAPACK"
    );
    let jax_0_6_2 = jax((0, 6, 2), (1, 11, 0), Date::constant(2025, 6, 17));
    let places = |verdict: &Verdict| {
        verdict.unjudged.iter().map(|one| one.places.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(places(&verdict("sharded-0.10.2", &jax_0_6_2)), ["sdy"]);
    assert!(places(&verdict("sharded-0.10.2", &jax_0_8_3())).is_empty());
    assert_eq!(verdict("plain-0.12.0", &jax_0_12_0()).outcome, Outcome::Compatible);
}

#[test]
fn the_program_counts_when_the_function_is_called() {
    let new = jax((0, 12, 0), (1, 5, 0), Date::constant(2026, 11, 5));
    let refused = verdict("sharded-0.10.2", &new);
    assert_eq!((codes(&refused)[0], refused.first_failure()), ("SH001", Some(Phase::FirstUse)));
}
