//! `unskew_jax`: the handlers of jaxlib on plug-ins that lack them.

use std::time::Duration;

use unskew_jax_matrix::{JaxCell, JaxHost, PLUGINS, STEPS, run_all};

#[test]
fn every_step_passes_on_every_plugin_with_the_handlers_of_jaxlib() {
    if !unskew_peers::there("jax-0.10.2") {
        return;
    }
    let host = JaxHost::named("0.10.2").unwrap();
    let cells: Vec<JaxCell> =
        PLUGINS.iter().map(|plugin| JaxCell::new(&host, plugin.path()).with_handlers()).collect();
    let outcomes = run_all(&cells, 2, Duration::from_secs(180)).unwrap();
    for (outcome, plugin) in outcomes.iter().zip(&PLUGINS) {
        println!("jax 0.10.2 on {}: {} passed, {}", plugin.name, outcome.passed(), outcome.end);
        assert_eq!(outcome.failure(), None, "{}", plugin.name);
        assert_eq!(outcome.passed(), STEPS, "{}", plugin.name);
    }
}

#[test]
fn the_tests_of_the_python_package_pass() {
    if !unskew_peers::there("jax-0.10.2") {
        return;
    }
    let host = JaxHost::named("0.10.2").unwrap();
    let package = unskew_peers::root().join("python/unskew_jax");
    for plugin in &PLUGINS {
        let output = host
            .peer
            .command()
            .args(["-m", "unittest", "discover", "--start-directory"])
            .arg(package.join("tests"))
            .env("PYTHONPATH", &package)
            .env("PJRT_NAMES_AND_LIBRARY_PATHS", format!("vcpu:{}", plugin.path().display()))
            .env("JAX_PLATFORMS", "vcpu,cpu")
            .env("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        println!("{}: {said}", plugin.name);
        assert!(output.status.success() && !said.contains("Ran 0 tests"), "{said}");
    }
}
