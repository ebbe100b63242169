//! The example plug-in, loaded as hosts load it, at several ages: every check of `unskew conform`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use unskew_abi::sandbox::Confinement;
use unskew_core::{Date, Severity};
use unskew_pjrt::conform::{CheckOutcome, Conformance, conform, conform_child_main};
use unskew_pjrt::{Probe, ReleasedHost, child_main, predict, probe_in_child};

const PATH_VARIABLE: &str = "ABACUS_TEST_PATH";
const RANGE_VARIABLE: &str = "ABACUS_TEST_RANGE";
const MINOR_VARIABLE: &str = "ABACUS_PRESENTS";

/// Not a test of its own: what the child processes of the others run.
#[test]
fn the_child_of_the_other_tests() {
    let Some(path) = std::env::var_os(PATH_VARIABLE).map(PathBuf::from) else { return };
    let range = std::env::var(RANGE_VARIABLE).unwrap_or_default();
    std::process::exit(match range.split_once(' ') {
        Some((from, to)) => {
            conform_child_main(&path, None, from.parse().unwrap(), to.parse().unwrap())
        }
        None => child_main(&path, None),
    })
}

/// Where cargo puts the example when it builds this test.
fn plugin() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().nth(2).unwrap();
    let name = format!("{}abacus{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let path = folder.join("examples").join(name);
    assert!(path.is_file(), "cargo test builds it: {}", path.display());
    path
}

fn command(path: &Path, minor: i32) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "example::the_child_of_the_other_tests", "--nocapture"]);
    command.env(PATH_VARIABLE, path).env(MINOR_VARIABLE, minor.to_string());
    command.env("ABACUS_DEVICES", "2");
    command
}

fn look(path: &Path, minor: i32) -> Probe {
    let limit = Duration::from_secs(20);
    let probe = probe_in_child(command(path, minor), limit, Confinement::Sandbox).unwrap();
    assert_eq!(probe.minor, minor);
    probe
}

fn report(path: &Path, minor: i32, more: &[(&str, &str)]) -> Conformance {
    let command = || {
        let mut command = command(path, minor);
        command.envs(more.iter().copied());
        command
    };
    let limit = Duration::from_secs(20);
    let probe = probe_in_child(command(), limit, Confinement::Sandbox).unwrap();
    assert_eq!(probe.minor, minor);
    let child = |from: usize, to: usize| {
        let mut command = command();
        command.env(RANGE_VARIABLE, format!("{from} {to}"));
        command
    };
    conform(&probe, &child, limit, Confinement::Sandbox)
}

#[test]
fn the_example_passes_every_check_presented_at_eight_ages() {
    let path = plugin();
    for minor in [29, 40, 54, 76, 81, 105, 107, 115] {
        let found = report(&path, minor, &[]);
        let faults: Vec<String> = found
            .rows
            .iter()
            .filter(|row| {
                let none =
                    matches!(row.outcome, CheckOutcome::Pass(_) | CheckOutcome::Unsupported { .. });
                !none
            })
            .map(|row| format!("0.{minor} {} {}: {:?}", row.group, row.name, row.outcome))
            .collect();
        println!(
            "0.{minor}: {} pass, {} unsupported",
            found.count("pass"),
            found.count("unsupported")
        );
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert!(found.ran_a_program());
    }
}

/// Plug-ins made with an MLIR parser of bytecode only are many, and no host sends text.
#[test]
fn a_plug_in_that_takes_no_text_passes_by_artifact() {
    let found = report(&plugin(), 115, &[("ABACUS_TAKES_NO_TEXT", "1")]);
    let faults: Vec<_> = found.rows.iter().filter(|row| row.outcome.is_fault()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert!(found.ran_a_program());
    let text = found.rows.iter().find(|row| row.name == "StableHLO text").unwrap();
    let CheckOutcome::Pass(seen) = &text.outcome else { panic!("{:?}", text.outcome) };
    assert!(seen.starts_with("by artifact; text is refused: "), "{seen}");
    let donation = found.rows.iter().find(|row| row.name == "donation").unwrap();
    assert!(matches!(donation.outcome, CheckOutcome::Pass(_)), "{:?}", donation.outcome);
}

/// `tests/jax.rs` has real JAX 0.6.2 compute on it: a verdict may not refuse what the plug-in accepts.
#[test]
fn verdicts_go_by_the_sizes_that_a_plug_in_accepts() {
    let probe = look(&plugin(), 115);
    for (name, least) in [
        ("PJRT_Client_Create_Args", 72),
        ("PJRT_Plugin_Attributes_Args", 24),
        ("PJRT_Device_AddressableMemories_Args", 32),
    ] {
        let measured = probe.accepted_sizes.get(name).copied();
        assert!(measured.is_some_and(|size| size <= least), "{name}: {measured:?}");
    }
    for (name, day, minor) in [
        ("0.5.3", Date::constant(2025, 3, 19), 67),
        ("0.6.2", Date::constant(2025, 6, 17), 70),
        ("0.10.2", Date::constant(2026, 6, 17), 112),
    ] {
        let findings = predict(&ReleasedHost::jax(name, day, minor), &probe);
        let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        let errors: Vec<&str> = errors.map(|finding| finding.rule.code).collect();
        assert!(errors.is_empty(), "jax {name}: {errors:?}");
        // Without the measurement the minor alone decides, as for a plug-in built from XLA.
        let unmeasured = Probe { accepted_sizes: Default::default(), ..probe.clone() };
        let codes: Vec<&str> = predict(&ReleasedHost::jax(name, day, minor), &unmeasured)
            .iter()
            .map(|finding| finding.rule.code)
            .collect();
        assert_eq!(codes.contains(&"PJ201"), minor < 112, "jax {name}: {codes:?}");
    }
}
