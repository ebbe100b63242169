//! `cargo xtask new-rule CODE NAME`: the file of a new rule, to be filled in.
//!
//! A rule is a file in the folder `rules/` of the crate that its family belongs to, with an example that fires and one that
//! does not. Nothing is overwritten.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// The families of rules about files of a kind: the ending of these, and a file on which nothing fires.
const KINDS: [(&str, &str, &str); 4] = [
    ("PB", "proto", "syntax = \"proto3\";\n\nmessage Spec {\n  string name = 1;\n}\n"),
    (
        "HD",
        "h",
        "#define DEVICE_API_MAJOR 1\n#define DEVICE_API_MINOR 4\n\nint Device_Count(void);\n",
    ),
    ("HI", "toml", "axis = \"stored\"\n\n[[version]]\nnumber = 0\nlanded = 2026-01-12\n"),
    ("SD", "lock", "Spec 0 struct { name: text, }\n"),
];

/// Writes the file, and says what is left to do.
///
/// # Errors
/// If the code or the name has not the form of one, is taken, or a file cannot be written.
pub fn run(code: &str, name: &str) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let (path, text) = scaffold(root, code, name)?;
    let path = root.join(path);
    let mut file =
        std::fs::File::create_new(&path).with_context(|| format!("{}", path.display()))?;
    std::io::Write::write_all(&mut file, text.as_bytes())?;
    println!("{}", path.strip_prefix(root).unwrap_or(&path).display());
    println!(
        "\nFill in the rule, let the code report it, write its examples, and run\n\
         `UNSKEW_BLESS=1 cargo test -p unskew-cli --test cli rules/{code}`: what it prints is the review."
    );
    if code.starts_with("HD") {
        println!("Say in every file of crates/lint/c-headers/data/policies what {code} raises.");
    }
    Ok(())
}

/// The file of a rule, below `root`.
fn scaffold(root: &Path, code: &str, name: &str) -> anyhow::Result<(PathBuf, String)> {
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
    Ok((below.join(format!("rules/{code}-{name}.toml")), rule(family, code, name)))
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

fn rule(family: &str, code: &str, name: &str) -> String {
    let (fires, silent) = examples(family);
    format!(
        "code      = \"{code}\"\n\
         name      = \"{name}\"\n\
         since     = \"{}\"\n\
         severity  = \"error\"\n\
         phase     = \"silent\"\n\
         summary   = \"One sentence: what is wrong.\"\n\
         reference = \"The public document, https://, and its section.\"\n\
         what = \"\"\"\nWhat the rule looks at.\n\"\"\"\n\
         why = \"\"\"\nWhat fails if nobody acts on it.\n\"\"\"\n\
         fix = \"One command or edit that helps.\"\n\
         message = \"`{{record}}` has {{found}}\"\n\
         fires = '''\n{fires}'''\n\
         silent = '''\n{silent}'''\n",
        env!("CARGO_PKG_VERSION").rsplit_once('.').map_or("0.1", |(minor, _)| minor)
    )
}

/// Transcripts to begin with: files to be changed, and the command that looks at them.
fn examples(family: &str) -> (String, String) {
    match KINDS.iter().find(|(of, _, _)| *of == family) {
        Some((_, ending, text)) => (
            format!(
                "$ cat old.{ending}\n{text}$ cat new.{ending}\n{text}\
                 $ unskew diff old.{ending} new.{ending}\n"
            ),
            format!("$ cat fixed.{ending}\n{text}$ unskew diff old.{ending} fixed.{ending}\n"),
        ),
        None => (
            "$ unskew check examples/FILE --with torch@2.1\n".to_owned(),
            "$ unskew check examples/FILE --with torch@2.15\n".to_owned(),
        ),
    }
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
    fn a_rule_comes_with_two_examples_and_is_read_by_the_build() {
        let root = house();
        let (path, text) = scaffold(root.path(), "HD700", "field-is-odd").unwrap();
        assert_eq!(
            path.display().to_string(),
            "crates/lint/c-headers/rules/HD700-field-is-odd.toml"
        );
        assert!(text.contains("$ unskew diff old.h fixed.h\n"), "{text}");
        let (_, other) = scaffold(root.path(), "PT002", "too-old").unwrap();
        for (file, text) in [("HD700-field-is-odd", text), ("PT002-too-old", other)] {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(format!("{file}.toml")), text).unwrap();
            unskew_rules_build::read(folder.path()).unwrap();
        }
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
