//! Functions of one call each, by the samples that PyTorch tests its own operators with.
//!
//! `lab/torch/probes/torch_battery.py` takes them from the `op_db` of the writer when it runs, so they have nothing to do with
//! the calls that the rows of behaviour were measured on. They are judged, converted and run as modules of
//! [`crate::differential`] are.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::time::Duration;

use unskew_core::Version;
use unskew_peers::{ProcessEnd, run_probe};

use crate::TorchHost;
use crate::differential::{CompiledModule, DifferentialCell, PredictedFailure, ReleaseResult};

impl TorchHost {
    /// Has this release write `count` functions into a folder, by a seed.
    ///
    /// # Errors
    /// If the release cannot be started, or ended before it was through.
    pub fn write_samples(
        &self,
        folder: &Path,
        (seed, count): (u32, u32),
        limit: Duration,
    ) -> io::Result<Vec<CompiledModule>> {
        let mut command = self.command();
        command.arg(unskew_peers::root().join("lab/torch/probes/torch_battery.py")).arg(folder);
        command.arg(seed.to_string()).arg(count.to_string());
        let outcome = run_probe(&mut command, limit)?;
        if outcome.end != ProcessEnd::Finished {
            let words = outcome.errors.lines().rev().take(5).collect::<Vec<_>>().join("\n");
            return Err(io::Error::other(format!("{}: {words}", outcome.end)));
        }
        let written = outcome.steps.iter().filter(|step| step.ok);
        written.map(|step| serde_json::from_str(&step.detail).map_err(io::Error::other)).collect()
    }
}

/// How the files of a pair of releases came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SampleTally {
    files: usize,
    work: usize,
    right: usize,
    may_differ: usize,
    unjudged: usize,
    wrong: usize,
    converted: usize,
    equal: usize,
    said: usize,
    unsaid: usize,
}

impl SampleTally {
    fn add(&mut self, cell: &DifferentialCell) {
        let one = usize::from;
        if cell.converted {
            let works = cell.real == ReleaseResult::Works;
            let is_said =
                matches!(cell.said, PredictedFailure::Doubtful | PredictedFailure::Silent);
            self.converted += 1;
            self.equal += one(works);
            self.said += one(!works && is_said);
            self.unsaid += one(!works && !is_said);
            return;
        }
        self.files += 1;
        self.work += one(cell.real == ReleaseResult::Works);
        match cell.said {
            PredictedFailure::Unjudged => self.unjudged += 1,
            _ if !cell.agrees() => self.wrong += 1,
            PredictedFailure::Doubtful => self.may_differ += 1,
            _ => self.right += 1,
        }
    }
}

/// A line for each writer and reader, and one for all.
pub fn samples_table(cells: &[DifferentialCell]) -> String {
    let mut rows: BTreeMap<(Version, Version), SampleTally> = BTreeMap::new();
    let mut all = SampleTally::default();
    for cell in cells {
        rows.entry((cell.writer, cell.reader)).or_default().add(cell);
        all.add(cell);
    }
    let mut text = String::from(
        "| written by | read by | functions | give the same | right | said to perhaps differ | not judged | wrong | \
         converted | equal then | differ, as said | differ, unsaid |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut line = |writer: &str, reader: &str, row: &SampleTally| {
        let SampleTally { files, work, right, may_differ, unjudged, wrong, .. } = row;
        let SampleTally { converted, equal, said, unsaid, .. } = row;
        let _ = writeln!(
            text,
            "| {writer} | {reader} | {files} | {work} | {right} | {may_differ} | {unjudged} | {wrong} | {converted} | \
             {equal} | {said} | {unsaid} |"
        );
    };
    for ((writer, reader), row) in &rows {
        line(&writer.to_string(), &reader.to_string(), row);
    }
    line("all", "all", &all);
    text
}
