//! What no source of the product may hold: a width of text from data, and a way to write that is not the one of outputs.

use std::path::{Path, PathBuf};

use regex::Regex;

/// Calls that make, replace or write files.
const WRITERS: &str = r"fs::write\(|\bFile::create|create_new\(|\.create\(true\)|fs::rename\(|\.persist\(|fs::copy\(|hard_link\(|\.append\(true\)\.open|generate_to\(";

/// Where such calls stand all the same, and why.
const WRITE: [(&str, &str); 16] = [
    ("base/source/src/output.rs", "the one way"),
    ("base/source/src/destination.rs", "what the one way opens: `/dev/fd/N`"),
    ("base/rules-build/src/", "runs in build scripts, writes into OUT_DIR"),
    ("fleet/fleet/src/blob_store/disk.rs", "files by their digest, in the depot's own folder"),
    ("fleet/fleet/src/store/sqlite.rs", "makes the database where nothing stands"),
    ("fleet/service/src/staging/disk.rs", "pieces of uploads, in the service's own folder"),
    ("judging/environments/src/image.rs", "unpacks into a temporary folder"),
    ("lint/lint/src/baseline/git/isolated.rs", "copies references into a temporary folder"),
    ("lint/lint/src/baseline/package.rs", "the cache of packages"),
    ("scan/src/query.rs", "copies into a temporary folder"),
    ("serdes/serdes/src/guard.rs", "a library without dependencies; looks at what stands there"),
    ("xla/ifrt-proxy/src/shares.rs", "the server's own temporary folder"),
    ("xla/ifrt-proxy/src/session_journal.rs", "a temporary file of the server"),
    ("tensorflow/stream-executor/build/", "runs in a build script"),
    ("tensorflow/stream-executor-sdk/build/", "runs in a build script"),
    ("xla/pjrt/build/", "runs in a build script"),
];

/// Where a width or precision is an argument all the same, and why.
const WIDTHS: [(&str, &str); 1] =
    [("xla/hlo/src/numbers.rs", "the digits of a type of numbers, 17 at most")];

/// The sources of the product without their tests, by their path below `crates`.
fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let skipped =
                ["target", "tests", "testing", "benches", "examples", "tests.rs", "build.rs"];
            if path.is_dir() && !skipped.contains(&name) {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs")
                && !skipped.contains(&name)
            {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("UNSKEW_ROOT")).join("crates");
    let mut found = Vec::new();
    walk(&root, &mut found);
    assert!(found.len() > 500, "{} sources", found.len());
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        // Unit tests stand at the end of a file.
        let tests = Regex::new(r"#\[cfg\((all\()?test[^\]]*\]\s*mod ").unwrap();
        let product = tests.split(&text).next().unwrap_or_default();
        let lines = product.lines().filter(|line| !line.trim_start().starts_with("//"));
        let shown = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        (shown, lines.collect::<Vec<_>>().join("\n"))
    };
    found.iter().map(read).collect()
}

fn hold(pattern: &str, known: &[(&str, &str)]) {
    let pattern = Regex::new(pattern).unwrap();
    let (mut wrong, mut used) = (Vec::new(), vec![false; known.len()]);
    for (path, text) in sources() {
        let Some(found) = pattern.find(&text) else { continue };
        match known.iter().position(|(own, _)| path.starts_with(own)) {
            Some(at) => used[at] = true,
            None => wrong.push(format!("{path}: {}", found.as_str())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unused: Vec<_> = known.iter().zip(used).filter(|(_, used)| !used).collect();
    assert!(unused.is_empty(), "no longer needed: {unused:?}");
}

#[test]
fn no_width_or_precision_in_a_format_comes_from_an_argument() {
    // `{:width$}`, `{x:>1$}`, `{x:.places$}`, `{x:.*}`
    hold(r#"\{[A-Za-z0-9_.]*:[^{}"\n]*?(\w\$|\.\*)[^{}"\n]*\}"#, &WIDTHS);
}

#[test]
fn every_output_is_written_in_one_way() {
    hold(WRITERS, &WRITE);
}
