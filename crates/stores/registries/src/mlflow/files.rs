//! Files of a version: where they are, and what they are.

use std::sync::Arc;

use serde::Deserialize;
use unskew_objects::{Objects, Ranged};

use super::{MlFlow, ModelVersion};
use crate::error::{RegistryError, RegistryErrorCause};
use crate::http::RemoteFile;
use crate::spool::{SPOOL, Spool};
use crate::{RegistryFile, encoded, is_loopback};

/// How often a place may name another one.
const HOPS: usize = 4;
/// How many files a version may have, and how deep they may lie.
const FILES: usize = 10_000;
const DEPTH: usize = 16;

#[derive(Deserialize)]
struct Download {
    artifact_uri: String,
}

#[derive(Deserialize)]
struct Run {
    run: RunInfo,
}

#[derive(Deserialize)]
struct RunInfo {
    info: Download,
}

#[derive(Deserialize)]
struct Logged {
    model: RunInfoOfModel,
}

#[derive(Deserialize)]
struct RunInfoOfModel {
    info: Download,
}

#[derive(Deserialize)]
struct Folder {
    #[serde(default)]
    files: Vec<FileInfo>,
}

#[derive(Deserialize)]
struct FileInfo {
    path: String,
    #[serde(default)]
    is_dir: bool,
    #[serde(default)]
    file_size: u64,
}

pub(super) fn files_of_version(
    mlflow: &MlFlow,
    version: &ModelVersion,
) -> Result<Vec<RegistryFile>, RegistryError> {
    let (name, number) = (encoded(&version.name), encoded(&version.version));
    let asked =
        mlflow.rest(&format!("model-versions/get-download-uri?name={name}&version={number}"));
    let mut place = mlflow.http.get::<Download>(&asked)?.artifact_uri;
    let shown = mlflow.uri(version);
    for _ in 0..HOPS {
        let next = match place.split_once(":/") {
            Some(("runs", rest)) => of_run(mlflow, rest)?,
            Some(("models", rest)) if rest.starts_with("m-") => of_logged(mlflow, rest)?,
            Some(("mlflow-artifacts", rest)) => return own(mlflow, &shown, rest),
            Some(("dbfs", _)) => {
                let said = format!("files in DBFS are not read; copy them first: {place}");
                return Err(RegistryError::new(shown, RegistryErrorCause::Unsupported(said)));
            }
            _ => return elsewhere(mlflow, &shown, &place),
        };
        place = next;
    }
    Err(RegistryError::failed(shown, format!("names one place after the other: {place}")))
}

/// The place of a run, with what is below it.
fn of_run(mlflow: &MlFlow, rest: &str) -> Result<String, RegistryError> {
    let (run, below) = rest.trim_start_matches('/').split_once('/').unwrap_or((rest, ""));
    let asked = mlflow.rest(&format!("runs/get?run_id={}", encoded(run)));
    let root = mlflow.http.get::<Run>(&asked)?.run.info.artifact_uri;
    Ok(format!("{}/{below}", root.trim_end_matches('/')))
}

/// The place of a logged model, with what is below it.
fn of_logged(mlflow: &MlFlow, rest: &str) -> Result<String, RegistryError> {
    let (model, below) = rest.split_once('/').unwrap_or((rest, ""));
    let asked = mlflow.rest(&format!("logged-models/{}", encoded(model)));
    let root = mlflow.http.get::<Logged>(&asked)?.model.info.artifact_uri;
    Ok(format!("{}/{below}", root.trim_end_matches('/')))
}

/// Files that the server itself hands out: `mlflow-artifacts:/path`, or with a server of its own,
/// `mlflow-artifacts://host:port/path`.
fn own(mlflow: &MlFlow, shown: &str, rest: &str) -> Result<Vec<RegistryFile>, RegistryError> {
    let (server, root) = match rest.strip_prefix('/') {
        Some(other) => {
            let (host, path) = other.split_once('/').unwrap_or((other, ""));
            let scheme = mlflow.server.split("://").next().unwrap_or("http");
            match host {
                "" => (mlflow.server.clone(), path),
                host => (format!("{scheme}://{host}"), path),
            }
        }
        None => (mlflow.server.clone(), rest),
    };
    let store = format!("{server}/api/2.0/mlflow-artifacts/artifacts");
    let root = root.trim_matches('/');
    let (mut found, mut waiting) = (Vec::new(), vec![(String::new(), 0)]);
    while let Some((below, depth)) = waiting.pop() {
        let path = joined(root, &below);
        let folder: Folder = mlflow.http.get(&format!("{store}?path={}", encoded(&path)))?;
        for entry in folder.files {
            let name = joined(&below, &plain(shown, &entry.path)?);
            if found.len() + waiting.len() >= FILES || depth >= DEPTH {
                let said = format!("has more than {FILES} files, or folders {DEPTH} deep");
                return Err(RegistryError::new(shown, RegistryErrorCause::Unsupported(said)));
            }
            match entry.is_dir {
                true => waiting.push((name, depth + 1)),
                false => found.push((name, entry.file_size)),
            }
        }
    }
    let url = |name: &str| {
        let path = joined(root, name);
        let parts: Vec<String> = path.split('/').map(encoded).collect();
        format!("{store}/{}", parts.join("/"))
    };
    let remote = |name: &str| RemoteFile { http: mlflow.http.clone(), url: url(name) };
    // Servers behind another store than their own disk send files whole.
    let largest = found.iter().max_by_key(|(_, size)| *size).filter(|(_, size)| *size > 0);
    let ranges = largest.map_or(Ok(true), |(name, _)| remote(name).has_ranges())?;
    found.sort_unstable();
    let file = |(name, size): (String, u64)| {
        let (uri, remote) = (format!("{shown}/{name}"), remote(&name));
        let source: Arc<dyn unskew_source::Source> = match ranges {
            true => Arc::new(Ranged::new(uri, size, remote)),
            false => Arc::new(Spool::new(uri, size, SPOOL, move |out| {
                Ok(remote.http.fetch(&remote.url, out)?)
            })),
        };
        RegistryFile { name, source }
    };
    Ok(found.into_iter().map(file).collect())
}

/// Files in a store that is asked without MLflow.
fn elsewhere(
    mlflow: &MlFlow,
    shown: &str,
    place: &str,
) -> Result<Vec<RegistryFile>, RegistryError> {
    let local = !place.contains("://") || place.starts_with("file:");
    if local && !is_loopback(&mlflow.server) {
        // Another machine has no say in which files of this one are read.
        let said = format!(
            "its files are on the disk of the server, which does not hand them out: {place}"
        );
        return Err(RegistryError::new(shown, RegistryErrorCause::Unsupported(said)));
    }
    let wrong = |error: unskew_objects::ObjectError| RegistryError::failed(shown, error);
    let store = Objects::open(place).map_err(wrong)?;
    let mut found = Vec::new();
    for listed in store.list("") {
        let listed = listed.map_err(wrong)?;
        if found.len() >= FILES {
            let said = format!("has more than {FILES} files");
            return Err(RegistryError::new(shown, RegistryErrorCause::Unsupported(said)));
        }
        let name = listed.key.clone();
        let source = Arc::new(store.listed_object(&listed));
        found.push(RegistryFile { name, source });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn joined(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

/// A name that leads nowhere else.
fn plain(shown: &str, name: &str) -> Result<String, RegistryError> {
    let odd = |part: &str| matches!(part, "" | "." | "..") || part.contains(['\\', '\0']);
    match name.split('/').any(odd) {
        false => Ok(name.to_owned()),
        true => {
            Err(RegistryError::failed(shown, format!("names a file that it cannot have: {name:?}")))
        }
    }
}
