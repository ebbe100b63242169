//! The builds of llama.cpp and the releases of llama-cpp-python: `data/llama.cpp`, `data/llama-cpp-python`.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use unskew_core::{Date, Fact, Party, Role};
use unskew_definitions::Rows;
use unskew_gguf::{LlamaFamily, LlamaNames, LlamaRelease, NextRelease};
use unskew_tables::{packed_rows, toml_as_json};

use crate::{ReleaseRow, embedded};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Release {
    version: String,
    released: Date,
    /// The commit of llama.cpp, if it is stated.
    commit: Option<String>,
}

/// What the database has of one family.
struct Table {
    rows: Vec<ReleaseRow>,
    commits: Vec<Option<String>>,
    names: Option<Arc<LlamaNames>>,
}

impl Table {
    fn new(releases: Vec<Release>, names: Option<Arc<LlamaNames>>) -> Self {
        let row = |release: Release| {
            let version = release.version.parse().ok()?;
            Some((ReleaseRow { version, released: release.released }, release.commit))
        };
        let (rows, commits) = releases.into_iter().filter_map(row).unzip();
        Self { rows, commits, names }
    }

    fn for_family(family: LlamaFamily) -> &'static Self {
        match family {
            LlamaFamily::LlamaCpp => &BUILDS,
            LlamaFamily::LlamaCppPython => &PACKAGES,
        }
    }
}

static BUILDS: LazyLock<Table> = LazyLock::new(|| {
    let names = LlamaNames::from_text(packed_rows!("data/llama.cpp/names.tsv"));
    Table::new(
        embedded::releases(toml_as_json!("data/llama.cpp/releases.toml")),
        embedded::rows(names),
    )
});

static PACKAGES: LazyLock<Table> = LazyLock::new(|| {
    let names = LlamaNames::from_text(packed_rows!("data/llama-cpp-python/names.tsv"));
    let releases = embedded::releases(toml_as_json!("data/llama-cpp-python/releases.toml"));
    Table::new(releases, embedded::rows(names))
});

/// Every release of the family, oldest first.
pub(crate) fn rows(family: LlamaFamily) -> &'static [ReleaseRow] {
    &Table::for_family(family).rows
}

/// What every release knows as one history.
pub(crate) fn history(family: LlamaFamily) -> Option<&'static Rows> {
    Table::for_family(family).names.as_deref().map(LlamaNames::rows)
}

fn release_of_row(family: LlamaFamily, row: &ReleaseRow) -> Option<LlamaRelease> {
    let names = Table::for_family(family).names.clone()?;
    Some(LlamaRelease { family, version: row.version, next: None, released: row.released, names })
}

/// What the release reads, in words: how many architectures, pre-tokenizers and types, and its commit.
pub(crate) fn axes(family: LlamaFamily, row: &ReleaseRow) -> Vec<Fact> {
    let Some(history) = history(family) else { return Vec::new() };
    let definitions: Vec<&str> = history.definitions_of(row.version).collect();
    let fact = |label: &str, value: String| Fact { label: label.to_owned(), value };
    let counted = |label: &str, kind: &str| {
        let count = definitions.iter().filter(|one| one.ends_with(kind)).count();
        fact(label, count.to_string())
    };
    let versions: Vec<&str> =
        definitions.iter().filter_map(|one| one.strip_suffix("(file version)")).collect();
    let mut facts = vec![
        fact("file versions", versions.join(", ")),
        counted("architectures", "(architecture)"),
        counted("pre-tokenizers", "(pre-tokenizer)"),
        counted("types of tensors", "(type)"),
    ];
    let at = rows(family).iter().position(|known| known.version == row.version);
    let commit = at.and_then(|at| Table::for_family(family).commits.get(at)?.clone());
    facts.extend(commit.map(|commit| fact("commit of llama.cpp", commit)));
    facts
}

/// The release of `row` as a party.
pub(crate) fn party(family: LlamaFamily, row: &ReleaseRow) -> Party {
    match release_of_row(family, row) {
        Some(release) => release.party(),
        None => {
            let name = format!("{} {}", family.as_str(), family.version(row.version));
            Party::new(name, Role::Runtime, format!("{} release", family.as_str()))
        }
    }
}

/// A build behind that of `row` which has no row of its own, judged by what that and the next row agree in.
pub(crate) fn party_after(row: &ReleaseRow) -> Party {
    let family = LlamaFamily::LlamaCpp;
    let Some(release) = release_of_row(family, row) else { return party(family, row) };
    let later = rows(family).iter().find(|known| known.version > row.version);
    let next = later.map_or(NextRelease::Unknown, |later| NextRelease::Known(later.version));
    LlamaRelease { next: Some(next), ..release }.party()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_names_and_every_line_is_read() {
        for family in [LlamaFamily::LlamaCpp, LlamaFamily::LlamaCppPython] {
            let rows = history(family).unwrap();
            let parse = |text: &str| {
                let kind = text.split_once('(').and_then(|(_, kind)| kind.strip_suffix(')'));
                let is_kind = kind.is_some_and(|kind| {
                    kind.starts_with("key")
                        || [
                            "architecture",
                            "tokenizer",
                            "pre-tokenizer",
                            "type",
                            "file version",
                            "check",
                        ]
                        .contains(&kind)
                });
                is_kind.then_some(()).ok_or("no kind".into())
            };
            rows.validate(parse).unwrap();
            let versions: Vec<_> = self::rows(family).iter().map(|row| row.version).collect();
            assert_eq!(versions, rows.releases());
        }
    }
}
