//! Every rule of every crate is named in a test: in its source, in a golden file, in a snapshot, or in the name of a
//! fixture. Those that no test names yet stand in `tests/not_named.txt`, which may only get shorter.
//!
//! A name alone does not show that the rule fires. But a rule that no test names is one that nobody has seen.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const LIST: &str = "crates/base/rules-build/tests/not_named.txt";

fn root() -> &'static Path {
    Path::new(env!("UNSKEW_ROOT"))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    read.map(|entry| entry.unwrap().path()).collect()
}

/// The words of a text that look like codes of rules: two capitals and three digits, and nothing like them around.
fn codes(text: &[u8], found: &mut BTreeSet<String>) {
    let outside = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    for (at, word) in text.windows(5).enumerate() {
        let (family, number) = word.split_at(2);
        let is_code =
            family.iter().all(u8::is_ascii_uppercase) && number.iter().all(u8::is_ascii_digit);
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        if is_code && outside(before) && outside(text.get(at + 5)) {
            found.insert(String::from_utf8_lossy(word).into_owned());
        }
    }
}

/// What stands in the tests below a folder. Of the sources beside them, what follows `#[cfg(test)]`.
fn named(folder: &Path, in_tests: bool, found: &mut BTreeSet<String>) {
    for path in entries(folder) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_symlink() || path.ends_with("rules-build/tests") {
            continue;
        }
        if path.is_dir() {
            if in_tests {
                codes(name.as_bytes(), found);
            }
            // What a crate has built, and what others wrote.
            if !["target", "node_modules"].contains(&&*name) {
                named(&path, in_tests || name == "tests", found);
            }
            continue;
        }
        if in_tests || name == "tests.rs" {
            codes(name.as_bytes(), found);
            codes(&std::fs::read(&path).unwrap(), found);
        } else if name.ends_with(".rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            if let Some((_, tests)) = text.split_once("#[cfg(test)]") {
                codes(tests.as_bytes(), found);
            }
        }
    }
}

#[test]
fn every_rule_is_named_in_a_test() {
    let mut rules = BTreeSet::new();
    for subject in entries(&root().join("crates")).iter().filter(|path| path.is_dir()) {
        for folder in entries(subject).iter().map(|krate| krate.join("rules")) {
            if folder.is_dir() {
                for rule in entries(&folder) {
                    codes(rule.file_name().unwrap().as_encoded_bytes(), &mut rules);
                }
            }
        }
    }
    assert!(rules.len() > 300, "only {} rules were found", rules.len());
    let mut found = BTreeSet::new();
    for folder in ["crates", "xtask"] {
        named(&root().join(folder), false, &mut found);
    }
    let text = std::fs::read_to_string(root().join(LIST)).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let codes: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let listed: BTreeSet<String> = codes.iter().map(|code| (*code).to_owned()).collect();
    assert_eq!(listed.len(), codes.len(), "{LIST} has a code twice");

    let unknown: Vec<_> = listed.difference(&rules).collect();
    assert!(unknown.is_empty(), "{LIST} lists codes of no rule; remove them: {unknown:?}");
    let now_named: Vec<_> = listed.intersection(&found).collect();
    assert!(now_named.is_empty(), "a test names these now; remove them from {LIST}: {now_named:?}");
    let missing: Vec<_> =
        rules.iter().filter(|code| !found.contains(*code) && !listed.contains(*code)).collect();
    assert!(
        missing.is_empty(),
        "no test names these rules; write one in which each fires: {missing:?}"
    );
}

#[test]
fn a_code_is_a_word_of_its_own() {
    let mut found = BTreeSet::new();
    codes(b"AB123: xAB124 AB1250 \"AB126\",AB127-name AB12 _AB128", &mut found);
    assert_eq!(
        found.iter().map(String::as_str).collect::<Vec<_>>(),
        ["AB123", "AB126", "AB127", "AB128"]
    );
}
