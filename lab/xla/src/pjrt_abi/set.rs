//! The headers of one build of the PJRT C API, read together.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use unskew_c_headers::contract::{HeaderSource, read_together};
use unskew_c_headers::header::Header;
use unskew_lab_harness::pjrt_headers::{CORE, is_api};

/// A core header and those of its extensions.
pub struct PjrtHeaders {
    /// File names and headers, the core first.
    pub headers: Vec<(String, Header)>,
    pub minor: i32,
}

impl PjrtHeaders {
    /// Reads every header in a folder and below it.
    ///
    /// # Errors
    /// If there is no core header, it has no minor, or a declaration could not be read.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        Self::read_changed(folder, &|text| text)
    }

    /// Reads them with their text changed.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_changed(folder: &Path, change: &dyn Fn(String) -> String) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        collect(folder, &mut files)?;
        files.sort_by_key(|file| (file.file_name().is_none_or(|name| name != CORE), file.clone()));
        let mut texts: Vec<(String, String)> = Vec::new();
        for file in &files {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
            ensure!(!texts.is_empty() || name == CORE, "no {CORE} in {}", folder.display());
            let text = if texts.is_empty() { change(text) } else { text };
            texts.push((name, text));
        }
        let sources: Vec<HeaderSource<'_>> =
            texts.iter().map(|(name, text)| HeaderSource { name, text: text.as_bytes() }).collect();
        let (read, _) = read_together(&sources, &[]);
        for (file, header) in files.iter().zip(&read) {
            if let Some(problem) = header.problems.first() {
                bail!("{}:{}: {}", file.display(), problem.place, problem.what);
            }
        }
        let names = texts.iter().map(|(name, _)| name.clone());
        let headers: Vec<(String, Header)> = names.zip(read).collect();
        let core = headers.first().with_context(|| format!("no {CORE} in {}", folder.display()))?;
        let minor = core.1.number("PJRT_API_MINOR").context("no PJRT_API_MINOR")?;
        Ok(Self { minor: i32::try_from(minor)?, headers })
    }

    pub fn all(&self) -> impl Iterator<Item = &Header> {
        self.headers.iter().map(|(_, header)| header)
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in folder.read_dir().with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, files)?;
        } else if is_api(&name) {
            files.push(path);
        }
    }
    Ok(())
}
