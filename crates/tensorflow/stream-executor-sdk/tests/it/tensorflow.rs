//! The example plug-in in real releases of TensorFlow.
//!
//! What each release does with it stands in `docs/reference/tensorflow-on-soroban.md`, which
//! `cargo lab tensorflow --write` makes.

use std::path::PathBuf;
use std::time::Duration;

use unskew_peers::{Peer, run_probe, there};

/// How many steps `lab/tensorflow/probes/tf_steps.py` has.
const STEPS: usize = 18;

const LIMIT: Duration = Duration::from_secs(300);

/// Where cargo puts the example when it builds this test.
fn plugin() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("examples/libsoroban.so");
    assert!(path.is_file(), "cargo test builds it: {}", path.display());
    path
}

fn every_step_passes_in(version: &str) {
    if !there(&format!("tensorflow-{version}")) {
        return;
    }
    let mut probe = Peer::named("tensorflow", version).unwrap().probe("tensorflow", "tf_steps.py");
    let outcome = run_probe(probe.arg(plugin()).arg("SOROBAN"), LIMIT).unwrap();
    for step in &outcome.steps {
        println!("tensorflow {version}: {} {} {}", step.step, step.ok, step.detail);
    }
    assert_eq!(outcome.failure(), None, "{}", outcome.errors);
    assert_eq!(outcome.passed(), STEPS);
}

/// A release that lets plug-ins use variables.
#[test]
fn tensorflow_2_15_1_lists_the_device_computes_and_trains_on_it() {
    every_step_passes_in("2.15.1");
}

/// A release whose functions for variables are gone.
#[test]
fn tensorflow_2_21_0_lists_the_device_computes_and_trains_on_it() {
    every_step_passes_in("2.21.0");
}
