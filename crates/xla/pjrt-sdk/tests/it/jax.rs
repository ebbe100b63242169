//! Real JAX on the example plug-in: it sends portable artifacts, and the plug-in computes them.

use std::path::{Path, PathBuf};

use unskew_peers::{Peer, there};

/// Where cargo puts the example when it builds this test.
fn plugin() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let name = format!("{}abacus{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let path = test.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(path.is_file(), "cargo test builds it: {}", path.display());
    path
}

/// What the steps print on a release with so many devices, the plug-in presenting a minor.
fn steps(jax: &str, minor: i32, devices: usize) -> Vec<String> {
    let mut command = Peer::named("jax", jax).unwrap().command();
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jax_steps.py"));
    command.env("PJRT_NAMES_AND_LIBRARY_PATHS", format!("abacus:{}", plugin().display()));
    command.env("JAX_PLATFORMS", "abacus");
    command.env("ABACUS_PRESENTS", minor.to_string()).env("ABACUS_DEVICES", devices.to_string());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "jax {jax} on 0.{minor}: {}\n{said}", output.status);
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

const STEPS: [&str; 16] = [
    "device_put",
    "add",
    "a number of Python",
    "multiply",
    "constant",
    "constants",
    "broadcast",
    "call",
    "gradient",
    "second device",
    "keep",
    "donate",
    "memory_analysis",
    "cost_analysis",
    "refuses i32",
    "refuses matmul",
];

/// All steps pass, and this one for several devices.
fn passes(jax: &str, minor: i32, devices: usize, several: Option<&str>) {
    if !there(&format!("jax-{jax}")) {
        return;
    }
    let printed = steps(jax, minor, devices);
    assert_eq!(printed[0], format!("devices {devices}"));
    assert_eq!(printed[1..17], STEPS, "jax {jax} on 0.{minor}");
    let last: Vec<&str> = several.into_iter().chain(["many calls"]).collect();
    assert_eq!(printed[17..], last, "jax {jax} on 0.{minor}");
}

#[test]
fn jax_0_10_2_computes_on_the_example() {
    passes("0.10.2", 115, 2, Some("refuses partitions"));
}

#[test]
fn jax_0_10_2_computes_on_the_example_as_it_was_years_ago() {
    passes("0.10.2", 54, 1, None);
}

#[test]
fn jax_0_6_2_computes_on_a_plug_in_of_a_year_later() {
    passes("0.6.2", 115, 2, Some("replicas"));
}
