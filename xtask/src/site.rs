//! `cargo xtask site [--version NAME]`: the docs as a site, with search, in light and dark.
//!
//! # The path of the data
//!
//! ```text
//! rules, tables, heads of modules ─▶ `cargo xtask docs` ─▶ docs/ (what git ignores there)
//! README, docs/, CHANGELOG … ─▶ pages: links rewritten ─▶ target/site/source ─▶ MkDocs, strict ─▶ target/site/html/NAME
//! ```
//!
//! A link to a file that is no page becomes a link to the repository. MkDocs (with the theme Material, in an environment of
//! the corpus) makes the pages, the search and the table of contents, and fails at anchors that are not there.
//!
//! Each version has a folder of its own below `target/site/html`, and `versions.json` there names them for the theme's
//! menu: who publishes keeps the folders of earlier versions there. What the pages show of commands is no matter of this:
//! `cargo xtask guides` and the golden tests run it.
//!
//! # What it refuses
//!
//! A link to a file that is not there, with page and line; a guide that no group of the menu has.

mod menu;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};

use unskew_lab_harness::environment::Environment;
use unskew_lab_harness::links::{Files, LinkTargets};

/// The environment with MkDocs and its theme.
const TOOLS: &str = "mkdocs-material-9.8.1";

const ENVIRONMENTS: &str = "corpus/python";

/// Where the site is put together, and where it is then.
const SOURCE: &str = "target/site/source";
const HTML: &str = "target/site/html";

/// The repository, for links to files that are no pages.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Files of the root that are pages, with their places in the site.
const OF_ROOT: [(&str, &str); 6] = [
    ("README.md", "index.md"),
    ("CHANGELOG.md", "changelog.md"),
    ("BENCHMARKS.md", "benchmarks.md"),
    ("ARCHITECTURE.md", "architecture.md"),
    ("CONTRIBUTING.md", "contributing.md"),
    ("SECURITY.md", "security.md"),
];

/// The folder of the others.
const DOCS: &str = "docs";

/// Builds the site.
///
/// # Errors
/// If a link leads nowhere, a guide is in no group, or MkDocs fails.
pub fn run(version: &str) -> anyhow::Result<()> {
    let well_named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    ensure!(!version.is_empty() && version.chars().all(well_named), "no version: {version:?}");
    crate::docs::run(false)?;
    let root = unskew_peers::root();
    let tools = Environment::named(TOOLS)?;
    tools.make()?;
    let files = files(root)?;
    let source = root.join(SOURCE);
    if source.exists() {
        fs::remove_dir_all(&source)?;
    }
    write_pages(root, &files, &source.join("pages"))?;
    let html = root.join(HTML).join(version);
    let settings = settings(&menu::menu(root, &files)?, &html);
    fs::write(source.join("mkdocs.yml"), serde_json::to_string_pretty(&settings)?)?;
    let python = root.join(ENVIRONMENTS).join(TOOLS).join("bin/python");
    let built = Command::new(python)
        .args(["-m", "mkdocs", "build", "--strict", "--config-file"])
        .arg(source.join("mkdocs.yml"))
        // The theme would print an advertisement.
        .env("NO_MKDOCS_2_WARNING", "1")
        .output()?;
    let said = String::from_utf8_lossy(&built.stderr);
    let faults: Vec<&str> = said.lines().filter(|line| !line.starts_with("INFO")).collect();
    ensure!(built.status.success(), "MkDocs:\n{}", faults.join("\n"));
    let versions = name_versions(&root.join(HTML))?;
    println!("{}: {} files; versions: {versions}", html.display(), files.len());
    Ok(())
}

fn files(root: &Path) -> anyhow::Result<Files> {
    let mut files: Files =
        OF_ROOT.iter().map(|(from, to)| (PathBuf::from(from), PathBuf::from(to))).collect();
    let mut open = vec![PathBuf::from(DOCS)];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(root.join(&folder));
        for entry in entries.with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else {
                let place = path.strip_prefix(DOCS)?.to_owned();
                files.insert(path, place);
            }
        }
    }
    Ok(files)
}

/// Writes the files to their places, the links of pages rewritten.
fn write_pages(root: &Path, files: &Files, to: &Path) -> anyhow::Result<()> {
    let mut dead = Vec::new();
    for (path, place) in files {
        let from = root.join(path);
        let target = to.join(place);
        fs::create_dir_all(target.parent().context("a place has a folder")?)?;
        if path.extension().is_some_and(|end| end == "md") {
            let text = fs::read_to_string(&from).with_context(|| path.display().to_string())?;
            let site = LinkTargets { root, files, repository: REPOSITORY };
            let page = site.rewritten(path, &text);
            dead.extend(page.dead.iter().map(|one| format!("{}:{one}", path.display())));
            fs::write(target, page.text)?;
        } else {
            fs::copy(from, target)?;
        }
    }
    if !dead.is_empty() {
        bail!("links that lead nowhere:\n{}", dead.join("\n"));
    }
    Ok(())
}

/// The settings of MkDocs; JSON is YAML.
fn settings(menu: &Value, html: &Path) -> Value {
    let scheme = |scheme: &str, media: &str, icon: &str, next: &str| {
        json!({
            "scheme": scheme,
            "media": format!("(prefers-color-scheme: {media})"),
            "primary": "black",
            "toggle": {"icon": icon, "name": format!("Switch to {next}")},
        })
    };
    json!({
        "site_name": "Unskew",
        "site_description": "Will these two pieces of ML software, built at different times, work together?",
        "repo_url": REPOSITORY,
        "docs_dir": "pages",
        "site_dir": html,
        // Pages are opened from a folder too.
        "use_directory_urls": false,
        "theme": {
            "name": "material",
            // Fonts of others are fetched from others.
            "font": false,
            "palette": [
                scheme("default", "light", "material/weather-night", "dark"),
                scheme("slate", "dark", "material/weather-sunny", "light"),
            ],
            "features": [
                "content.code.copy", "navigation.indexes", "navigation.prune",
                "navigation.tabs", "navigation.top", "search.highlight", "search.suggest", "toc.follow",
            ],
        },
        "markdown_extensions": [
            "attr_list", "footnotes", "tables", {"toc": {"permalink": true}}, "pymdownx.superfences",
            {"pymdownx.highlight": {"anchor_linenums": true}},
        ],
        "plugins": ["search"],
        "extra": {"version": {"provider": "mike"}, "generator": false},
        "nav": menu,
        "validation": {
            "links": {"not_found": "warn", "anchors": "warn", "absolute_links": "warn", "unrecognized_links": "warn"},
            "nav": {"omitted_files": "warn", "not_found": "warn"},
        },
    })
}

/// Writes which versions there are, for the theme's menu: `dev` and then the newest first.
fn name_versions(html: &Path) -> anyhow::Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(html)? {
        let entry = entry?;
        let name = entry.file_name().into_string().unwrap_or_default();
        // A branch of earlier versions has a `.git`.
        if entry.file_type()?.is_dir() && !name.starts_with('.') {
            names.push(name);
        }
    }
    let key = |name: &String| -> Vec<u32> {
        name.split('.').map(|part| part.parse().unwrap_or(u32::MAX)).collect()
    };
    names.sort_by_key(|name| std::cmp::Reverse(key(name)));
    let one = |name: &String| json!({"version": name, "title": name, "aliases": []});
    let all: Vec<Value> = names.iter().map(one).collect();
    fs::write(html.join("versions.json"), serde_json::to_string(&all)?)?;
    let newest = names.iter().find(|name| *name != "dev").or(names.first());
    let newest = newest.context("no version was built")?;
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Unskew</title>\
         <meta http-equiv=\"refresh\" content=\"0; url={newest}/index.html\">\
         <a href=\"{newest}/index.html\">Unskew {newest}</a>\n"
    );
    fs::write(html.join("index.html"), page)?;
    Ok(names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pages that are made, and links, are the matter of `unskew-lab-reference`.
    #[test]
    fn every_guide_has_a_group() {
        menu::guides(&files(unskew_peers::root()).unwrap()).unwrap();
    }
}
