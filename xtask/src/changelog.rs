//! `cargo xtask changelog VERSION DAY`: the changes in `changes/` as the section of a release in CHANGELOG.md.
//!
//! A line of a fragment, `changes/NAME.md`, is a change: `SUBJECT (KIND): TEXT.` A line of another form is refused with its
//! place. Fragments that were taken over are removed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use unskew_core::Date;

const CHANGELOG: &str = "CHANGELOG.md";

/// The folder of the fragments, and the file in it that is none.
const FRAGMENTS: &str = "changes";
const README: &str = "README.md";

/// The kinds of changes as fragments name them, with their headings, in the order of these.
const KINDS: [(&str, &str); 4] =
    [("breaking", "Breaking"), ("new", "New"), ("changed", "Changed"), ("fixed", "Fixed")];

/// Writes the section of a release and removes the fragments.
///
/// # Errors
/// If there is no fragment, a line has another form, the changelog has the version, or a file cannot be read or written.
pub fn run(version: &str, day: Date) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let fragments = fragments(root)?;
    let path = root.join(CHANGELOG);
    let text = with_release(&fs::read_to_string(&path)?, version, day, &fragments)?;
    fs::write(&path, text)?;
    for (path, _) in &fragments {
        fs::remove_file(path).with_context(|| path.display().to_string())?;
    }
    println!("{CHANGELOG}: {version}, of {} fragments", fragments.len());
    Ok(())
}

/// The path and the text of every fragment, by name.
fn fragments(root: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join(FRAGMENTS)).context(FRAGMENTS)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "md") && !path.ends_with(README) {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            found.push((path, text));
        }
    }
    found.sort();
    Ok(found)
}

/// The changelog with the section of a release before all others.
fn with_release(
    changelog: &str,
    version: &str,
    day: Date,
    fragments: &[(PathBuf, String)],
) -> anyhow::Result<String> {
    ensure!(!fragments.is_empty(), "no fragment in {FRAGMENTS}");
    ensure!(!changelog.contains(&format!("\n## {version} ")), "{CHANGELOG} has {version}");
    let (head, rest) = changelog.split_once("\n## ").context("a changelog without a release")?;
    let mut section = format!("## {version} - {day}\n");
    for ((_, heading), entries) in KINDS.iter().zip(entries(fragments)?) {
        if !entries.is_empty() {
            let entries: String = entries.into_iter().map(|entry| entry + "\n").collect();
            section.push_str(&format!("\n### {heading}\n\n{entries}"));
        }
    }
    Ok(format!("{head}\n{section}\n## {rest}"))
}

/// The changes of each kind, by their subjects.
fn entries(fragments: &[(PathBuf, String)]) -> anyhow::Result<[BTreeSet<String>; KINDS.len()]> {
    let mut entries = [const { BTreeSet::new() }; KINDS.len()];
    for (path, text) in fragments {
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty()) {
            let (kind, entry) = entry(line).with_context(|| {
                format!("{}:{number}: not `SUBJECT (KIND): TEXT.`: {line}", path.display())
            })?;
            entries[kind].insert(entry);
        }
    }
    Ok(entries)
}

/// A change as the changelog has it, and the number of its kind.
fn entry(line: &str) -> Option<(usize, String)> {
    let (head, text) = line.split_once("): ")?;
    let (subject, kind) = head.split_once(" (")?;
    let kind = KINDS.iter().position(|(name, _)| *name == kind)?;
    let is_whole = !subject.is_empty() && text.ends_with('.');
    is_whole.then(|| (kind, format!("- **{subject}**: {text}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Date = Date::constant(2027, 1, 15);
    const BEFORE: &str =
        "# Changelog\n\nHead.\n\n## 0.1.0 - 2026-12-01\n\n- **check**: a verdict.\n";

    fn released(text: &str) -> anyhow::Result<String> {
        with_release(BEFORE, "0.2.0", DAY, &[("changes/a.md".into(), text.to_owned())])
    }

    #[test]
    fn the_changes_of_a_release_stand_before_older_ones_breaking_first_by_subject() {
        let text = "ops run (new): `einsum`.\nTF313 (fixed): no error (for GPUs): it has one.\n\
                    check (breaking): `--loader cpp` was `c++`.\nenv (new): wheels.\n";
        let expected = "# Changelog\n\nHead.\n\n## 0.2.0 - 2027-01-15\n\n\
            ### Breaking\n\n- **check**: `--loader cpp` was `c++`.\n\n\
            ### New\n\n- **env**: wheels.\n- **ops run**: `einsum`.\n\n\
            ### Fixed\n\n- **TF313**: no error (for GPUs): it has one.\n\n\
            ## 0.1.0 - 2026-12-01\n\n- **check**: a verdict.\n";
        assert_eq!(released(text).unwrap(), expected);
    }

    #[test]
    fn a_line_of_another_form_is_refused_with_its_place() {
        for line in ["check: x.", "check (better): x.", "check (new): x", " (new): x.", "# Title"] {
            let error = released(&format!("env (new): wheels.\n{line}\n")).unwrap_err().to_string();
            assert!(error.starts_with("changes/a.md:2: not "), "{error}");
        }
    }

    #[test]
    fn a_release_without_fragments_or_that_is_there_is_refused() {
        assert!(with_release(BEFORE, "0.2.0", DAY, &[]).is_err());
        let fragments = [(PathBuf::from("changes/a.md"), "env (new): wheels.\n".to_owned())];
        assert!(with_release(BEFORE, "0.1.0", DAY, &fragments).is_err());
    }

    #[test]
    fn every_fragment_of_the_repository_has_the_form() {
        entries(&fragments(unskew_peers::root()).unwrap()).unwrap();
    }
}
