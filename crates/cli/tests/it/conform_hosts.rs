//! What `unskew conform` says of JAX releases, against what they really did: the table that
//! `cargo lab jax --write` has made.

use std::path::Path;
use std::process::Command;

use unskew_peers::root;

/// The plug-ins of the table, and their files in the corpus.
const PLUGINS: [(&str, &str); 3] = [
    ("xla-cpu-pjrt 0.0.1", "xla-cpu-pjrt-0.0.1.so"),
    ("fastatomstruct-xla-cpu 2026.6.23", "fastatomstruct-xla-cpu-2026.6.23.so"),
    ("lammps-jax-pjrt-cpu 0.11.2", "lammps-jax-pjrt-cpu-0.11.2.so"),
];

/// A release that passes so many of the 21 steps works; what is missing are handlers of its own.
const WORKS: u32 = 18;

/// Release, plug-in, and how many steps pass directly and through the adapter.
fn measured() -> Vec<(String, String, u32, u32)> {
    let page = std::fs::read_to_string(root().join("docs/reference/jax-on-plugins.md")).unwrap();
    let steps = |cell: &str| cell.strip_suffix(" of 21")?.parse().ok();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, release, _, plugin, direct, adapted, ..] = &*cells else { return None };
        let plugin = plugin.split_once(" (")?.0.to_owned();
        Some(((*release).to_owned(), plugin, steps(direct)?, steps(adapted)?))
    };
    page.lines().filter_map(row).collect()
}

/// The facts about hosts: first release, last release, what is said.
fn said(plugin: &Path) -> Vec<(Vec<u32>, Vec<u32>, String)> {
    let output = Command::new(env!("CARGO_BIN_EXE_unskew"))
        .arg("conform")
        .arg(plugin)
        .args(["--format", "json", "--as-of", "2026-11-01"])
        .output()
        .unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let facts = report["parties"][0]["facts"].as_array().unwrap();
    let host = |fact: &serde_json::Value| {
        let releases = fact["label"].as_str()?.strip_prefix("host: jax ")?;
        let (first, last) = releases.split_once(" to ").unwrap_or((releases, releases));
        Some((version(first), version(last), fact["value"].as_str()?.to_owned()))
    };
    facts.iter().filter_map(host).collect()
}

fn version(text: &str) -> Vec<u32> {
    text.split('.').map(|part| part.parse().unwrap()).collect()
}

#[test]
fn what_is_said_of_each_jax_release_is_what_it_did() {
    let measured = measured();
    assert!(measured.len() > 60, "{} rows", measured.len());
    for (plugin, file) in PLUGINS {
        let path = root().join("corpus").join(file);
        if !path.exists() {
            println!("{plugin} skipped: run cargo xtask corpus");
            continue;
        }
        let spans = said(&path);
        let mut compared = 0;
        for (release, _, direct, adapted) in measured.iter().filter(|row| row.1 == plugin) {
            let at = version(release);
            let span = spans.iter().find(|(first, last, _)| *first <= at && at <= *last);
            let (_, _, said) = span.unwrap_or_else(|| panic!("{plugin}: nothing of {release}"));
            let expected = match (*direct >= WORKS, *adapted >= WORKS) {
                (true, _) => "works",
                (false, true) => "works through `unskew adapt`; directly: ",
                (false, false) => "does not work: ",
            };
            let agrees =
                if *direct >= WORKS { said == expected } else { said.starts_with(expected) };
            assert!(agrees, "{plugin}, jax {release}: {direct} and {adapted} steps, said: {said}");
            compared += 1;
        }
        assert!(compared > 20, "{plugin}: {compared}");
    }
}
