//! `cargo xtask new-boundary FOLDER/NAME CODE`: the crate of a new boundary and its rows elsewhere, to be filled in.
//!
//! The crate compiles and passes its tests as it is made: a format with four letters of magic and a version, one rule with
//! its examples, a fuzz target, and a guide. Nothing is overwritten.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};

/// The files of a boundary: where each goes, and its text with placeholders.
const FILES: [(&str, &str); 14] = [
    ("crates/@folder@/@name@/Cargo.toml", include_str!("../skeleton/boundary/Cargo.toml.in")),
    ("crates/@folder@/@name@/build.rs", include_str!("../skeleton/boundary/build.rs.in")),
    ("crates/@folder@/@name@/src/lib.rs", include_str!("../skeleton/boundary/src/lib.rs.in")),
    ("crates/@folder@/@name@/src/model.rs", include_str!("../skeleton/boundary/src/model.rs.in")),
    ("crates/@folder@/@name@/src/party.rs", include_str!("../skeleton/boundary/src/party.rs.in")),
    ("crates/@folder@/@name@/src/rules.rs", include_str!("../skeleton/boundary/src/rules.rs.in")),
    (
        "crates/@folder@/@name@/src/runtime.rs",
        include_str!("../skeleton/boundary/src/runtime.rs.in"),
    ),
    (
        "crates/@folder@/@name@/src/verdict.rs",
        include_str!("../skeleton/boundary/src/verdict.rs.in"),
    ),
    (
        "crates/@folder@/@name@/rules/@CODE@001-@name@-version-unknown.toml",
        include_str!("../skeleton/boundary/rule.toml.in"),
    ),
    (
        "crates/@folder@/@name@/tests/it/main.rs",
        include_str!("../skeleton/boundary/tests/it/main.rs.in"),
    ),
    (
        "crates/@folder@/@name@/tests/it/hostile.rs",
        include_str!("../skeleton/boundary/tests/it/hostile.rs.in"),
    ),
    (
        "crates/@folder@/@name@/tests/it/verdicts.rs",
        include_str!("../skeleton/boundary/tests/it/verdicts.rs.in"),
    ),
    (
        "crates/testing/fuzz-targets/src/targets/@name@.rs",
        include_str!("../skeleton/boundary/fuzz.rs.in"),
    ),
    ("docs/guide/check-@name@.md", include_str!("../skeleton/boundary/guide.md.in")),
];

/// Rows in files that are there: the file, the line before which a row goes, and the row.
const ROWS: [(&str, &str, &str); 6] = [
    (
        "Cargo.toml",
        "unskew-jax-export = ",
        "unskew-@name@ = { path = \"crates/@folder@/@name@\", version = \"0.1.0\" }\n",
    ),
    (
        "crates/judging/artifact/Cargo.toml",
        "unskew-jax-export.workspace",
        "unskew-@name@.workspace = true\n",
    ),
    (
        "crates/judging/artifact/src/boundaries.rs",
        "    // A new boundary goes before",
        "    Boundary {\n        looked_for: \"@name@\",\n        endings: &[\"@name@\"],\n        \
         read: Read::File(unskew_@name@::party),\n        rules: &[unskew_@name@::rules::RULES],\n        ..NONE\n    },\n",
    ),
    (
        "crates/testing/fuzz-targets/Cargo.toml",
        "unskew-tfjs.workspace",
        "unskew-@name@.workspace = true\n",
    ),
    ("crates/testing/fuzz-targets/src/targets/mod.rs", "    jax_export", "    @name@\n"),
    ("xtask/src/site/menu.rs", "            \"jax-export\",", "            \"check-@name@\",\n"),
];

/// What only people can do.
const LEFT: &str = "
Left to do, and said by no compiler:
  the page (`src/lib.rs`): both sides, what carries the version, what is promised and where that is written
  `crates/judging/artifact/src/unversioned.rs`: take the format out, if it was known there
  the releases on the other side: a key in `crates/judging/releases/src/family.rs`, and its row in `families.rs`
  `crates/testing/fuzz-targets/examples/seeds.rs`: real files to begin with; `fuzz/readers.toml`: its row
  docs/reference/formats.md, docs/guide, docs/reference/made-from.md, a file in changes/
Then:
  cargo build && UNSKEW_BLESS=1 cargo test -p unskew-cli --test cli rules/@CODE@001
  cargo xtask docs
";

/// Writes the files and the rows, and says what is left to do.
///
/// # Errors
/// If a name has not the form of one, or a file is there, or a row has no place.
pub fn run(place: &str, code: &str) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    for path in make(root, place, code)? {
        println!("{path}");
    }
    print!("{}", LEFT.replace("@CODE@", code));
    Ok(())
}

/// The paths of what was written below `root`.
fn make(root: &Path, place: &str, code: &str) -> anyhow::Result<Vec<String>> {
    let (folder, name) = place.split_once('/').context("FOLDER/NAME, such as ggml/gguf")?;
    let is_name = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase());
    ensure!(is_name(folder) && is_name(name), "a folder and a name are small letters: {place}");
    let is_code = code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase());
    ensure!(is_code, "a family of rules is two capital letters: {code}");
    let filled = |text: &str| {
        let magic: String =
            name.to_ascii_uppercase().chars().chain("XXXX".chars()).take(4).collect();
        let hex: String = magic.bytes().map(|byte| format!("{byte:02x}")).collect();
        let mut title = name.to_owned();
        title[..1].make_ascii_uppercase();
        text.replace("@folder@", folder)
            .replace("@NAME@", &name.to_ascii_uppercase())
            .replace("@Name@", &title)
            .replace("@name@", name)
            .replace("@CODE@", code)
            .replace("@MAGIC@", &magic)
            .replace("@magichex@", &hex)
    };
    let files = FILES.map(|(path, text)| (filled(path), filled(text)));
    if let Some((taken, _)) = files.iter().find(|(path, _)| root.join(path).exists()) {
        bail!("it is there already: {taken}");
    }
    let is_new_folder = !root.join("crates").join(folder).exists();
    // Rows first: a place that is gone leaves nothing half made.
    let mut edited: Vec<(String, String)> = Vec::new();
    let members =
        (is_new_folder, "Cargo.toml", "    \"crates/serdes/*\"", "    \"crates/@folder@/*\",\n");
    let rows = ROWS.map(|(path, before, row)| (true, path, before, row));
    for (wanted, path, before, row) in std::iter::once(members).chain(rows) {
        if !wanted {
            continue;
        }
        let at = edited.iter().position(|(one, _)| one == path);
        let text = match at {
            Some(at) => edited.swap_remove(at).1,
            None => fs::read_to_string(root.join(path)).with_context(|| path.to_owned())?,
        };
        let line = text.split_inclusive('\n').scan(0, |at, line| {
            let begins = *at;
            *at += line.len();
            Some((begins, line))
        });
        let found = line.into_iter().find(|(_, line)| line.starts_with(before));
        let (at, _) =
            found.with_context(|| format!("{path} has no line that begins so: {before}"))?;
        edited.push((path.to_owned(), format!("{}{}{}", &text[..at], filled(row), &text[at..])));
    }
    let all: Vec<(String, String)> = files.into_iter().chain(edited).collect();
    for (path, text) in &all {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap_or(root))?;
        fs::write(&path, text).with_context(|| format!("{}", path.display()))?;
    }
    Ok(all.into_iter().map(|(path, _)| path).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    /// A tree that has the files with rows, as they are.
    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, ..) in ROWS {
            let to = folder.path().join(path);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(unskew_peers::root().join(path), to).unwrap();
        }
        folder
    }

    #[test]
    fn a_boundary_is_made_whole_with_its_rows_and_never_over_another() {
        let folder = tree();
        let made = make(folder.path(), "ggml/sample", "GS").unwrap();
        assert_eq!(made.len(), FILES.len() + 6, "{made:?}");
        for path in &made {
            let text = fs::read_to_string(folder.path().join(path)).unwrap();
            let word = |text: &str| text.split('@').nth(1).is_some_and(|word| word == "name");
            assert!(!text.lines().any(word), "{path}: a placeholder is left");
        }
        let workspace = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
        assert!(workspace.contains("\"crates/ggml/*\""));
        let again = make(folder.path(), "ggml/sample", "GS").unwrap_err();
        assert!(again.to_string().contains("it is there already"), "{again}");
    }

    #[test]
    fn a_place_or_a_code_of_another_form_is_refused_and_nothing_is_written() {
        let folder = tree();
        for (place, code) in [
            ("gguf", "GG"),
            ("ggml/GGUF", "GG"),
            ("../x", "GG"),
            ("ggml/gguf", "gg"),
            ("ggml/gguf", "GGG"),
        ] {
            assert!(make(folder.path(), place, code).is_err(), "{place} {code}");
        }
        assert!(!folder.path().join("crates/ggml").exists());
    }
}
