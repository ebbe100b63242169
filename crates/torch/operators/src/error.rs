//! Errors of a registry, and where they are.

use std::borrow::Cow;

use crate::files::functions::locate;

/// What is wrong with a registry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {what}", place(*line))]
pub struct OperatorRegistryError {
    /// Which of the files.
    pub file: Cow<'static, str>,
    /// The line, from 1; 0 for what is not in the file yet.
    pub line: usize,
    /// What is wrong, and what to do.
    pub what: String,
}

pub(crate) const VERSIONS: &str = "operator_versions.yaml";
pub(crate) const UPGRADERS: &str = "operator_upgraders.py";
pub(crate) const DOWNGRADERS: &str = "operator_downgraders.py";

fn place(line: usize) -> String {
    if line == 0 { String::new() } else { format!(", line {line}") }
}

pub(crate) fn fault(
    file: impl Into<Cow<'static, str>>,
    line: usize,
    what: impl Into<String>,
) -> OperatorRegistryError {
    OperatorRegistryError { file: file.into(), line, what: what.into() }
}

/// The file, and the line in it, of a line of a text that may be made of several files.
pub(crate) fn located(file: &'static str, text: &str, line: usize) -> (Cow<'static, str>, usize) {
    match locate(text, line) {
        Some((file, line)) => (file.to_owned().into(), line),
        None => (file.into(), line),
    }
}
