//! The pages that are heads of modules.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use unskew_lab_harness::pages::MARK;

/// The names of the pages, the modules, and their titles.
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

/// Every page.
///
/// # Errors
/// If a module cannot be read.
pub fn pages(root: &Path) -> anyhow::Result<BTreeMap<PathBuf, String>> {
    let mut pages = BTreeMap::new();
    for (name, source, title) in MODULES {
        pages.insert(Path::new("docs/reference").join(name), page(root, source, title)?);
    }
    Ok(pages)
}

/// The documentation in the head of a module as a page of its own.
fn page(root: &Path, source: &str, title: &str) -> anyhow::Result<String> {
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
