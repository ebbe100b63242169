//! The table of targets: each format that Unskew reads has one, and each takes any bytes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use unskew_fuzz_targets::TARGETS;
use unskew_random::Random;

/// The rows of the table of formats, by their first cells.
fn rows(page: &str) -> Vec<String> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = cells.filter_map(|line| line.split(" | ").next());
    cells.filter(|cell| *cell != "format" && !cell.starts_with("---")).map(str::to_owned).collect()
}

#[test]
fn every_format_that_is_read_has_targets_that_are_there() {
    let root = unskew_peers::root();
    let page = std::fs::read_to_string(root.join("docs/reference/formats.md")).unwrap();
    let rows = rows(&page);
    assert!(rows.len() > 15, "{rows:?}");
    let listed = std::fs::read_to_string(root.join("fuzz/readers.toml")).unwrap();
    let listed: toml::Table = listed.parse().unwrap();
    let readers = listed["reader"].as_array().unwrap();
    for row in &rows {
        let own = readers.iter().filter(|one| row.starts_with(one["row"].as_str().unwrap()));
        let own: Vec<&toml::Value> =
            own.flat_map(|one| one["targets"].as_array().unwrap()).collect();
        assert!(!own.is_empty(), "fuzz/readers.toml has no target for: {row}");
        for target in own {
            let target = target.as_str().unwrap();
            assert!(TARGETS.iter().any(|(known, _)| *known == target), "{row}: no target {target}");
        }
    }
    for reader in readers {
        let name = reader["row"].as_str().unwrap();
        assert!(
            rows.iter().any(|row| row.starts_with(name)),
            "docs/reference/formats.md has no row {name}"
        );
    }
}

/// What a fuzzer finds in its first moments: a target that needs something which is not there.
#[test]
fn every_target_takes_any_bytes() {
    for (at, (name, target)) in TARGETS.iter().enumerate() {
        // It is on the example plug-in of the SDK, which only `cargo build --example abacus` makes.
        if *name == "ifrt_proxy_session" {
            println!("{name}: not run without its plug-in; `cargo xtask test --all` runs it");
            continue;
        }
        println!("{name}");
        target(b"");
        let mut random = Random::nth(44, at as u64);
        for size in [1, 8, 64, 600] {
            let bytes: Vec<u8> = (0..size).map(|_| random.next() as u8).collect();
            target(&bytes);
        }
    }
}
