//! `unskew adapt`: real JAX releases on plug-ins that they cannot use as they are.
//!
//! What they do without the adapter is asserted in `crates/testing/jax/tests/it/direct.rs`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use unskew_core::Version;
use unskew_jax_matrix::{CorpusPlugin, JaxCell, JaxHost, PLUGINS, run_all};

/// The shared object that the command makes of a plug-in for a release.
fn adapt(plugin: &CorpusPlugin, host: &JaxHost, folder: &Path) -> PathBuf {
    let output = Command::new(env!("CARGO_BIN_EXE_unskew"))
        .arg("adapt")
        .arg(plugin.path())
        .args(["--for", &format!("jax@{}", host.version), "-o"])
        .arg(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut made: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "so")).collect();
    assert_eq!(made.len(), 1, "{made:?}");
    made.pop().unwrap()
}

/// How many of the 21 steps have to pass. From 0.8.0 on that is what passes without the adapter.
fn bar(version: Version) -> usize {
    if version < Version::triple(0, 4, 30) {
        12
    } else if version < Version::triple(0, 5, 0) {
        18
    } else {
        19
    }
}

/// Runs releases on adapted plug-ins, two cells at a time, and returns those that are below the bar.
fn below_the_bar(hosts: &[JaxHost]) -> Vec<String> {
    let scratch = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    let mut cells = Vec::new();
    for host in hosts {
        for plugin in &PLUGINS {
            let folder = scratch.path().join(format!("{}-{}", host.version, plugin.minor));
            cells.push(JaxCell::new(host, adapt(plugin, host, &folder)));
            names.push(format!("jax {} on {}", host.version, plugin.name));
        }
    }
    let outcomes = run_all(&cells, 2, Duration::from_secs(180)).unwrap();
    let mut below = Vec::new();
    for ((name, cell), outcome) in names.iter().zip(&cells).zip(&outcomes) {
        let line = format!(
            "{name}: {} passed, {}, first failure {:?}",
            outcome.passed(),
            outcome.end,
            outcome.failure()
        );
        println!("{line}");
        if outcome.passed() < bar(cell.host.version) {
            below.push(line);
        }
    }
    below
}

fn hosts(versions: &[&str]) -> Vec<JaxHost> {
    let run = versions.iter().filter(|version| unskew_peers::there(&format!("jax-{version}")));
    run.map(|version| JaxHost::named(version).unwrap()).collect()
}

#[test]
fn jax_0_5_to_0_7_run_on_adapted_plugins_like_the_newest_jax() {
    assert_eq!(below_the_bar(&hosts(&["0.5.3", "0.6.2", "0.7.2"])), Vec::<String>::new());
}

#[test]
fn jax_0_4_30_runs_on_adapted_plugins() {
    assert_eq!(below_the_bar(&hosts(&["0.4.30"])), Vec::<String>::new());
}

#[test]
fn a_jax_that_needs_no_adapter_is_not_worse_with_it() {
    assert_eq!(below_the_bar(&hosts(&["0.10.2"])), Vec::<String>::new());
}

#[test]
fn a_trace_of_an_old_jax_does_not_end_its_process_on_adapted_plugins() {
    let scratch = tempfile::tempdir().unwrap();
    for host in hosts(&["0.4.30", "0.6.2"]) {
        for plugin in &PLUGINS {
            let folder = scratch.path().join(format!("{}-{}", host.version, plugin.minor));
            let adapted = adapt(plugin, &host, &folder);
            let mut probe = host.peer.probe("xla", "jax_features.py");
            probe.arg("profiler").env("JAX_PLATFORMS", "vcpu");
            probe.env("PJRT_NAMES_AND_LIBRARY_PATHS", format!("vcpu:{}", adapted.display()));
            let output = probe.output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            let what = format!("jax {} on {}: {}", host.version, plugin.name, output.status);
            assert!(said.contains("profiler ok"), "{what}\n{said}");
        }
    }
}

#[test]
#[ignore = "takes ten minutes, and the environments of `cargo xtask corpus --all-jax`"]
fn every_jax_since_0_4_20_reaches_its_bar() {
    let hosts = JaxHost::all();
    assert!(hosts.len() > 20, "only {} environments are made", hosts.len());
    assert_eq!(below_the_bar(&hosts), Vec::<String>::new());
}
