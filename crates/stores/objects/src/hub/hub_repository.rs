//! Repository that the root of an `hf:` URI names: `hf://org/model@revision`.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The kinds of repository that stand before the name; a model has none.
const KINDS: [&str; 2] = ["datasets", "spaces"];

/// The revision if none is named.
const MAIN: &str = "main";

/// What stands as it is in a part of a path: in a revision, `/` does not.
const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repository {
    /// `datasets/` or `spaces/` before the name, or nothing.
    kind: &'static str,
    /// `org/model`, or `model` for the oldest.
    name: String,
    /// A branch, a tag, a reference such as `refs/pr/1`, or a commit.
    revision: String,
}

/// How much of what follows `hf://` is the root: the kind, the name and the revision, without the slash behind it.
pub(crate) fn root_len(rest: &str) -> usize {
    let kind = KINDS.iter().find(|kind| rest.starts_with(&format!("{kind}/")));
    let begin = kind.map_or(0, |kind| kind.len() + 1);
    let name = rest.get(begin..).unwrap_or_default();
    let first = name.split('/').next().unwrap_or_default();
    let parts = match (first.contains('@'), name.split_once("@refs/")) {
        // The revision of a pull request or of a conversion: `refs/pr/1`, `refs/convert/parquet`.
        (true, Some(_)) => 3,
        (true, None) => 1,
        (false, Some((before, _))) if before.split('/').count() == 2 => 4,
        (false, _) => 2,
    };
    let end = name.match_indices('/').nth(parts - 1).map_or(name.len(), |(at, _)| at);
    begin + end
}

impl Repository {
    /// None if no repository is named.
    pub(super) fn parse(root: &str) -> Option<Self> {
        let rest = root.strip_prefix("hf://")?;
        let kind = KINDS.iter().find(|kind| rest.starts_with(&format!("{kind}/")));
        let rest = kind.map_or(rest, |kind| &rest[kind.len() + 1..]);
        let kind = kind.copied().unwrap_or_default();
        let (name, revision) = rest.split_once('@').unwrap_or((rest, MAIN));
        let revision = percent_decode_str(revision).decode_utf8().ok()?.into_owned();
        let is_name = |part: &str| {
            let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            !matches!(part, "" | "." | "..") && part.chars().all(allowed)
        };
        let known = name.split('/').all(is_name) && name.split('/').count() <= 2;
        let is_revision = !revision.is_empty() && !revision.split('/').any(|part| part == "..");
        (known && is_revision).then(|| Self { kind, name: name.to_owned(), revision })
    }

    /// Where the API speaks of it: `models/org/model`.
    pub(super) fn api(&self) -> String {
        let kind = if self.kind.is_empty() { "models" } else { self.kind };
        format!("{kind}/{}", self.name)
    }

    /// Where its files are: `org/model`, `datasets/org/data`.
    pub(super) fn path(&self) -> String {
        match self.kind {
            "" => self.name.clone(),
            kind => format!("{kind}/{}", self.name),
        }
    }

    pub(super) fn revision(&self) -> String {
        utf8_percent_encode(&self.revision, PART).to_string()
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hf://{}@{}", self.path(), self.revision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken_apart(uri: &str) -> Option<(String, String)> {
        let rest = uri.strip_prefix("hf://")?;
        let end = root_len(rest);
        let repository = Repository::parse(&uri[..5 + end])?;
        Some((repository.to_string(), rest[end..].to_owned()))
    }

    #[test]
    fn a_repository_has_a_kind_a_name_and_a_revision() {
        for (uri, repository, file) in [
            ("hf://org/net", "hf://org/net@main", ""),
            ("hf://org/net@v1.0/a/b.pt", "hf://org/net@v1.0", "/a/b.pt"),
            ("hf://org/net/b@c.pt", "hf://org/net@main", "/b@c.pt"),
            ("hf://org/net@refs/pr/7/b.pt", "hf://org/net@refs/pr/7", "/b.pt"),
            ("hf://org/net@refs%2Fpr%2F7/b.pt", "hf://org/net@refs/pr/7", "/b.pt"),
            ("hf://gpt2@main/b.pt", "hf://gpt2@main", "/b.pt"),
            ("hf://gpt2@refs/pr/7/b.pt", "hf://gpt2@refs/pr/7", "/b.pt"),
            ("hf://datasets/org/data/b.pt", "hf://datasets/org/data@main", "/b.pt"),
        ] {
            let found = taken_apart(uri).unwrap();
            assert_eq!((found.0.as_str(), found.1.as_str()), (repository, file), "{uri}");
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for uri in
            ["hf://", "hf:///b.pt", "hf://org/../b.pt", "hf://o rg/net", "hf://org/net@/b.pt"]
        {
            assert_eq!(taken_apart(uri), None, "{uri}");
        }
    }
}
