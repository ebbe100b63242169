//! Real JAX releases on real plug-ins, as they are: what each of them was measured to do.
//!
//! A release that got better or worse here changes what `unskew` says of it (`crates/xla/pjrt`), and the page
//! `docs/reference/jax-on-plugins.md`.

use std::time::Duration;

use unskew_jax_matrix::{JaxCell, JaxHost, PLUGINS, run_all};
use unskew_peers::{ProbeOutcome, ProcessEnd};

const LIMIT: Duration = Duration::from_secs(180);

/// Runs a release on all plug-ins, two at a time; on none if real releases are not run.
fn on_all_plugins(version: &str) -> Vec<ProbeOutcome> {
    if !unskew_peers::there(&format!("jax-{version}")) {
        return Vec::new();
    }
    let host = JaxHost::named(version).unwrap();
    let cells: Vec<JaxCell> =
        PLUGINS.iter().map(|plugin| JaxCell::new(&host, plugin.path())).collect();
    let outcomes = run_all(&cells, 2, LIMIT).unwrap();
    for (outcome, plugin) in outcomes.iter().zip(&PLUGINS) {
        println!(
            "jax {version} on {}: {} passed, {}, first failure {:?}",
            plugin.name,
            outcome.passed(),
            outcome.end,
            outcome.failure()
        );
    }
    outcomes
}

#[test]
fn jax_0_10_2_works_but_for_what_needs_handlers_of_jaxlib() {
    for outcome in on_all_plugins("0.10.2") {
        assert_eq!(outcome.failed(), ["solve_lapack", "pure_callback"]);
        assert_eq!((outcome.passed(), outcome.end), (19, ProcessEnd::Finished));
    }
}

#[test]
fn jax_0_7_2_loads_every_plugin_and_can_execute_nothing() {
    for outcome in on_all_plugins("0.7.2") {
        let (step, said) = outcome.failure().unwrap();
        assert_eq!(step, "jit_add");
        assert!(
            said.contains("Unexpected PJRT_ExecuteOptions size: expected 112, got 88"),
            "{said}"
        );
        assert!(outcome.passed() < 19);
    }
}

#[test]
fn jax_0_6_2_and_0_5_3_abort_over_the_size_of_the_attributes() {
    for outcome in ["0.6.2", "0.5.3"].into_iter().flat_map(on_all_plugins) {
        assert_eq!(outcome.end, ProcessEnd::Signal(6));
        let said = outcome.failure().unwrap().1;
        let size = "Unexpected PJRT_Plugin_Attributes_Args size: expected 32, got 24";
        assert!(said.contains(size), "{said}");
    }
}

#[test]
fn jax_0_4_30_refuses_every_plugin_of_another_version() {
    for (outcome, plugin) in on_all_plugins("0.4.30").iter().zip(&PLUGINS) {
        let (step, said) = outcome.failure().unwrap();
        assert_eq!((step.as_str(), outcome.end), ("devices", ProcessEnd::Code(3)));
        let mismatch = format!(
            "Mismatched PJRT plugin PJRT API version (0.{}) and framework PJRT API version 0.54)",
            plugin.minor
        );
        assert!(said.contains(&mismatch), "{said}");
    }
}
