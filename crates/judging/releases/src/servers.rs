//! The releases of servers of language models: `data/vllm` and `data/sglang`.

use std::sync::{Arc, LazyLock};

use unskew_core::{Fact, Party, Role};
use unskew_definitions::Rows;
use unskew_tables::{packed_rows, toml_as_json};
use unskew_transformers::{KnownNames, ServerKind, ServerRelease};

use crate::{ReleaseRow, embedded, transformers};

type Names = LazyLock<Option<Arc<KnownNames>>>;

static VLLM: Names =
    LazyLock::new(|| embedded::rows(KnownNames::from_text(packed_rows!("data/vllm/names.tsv"))));

static SGLANG: Names =
    LazyLock::new(|| embedded::rows(KnownNames::from_text(packed_rows!("data/sglang/names.tsv"))));

static VLLM_ROWS: LazyLock<Vec<ReleaseRow>> =
    LazyLock::new(|| embedded::release_rows(toml_as_json!("data/vllm/releases.toml")));

static SGLANG_ROWS: LazyLock<Vec<ReleaseRow>> =
    LazyLock::new(|| embedded::release_rows(toml_as_json!("data/sglang/releases.toml")));

fn names(kind: ServerKind) -> Option<&'static Arc<KnownNames>> {
    match kind {
        ServerKind::Vllm => VLLM.as_ref(),
        ServerKind::Sglang => SGLANG.as_ref(),
    }
}

/// Every release, oldest first.
pub(crate) fn rows(kind: ServerKind) -> &'static [ReleaseRow] {
    match kind {
        ServerKind::Vllm => &VLLM_ROWS,
        ServerKind::Sglang => &SGLANG_ROWS,
    }
}

/// What every release knows as one history.
pub(crate) fn history(kind: ServerKind) -> Option<&'static Rows> {
    names(kind).map(|names| names.rows())
}

/// How many architectures and methods of quantization a release knows.
pub(crate) fn axes(kind: ServerKind, row: &ReleaseRow) -> Vec<Fact> {
    let Some(history) = history(kind) else { return Vec::new() };
    let counted = |label: &str, suffix: &str| {
        let all = history.definitions_of(row.version);
        let count = all.filter(|one| one.ends_with(suffix)).count();
        Fact { label: label.to_owned(), value: count.to_string() }
    };
    vec![
        counted("architectures", "(architecture)"),
        counted("methods of quantization", "(quantization)"),
    ]
}

/// The release of `row` as a party.
pub(crate) fn party(kind: ServerKind, row: &ReleaseRow) -> Party {
    match names(kind) {
        Some(names) => ServerRelease {
            kind,
            version: row.version,
            released: row.released,
            names: names.clone(),
            transformers: transformers::names().cloned(),
        }
        .party(),
        None => {
            let name = format!("{} {}", kind.package(), row.version);
            Party::new(name, Role::Runtime, "server of language models")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_names_and_every_line_is_read() {
        for kind in [ServerKind::Vllm, ServerKind::Sglang] {
            let history = history(kind).unwrap();
            let parse = |text: &str| {
                let kind = text.split_once('(').and_then(|(_, kind)| kind.strip_suffix(')'));
                let is_kind = kind.is_some_and(|kind| {
                    ["architecture", "quantization", "feature"].contains(&kind)
                        || kind.starts_with("requires ")
                });
                is_kind.then_some(()).ok_or("no kind".into())
            };
            history.validate(parse).unwrap();
            let versions: Vec<_> = rows(kind).iter().map(|row| row.version).collect();
            assert_eq!(versions, history.releases());
        }
    }
}
