//! Models in registries: MLflow, OCI.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_artifact::{ArtifactFile, Content, OpenError};
use unskew_registries::{
    RegisteredModel, Registry, RegistryError, RegistryFile, VerdictAnnotation,
};

use crate::group::{Group, ListedFile, groups};
use crate::{Inventory, InventoryItem, Question, ScanError, VERDICTS, VerdictRow};

/// What a URI names in a registry.
pub(crate) struct Registered {
    registry: Registry,
    name: String,
}

impl Registered {
    /// The registry that a URI names, if it names one.
    pub(crate) fn from_uri(uri: &str) -> Option<Result<Self, RegistryError>> {
        let registry = Registry::parse(uri)?;
        Some(registry.map(|registry| Self { registry, name: uri.to_owned() }))
    }
}

impl Inventory for Registered {
    fn name(&self) -> &str {
        &self.name
    }

    fn items(&self) -> Result<Vec<InventoryItem>, ScanError> {
        let mut all = Vec::new();
        for entry in self.registry.entries()? {
            match entry.files() {
                Ok(files) => all.extend(items(&entry, &files)),
                // One that cannot be listed is one artifact that cannot be read.
                Err(error) => all.push(unread(&entry, error)),
            }
        }
        all.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(all)
    }

    fn report(&self, rows: &[VerdictRow], question: &Question) -> Result<usize, ScanError> {
        let mut reported = 0;
        for entry in self.registry.entries()? {
            let (of, revision) = (entry.collection(), entry.revision());
            let of_entry = |row: &&VerdictRow| {
                row.collection.as_deref() == Some(&*of)
                    && row.revision.as_deref() == Some(&*revision)
            };
            let own: Vec<&VerdictRow> = rows.iter().filter(of_entry).collect();
            if own.is_empty() {
                continue;
            }
            let as_of = question.as_of.to_string();
            let by = format!("unskew {}", question.unskew);
            let body = serde_json::json!({
                "schema": "unskew.scan.report",
                "schema_version": 1,
                "as_of": as_of,
                "by": by,
                "rows": own,
            });
            let report =
                serde_json::to_vec(&body).map_err(|error| ScanError::Report(error.to_string()))?;
            let verdicts: Vec<(String, String)> = verdicts(&own).into_iter().collect();
            entry.report(&VerdictAnnotation {
                verdicts: &verdicts,
                as_of: &as_of,
                by: &by,
                report: &report,
            })?;
            reported += 1;
        }
        Ok(reported)
    }
}

fn items(entry: &RegisteredModel, files: &[RegistryFile]) -> Vec<InventoryItem> {
    let found = |file: &RegistryFile| {
        let etag = entry.digest().map(str::to_owned);
        ListedFile::readable(file.name.clone(), file.source.size(), etag)
    };
    let found: Vec<ListedFile> = files.iter().map(found).collect();
    groups(&found).into_iter().map(|group| item(entry, group, files)).collect()
}

fn item(entry: &RegisteredModel, group: Group, files: &[RegistryFile]) -> InventoryItem {
    let own: Vec<RegistryFile> =
        group.files.iter().filter_map(|at| files.get(*at)).cloned().collect();
    let uri = match (own.first(), group.folder) {
        (Some(file), false) => file.source.name().to_owned(),
        _ => format!("{}#{}", entry.uri(), group.key),
    };
    let (name, base) = (uri.clone(), group.key.clone());
    let open = move || -> Result<Content, OpenError> {
        let part = |file: &RegistryFile, name: &str| {
            let source = file.source.clone();
            ArtifactFile { name: name.to_owned(), source, path: None, beside: None }
        };
        if let (Some(file), false) = (own.first(), group.folder) {
            return Ok(Content::File(part(file, &name)));
        }
        let below = |file: &RegistryFile| {
            let below = file.name.strip_prefix(&base).unwrap_or(&file.name);
            part(file, below.trim_start_matches('/'))
        };
        Ok(Content::Folder { name: name.clone(), parts: own.iter().map(below).collect() })
    };
    InventoryItem {
        key: format!("{}/{}/{}", entry.collection(), entry.revision(), group.key),
        uri,
        collection: Some(entry.collection()),
        revision: Some(entry.revision()),
        etag: group.etag,
        sha256: None,
        size: group.size,
        open: Arc::new(open),
    }
}

fn unread(entry: &RegisteredModel, error: RegistryError) -> InventoryItem {
    let (uri, said) = (entry.uri(), error.to_string());
    let path = std::path::PathBuf::from(&uri);
    let open = move || -> Result<Content, OpenError> {
        let source = std::io::Error::other(said.clone());
        Err(OpenError::Io { path: path.clone(), source })
    };
    InventoryItem {
        key: format!("{}/{}", entry.collection(), entry.revision()),
        uri,
        collection: Some(entry.collection()),
        revision: Some(entry.revision()),
        etag: entry.digest().map(str::to_owned),
        sha256: None,
        size: 0,
        open: Arc::new(open),
    }
}

/// What is said of an entry for each runtime: the gravest verdict of its artifacts, and the rules that speak in it.
fn verdicts(rows: &[&VerdictRow]) -> BTreeMap<String, String> {
    let grave = |row: &VerdictRow| match row.verdict.as_str() {
        "error" => VERDICTS.len(),
        "incompatible" => VERDICTS.len() - 1,
        // An artifact that has nothing to do with a runtime takes nothing from one that has.
        "unrelated" | "unrecognized" => 0,
        other => VERDICTS.iter().position(|one| *one == other).unwrap_or_default() + 1,
    };
    let mut worst: BTreeMap<String, &VerdictRow> = BTreeMap::new();
    for row in rows {
        let Some(runtime) = &row.runtime else { continue };
        let known = worst.entry(runtime.clone()).or_insert(row);
        if grave(row) > grave(known) {
            *known = row;
        }
    }
    let text = |row: &VerdictRow| match row.rules.is_empty() {
        true => row.verdict.clone(),
        false => format!("{}: {}", row.verdict, row.rules.join(", ")),
    };
    worst.into_iter().map(|(runtime, row)| (runtime, text(row))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_artifact_speaks_for_its_entry() {
        let row = |verdict: &str, rules: &[&str]| VerdictRow {
            runtime: Some("torch@2.1".to_owned()),
            verdict: verdict.to_owned(),
            rules: rules.iter().map(|one| (*one).to_owned()).collect(),
            ..VerdictRow::default()
        };
        let rows = [row("compatible", &[]), row("unrelated", &[]), row("incompatible", &["PT101"])];
        let all: Vec<&VerdictRow> = rows.iter().collect();
        assert_eq!(verdicts(&all)["torch@2.1"], "incompatible: PT101");
        assert_eq!(verdicts(&all[..2])["torch@2.1"], "compatible");
    }
}
