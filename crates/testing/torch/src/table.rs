//! Trials as tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use unskew_core::Version;

use crate::{BARS, ConversionPrediction, ReleaseTrial, TrialOutcome};

/// The trials of a release.
pub type TrialColumn = (Version, Vec<ReleaseTrial>);

/// How many of a kind of files came out how.
#[derive(Default)]
struct TrialTally {
    files: usize,
    equal_before: usize,
    /// As they are: neither refused nor equal.
    silent_before: usize,
    rewritten: usize,
    blocked: usize,
    equal: usize,
    refused: usize,
    differs: usize,
    /// They gave something where the writer refused.
    accepted: usize,
    no_loader: usize,
}

impl TrialTally {
    fn add(&mut self, trial: &ReleaseTrial) {
        self.files += 1;
        match &trial.before {
            Some(TrialOutcome::Equal) => self.equal_before += 1,
            Some(TrialOutcome::Differs(_)) => self.silent_before += 1,
            _ => {}
        }
        match trial.fate {
            ConversionPrediction::Rewritten => self.rewritten += 1,
            ConversionPrediction::Blocked(_) => self.blocked += 1,
            ConversionPrediction::Unchanged => {}
        }
        match &trial.after {
            Some(TrialOutcome::Equal) => self.equal += 1,
            Some(TrialOutcome::Refused(_) | TrialOutcome::Crashed(_)) => self.refused += 1,
            Some(TrialOutcome::Differs(_)) => self.differs += 1,
            Some(TrialOutcome::Accepted) => self.accepted += 1,
            Some(TrialOutcome::NoLoader) => self.no_loader += 1,
            None => {}
        }
    }
}

/// A line for each release and kind of file.
pub fn table(columns: &[TrialColumn]) -> String {
    let mut text = String::from(
        "| on | files | as they are: equal | other result | converted: equal | no exact form | refused | other \
         result | refused then | rewritten |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for (release, trials) in columns {
        let mut rows: BTreeMap<&str, TrialTally> = BTreeMap::new();
        for trial in trials {
            rows.entry(trial.kind()).or_default().add(trial);
        }
        for (kind, row) in rows {
            let _ = write!(text, "| {release} | {} `.{kind}` | ", row.files);
            if row.no_loader > 0 {
                let _ =
                    writeln!(text, "no loader | | | {} | | | | {} |", row.blocked, row.rewritten);
                continue;
            }
            let _ = writeln!(
                text,
                "{} | {} | {} | {} | {} | {} | {} | {} |",
                row.equal_before,
                row.silent_before,
                row.equal,
                row.blocked,
                row.refused,
                row.differs,
                row.accepted,
                row.rewritten
            );
        }
    }
    text
}

/// A line for each promise whose release was run.
pub fn bars_table(columns: &[TrialColumn]) -> String {
    let mut text = String::from(
        "| what | on | files | equal | of these unchanged |\n| --- | --- | ---: | ---: | ---: |\n",
    );
    for bar in &BARS {
        let trials = columns.iter().find(|(release, _)| release.to_string() == bar.on);
        let Some((_, trials)) = trials else { continue };
        let count = bar.count(trials);
        let (all, equal, unchanged) = (count.all, count.equal, count.unchanged);
        let _ = writeln!(text, "| {} | {} | {all} | {equal} | {unchanged} |", bar.what, bar.on);
    }
    text
}

/// Why files are not equal, with their names: what PyTorch said, or the reason why there is no exact form.
pub fn reasons(columns: &[TrialColumn]) -> String {
    let mut text = String::new();
    for (release, trials) in columns {
        let mut all: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for trial in trials {
            let why = match (&trial.fate, &trial.after) {
                (ConversionPrediction::Blocked(why), _) => format!("no exact form: {why}"),
                (_, Some(TrialOutcome::Refused(why))) => format!("refused: {why}"),
                (_, Some(TrialOutcome::Crashed(how))) => format!("crashed: {how}"),
                (_, Some(TrialOutcome::Differs(how))) => format!("other result: {how}"),
                _ => continue,
            };
            all.entry(why).or_default().push(&trial.file);
        }
        for (why, files) in all {
            let _ = writeln!(text, "{release}: {why}: {} files: {}", files.len(), files.join(" "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_without_a_loader_says_so_and_counts_nothing_as_equal() {
        let trial = |file: &str, came: TrialOutcome| ReleaseTrial {
            file: file.to_owned(),
            fate: ConversionPrediction::Unchanged,
            before: Some(came.clone()),
            after: Some(came),
        };
        let trials = vec![
            trial("1.4.0/add.pt", TrialOutcome::Equal),
            trial("1.4.0/add.ptl", TrialOutcome::NoLoader),
        ];
        let text = table(&[(Version::triple(1, 4, 0), trials)]);
        assert!(text.contains("| 1.4.0 | 1 `.pt` | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 |"), "{text}");
        assert!(text.contains("| 1.4.0 | 1 `.ptl` | no loader |"), "{text}");
    }
}
