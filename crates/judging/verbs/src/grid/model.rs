//! The cells of a matrix, and what they say together.

use std::collections::BTreeMap;

use unskew_core::{Context, Outcome, Severity, Verdict, check};
use unskew_report::{CheckedPair, ReadFailure, Report, VerdictMark};

use super::reason::{self, GridReason};
use crate::ResolvedParty;
use crate::parallel;
use crate::progress::{Interrupted, Progress};

/// One row or the reason why there is none.
pub type GridRow = Result<ResolvedParty, ReadFailure>;

/// The verdict on one row and one column.
#[derive(Debug)]
pub struct Cell {
    /// What the cell shows.
    pub mark: VerdictMark,
    /// The verdict; none where the row could not be read.
    pub verdict: Option<Verdict>,
    /// The numbers of its reasons, gravest first; from 1.
    pub reasons: Vec<usize>,
}

/// Every pair of some rows and some columns.
#[derive(Debug)]
pub struct Grid {
    /// The day on which promises were judged.
    pub context: Context,
    /// The rows, one for each part of what was named first.
    pub rows: Vec<GridRow>,
    /// The columns, each label once.
    pub columns: Vec<ResolvedParty>,
    /// The pairs, row by row.
    pub cells: Vec<Vec<Cell>>,
    /// What the numbers in the cells mean.
    pub reasons: Vec<GridReason>,
}

impl Grid {
    /// Judges every pair, in parallel.
    ///
    /// # Errors
    /// If `progress` says to stop.
    pub fn judge(
        rows: Vec<GridRow>,
        columns: Vec<ResolvedParty>,
        context: Context,
        progress: &Progress<'_>,
    ) -> Result<Self, Interrupted> {
        let width = columns.len();
        let cells = parallel::try_map(rows.len() * width, |place| {
            progress()?;
            Ok(Cell::judge(&rows[place / width], &columns[place % width], &context))
        })?;
        let mut cells = cells.into_iter();
        let cells = rows.iter().map(|_| cells.by_ref().take(width).collect()).collect();
        let mut grid = Self { context, rows, columns, cells, reasons: Vec::new() };
        grid.reasons = reason::number(&mut grid.cells, &grid.rows, &grid.columns);
        Ok(grid)
    }

    /// The label of a row.
    pub fn label(&self, row: usize) -> &str {
        match &self.rows[row] {
            Ok(member) => &member.label,
            Err(failure) => &failure.path,
        }
    }

    /// The cells that count: a pair that has nothing in common is of no interest, unless its whole
    /// row has nothing in common with anything.
    fn counted(&self) -> impl Iterator<Item = (usize, usize, &Verdict)> {
        self.cells.iter().enumerate().flat_map(|(row, cells)| {
            let lonely = cells.iter().all(|cell| cell.mark == VerdictMark::Unrelated);
            let cells = cells
                .iter()
                .enumerate()
                .filter(move |(_, cell)| cell.mark != VerdictMark::Unrelated || lonely);
            cells.filter_map(move |(column, cell)| Some((row, column, cell.verdict.as_ref()?)))
        })
    }

    /// Every pair that was judged, with its outcome.
    pub fn outcomes(&self) -> impl Iterator<Item = (&ResolvedParty, &ResolvedParty, &Outcome)> {
        self.rows.iter().zip(&self.cells).flat_map(|(row, cells)| {
            cells.iter().zip(&self.columns).filter_map(move |(cell, column)| {
                Some((row.as_ref().ok()?, column, &cell.verdict.as_ref()?.outcome))
            })
        })
    }

    /// The verdicts of all cells that count.
    pub fn verdicts(&self) -> impl Iterator<Item = &Verdict> {
        self.counted().map(|(_, _, verdict)| verdict)
    }

    /// The gravest finding of all cells that count.
    pub fn severity(&self) -> Option<Severity> {
        self.counted().filter_map(|(_, _, verdict)| verdict.severity()).max()
    }

    /// How many aspects of all cells that count were not judged.
    pub fn unjudged(&self) -> usize {
        self.counted().map(|(_, _, verdict)| verdict.unjudged.len()).sum()
    }

    /// The aspects that were not judged, each with the number of pairs that it concerns.
    pub fn aspects(&self) -> BTreeMap<&str, usize> {
        let mut aspects = BTreeMap::new();
        for one in self.counted().flat_map(|(_, _, verdict)| &verdict.unjudged) {
            *aspects.entry(&*one.aspect).or_default() += 1;
        }
        aspects
    }

    /// The marks of its cells, in the order of the legend.
    pub(crate) fn marks(&self) -> impl Iterator<Item = VerdictMark> {
        let shown = |mark: &VerdictMark| self.cells.iter().flatten().any(|cell| cell.mark == *mark);
        VerdictMark::ALL.into_iter().filter(shown)
    }

    /// The rows that could not be read.
    pub fn failures(&self) -> impl Iterator<Item = &ReadFailure> {
        self.rows.iter().filter_map(|row| row.as_ref().err())
    }

    /// The cells as the pairs of a report; with those that have nothing in common if `all`.
    pub fn report(&self, all: bool) -> Report {
        let mut report = Report::new(self.context);
        let pair = |(row, column, verdict): (usize, usize, &Verdict)| {
            let a = self.rows[row].as_ref().ok()?.subject();
            let b = self.columns[column].subject();
            Some(CheckedPair { a, b, verdict: verdict.clone() })
        };
        report.pairs = if all {
            let cells = self.cells.iter().enumerate().flat_map(|(row, cells)| {
                cells
                    .iter()
                    .enumerate()
                    .filter_map(move |(column, cell)| Some((row, column, cell.verdict.as_ref()?)))
            });
            cells.filter_map(pair).collect()
        } else {
            self.counted().filter_map(pair).collect()
        };
        report.failures = self.failures().cloned().collect();
        report
    }
}

impl Cell {
    fn judge(row: &GridRow, column: &ResolvedParty, context: &Context) -> Self {
        let verdict = row.as_ref().ok().map(|row| check(&row.party, &column.party, context));
        let mark = verdict.as_ref().map_or(VerdictMark::Unread, VerdictMark::for_verdict);
        Self { mark, verdict, reasons: Vec::new() }
    }

    /// The outcome as scripts know it.
    pub fn outcome(&self) -> &'static str {
        match self.verdict.as_ref().map(|verdict| &verdict.outcome) {
            None => "unread",
            Some(Outcome::Compatible) => "compatible",
            Some(Outcome::Adaptable(_)) => "adaptable",
            Some(Outcome::Unjudged) => "unjudged",
            Some(Outcome::Incompatible) => "incompatible",
            Some(Outcome::Unrelated) => "unrelated",
        }
    }
}
