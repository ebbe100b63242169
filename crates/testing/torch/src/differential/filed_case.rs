//! Disagreements that were found, kept as test cases: the archive, and what a real release did with it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use unskew_core::Version;
use unskew_releases::find;

use super::{DifferentialCell, ReleaseResult, cell};

/// Where they stand, from the root of the repository.
const FOLDER: &str = "crates/testing/torch/tests/differential";

/// One case: an archive lies beside it under the same name.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FiledCase {
    /// The release that wrote it.
    pub writer: String,
    /// The release that ran it.
    pub reader: String,
    /// The archive as it was written, beside this file.
    pub archive: String,
    /// What the module is made of.
    pub pieces: Vec<String>,
    /// Whether the archive was converted for the reader.
    pub converted: bool,
    /// What the reader did.
    pub real: ReleaseResult,
    /// The message of the release.
    pub words: String,
}

impl FiledCase {
    /// The case with what the verdict says of it today. None if it was converted and is no longer: then there is nothing
    /// that could be wrong.
    ///
    /// # Errors
    /// If the archive cannot be read, or the database has no such release.
    pub fn cell(&self) -> anyhow::Result<Option<DifferentialCell>> {
        let path = folder().join(&self.archive);
        let release = find(&format!("torch@{}", self.reader))?;
        let Some(runtime) = unskew_releases::torch::runtime(release.row()) else {
            anyhow::bail!("no release of PyTorch: {}", self.reader);
        };
        let said = match self.converted {
            true => cell::convert(&path, None, &runtime)?,
            false => Some(cell::said(&path, &runtime)?),
        };
        let Some(said) = said else { return Ok(None) };
        let version = |text: &str| text.parse::<Version>().map_err(|_| anyhow::anyhow!("{text}"));
        Ok(Some(DifferentialCell {
            writer: version(&self.writer)?,
            reader: version(&self.reader)?,
            file: self.archive.clone(),
            pieces: self.pieces.clone(),
            converted: self.converted,
            said,
            real: self.real,
            words: self.words.clone(),
            path,
        }))
    }
}

fn folder() -> PathBuf {
    unskew_peers::root().join(FOLDER)
}

/// Files a disagreement; gives the path of the new case.
///
/// # Errors
/// If it cannot be written.
pub fn write(cell: &DifferentialCell) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(folder())?;
    let kind = Path::new(&cell.file).extension().and_then(|kind| kind.to_str()).unwrap_or("pt");
    let converted = if cell.converted { "-converted" } else { "" };
    let pieces = cell.pieces.join("-");
    let name = format!("{}-on-{}-{kind}{converted}-{pieces}", cell.writer, cell.reader);
    let archive = format!("{name}.{kind}");
    fs::copy(&cell.path, folder().join(&archive))?;
    let filed = FiledCase {
        writer: cell.writer.to_string(),
        reader: cell.reader.to_string(),
        archive,
        pieces: cell.pieces.clone(),
        converted: cell.converted,
        real: cell.real,
        words: cell.words.chars().take(200).collect(),
    };
    let path = folder().join(format!("{name}.json"));
    fs::write(&path, serde_json::to_string_pretty(&filed)? + "\n")?;
    Ok(path)
}

/// All that were filed, by their names.
///
/// # Errors
/// If one cannot be read.
pub fn all() -> anyhow::Result<Vec<FiledCase>> {
    let mut paths: Vec<PathBuf> = match folder().read_dir() {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(_) => Vec::new(),
    };
    paths.retain(|path| path.extension().is_some_and(|kind| kind == "json"));
    paths.sort();
    paths.iter().map(|path| Ok(serde_json::from_str(&fs::read_to_string(path)?)?)).collect()
}
