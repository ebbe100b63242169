//! The handlers of custom calls that each jaxlib has for CPUs: `cargo lab harvest jax-handlers==all`.
//!
//! The names are read from the modules in the published wheels. What a typed handler takes is no name: those rows of the
//! table are written by hand, and kept.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use unskew_core::Version;
use unskew_lab_harness::run_command;

const PROBE: &str = "lab/harvest/probes/jaxlib_handlers.py";
const TABLE: &str = "crates/xla/stablehlo/data/cpu-handlers.tsv";

/// The first jaxlib that is taken: exported functions that older ones write are read by none of today.
const SINCE: Version = Version::triple(0, 4, 18);

/// In the names of what answers a question about sizes and is called by no program: `lapack_sgees_workspace_ffi`,
/// `gesdd_iwork_size_ffi`.
const SIZES: [&str; 2] = ["_workspace", "work_size"];

/// Takes all releases anew. `from` is what the probe printed, if that was kept.
///
/// # Errors
/// If the index cannot be asked, or the table cannot be read or written.
pub(crate) fn harvest(from: Option<&Path>) -> Result<()> {
    let root = unskew_peers::root();
    let path = root.join(TABLE);
    let before = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let said = match from {
        Some(path) => fs::read_to_string(path).with_context(|| path.display().to_string())?,
        None => run_command(Command::new("python3").arg(root.join(PROBE)))?,
    };
    let mut releases = Vec::new();
    let mut rows: BTreeMap<(String, String), BTreeSet<usize>> = BTreeMap::new();
    for line in said.lines() {
        let mut cells = line.split('\t');
        let version = cells.next().unwrap_or_default();
        if !version.parse::<Version>().is_ok_and(|version| version >= SINCE) {
            continue;
        }
        for name in cells.filter(|name| !SIZES.iter().any(|one| name.contains(one))) {
            let key = (pattern(name), "-".to_owned());
            rows.entry(key).or_default().insert(releases.len());
        }
        releases.push(version.to_owned());
    }
    ensure!(!releases.is_empty(), "the probe said nothing");
    let mut lines: BTreeSet<String> = rows
        .iter()
        .map(|((target, form), places)| format!("{target}\t{form}\t{}", spans(&releases, places)))
        .collect();
    let by_hand = |line: &&str| {
        !line.starts_with('#') && line.split('\t').nth(1).is_some_and(|form| form != "-")
    };
    lines.extend(before.lines().filter(by_hand).map(str::to_owned));
    let head = before.lines().take_while(|line| line.starts_with('#'));
    let head = head.map(|line| match line.starts_with("# Releases: ") {
        true => format!("# Releases: {}", releases.join(" ")),
        false => line.to_owned(),
    });
    let text: Vec<String> = head.chain(lines).collect();
    println!("{} releases, {} rows", releases.len(), text.len());
    fs::write(&path, text.join("\n") + "\n").with_context(|| path.display().to_string())
}

/// A name with `?` for the letter of its numbers: `lapack_?getrf_ffi`.
fn pattern(name: &str) -> String {
    for begin in ["lapack_", "blas_"] {
        if let Some(rest) = name.strip_prefix(begin)
            && let Some(rest) = rest.strip_prefix(['s', 'd', 'c', 'z'])
        {
            return format!("{begin}?{rest}");
        }
    }
    name.to_owned()
}

/// Places in a list as spans: `0.4.18..0.5.3 0.6.1..`.
fn spans(releases: &[String], places: &BTreeSet<usize>) -> String {
    let mut all: Vec<(usize, usize)> = Vec::new();
    for place in places {
        match all.last_mut() {
            Some((_, last)) if *last + 1 == *place => *last = *place,
            _ => all.push((*place, *place)),
        }
    }
    let name = |at: usize| releases.get(at).map(String::as_str).unwrap_or_default();
    let written = all.into_iter().map(|(first, last)| match last {
        last if last + 1 == releases.len() => format!("{}..", name(first)),
        last if last == first => name(first).to_owned(),
        last => format!("{}..{}", name(first), name(last)),
    });
    written.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_four_kinds_of_numbers_are_one_row() {
        assert_eq!(pattern("lapack_zgetrf_ffi"), "lapack_?getrf_ffi");
        assert_eq!(pattern("cpu_csr_sparse_dense_ffi"), "cpu_csr_sparse_dense_ffi");
    }

    #[test]
    fn places_are_written_as_spans() {
        let releases = ["1", "2", "3", "4"].map(str::to_owned);
        assert_eq!(spans(&releases, &[0, 1, 3].into()), "1..2 4..");
        assert_eq!(spans(&releases, &[1].into()), "2");
    }
}
