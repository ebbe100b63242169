//! The pages of the rules and their index, from the rules of all crates.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use unskew_core::Rule;
use unskew_lab_harness::pages::MARK;

/// The folder of the pages, from the root of the repository.
pub const FOLDER: &str = "docs/rules";

/// Every page.
pub fn pages() -> BTreeMap<PathBuf, String> {
    let rules: Vec<&Rule> = unskew_artifact::every_rule().collect();
    let mut pages = BTreeMap::from([(Path::new(FOLDER).join("README.md"), index(&rules))]);
    for rule in &rules {
        pages.insert(Path::new(FOLDER).join(format!("{}.md", rule.code)), page(rule));
    }
    pages
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
                title_of(family)
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

/// What the rules of a family are about, by the two letters of their codes.
const FAMILIES: [(&str, &str); 28] = [
    ("AR", "artifacts"),
    ("BO", "models of gradient boosting"),
    ("CN", "classes that files name"),
    ("CO", "promises of a pair"),
    ("EN", "Python environments"),
    ("EX", "native extensions"),
    ("GG", "GGUF files"),
    ("HD", "C headers"),
    ("HF", "model folders of Hugging Face"),
    ("HI", "dated histories"),
    ("IF", "IFRT"),
    ("JC", "compilation caches of JAX"),
    ("JX", "jax.export files"),
    ("KR", "Keras models"),
    ("ON", "ONNX models"),
    ("OP", "PyTorch operators"),
    ("PB", "protobuf files"),
    ("PE", "adapters of PEFT"),
    ("PJ", "PJRT plug-ins"),
    ("PO", "promises of unskew.toml"),
    ("PT", "PyTorch files"),
    ("SD", "locks of serialized types"),
    ("SE", "TensorFlow pluggable devices"),
    ("SH", "StableHLO programs"),
    ("SK", "scikit-learn models"),
    ("TF", "TensorFlow models and checkpoints"),
    ("TJ", "TensorFlow.js models"),
    ("TK", "tokenizers of Hugging Face"),
];

fn title_of(family: &str) -> &'static str {
    let title = FAMILIES.iter().find(|(letters, _)| *letters == family);
    title.map_or("", |(_, title)| title)
}

fn page(rule: &Rule) -> String {
    let Rule {
        code, name, severity, summary, since, what, why, fix, reference, error_texts, ..
    } = rule;
    let mut text = format!("{MARK}# {code} {name}\n\n{summary}\n\n");
    let _ = write!(text, "Severity: {severity}");
    if let Some(phase) = rule.phase {
        let _ = write!(text, ". Shows: {phase}");
    }
    let _ = writeln!(text, ". Since: {since}.");
    let (fires, silent) = (console(rule.fires.text()), console(rule.silent.text()));
    let errors = error_texts.text();
    let errors = if errors.is_empty() { String::new() } else { format!("```text\n{errors}\n```") };
    let parts = [
        ("What it checks", what.text()),
        ("Why it matters", why.text()),
        ("Errors you may see", &*errors),
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

#[cfg(test)]
mod tests {
    use super::title_of;

    #[test]
    fn every_family_has_a_title() {
        let untitled = unskew_artifact::every_rule().map(unskew_core::Rule::family);
        let untitled: Vec<&str> = untitled.filter(|family| title_of(family).is_empty()).collect();
        assert!(untitled.is_empty(), "FAMILIES has no row for: {untitled:?}");
    }
}
