//! The files in the examples of rules, for tests of the crates that read such files.
//!
//! What an example prints is checked where the command is (`crates/cli/tests/examples`). Here are its inputs: headers,
//! protobuf files and histories with one fault each, for whatever else has to hold for them.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

/// A file of an example, as it stands below `$ cat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleFile {
    /// The code of the rule.
    pub code: String,
    /// The name that the example gives it, such as `old.proto`.
    pub name: String,
    /// What stands in it.
    pub text: String,
}

/// The files in the examples of the rules in a folder, by rule.
///
/// # Panics
/// If there is no such folder, or a rule without an example in it.
pub fn files(rules: &Path) -> Vec<ExampleFile> {
    let mut paths: Vec<_> =
        std::fs::read_dir(rules).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let rule: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
        let text = |key: &str| rule.get(key).unwrap().as_str().unwrap();
        for transcript in [text("fires"), text("silent")] {
            let blocks = transcript.strip_prefix("$ ").unwrap().split("\n$ ");
            found.extend(blocks.filter_map(|block| {
                let (name, text) = block.strip_prefix("cat ")?.split_once('\n')?;
                let (code, name) = (text_of(&rule, "code"), name.to_owned());
                Some(ExampleFile { code, name, text: format!("{text}\n") })
            }));
        }
    }
    found
}

fn text_of(rule: &toml::Table, key: &str) -> String {
    rule.get(key).unwrap().as_str().unwrap().to_owned()
}
