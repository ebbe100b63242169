//! Recorded runs of releases in a folder: a release takes minutes to measure, its environment may be gone afterwards.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use unskew_core::Version;

use crate::{FormOutcome, RunOutcome};

/// The seeds with which releases are run; what differs by seed is random, or memory that nobody wrote.
pub const SEEDS: [u8; 2] = [1, 2];

/// A folder with the calls that are made, and what each release gave with each seed: `2.15.0-1.tsv`.
#[derive(Debug)]
pub struct RecordedRuns {
    folder: PathBuf,
}

/// A run: the place of its call among the calls, and its own among the runs of that.
pub type RunPosition = (usize, usize);

impl RecordedRuns {
    /// Opens a folder, which is made if it is not there.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// The releases that are named, or if none is, those that were measured.
    ///
    /// # Errors
    /// If a name is no version, or the folder cannot be read.
    pub fn releases(&self, named: &[String]) -> anyhow::Result<BTreeSet<Version>> {
        if !named.is_empty() {
            return named.iter().map(|one| one.parse().with_context(|| one.clone())).collect();
        }
        let end = format!("-{}.tsv", SEEDS[0]);
        let mut measured = BTreeSet::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            let stem = name.to_str().and_then(|name| name.strip_suffix(&*end));
            measured.extend(stem.and_then(|stem| stem.parse::<Version>().ok()));
        }
        Ok(measured)
    }

    /// The calls that are kept, a line of JSON each; if there are none, those that `make` makes.
    ///
    /// # Errors
    /// If they cannot be read or made.
    pub fn forms<F: Serialize + DeserializeOwned>(
        &self,
        make: impl FnOnce() -> anyhow::Result<Vec<F>>,
    ) -> anyhow::Result<Vec<F>> {
        let path = self.folder.join("forms.jsonl");
        if let Ok(text) = fs::read_to_string(&path) {
            return text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect();
        }
        let forms = make()?;
        let lines: Result<Vec<String>, _> = forms.iter().map(serde_json::to_string).collect();
        fs::write(&path, lines?.join("\n") + "\n")?;
        Ok(forms)
    }

    /// What a release gave with a seed; empty if that was not measured.
    pub fn known(&self, release: Version, seed: u8) -> Vec<FormOutcome> {
        let text = fs::read_to_string(self.path(release, seed)).unwrap_or_default();
        text.lines().map(FormOutcome::read).collect()
    }

    /// What a release gave for this many calls: what is kept if it is of as many, else what `run` gives.
    ///
    /// # Errors
    /// If it cannot be run or kept.
    pub fn told(
        &self,
        release: Version,
        seed: u8,
        calls: usize,
        run: impl FnOnce() -> anyhow::Result<Vec<FormOutcome>>,
    ) -> anyhow::Result<Vec<FormOutcome>> {
        let told = self.known(release, seed);
        if told.len() == calls {
            return Ok(told);
        }
        eprintln!("{release}, seed {seed}");
        let told = run()?;
        let lines: Vec<String> = told.iter().map(FormOutcome::line).collect();
        fs::write(self.path(release, seed), lines.join("\n") + "\n")?;
        Ok(told)
    }

    fn path(&self, release: Version, seed: u8) -> PathBuf {
        self.folder.join(format!("{release}-{seed}.tsv"))
    }
}

/// The runs that gave another value with another seed.
pub fn unsteady(one: &[FormOutcome], other: &[FormOutcome]) -> BTreeSet<RunPosition> {
    let mut found = BTreeSet::new();
    for (form, pair) in one.iter().zip(other).enumerate() {
        let (FormOutcome::Runs(one), FormOutcome::Runs(other)) = pair else { continue };
        for (run, pair) in one.iter().zip(other).enumerate() {
            if matches!(pair, (RunOutcome::Value(one), RunOutcome::Value(other)) if one != other) {
                found.insert((form, run));
            }
        }
    }
    found
}

/// Marks runs as unsteady in every release.
pub fn mark_unsteady(told: &mut [(Version, Vec<FormOutcome>)], found: &BTreeSet<RunPosition>) {
    for (_, all) in told {
        for &(form, run) in found {
            if let Some(FormOutcome::Runs(runs)) = all.get_mut(form)
                && let Some(outcome) = runs.get_mut(run)
            {
                *outcome = RunOutcome::Unsteady;
            }
        }
    }
}

/// A row of data as one of a table in Markdown: its columns (names, conditions, values, releases, error), and how many runs
/// it is of.
pub fn table_row(row: &str, runs: usize) -> String {
    let text = row.replace('|', "\\|");
    let mut columns = text.split('\t');
    let mut column = || columns.next().unwrap_or_default();
    let names: Vec<String> = column().split(' ').map(|one| format!("`{one}`")).collect();
    let (when, values, steps, remark) = (column(), column(), column(), column());
    let remark = match remark {
        "" => String::new(),
        remark => format!("`{}`", remark.replace('`', "'")),
    };
    format!("| {} | {when} | {values} | {steps} | {remark} | {runs} |\n", names.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_not_run_again_and_of_other_calls_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let kept = RecordedRuns::open(folder.path()).unwrap();
        let release = Version::pair(2, 1);
        let gave = || Ok(vec![FormOutcome::read("int[]1\t!no"), FormOutcome::Unknown]);
        assert_eq!(kept.told(release, 1, 2, gave).unwrap(), gave().unwrap());
        let again = kept.told(release, 1, 2, || anyhow::bail!("run again"));
        assert_eq!(again.unwrap(), gave().unwrap());
        assert!(kept.told(release, 1, 3, || anyhow::bail!("run again")).is_err());
        assert_eq!(kept.releases(&[]).unwrap(), BTreeSet::from([release]));
        assert!(kept.known(release, 2).is_empty());
    }

    #[test]
    fn runs_that_differ_by_seed_are_marked_in_every_release() {
        let told = |text: &str| vec![FormOutcome::read(text)];
        let found = unsteady(&told("int[]1\tint[]2\t!a"), &told("int[]1\tint[]3\t!b"));
        assert_eq!(found, BTreeSet::from([(0, 1)]));
        let mut all = [(Version::pair(1, 4), told("int[]1\tint[]2\t!a"))];
        mark_unsteady(&mut all, &found);
        assert_eq!(all[0].1, told("int[]1\t?\t!a"));
    }

    #[test]
    fn a_row_of_data_is_one_of_a_table() {
        let row = "div mul\tT half\tnan\t2.4-2.9 raises\ta | `b`";
        let table = "| `div` `mul` | T half | nan | 2.4-2.9 raises | `a \\| 'b'` | 7 |\n";
        assert_eq!(table_row(row, 7), table);
    }
}
