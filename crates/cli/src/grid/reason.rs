//! What the cells have to say, each thing once.

use std::collections::HashMap;

use unskew_core::Finding;

use super::{Cell, Mark};
use crate::sides::Member;

/// One finding and the cells of a row in which it stands.
#[derive(Debug)]
pub struct Reason {
    /// The row.
    pub row: usize,
    /// The columns, ascending.
    pub columns: Vec<usize>,
    /// The finding as it stands in the first of them.
    pub finding: Finding,
}

/// Numbers the findings of all cells from 1; findings of one row that differ only in the name of
/// the column are one reason.
pub(super) fn number(cells: &mut [Vec<Cell>], columns: &[Member]) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    for (row, line) in cells.iter_mut().enumerate() {
        let lonely = line.iter().all(|cell| cell.mark == Mark::Unrelated);
        let mut known: HashMap<(&str, String), usize> = HashMap::new();
        for (column, cell) in line.iter_mut().enumerate() {
            if cell.mark == Mark::Unrelated && !lonely {
                continue;
            }
            let name = &columns[column].party.name;
            for finding in cell.verdict.iter().flat_map(|verdict| &verdict.findings) {
                let words = finding.message.replace(name.as_str(), "\0");
                let number = *known.entry((finding.rule.code, words)).or_insert_with(|| {
                    let finding = finding.clone();
                    reasons.push(Reason { row, columns: Vec::new(), finding });
                    reasons.len()
                });
                let seen = &mut reasons[number - 1].columns;
                if seen.last() != Some(&column) {
                    seen.push(column);
                }
                if !cell.reasons.contains(&number) {
                    cell.reasons.push(number);
                }
            }
        }
    }
    reasons
}

impl Reason {
    /// The columns in words: three or more neighbours become `torch@1.4.0 to torch@1.13.1`.
    pub fn columns_in_words(&self, columns: &[Member]) -> String {
        let label = |column: usize| columns[column].label.as_str();
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for &column in &self.columns {
            match runs.last_mut() {
                Some((_, end)) if *end + 1 == column && same_family(columns, *end, column) => {
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
}

fn same_family(columns: &[Member], a: usize, b: usize) -> bool {
    let family = |column: usize| columns[column].release.map(|release| release.family());
    family(a).is_some() && family(a) == family(b)
}
