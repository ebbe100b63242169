//! Claims of SECURITY.md: each names the tests that hold it, and those tests exist.
//!
//! A claim is a paragraph, an item of a list or a row of a table; a paragraph after a bar (`> `) only explains. A claim has
//! footnotes, and a footnote names tests as `FILE::FUNCTION`, or a golden file by its path.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use unskew_peers::root;

/// Sections that say what to do, not what holds.
const WITHOUT_CLAIMS: [&str; 1] = ["## Reporting"];

#[test]
fn every_claim_of_security_md_names_a_test_that_exists() {
    let text = std::fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let footnotes = footnotes(&text);
    assert!(!footnotes.is_empty());
    let mut used = BTreeSet::new();
    for claim in claims(&text) {
        let names = references(&claim);
        assert!(!names.is_empty(), "SECURITY.md: a claim without a test: {claim}");
        for name in names {
            assert!(footnotes.contains_key(&name), "SECURITY.md: no footnote [^{name}]: {claim}");
            used.insert(name);
        }
    }
    for (name, tests) in &footnotes {
        assert!(used.contains(name), "SECURITY.md: no claim refers to [^{name}]");
        assert!(!tests.is_empty(), "SECURITY.md: [^{name}] names no test");
        for test in tests {
            assert!(
                exists(test),
                "SECURITY.md: [^{name}] names a test that does not exist: {test}"
            );
        }
    }
}

/// Whether it is a golden file, or a file in which a function of this name is a test.
fn exists(test: &str) -> bool {
    let Some((file, function)) = test.split_once("::") else {
        return test.ends_with(".test") && root().join(test).is_file();
    };
    let Ok(source) = std::fs::read_to_string(root().join(file)) else {
        return false;
    };
    let declared = format!("fn {function}(");
    let mut is_test = false;
    for line in source.lines().map(str::trim) {
        if line.starts_with(&declared) || line.starts_with(&format!("async {declared}")) {
            return is_test;
        }
        // Attributes and comments stand between `#[test]` and its function, nothing else does.
        let begins = line == "#[test]" || line.starts_with("#[tokio::test");
        is_test = begins || is_test && (line.starts_with("#[") || line.starts_with("//"));
    }
    false
}

#[test]
fn a_function_that_is_no_test_holds_no_claim() {
    let here = "crates/cli/tests/it/security.rs";
    assert!(exists(&format!("{here}::a_function_that_is_no_test_holds_no_claim")));
    for wrong in ["exists", "claims", "never_written"] {
        assert!(!exists(&format!("{here}::{wrong}")), "{wrong}");
    }
    assert!(!exists("crates/cli/tests/cli/never-written.test"));
}

#[test]
fn a_claim_is_a_paragraph_an_item_or_a_row() {
    let text = "# Title\n\nWhat this page is.\n\n## One\n\nA claim\nof two lines.[^a]\n\n* an item[^b]\n  goes on\n* another\n\n\
                | head | of |\n| --- | --- |\n| a | row[^a] |\n\nwith [^c][^a]\n\n> why\n> so\n\n## Reporting\n\nWrite.\n\n[^a]: `x::y`\n";
    let claims = claims(text);
    assert_eq!(
        claims,
        [
            "A claim of two lines.[^a]",
            "* an item[^b] goes on",
            "* another",
            "| a | row[^a] |",
            "with [^c][^a]"
        ]
    );
    assert_eq!(references(&claims[4]), ["c", "a"]);
    assert_eq!(
        footnotes("[^a]: `x::y`, `z`\n  `w`\n"),
        BTreeMap::from([("a".into(), vec!["x::y".into(), "z".into(), "w".into()])])
    );
}

/// Every file with this ending below a folder.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|own| own == ending) {
            found.push(path);
        }
    }
    found
}

#[test]
fn the_interpreter_has_no_word_for_files_processes_and_the_network() {
    let sources = files(&root().join("crates/torch/interpreter/src"), "rs");
    assert!(sources.len() > 50, "{}", sources.len());
    for source in sources {
        let text = std::fs::read_to_string(&source).unwrap();
        for word in ["std::fs", "std::net", "std::process", "std::env", "FileSource", "OutputFile"]
        {
            assert!(!text.contains(word), "{}: {word}", source.display());
        }
    }
}

#[test]
fn what_developers_fetch_is_pinned_by_its_digest() {
    let text = std::fs::read_to_string(root().join("corpus.toml")).unwrap();
    let corpus: toml::Table = text.parse().unwrap();
    let packages = corpus["package"].as_array().unwrap();
    assert!(packages.len() > 10, "{}", packages.len());
    for package in packages {
        let digest = package["sha256"].as_str().unwrap();
        let is_digest = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
        assert!(is_digest, "{package:?}");
    }
    let environments = files(&root().join("python/environments"), "txt");
    assert!(environments.len() > 20, "{}", environments.len());
    for environment in environments {
        let text = std::fs::read_to_string(&environment).unwrap().replace("\\\n", "");
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '-'])) {
            assert!(line.contains("--hash=sha256:"), "{}: {line}", environment.display());
        }
    }
}

#[test]
fn dependencies_are_held_to_licences_sources_and_known_vulnerabilities() {
    let text = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let deny: toml::Table = text.parse().unwrap();
    let at = |table: &str, key: &str| deny[table].get(key).cloned().unwrap();
    assert_eq!(at("advisories", "ignore"), toml::Value::Array(Vec::new()));
    assert_eq!(at("sources", "unknown-registry").as_str(), Some("deny"));
    assert_eq!(at("sources", "unknown-git").as_str(), Some("deny"));
    assert!(!at("licenses", "allow").as_array().unwrap().is_empty());
    let workflow = std::fs::read_to_string(root().join(".github/workflows/deny.yml")).unwrap();
    for part in ["cargo deny", "\"**/Cargo.lock\"", "advisories", "cron:"] {
        assert!(workflow.contains(part), "{part}");
    }
}

/// The text of each claim, its lines joined.
fn claims(text: &str) -> Vec<String> {
    let mut claims: Vec<String> = Vec::new();
    let mut section = "";
    let mut open = false;
    let mut head_of_table = true;
    for line in text.lines() {
        if line.starts_with('#') {
            section = line;
            open = false;
            continue;
        }
        // Before the first section a page says what it is about, and has the table of all verbs.
        let introduces = !section.starts_with("## ") && !line.starts_with('|');
        let is_no_claim = introduces
            || WITHOUT_CLAIMS.contains(&section)
            || line.starts_with("[^")
            || line.starts_with("> ");
        if line.trim().is_empty() || is_no_claim {
            open = false;
            head_of_table = true;
        } else if line.starts_with('|') {
            // The two lines above the rows of a table.
            if line.starts_with("| ---") {
                head_of_table = false;
            } else if !head_of_table {
                claims.push(line.to_owned());
            }
            open = false;
        } else if open && !line.starts_with("* ") {
            let claim = claims.last_mut().unwrap();
            claim.push(' ');
            claim.push_str(line.trim());
        } else {
            claims.push(line.to_owned());
            open = true;
        }
    }
    claims
}

/// The names of the footnotes that a claim refers to.
fn references(claim: &str) -> Vec<String> {
    claim
        .split("[^")
        .skip(1)
        .filter_map(|rest| rest.split_once(']'))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The tests that each footnote names, between backticks.
fn footnotes(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut footnotes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut current = None;
    for line in text.lines() {
        if let Some((name, _)) = line.strip_prefix("[^").and_then(|rest| rest.split_once("]: ")) {
            current = Some(name.to_owned());
        } else if !line.starts_with(' ') {
            current = None;
        }
        if let Some(name) = &current {
            let tests = line.split('`').skip(1).step_by(2).map(str::to_owned);
            footnotes.entry(name.clone()).or_default().extend(tests);
        }
    }
    footnotes
}
