//! From what a user names to a history.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::Context as _;
use unskew_core::{Role, Side};
use unskew_history::Chronicle;
use unskew_source::read_regular;

/// How large a history may be, in bytes.
const SIZE: u64 = unskew_source::LARGEST_TEXT as u64;

/// A history, and where it came from.
pub struct NamedHistory {
    pub chronicle: Chronicle,
    /// The path by which the user named it; none for an axis of the database.
    pub path: Option<String>,
}

impl NamedHistory {
    /// What it is, for findings.
    pub fn side(&self) -> Side {
        let count = self.chronicle.steps.len();
        Side {
            role: Role::Artifact,
            name: self.chronicle.file.clone(),
            origin: format!("{}, {count} versions", self.chronicle.form.as_str()),
        }
    }
}

/// The history that `name` names: a file, or an axis of the database.
///
/// # Errors
/// If it is neither.
pub fn open(name: &OsStr) -> anyhow::Result<NamedHistory> {
    let path = Path::new(name);
    if !path.exists() {
        return of_axis(name);
    }
    let at = || path.display().to_string();
    let bytes = read_regular(path, SIZE).context("cannot read the history")?;
    let chronicle = Chronicle::read(&at(), &bytes).with_context(|| {
        format!(
            "no dated history; looked for headings with a number (\"## 0.56 (Nov 11, 2024)\"), comments with \
             numbers and days (\"// 4: 2026-06-10, ...\") and [[version]] or [[release]] in TOML: {}",
            path.display()
        )
    })?;
    Ok(NamedHistory { chronicle, path: Some(at()) })
}

fn of_axis(name: &OsStr) -> anyhow::Result<NamedHistory> {
    let histories = unskew_releases::histories();
    let found = histories.iter().find(|history| Some(history.axis.as_str()) == name.to_str());
    let known: Vec<&str> = histories.iter().map(|history| history.axis.as_str()).collect();
    let history = found.with_context(|| {
        format!(
            "neither a file nor an axis of the database, which has {}: {}",
            known.join(", "),
            name.to_string_lossy()
        )
    })?;
    Ok(NamedHistory { chronicle: Chronicle::from_history(history), path: None })
}
