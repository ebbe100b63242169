//! Cells of the tables about environments.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Proposal;
use super::environment::Drift;

/// How many errors of a verdict are named.
const NAMED: usize = 2;

/// Which package was changed.
pub(crate) fn change_cell(drift: Option<&Drift>) -> String {
    drift.map_or("none".to_owned(), |one| format!("{} {} to {}", one.package, one.from, one.to))
}

/// What the first import that fails says.
pub(crate) fn import_cell(failed: &BTreeMap<String, String>) -> String {
    match failed.iter().next() {
        None => "works".to_owned(),
        Some((package, error)) => format!("{package}: {}", short(error)),
    }
}

/// The errors of a verdict.
pub(crate) fn verdict_cell(errors: impl Iterator<Item = String>) -> String {
    let mut said: Vec<String> = errors.collect();
    said.dedup();
    let more = said.len().saturating_sub(NAMED);
    said.truncate(NAMED);
    let mut cell = if said.is_empty() { "nothing".to_owned() } else { said.join("; ") };
    if more > 0 {
        let _ = write!(cell, "; {more} more");
    }
    cell
}

/// What is proposed, and, in a second cell, what the import says after it.
pub(crate) fn proposal_cells(proposal: Option<&Proposal>) -> String {
    let Some(proposal) = proposal else { return "none | ".to_owned() };
    let after = proposal.error.as_deref().map_or("works".to_owned(), short);
    format!("{} | {after}", proposal.requirements.join(" "))
}

/// The end of an error, without where a package is installed.
fn short(error: &str) -> String {
    let error = error.lines().last().unwrap_or_default().split(" (/").next();
    let within = |word: &str| match word.rsplit_once("/site-packages/") {
        Some((_, path)) => path.to_owned(),
        None => word.to_owned(),
    };
    let words: Vec<String> = error.unwrap_or_default().split(' ').map(within).collect();
    let error: String = words.join(" ").chars().take(120).collect();
    error.replace('|', "\\|")
}
