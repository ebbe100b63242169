//! Archives that a real release writes at random, judged here and run by real releases: do verdicts hold?
//!
//! `lab/torch/probes/torch_write.py` makes modules by a grammar and says what each gave where it was written. Every file is
//! judged for each reader as it is and, where a conversion has a form, converted; then the reader loads and runs it.
//! A verdict holds if the first thing that goes wrong is what it says first. *Not judged* is counted by itself: nothing is
//! claimed there, and what the reader does is nobody's fault. A disagreement is made smaller by leaving pieces of the
//! module out for as long as it stays, and can be filed as a test case.

mod cell;
mod compiled_module;
mod filed_case;
mod shrink;

pub(crate) use cell::real as outcome_of;
pub use cell::{DifferentialCell, PredictedFailure, ReleaseResult, cells};
pub use compiled_module::CompiledModule;
pub use filed_case::{FiledCase, all as filed, write as file};
pub use shrink::shrink;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use unskew_core::Version;

/// How the cells of one writer and one reader came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PairTally {
    cells: usize,
    agree: usize,
    unjudged: usize,
    converted: usize,
    /// Converted, claimed to be right, and giving another answer.
    wrong: usize,
}

/// A line for each writer and reader, and one for all.
pub fn table(cells: &[DifferentialCell]) -> String {
    let mut rows: BTreeMap<(Version, Version), PairTally> = BTreeMap::new();
    let mut all = PairTally::default();
    for cell in cells {
        for row in [rows.entry((cell.writer, cell.reader)).or_default(), &mut all] {
            row.cells += 1;
            row.agree += usize::from(cell.agrees());
            row.unjudged += usize::from(cell.said == PredictedFailure::Unjudged);
            row.converted += usize::from(cell.converted);
            row.wrong += usize::from(cell.is_wrong_conversion());
        }
    }
    let mut text = String::from(
        "| written by | read by | cells | agree | of these not judged in part | converted | silently wrong conversions |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut line = |writer: &str, reader: &str, row: &PairTally| {
        let PairTally { cells, agree, unjudged, converted, wrong } = row;
        let _ = writeln!(
            text,
            "| {writer} | {reader} | {cells} | {agree} | {unjudged} | {converted} | {wrong} |"
        );
    };
    for ((writer, reader), row) in &rows {
        line(&writer.to_string(), &reader.to_string(), row);
    }
    line("all", "all", &all);
    text
}
