//! What releases of packages declare that they require: `cargo lab harvest requirements==PACKAGE`.
//!
//! `requirements==all` asks for the packages that the table has. A package is taken whole, so a release that the index no
//! longer lists goes away.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use unskew_definitions::SpanTable;
use unskew_lab_harness::run_command;

const PROBE: &str = "lab/harvest/probes/declared_requirements.py";
const TABLE: &str = "crates/judging/releases/data/requirements.tsv";

/// The day of the first releases that are taken: PyTorch 1.13 and later.
const SINCE: &str = "2022-07-01";

const HEAD: &str = "# What releases declare that they require, made by `cargo lab harvest requirements==PACKAGE`.\n";

/// The extra that says which jaxlib jax loads at least.
const LEAST_JAXLIB: &str = "minimum-jaxlib";

/// What the packages with plug-ins begin with that jax asks for by extras.
const JAX_PLUGINS: [&str; 3] = ["jax-cuda", "jax-rocm", "libtpu"];

/// Takes a package, or all of the table, anew. `from` is what the probe printed, if that was kept.
///
/// # Errors
/// If the index cannot be asked, or the table has a line that is none.
pub(crate) fn harvest(package: &str, from: Option<&Path>) -> Result<()> {
    let path = unskew_peers::root().join(TABLE);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let owned = |(key, lines): (&str, &str)| (key.to_owned(), lines.to_owned());
    let mut sections: BTreeMap<String, String> =
        SpanTable::sections(&text).into_iter().map(owned).collect();
    let said = match from {
        Some(path) => fs::read_to_string(path).with_context(|| path.display().to_string())?,
        None => {
            let mut probe = Command::new("python3");
            probe.arg(unskew_peers::root().join(PROBE)).arg(SINCE);
            match package {
                "all" => probe.args(sections.keys()),
                one => probe.arg(one),
            };
            run_command(&mut probe)?
        }
    };
    let mut releases: BTreeMap<String, Vec<(String, Vec<String>)>> = BTreeMap::new();
    let mut key = String::new();
    for line in said.lines().filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix("= ") {
            name.clone_into(&mut key);
            continue;
        }
        let mut cells = line.split('\t');
        let version = cells.next().context("a line without a version")?.to_owned();
        let mut declared: Vec<String> = Vec::new();
        for one in cells.filter_map(requirement) {
            // Several extras of jax ask for one plug-in; the first is the one that people install by.
            let is_plugin =
                one.contains("extra") && JAX_PLUGINS.iter().any(|name| one.starts_with(name));
            let name = |text: &str| text.split(['[', '<', '=', '>', '~']).next().map(str::to_owned);
            if !is_plugin || !declared.iter().any(|other| name(other) == name(&one)) {
                declared.push(one);
            }
        }
        releases.entry(key.clone()).or_default().push((version, declared));
    }
    if releases.is_empty() {
        bail!("{package}: the index has no release of it with a wheel");
    }
    for (key, all) in &releases {
        let section = SpanTable::from_releases(all).write(key);
        let before = sections.insert(key.clone(), section.clone());
        if before.as_ref() != Some(&section) {
            println!(
                "{key}: {} releases, the newest {}",
                all.len(),
                all.last().map_or("", |(v, _)| v)
            );
        }
    }
    let text: String = std::iter::once(HEAD.to_owned()).chain(sections.into_values()).collect();
    fs::write(&path, text).with_context(|| path.display().to_string())
}

/// A requirement as the table has it: `torch==2.1.2`, `numpy>=1.26 ; python_version >= '3.12'`. None if only an extra asks for it.
fn requirement(text: &str) -> Option<String> {
    let (range, marker) = match text.split_once(';') {
        Some((range, marker)) => (range, marker.trim().replace('"', "'")),
        None => (text, String::new()),
    };
    let of_plugin =
        || JAX_PLUGINS.iter().any(|name| range.starts_with(name)) && !range.starts_with("libtpu-");
    let is_kept = marker.contains(LEAST_JAXLIB) || (marker.contains("extra") && of_plugin());
    if marker.contains("extra") && !is_kept {
        return None;
    }
    let range: String = range.chars().filter(|c| !" ()".contains(*c)).collect();
    Some(if marker.is_empty() { range } else { format!("{range} ; {marker}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_written_in_one_form() {
        let all = [
            ("torch (==2.1.2)", Some("torch==2.1.2")),
            (
                "numpy >=1.26 ; python_version >= \"3.12\"",
                Some("numpy>=1.26 ; python_version >= '3.12'"),
            ),
            ("python >=3.9", Some("python>=3.9")),
            ("scipy ; extra == 'scipy'", None),
            ("libtpu-nightly==0.1 ; extra == 'tpu'", None),
            (
                "jax-cuda12-plugin[with_cuda] <=0.5.0,>=0.5.0; extra == \"cuda12\"",
                Some("jax-cuda12-plugin[with_cuda]<=0.5.0,>=0.5.0 ; extra == 'cuda12'"),
            ),
            (
                "jaxlib==0.4.14; extra == \"minimum-jaxlib\"",
                Some("jaxlib==0.4.14 ; extra == 'minimum-jaxlib'"),
            ),
        ];
        for (text, written) in all {
            assert_eq!(requirement(text).as_deref(), written, "{text}");
        }
    }
}
