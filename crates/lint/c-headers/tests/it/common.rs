//! What the tests of changes share.

use std::path::{Path, PathBuf};

use unskew_c_headers::change::{HeaderComparison, HeaderPolicy, compare};
use unskew_c_headers::contract::{HeaderContract, HeaderSource};
use unskew_core::Severity;

/// Compares two texts under a policy; without one, under that which the old text follows.
pub fn diff(old: &str, new: &str, policy: Option<&str>) -> HeaderComparison {
    diff_bytes(&[("api.h", old.as_bytes())], &[("api.h", new.as_bytes())], policy)
}

/// The contract of one header.
pub fn contract(text: &str) -> HeaderContract {
    HeaderContract::read(&[HeaderSource { name: "api.h", text: text.as_bytes() }], "")
}

/// The same for folders.
pub fn diff_bytes(
    old: &[(&str, &[u8])],
    new: &[(&str, &[u8])],
    policy: Option<&str>,
) -> HeaderComparison {
    let sources = |files: &[(&str, &[u8])]| -> HeaderContract {
        let sources: Vec<HeaderSource<'_>> =
            files.iter().map(|(name, text)| HeaderSource { name, text }).collect();
        let prelude = policy.and_then(HeaderPolicy::named).map_or("", |policy| &policy.prelude);
        HeaderContract::read(&sources, prelude)
    };
    let (old, new) = (sources(old), sources(new));
    let policy =
        policy.and_then(HeaderPolicy::named).or_else(|| HeaderPolicy::policy_of(&old)).unwrap();
    compare(&old, &new, policy, None)
}

/// The codes of the findings of at least this severity, each once, sorted.
pub fn codes(comparison: &HeaderComparison, least: Severity) -> Vec<&'static str> {
    let found = comparison.findings().filter(|f| f.severity >= least);
    let mut codes: Vec<&str> = found.map(|f| f.rule.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// A finding as a line.
pub fn lines(comparison: &HeaderComparison) -> String {
    comparison
        .changes
        .iter()
        .map(|change| {
            let finding = &change.finding;
            let (severity, code, class) = (finding.severity, finding.rule.code, change.class);
            format!("{severity} {code} {class}: {} [{}]\n", finding.message, finding.places)
        })
        .collect()
}

/// A folder of the corpus. Says how to get it if it is not there.
pub fn corpus(folder: &str) -> PathBuf {
    let root = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    let path = root.join(folder);
    assert!(path.exists(), "{} is missing: run `cargo xtask corpus`", path.display());
    path
}

/// All headers below a folder, with their names as they are called in findings.
pub fn headers(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "h") {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                found.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}
