//! The matrix as a page.

use std::fmt::Write as _;

use unskew_peers::ProbeOutcome;

use crate::{JaxHost, STEPS};

/// A line of the table: a host, a plug-in, and what came of it in up to three ways.
#[derive(Debug, Clone)]
pub struct JaxTableRow {
    /// The release of JAX and its environment.
    pub host: JaxHost,
    /// The name of the plug-in.
    pub plugin: String,
    /// With the plug-in as it is.
    pub direct: Option<ProbeOutcome>,
    /// Through the adapter that was made for this release, or why there is none.
    pub adapter: Option<Result<ProbeOutcome, String>>,
    /// With the handlers of jaxlib, through the adapter if there is one.
    pub handlers: Option<ProbeOutcome>,
}

/// The rows as a table in Markdown.
pub fn table(rows: &[JaxTableRow]) -> String {
    let mut text = String::from(
        "| JAX | its PJRT | plug-in | direct | through the adapter | with handlers | what fails first, direct |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for row in rows {
        let minor = row.host.minor.map_or_else(|| "?".to_owned(), |minor| format!("0.{minor}"));
        let adapter = match &row.adapter {
            None => "not run".to_owned(),
            Some(Ok(outcome)) => count(Some(outcome)),
            Some(Err(reason)) => one_line(reason),
        };
        let _ = writeln!(
            text,
            "| {} | {minor} | {} | {} | {adapter} | {} | {} |",
            row.host.version,
            row.plugin,
            count(row.direct.as_ref()),
            count(row.handlers.as_ref()),
            row.direct.as_ref().map(first_failure).unwrap_or_default(),
        );
    }
    text
}

/// Such as `19 of 21`.
fn count(outcome: Option<&ProbeOutcome>) -> String {
    let Some(outcome) = outcome else { return "not run".to_owned() };
    format!("{} of {STEPS}", outcome.passed())
}

fn first_failure(outcome: &ProbeOutcome) -> String {
    match outcome.failure() {
        None => String::new(),
        Some((what, words)) if words.is_empty() => what,
        Some((what, words)) => one_line(&format!("{what}: {}", plain(&words))),
    }
}

/// Without what stands before the text in a line of a log: it has a time and a thread in it.
fn plain(words: &str) -> &str {
    match words.split_once("] ") {
        Some((head, rest)) if head.contains(".cc:") => rest,
        _ => words,
    }
}

/// The first line, cut where a reader has seen enough, fit for a cell.
fn one_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or("").replace('|', "\\|");
    let end = line.char_indices().nth(160).map_or(line.len(), |(at, _)| at);
    let cut = if end < line.len() { "..." } else { "" };
    format!("{}{cut}", &line[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_says_neither_when_nor_in_which_thread() {
        let words = "F0000 00:00:1795 1 pjrt_c_api_helpers.cc:258] Unexpected error status";
        assert_eq!(plain(words), "Unexpected error status");
        assert_eq!(plain("[1.0, 2.0] is not near"), "[1.0, 2.0] is not near");
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let cut = one_line(&"\u{e9}".repeat(300));
        assert_eq!(cut.chars().count(), 163);
    }
}
