//! The example plug-in, loaded as hosts load it, at several ages: every check of `unskew conform`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use unskew_abi::sandbox::Confinement;
use unskew_pjrt::conform::{Conformance, Outcome, conform, conform_child_main};
use unskew_pjrt::{child_main, probe_in_child};

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

fn report(path: &Path, minor: i32) -> Conformance {
    let command = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "example::the_child_of_the_other_tests", "--nocapture"]);
        command.env(PATH_VARIABLE, path).env(MINOR_VARIABLE, minor.to_string());
        command.env("ABACUS_DEVICES", "2");
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
        let found = report(&path, minor);
        let faults: Vec<String> = found
            .rows
            .iter()
            .filter(|row| {
                let none = matches!(row.outcome, Outcome::Pass(_) | Outcome::Unsupported { .. });
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
