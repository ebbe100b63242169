//! `cargo xtask docs [--check]`: the pages that are made from something else.
//!
//! * `docs/reference/json.md`, from the documentation of the module that writes the JSON report;
//! * `docs/reference/stamped-executables.md`, from that of the module that stamps executables;
//! * `docs/reference/native-stablehlo.md`, from that of the module that rewrites such programs;
//! * the table of the laboratory in `docs/reference/made-from.md`, from what its commands state;
//! * the README of each published crate, from the head of its `lib.rs`;
//! * `docs/reference/fleet-runtime.md`, `fleet-decision.md` and `fleet-plan.md`, from those of the modules of `unskew-fleet`.
//!
//! The pages that need the crates themselves, and not their text alone, are written by `cargo lab reference`, which this
//! starts.

mod made_from;
mod readme;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use unskew_lab_harness::pages::{self, MARK};

/// The pages from heads of modules: their names, the modules, and their titles.
const MODULES: [(&str, &str, &str); 6] = [
    ("json.md", "crates/base/report/src/json.rs", "The JSON report"),
    ("stamped-executables.md", "crates/xla/pjrt/src/convert/stamp/mod.rs", "Stamped executables"),
    (
        "native-stablehlo.md",
        "crates/xla/stablehlo/src/convert/mod.rs",
        "Native StableHLO of old hosts",
    ),
    ("fleet-runtime.md", "crates/fleet/fleet/src/profile/mod.rs", "Runtime profiles"),
    ("fleet-decision.md", "crates/fleet/fleet/src/decision.rs", "Decisions of a fleet"),
    ("fleet-plan.md", "crates/fleet/fleet/src/plan/mod.rs", "Plans of a fleet"),
];

/// Writes the pages, or, with `check`, says which of them are stale.
///
/// # Errors
/// If a page cannot be read or written, or one is stale.
pub fn run(check: bool) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let mut pages = readme::pages(root)?;
    for (name, source, title) in MODULES {
        let page = module_page(root, source, title)?;
        pages.insert(Path::new("docs/reference").join(name), page);
    }
    pages.insert(made_from::PAGE.into(), made_from::page(root)?);
    pages::write(&pages, &[], check)?;
    let check = check.then(|| "--check".into());
    crate::lab::run("reference", check)
}

/// The documentation in the head of a module as a page of its own.
fn module_page(root: &Path, source: &str, title: &str) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(root.join(source)).with_context(|| source.to_owned())?;
    let mut page = format!("{MARK}# {title}\n\n");
    for line in text.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        // A heading of the module stands below the title of the page.
        page.push_str(if line.starts_with('#') { "#" } else { "" });
        page.push_str(line);
        page.push('\n');
    }
    let _ = writeln!(page, "\n---\n\nMade from the head of `{source}`.");
    Ok(page)
}
