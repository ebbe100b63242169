//! The README of each published crate: the head of its `lib.rs`, as a registry of packages shows it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use unskew_lab_harness::pages::MARK;

/// The READMEs, by their paths in the repository.
pub fn pages(root: &Path) -> anyhow::Result<BTreeMap<PathBuf, String>> {
    let mut pages = BTreeMap::new();
    for subject in folders(&root.join("crates"))? {
        for krate in folders(&subject)?.into_iter().chain([subject.clone()]) {
            let (manifest, head) = (krate.join("Cargo.toml"), krate.join("src/lib.rs"));
            if !manifest.is_file() || !head.is_file() {
                continue;
            }
            let manifest: toml::Table = read(&manifest)?.parse()?;
            let package = manifest.get("package").context("no [package]")?;
            let name = package.get("name").and_then(toml::Value::as_str).context("no name")?;
            if package.get("publish").is_none() {
                let path = krate.strip_prefix(root)?.join("README.md");
                pages.insert(path, page(name, &read(&head)?));
            }
        }
    }
    Ok(pages)
}

fn folders(parent: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in parent.read_dir().with_context(|| parent.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}

/// What rustdoc would show, as Markdown that needs no rustdoc: no lines of code that it hides, no links to items.
fn page(name: &str, source: &str) -> String {
    let mut page = format!("{MARK}# {name}\n\n");
    let mut language: Option<String> = None;
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if let Some(fence) = line.trim_start().strip_prefix("```") {
            language = match language {
                Some(_) => None,
                None => Some(shown_language(fence).to_owned()),
            };
            page.push_str("```");
            page.push_str(language.as_deref().unwrap_or_default());
        } else if let Some(language) = &language {
            if language == "rust" && (line == "#" || line.starts_with("# ")) {
                continue;
            }
            page.push_str(line);
        } else if line.starts_with("[`") && line.contains("]: ") {
            continue;
        } else {
            // A heading of the crate stands below the title of the page.
            page.push_str(if line.starts_with('#') { "#" } else { "" });
            page.push_str(&without_item_links(line));
        }
        page.push('\n');
    }
    page.push_str(
        "\n---\n\nPart of [Unskew](https://github.com/unskew/unskew), under Apache-2.0 or MIT at your option. \
         Made from the head of `src/lib.rs`.\n",
    );
    page
}

/// The language of a block of code: what rustdoc runs is Rust.
fn shown_language(fence: &str) -> &str {
    let rust = ["", "rust", "no_run", "ignore", "should_panic", "compile_fail"];
    match fence.split(',').next().unwrap_or_default() {
        first if rust.contains(&first) => "rust",
        other => other,
    }
}

/// `` [`Name`] `` and `` [`Name`](path::Name) `` become `` `Name` ``; links to pages stay.
fn without_item_links(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("[`") {
        let Some(end) = rest[at..].find("`]") else { break };
        let (code, after) = (&rest[at + 1..=at + end], &rest[at + end + 2..]);
        text.push_str(&rest[..at]);
        let target =
            after.strip_prefix('(').and_then(|target| target.split_once(')').map(|it| it.0));
        match target {
            Some(target) if target.contains('/') => {
                text.push_str(&format!("[{code}]({target})"));
                rest = &after[target.len() + 2..];
            }
            Some(target) => {
                text.push_str(code);
                rest = &after[target.len() + 2..];
            }
            None => {
                text.push_str(code);
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readme_has_no_hidden_lines_and_no_links_to_items() {
        let source = "//! Reads [`Thing`]s, see [`of`](crate::of) and [`docs`](https://x.y/z).\n//!\n//! # Use\n//! ```no_run\n\
                      //! # hidden();\n//! shown();\n//! ```\n//!\n//! ```text\n//! # kept\n//! ```\nmod x;\n//! no more\n";
        let page = page("unskew-x", source);
        assert!(page.contains("Reads `Thing`s, see `of` and [`docs`](https://x.y/z).\n"), "{page}");
        assert!(page.contains("## Use\n```rust\nshown();\n```\n"), "{page}");
        assert!(page.contains("```text\n# kept\n```\n"), "{page}");
        assert!(!page.contains("no more"), "{page}");
    }
}
