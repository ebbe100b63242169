//! What real JAX releases did with real plug-ins, against what is predicted.
//!
//! The table was measured with 29 JAX releases, each loading three CPU plug-ins (PJRT 0.81, 0.106 and
//! 0.115) through PJRT_NAMES_AND_LIBRARY_PATHS and running a probe of 21 steps.

use proptest::prelude::*;
use unskew_core::{Date, Phase, Severity};
use unskew_pjrt::{Attribute, Extension, PjrtValue, Probe, ReleasedHost, predict};

/// A JAX release: version, day, minor.
type Release = (&'static str, (i16, i8, i8), i32);

/// What a release did with each of the three plug-ins, and what it said first.
enum Did {
    Works,
    Fails(Phase, &'static str),
}
use Did::{Fails, Works};

fn rows() -> Vec<(Release, Did)> {
    let exec_88 =
        || Fails(Phase::FirstUse, "Unexpected PJRT_ExecuteOptions size: expected 112, got 88.");
    let exec_80 =
        || Fails(Phase::FirstUse, "Unexpected PJRT_ExecuteOptions size: expected 112, got 80.");
    let abort = || {
        Fails(
            Phase::Load,
            "Unexpected error status Unexpected PJRT_Plugin_Attributes_Args size: expected 32, got 24",
        )
    };
    let create = || {
        Fails(
            Phase::Load,
            "INVALID_ARGUMENT: Unexpected PJRT_Client_Create_Args size: expected 88, got 72",
        )
    };
    let mismatch = || {
        Fails(
            Phase::Load,
            "Mismatched PJRT plugin PJRT API version (0.{plugin}) and framework PJRT API version 0.{host}).",
        )
    };
    let dies = || Fails(Phase::Load, "SIGSEGV");
    let table = || {
        Fails(
            Phase::Load,
            "Unexpected PJRT_Api size: expected 792, got {table}. Check installed software versions. The framework PJRT API version is 0.33.",
        )
    };
    vec![
        (("0.12.0.1", (2026, 10, 21), 116), Works),
        (("0.11.2", (2026, 9, 17), 115), Works),
        (("0.10.2", (2026, 6, 17), 112), Works),
        (("0.10.0", (2026, 4, 15), 104), Works),
        (("0.9.2", (2026, 3, 18), 100), Works),
        (("0.9.0", (2026, 1, 20), 90), Works),
        (("0.8.3", (2026, 1, 28), 85), Works),
        (("0.8.2", (2025, 12, 18), 85), Works),
        (("0.8.1", (2025, 11, 18), 81), Works),
        (("0.8.0", (2025, 10, 15), 80), Works),
        (("0.7.2", (2025, 9, 15), 76), exec_88()),
        (("0.7.1", (2025, 8, 19), 75), exec_80()),
        (("0.7.0", (2025, 7, 22), 73), exec_80()),
        (("0.6.2", (2025, 6, 17), 70), abort()),
        (("0.6.0", (2025, 4, 16), 68), abort()),
        (("0.5.3", (2025, 3, 19), 67), abort()),
        (("0.5.0", (2025, 1, 17), 64), abort()),
        (("0.4.38", (2024, 12, 17), 58), create()),
        (("0.4.36", (2024, 12, 5), 57), create()),
        (("0.4.35", (2024, 10, 22), 55), create()),
        (("0.4.33", (2024, 9, 16), 54), create()),
        (("0.4.31", (2024, 7, 29), 54), mismatch()),
        (("0.4.30", (2024, 6, 18), 54), mismatch()),
        (("0.4.28", (2024, 5, 9), 51), mismatch()),
        (("0.4.25", (2024, 2, 24), 42), dies()),
        (("0.4.23", (2023, 12, 13), 40), dies()),
        (("0.4.20", (2023, 11, 2), 38), dies()),
        (("0.4.18", (2023, 10, 6), 33), table()),
        (("0.4.13", (2023, 6, 22), 2), Fails(Phase::Load, "")),
    ]
}

fn host((version, (year, month, day), minor): Release) -> ReleasedHost {
    ReleasedHost::jax(version, Date::constant(year, month, day), minor)
}

/// A CPU plug-in as the three real ones present themselves.
fn plugin(minor: i32, table_size: u64, stablehlo: [i64; 3]) -> Probe {
    let extensions = [(9, 64), (5, 48), (6, 40), (4, if minor < 90 { 72 } else { 80 })];
    let extension = |(kind, size)| Extension { kind, size: Some(size) };
    Probe {
        minor,
        version_size: 24,
        table_size,
        extensions: extensions.into_iter().map(extension).collect(),
        attributes: Some(vec![
            Attribute {
                name: "stablehlo_current_version".into(),
                value: PjrtValue::Numbers(stablehlo.to_vec()),
            },
            Attribute {
                name: "stablehlo_minimum_version".into(),
                value: PjrtValue::Numbers(vec![0, 9, 0]),
            },
        ]),
        ..Probe::default()
    }
}

#[test]
fn every_cell_of_the_measured_table_is_predicted() {
    let plugins =
        [plugin(81, 984, [1, 13, 3]), plugin(106, 1128, [1, 16, 1]), plugin(115, 1144, [1, 20, 0])];
    let (mut agree, mut all) = (0, 0);
    for (release, did) in rows() {
        for plugin in &plugins {
            all += 1;
            let findings = predict(&host(release), plugin);
            let first = findings.iter().find(|f| f.severity == Severity::Error);
            let same = match &did {
                Works => first.is_none(),
                Fails(phase, text) => first.is_some_and(|first| {
                    let text = text
                        .replace("{plugin}", &plugin.minor.to_string())
                        .replace("{host}", &release.2.to_string())
                        .replace("{table}", &plugin.table_size.to_string());
                    first.phase == Some(*phase)
                        && first.symptom.as_deref().unwrap_or_default().contains(&text)
                }),
            };
            if same {
                agree += 1;
            } else {
                println!("jax {} on 0.{}: {:?}", release.0, plugin.minor, first);
            }
        }
    }
    println!("agreement {agree}/{all}");
    assert_eq!((agree, all), (87, 87));
}

#[test]
fn hosts_that_demand_an_exact_match_die_later_if_the_demand_is_lifted() {
    let jax_0431 = host(("0.4.31", (2024, 7, 29), 54));
    let findings = predict(&jax_0431, &plugin(106, 1128, [1, 16, 1]));
    let codes: Vec<&str> =
        findings.iter().filter(|f| f.severity == Severity::Error).map(|f| f.rule.code).collect();
    assert_eq!(codes, ["PJ102", "PJ201"]);
    assert!(findings[1].symptom.as_ref().unwrap().contains("PJRT_Client_Create_Args"));
}

#[test]
fn jax_0_4_35_writes_programs_that_it_does_not_know_itself() {
    let stablehlo = "1.7.8".parse().unwrap();
    let jax = host(("0.4.35", (2024, 10, 22), 55)).with_stablehlo(stablehlo);
    let findings = predict(&jax, &plugin(115, 1144, [1, 20, 0]));
    let symptom = "target version 1.20.0 is greater than current version 1.7.8";
    assert!(findings.iter().any(|f| f.symptom.as_deref() == Some(symptom)));
    let later = host(("0.4.36", (2024, 12, 5), 57)).with_stablehlo(stablehlo);
    let findings = predict(&later, &plugin(115, 1144, [1, 20, 0]));
    assert!(findings.iter().all(|f| f.rule.code != "PJ401"));
}

/// A new host on a table cut down to an older minor, as it was measured: JAX 0.10.2.
#[test]
fn a_new_host_on_an_old_table_fails_where_it_was_seen_to_fail() {
    let jax = host(("0.10.2", (2026, 6, 17), 112));
    let outcome = |minor: i32, chain: bool| {
        let table = unskew_pjrt::layout::table_size(minor).unwrap().declared as u64;
        let mut old = plugin(minor, table, [1, 20, 0]);
        if !chain {
            old.extensions.clear();
        }
        let findings = predict(&jax, &old);
        findings.iter().filter(|f| f.severity == Severity::Error).filter_map(|f| f.phase).min()
    };
    let mut cells = 0;
    for minor in 29..=110 {
        if minor == 56 {
            continue;
        }
        // With the chain hidden, which is what plug-ins of that age look like.
        let hidden = match minor {
            ..36 => Some(Phase::Load),
            36..40 => Some(Phase::FirstUse),
            _ => None,
        };
        assert_eq!(outcome(minor, false), hidden, "0.{minor}, no extensions");
        // With today's chain visible; below 0.45 it would have to have another layout.
        if minor >= 45 {
            let visible = if minor < 52 { Some(Phase::FirstUse) } else { None };
            assert_eq!(outcome(minor, true), visible, "0.{minor}, extensions");
        }
        cells += 1;
    }
    println!("agreement {cells}/{cells} presented minors");
}

#[test]
fn a_plug_in_that_claims_a_younger_version_than_its_table_has_is_refused() {
    let jax = host(("0.10.2", (2026, 6, 17), 112));
    let findings = predict(&jax, &plugin(112, 984, [1, 13, 3]));
    assert_eq!(findings[0].rule.code, "PJ304");
}

#[test]
fn a_plug_in_without_size_checks_is_a_warning_and_not_a_refusal() {
    let jax = host(("0.7.2", (2025, 9, 15), 76));
    let mut tenstorrent = plugin(114, 1144, [1, 14, 0]);
    tenstorrent.version_size = 0;
    let codes: Vec<&str> = predict(&jax, &tenstorrent).iter().map(|f| f.rule.code).collect();
    assert!(codes.contains(&"PJ203") && !codes.contains(&"PJ201"), "{codes:?}");
}

#[test]
fn a_null_function_that_every_host_calls_is_an_error() {
    let jax = host(("0.10.2", (2026, 6, 17), 112));
    let mut plugin = plugin(115, 1144, [1, 20, 0]);
    // PJRT_LoadedExecutable_AddressableDeviceLogicalIds, which hosts ask for before they call it.
    plugin.empty_slots = vec![1080];
    let grave =
        |plugin: &Probe| predict(&jax, plugin).into_iter().any(|f| f.severity == Severity::Error);
    assert!(!grave(&plugin));
    plugin.empty_slots = vec![120];
    assert!(grave(&plugin));
}

#[test]
fn a_host_without_a_number_is_no_pass() {
    let mut jax = host(("0.4.10", (2023, 5, 11), 0));
    jax.minor = None;
    assert_eq!(predict(&jax, &plugin(81, 984, [1, 13, 3]))[0].rule.code, "PJ106");
}

proptest! {
    /// Whatever a plug-in claims, there is an answer, and soon.
    #[test]
    fn any_claim_of_a_plug_in_is_judged(
        (major, minor, host_minor) in (-1..2_i32, any::<i32>(), any::<i32>()),
        (version_size, table_size) in (any::<u64>(), any::<u64>()),
        empty_slots in prop::collection::vec(any::<u64>(), 0..8),
        kinds in prop::collection::vec(any::<i32>(), 0..8),
        numbers in prop::collection::vec(any::<i64>(), 0..6),
        days in 0..1500_i32,
    ) {
        let extensions = kinds.iter().map(|kind| Extension { kind: *kind, size: None }).collect();
        let name = "stablehlo_current_version".to_owned();
        let attributes = Some(vec![Attribute { name, value: PjrtValue::Numbers(numbers) }]);
        let probe = Probe {
            major, minor, version_size, table_size, empty_slots, extensions, attributes,
            ..Probe::default()
        };
        let day = Date::constant(2023, 1, 1).saturating_add(jiff::Span::new().days(days));
        let jax = ReleasedHost::jax("0.0.0", day, host_minor).with_stablehlo("1.7.8".parse().unwrap());
        let _ = predict(&jax, &probe);
        prop_assert!(probe.true_table_size() >= probe.table_size.min(2000));
    }
}
