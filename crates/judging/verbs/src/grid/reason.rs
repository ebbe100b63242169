//! Reasons of the cells, each thing once.

use std::collections::HashMap;

use unskew_core::{Finding, Severity};
use unskew_report::VerdictMark;

use super::model::{Cell, GridRow};
use crate::ResolvedParty;

/// One finding and the cells in which it stands.
#[derive(Debug)]
pub struct GridReason {
    /// The finding as it stands in the first of them.
    pub finding: Finding,
    /// The rows, ascending, each with its columns, ascending.
    pub cells: Vec<(usize, Vec<usize>)>,
}

/// Numbers the findings of all cells from 1, and writes the numbers into the cells. Findings that
/// differ only in the names of the two sides and in numbers are one reason, as long as they show at the
/// same time and the same fixes them: a file that is too new for nine releases is too new for each of them in other numbers. Notes
/// are left out; nothing goes wrong because of them.
pub(super) fn number(
    cells: &mut [Vec<Cell>],
    rows: &[GridRow],
    columns: &[ResolvedParty],
) -> Vec<GridReason> {
    let mut reasons: Vec<GridReason> = Vec::new();
    let mut known: HashMap<_, usize> = HashMap::new();
    for (row, line) in cells.iter_mut().enumerate() {
        let Ok(member) = &rows[row] else { continue };
        let lonely = line.iter().all(|cell| cell.mark == VerdictMark::Unrelated);
        for (column, cell) in line.iter_mut().enumerate() {
            if cell.mark == VerdictMark::Unrelated && !lonely {
                continue;
            }
            let nameless = |text: &str| {
                let text = text.replace(columns[column].party.name.as_str(), "\0");
                text.replace(member.party.name.as_str(), "\0")
            };
            let findings = cell.verdict.iter().flat_map(|verdict| &verdict.findings);
            for finding in findings.filter(|finding| finding.severity > Severity::Note) {
                let message = numberless(&nameless(&finding.message));
                let fix = nameless(finding.fix.as_deref().unwrap_or_default());
                let number = *known.entry((finding.rule.code, message, fix)).or_insert_with(|| {
                    reasons.push(GridReason { finding: finding.clone(), cells: Vec::new() });
                    reasons.len()
                });
                reasons[number - 1].add(row, column);
                if !cell.reasons.contains(&number) {
                    cell.reasons.push(number);
                }
            }
        }
    }
    reasons
}

/// The text with one sign for every run of digits and dots.
fn numberless(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii_digit() || (letter == '.' && words.ends_with('\u{1}')) {
            if !words.ends_with('\u{1}') {
                words.push('\u{1}');
            }
        } else {
            words.push(letter);
        }
    }
    words
}

impl GridReason {
    fn add(&mut self, row: usize, column: usize) {
        match self.cells.last_mut() {
            Some((last, columns)) if *last == row => {
                if columns.last() != Some(&column) {
                    columns.push(column);
                }
            }
            _ => self.cells.push((row, vec![column])),
        }
    }
}

/// Columns in words: three or more successive releases become `torch@1.4.0 to torch@1.13.1`.
pub(super) fn in_words(places: &[usize], columns: &[ResolvedParty]) -> String {
    let label = |column: usize| columns[column].label.as_str();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &column in places {
        match runs.last_mut() {
            Some((_, end)) if neighbours(columns, *end, column) && *end + 1 == column => {
                *end = column;
            }
            _ => runs.push((column, column)),
        }
    }
    let words: Vec<String> = runs
        .iter()
        .map(|&(start, end)| match end - start {
            0 => label(start).to_owned(),
            1 => format!("{}, {}", label(start), label(end)),
            _ => format!("{} to {}", label(start), label(end)),
        })
        .collect();
    words.join(", ")
}

/// Whether two columns are neighbours in the database, so that "to" between them is the truth.
fn neighbours(columns: &[ResolvedParty], a: usize, b: usize) -> bool {
    let pair = columns[a].release.zip(columns[b].release);
    pair.is_some_and(|(a, b)| a.precedes(b))
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_do_not_make_a_reason_another_one() {
        let one = super::numberless("version 10, torch 1.10.2 reads 1 to 6.");
        assert_eq!(one, super::numberless("version 10, torch 1.9 reads 1 to 5."));
        assert_ne!(one, super::numberless("version 10, torch reads 1 to 5."));
    }
}
