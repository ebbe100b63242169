//! `cargo xtask docs [--check]`: the pages that are made from something else.
//!
//! * `docs/rules/<CODE>.md` and their index, from the rule files of all crates;
//! * `docs/reference/pjrt-abi.md` and the pages that it links, from the ABI data of `unskew-pjrt`;
//! * `docs/reference/stream-executor-abi.md`, from the ABI data of `unskew-stream-executor`;
//! * `docs/reference/ifrt-types.md`, from what the types of `unskew-ifrt` declare;
//! * `docs/reference/operator-upgraders.md`, from the registry of PyTorch's operators and what ran on real releases;
//! * `docs/reference/json.md`, from the documentation of the module that writes the JSON report;
//! * `docs/reference/stamped-executables.md`, from that of the module that stamps executables;
//! * `docs/reference/native-stablehlo.md`, from that of the module that rewrites such programs;
//! * the README of each published crate, from the head of its `lib.rs`;
//! * `docs/reference/fleet-runtime.md`, `fleet-decision.md` and `fleet-plan.md`, from those of the modules of `unskew-fleet`.

mod ifrt_types;
mod mark;
mod operator_upgraders;
mod pjrt_abi;
mod readme;
mod stream_executor_abi;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use unskew_core::Rule;

use mark::MARK;

/// A folder whose every page is made here; what is no longer made is removed.
const RULES: &str = "docs/rules";
const MADE: [&str; 2] = [RULES, pjrt_abi::FOLDER];
/// The pages about fleets, the modules that they come from, and their titles.
const FLEET: [(&str, &str, &str); 3] = [
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
    let pages = pages(root)?;
    let stale = stale(root, &pages)?;
    if check && !stale.is_empty() {
        bail!("stale, run `cargo xtask docs`: {}", stale.join(", "));
    }
    if !check {
        for (path, text) in &pages {
            let path = root.join(path);
            let folder = path.parent().context("no parent folder")?;
            std::fs::create_dir_all(folder)?;
            std::fs::write(&path, text).with_context(|| format!("{}", path.display()))?;
        }
        for path in leftover(root, &pages)? {
            std::fs::remove_file(root.join(path))?;
        }
    }
    println!("docs: {} pages, {} changed", pages.len(), stale.len());
    Ok(())
}

fn pages(root: &Path) -> anyhow::Result<BTreeMap<PathBuf, String>> {
    let rules: Vec<&Rule> = unskew_artifact::every_rule().collect();
    let mut pages = BTreeMap::from([(Path::new(RULES).join("README.md"), index(&rules))]);
    for rule in &rules {
        pages.insert(Path::new(RULES).join(format!("{}.md", rule.code)), page(rule));
    }
    pages.extend(pjrt_abi::pages());
    pages.insert(ifrt_types::PAGE.into(), ifrt_types::page());
    pages.insert(stream_executor_abi::PAGE.into(), stream_executor_abi::page());
    pages.insert(operator_upgraders::PAGE.into(), operator_upgraders::page(root)?);
    let source = "crates/base/report/src/json.rs";
    pages.insert("docs/reference/json.md".into(), module_page(root, source, "The JSON report")?);
    let source = "crates/xla/pjrt/src/convert/stamp/mod.rs";
    let page = module_page(root, source, "Stamped executables")?;
    pages.insert("docs/reference/stamped-executables.md".into(), page);
    let source = "crates/xla/stablehlo/src/convert/mod.rs";
    let page = module_page(root, source, "Native StableHLO of old hosts")?;
    pages.insert("docs/reference/native-stablehlo.md".into(), page);
    for (name, source, title) in FLEET {
        let page = module_page(root, source, title)?;
        pages.insert(Path::new("docs/reference").join(name), page);
    }
    pages.extend(readme::pages(root)?);
    Ok(pages)
}

fn index(rules: &[&Rule]) -> String {
    let mut text = format!("{MARK}# Rules\n\n");
    text.push_str(
        "Every finding is an instance of a rule. Codes are never reused. `unskew explain CODE` shows\n\
         the same pages.\n",
    );
    let mut family = "";
    for rule in rules {
        if rule.family() != family {
            family = rule.family();
            let _ = write!(
                text,
                "\n## {family}: {}\n\n| code | name | severity | shows | |\n| --- | --- | --- | --- | --- |\n",
                title(family)
            );
        }
        let Rule { code, name, severity, summary, .. } = rule;
        let phase = rule.phase.map_or("", |phase| phase.as_str());
        let _ =
            writeln!(text, "| [{code}]({code}.md) | {name} | {severity} | {phase} | {summary} |");
    }
    text.push_str("\nMade from the files `crates/*/*/rules/*.toml`.\n");
    text
}

fn title(family: &str) -> &'static str {
    match family {
        "AR" => "artifacts",
        "CO" => "core and windows",
        "HD" => "headers",
        "HI" => "dated histories",
        "IF" => "IFRT",
        "OP" => "operators",
        "PB" => "protobuf files",
        "PJ" => "PJRT plug-ins",
        "PO" => "promises of unskew.toml",
        "PT" => "PyTorch archives",
        "SD" => "locks of serialized types",
        "SE" => "TensorFlow pluggable devices",
        "SH" => "StableHLO artifacts",
        "TF" => "TensorFlow data",
        _ => "others",
    }
}

fn page(rule: &Rule) -> String {
    let Rule { code, name, severity, summary, since, what, why, fix, reference, .. } = rule;
    let mut text = format!("{MARK}# {code} {name}\n\n{summary}\n\n");
    let _ = write!(text, "Severity: {severity}");
    if let Some(phase) = rule.phase {
        let _ = write!(text, ". Shows: {phase}");
    }
    let _ = writeln!(text, ". Since: {since}.");
    let (fires, silent) = (console(rule.fires.text()), console(rule.silent.text()));
    let parts = [
        ("What it checks", what.text()),
        ("Why it matters", why.text()),
        ("Fires", &*fires),
        ("Fix", *fix),
        ("Does not fire", &*silent),
        ("Source", reference.text()),
    ];
    for (heading, body) in parts {
        if !body.trim().is_empty() {
            let _ = write!(text, "\n## {heading}\n\n{}\n", body.trim());
        }
    }
    let _ = writeln!(text, "\n---\n\nMade from the rule file `{code}-{name}.toml`.");
    text
}

/// A transcript as a block of Markdown, whose fence is longer than any in it.
fn console(transcript: &str) -> String {
    let mut fence = "```".to_owned();
    while transcript.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}console\n{}\n{fence}\n", transcript.trim_end())
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

/// The pages that differ, are missing, or are no longer made.
fn stale(root: &Path, pages: &BTreeMap<PathBuf, String>) -> anyhow::Result<Vec<String>> {
    let differs = |(path, text): &(&PathBuf, &String)| {
        std::fs::read_to_string(root.join(path)).ok().as_ref() != Some(*text)
    };
    let changed = pages.iter().filter(differs).map(|(path, _)| path.clone());
    Ok(changed.chain(leftover(root, pages)?).map(|path| path.display().to_string()).collect())
}

fn leftover(root: &Path, pages: &BTreeMap<PathBuf, String>) -> anyhow::Result<Vec<PathBuf>> {
    let mut left = Vec::new();
    for made in MADE {
        let folder = root.join(made);
        if folder.is_dir() {
            for entry in folder.read_dir()? {
                let path = Path::new(made).join(entry?.file_name());
                if !pages.contains_key(&path) {
                    left.push(path);
                }
            }
        }
    }
    left.sort();
    Ok(left)
}
