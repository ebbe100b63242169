//! The menu: guides by what people want, rules by their codes, the reference.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use unskew_lab_harness::links::Files;

/// The folder of the guides, as the site has it.
const GUIDE: &str = "guide";

const GUIDES: [(&str, &[&str]); 6] = [
    (
        "Check",
        &[
            "inspect",
            "explain",
            "read-a-verdict",
            "name-a-release",
            "matrix",
            "check-an-environment",
            "check-an-onnx-model",
            "check-a-keras-model",
            "check-a-tensorflow-js-model",
            "check-a-model-for-a-device",
            "check-gguf",
            "check-a-model-folder",
            "check-a-scikit-learn-model",
            "check-a-pickle",
            "check-a-booster",
            "check-a-tokenizer",
            "check-an-adapter",
            "jax-export",
            "jax-compilation-cache",
            "check-a-program-for-a-plug-in",
            "sandbox",
            "python",
        ],
    ),
    (
        "Convert and run",
        &[
            "convert-a-pytorch-file",
            "convert-a-tensorflow-model",
            "convert-an-onnx-model",
            "convert-a-stablehlo-artifact",
            "prove-a-conversion",
            "run",
        ],
    ),
    (
        "JAX and plug-ins",
        &[
            "jax-by-itself",
            "adapt",
            "jax-ffi-handlers",
            "serve",
            "conform",
            "pjrt-host",
            "jax-matrix",
            "write-a-plugin",
            "write-a-tensorflow-plugin",
        ],
    ),
    ("Many models", &["scan", "fleet", "fleet-serve", "fleet-pages"]),
    (
        "Keep promises",
        &[
            "lint",
            "lint-a-c-abi",
            "lint-formats",
            "history",
            "diff-registries",
            "evolve-an-operator",
            "evolve-a-tensorflow-op",
            "serdes-versions",
        ],
    ),
    ("Take part", &["add-a-release"]),
];

/// The pages of the root behind the reference.
const PROJECT: [&str; 5] =
    ["architecture.md", "contributing.md", "benchmarks.md", "changelog.md", "security.md"];

/// The menu as MkDocs wants it.
pub(super) fn menu(root: &Path, files: &Files) -> anyhow::Result<Value> {
    let guides = guides(files)?;
    let named = |page: &&PathBuf| is_page(page) && !page.starts_with(GUIDE);
    let mut pages: Vec<&PathBuf> = files.values().filter(named).collect();
    let mut take = |page: &str| {
        let at = pages.iter().position(|one| **one == Path::new(page));
        at.map(|at| pages.swap_remove(at)).with_context(|| no_page(page))
    };
    take("index.md")?;
    PROJECT.iter().try_for_each(|page| take(page).map(drop))?;
    take("rules/README.md")?;
    pages.sort();
    let index = fs::read_to_string(root.join("docs/rules/README.md"))?;
    let groups = rule_groups(&index);
    let mut rules: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for page in pages.iter().copied().filter(|page| page.starts_with("rules")) {
        let code = page.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let family = code.trim_end_matches(|c: char| c.is_ascii_digit());
        let group = groups.get(family).with_context(|| format!("{code} is in no group"))?;
        let rules = rules.entry(group.clone()).or_default();
        rules.push(json!({ title(root, files, page)?: page }));
    }
    let rules = rules.into_iter().map(|(group, pages)| json!({ group: pages }));
    let rules: Vec<Value> = std::iter::once(json!("rules/README.md")).chain(rules).collect();
    let mut reference = Vec::new();
    for page in pages.iter().copied().filter(|page| !page.starts_with("rules")) {
        reference.push(json!({ title(root, files, page)?: page }));
    }
    Ok(json!([
        {"Start": "index.md"}, {"Guides": guides}, {"Rules": rules}, {"Reference": reference}, {"Project": PROJECT},
    ]))
}

/// The guides of each group, after a look that no guide is in none.
pub(super) fn guides(files: &Files) -> anyhow::Result<Vec<Value>> {
    let guide = |page: &&PathBuf| is_page(page) && page.starts_with(GUIDE);
    let mut left: BTreeSet<&PathBuf> = files.values().filter(guide).collect();
    let mut guides = Vec::new();
    for (group, names) in GUIDES {
        let pages: Vec<String> = names.iter().map(|name| format!("{GUIDE}/{name}.md")).collect();
        for page in &pages {
            ensure!(left.remove(&PathBuf::from(page)), no_page(page));
        }
        guides.push(json!({ group: pages }));
    }
    ensure!(left.is_empty(), "in no group of the menu (xtask/src/site/menu.rs): {left:?}");
    Ok(guides)
}

fn no_page(page: &str) -> String {
    format!("the menu has {page}, which is no page")
}

/// The headings of the index of rules, such as `PT: PyTorch files`, by their letters.
fn rule_groups(index: &str) -> BTreeMap<&str, String> {
    let headings = index.lines().filter_map(|line| line.strip_prefix("## "));
    headings.filter_map(|line| Some((line.split_once(": ")?.0, line.to_owned()))).collect()
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "md")
}

/// The first heading of a page.
fn title(root: &Path, files: &Files, page: &Path) -> anyhow::Result<String> {
    let (path, _) = files.iter().find(|(_, place)| **place == page).context("a page has a file")?;
    let text = fs::read_to_string(root.join(path))?;
    let heading = text.lines().find_map(|line| line.strip_prefix("# "));
    Ok(heading.with_context(|| format!("{}: no heading", path.display()))?.to_owned())
}
