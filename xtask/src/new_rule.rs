//! `cargo xtask new-rule CODE NAME`: the files of a new rule, to be filled in.
//!
//! A rule is a file in the folder `rules/` of the crate that its family belongs to. A rule about headers also
//! has a pair of headers on which it fires, a snapshot of every pair on which it does, and a line in every
//! policy; one about formats or histories a fixture and a snapshot. Nothing is overwritten.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// The families of rules about formats and histories, the endings of their fixtures, and the crate that compares such
/// files and keeps the fixtures. Its tests see the rules of histories too, which stand below it.
const FORMATS: [(&str, &str, &str); 3] =
    [("PB", "proto", "lint/protobuf"), ("HI", "toml", "lint/lint"), ("SD", "lock", "lint/lint")];

/// Writes the files, and says what is left to do.
///
/// # Errors
/// If the code or the name has not the form of one, is taken, or a file cannot be written.
pub fn run(code: &str, name: &str) -> anyhow::Result<()> {
    let root = crate::root();
    let files = scaffold(root, code, name)?;
    for (path, text) in &files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().context("no parent folder")?)?;
        let mut file =
            std::fs::File::create_new(&path).with_context(|| format!("{}", path.display()))?;
        std::io::Write::write_all(&mut file, text.as_bytes())?;
        println!("{}", path.strip_prefix(root).unwrap_or(&path).display());
    }
    println!("\nFill in the rule, let the code report it, and run `cargo xtask docs`.");
    if let Some((_, _, kept)) = FORMATS.iter().find(|(family, _, _)| code.starts_with(family)) {
        let package = kept.rsplit('/').next().unwrap_or(kept);
        println!(
            "Write the files of the fixture, and run\n\
             `UNSKEW_BLESS=1 cargo test -p unskew-{package} --test it rules`: the snapshot is the review."
        );
    }
    if code.starts_with("HD") {
        println!(
            "Write the headers, say in every file of crates/lint/c-headers/data/policies what {code} raises, and run\n\
             `UNSKEW_BLESS=1 cargo test -p unskew-c-headers --test it rules`: the snapshot is the review."
        );
    }
    Ok(())
}

/// The files of a rule by their paths below `root`.
fn scaffold(root: &Path, code: &str, name: &str) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let (family, digits) = code.split_at_checked(2).unwrap_or(("", ""));
    let is_code = family.bytes().all(|b| b.is_ascii_uppercase())
        && digits.len() == 3
        && digits.bytes().all(|b| b.is_ascii_digit());
    if !is_code {
        bail!("a code is two letters and three digits: {code}");
    }
    let is_name = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    if !name.split('-').all(is_name) {
        bail!("a name is words in small letters, joined by hyphens: {name}");
    }
    let home = home(root, family)?;
    if let Some(taken) = taken(&home, code, name)? {
        bail!("the code or the name is taken: {taken}");
    }
    let below = home.strip_prefix(root).unwrap_or(&home);
    let mut files = vec![(below.join(format!("rules/{code}-{name}.toml")), rule(code, name))];
    if family == "HD" {
        let fixture = below.join(format!("tests/fixtures/{code}-{name}"));
        for (file, when) in [("old.h", "before"), ("new.h", "after")] {
            files.push((fixture.join(file), header(code, name, when)));
        }
        files.push((below.join(format!("tests/snapshots/{code}-{name}.txt")), String::new()));
    }
    if let Some((_, ending, kept)) = FORMATS.iter().find(|(of, _, _)| *of == family) {
        let tests = Path::new("crates").join(kept).join("tests");
        let fixture = tests.join(format!("fixtures/{code}-{name}"));
        for when in ["old", "new"] {
            files.push((fixture.join(format!("{when}.{ending}")), String::new()));
        }
        files.push((tests.join(format!("snapshots/{code}-{name}.txt")), String::new()));
    }
    Ok(files)
}

/// The crate that a family belongs to: the one that has rules of it.
fn home(root: &Path, family: &str) -> anyhow::Result<PathBuf> {
    for subject in std::fs::read_dir(root.join("crates"))? {
        let Ok(homes) = std::fs::read_dir(subject?.path()) else { continue };
        for home in homes {
            let home = home?.path();
            let Ok(rules) = std::fs::read_dir(home.join("rules")) else { continue };
            for rule in rules {
                if rule?.file_name().to_string_lossy().starts_with(family) {
                    return Ok(home);
                }
            }
        }
    }
    bail!("no crate has rules of this family: {family}")
}

/// The rule that has the code or the name already.
fn taken(home: &Path, code: &str, name: &str) -> anyhow::Result<Option<String>> {
    for rule in std::fs::read_dir(home.join("rules"))? {
        let file = rule?.file_name().to_string_lossy().into_owned();
        let stem = file.strip_suffix(".toml").unwrap_or(&file);
        if stem.split_once('-').is_some_and(|(c, n)| c == code || n == name) {
            return Ok(Some(stem.to_owned()));
        }
    }
    Ok(None)
}

fn rule(code: &str, name: &str) -> String {
    format!(
        "code      = \"{code}\"\n\
         name      = \"{name}\"\n\
         since     = \"{}\"\n\
         severity  = \"error\"\n\
         phase     = \"silent\"\n\
         summary   = \"One sentence.\"\n\
         reference = \"The public document, or the measurement.\"\n\
         what = \"\"\"\nWhat the rule looks at.\n\"\"\"\n\
         why = \"\"\"\nWhy it matters.\n\"\"\"\n\
         fix = \"One command or edit that helps.\"\n\
         message = \"`{{record}}` has {{found}}\"\n",
        env!("CARGO_PKG_VERSION").rsplit_once('.').map_or("0.1", |(minor, _)| minor)
    )
}

fn header(code: &str, name: &str, when: &str) -> String {
    let minor = if when == "before" { 4 } else { 5 };
    format!(
        "// A fixture of {code}, {name}: {when}.\n#include <stddef.h>\n#include <stdint.h>\n\n\
         #define DEVICE_API_MAJOR 1\n#define DEVICE_API_MINOR {minor}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn house() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (home, rule) in
            [("lint/c-headers", "HD001-version-not-raised"), ("torch/archives", "PT001-too-new")]
        {
            let rules = root.path().join("crates").join(home).join("rules");
            std::fs::create_dir_all(&rules).unwrap();
            std::fs::write(rules.join(format!("{rule}.toml")), "").unwrap();
        }
        root
    }

    #[test]
    fn a_rule_about_headers_comes_with_a_fixture_and_a_snapshot() {
        let root = house();
        let files = scaffold(root.path(), "HD700", "field-is-odd").unwrap();
        let paths: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
        assert_eq!(
            paths,
            [
                "crates/lint/c-headers/rules/HD700-field-is-odd.toml",
                "crates/lint/c-headers/tests/fixtures/HD700-field-is-odd/old.h",
                "crates/lint/c-headers/tests/fixtures/HD700-field-is-odd/new.h",
                "crates/lint/c-headers/tests/snapshots/HD700-field-is-odd.txt",
            ]
        );
        assert_eq!(scaffold(root.path(), "PT002", "too-old").unwrap().len(), 1);
    }

    #[test]
    fn what_is_taken_or_has_not_the_form_is_refused() {
        let root = house();
        for (code, name, word) in [
            ("HD001", "another", "taken"),
            ("HD002", "version-not-raised", "taken"),
            ("H002", "x", "two letters"),
            ("HD002", "Odd Name", "small letters"),
            ("ZZ001", "x", "no crate"),
        ] {
            let error = scaffold(root.path(), code, name).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
