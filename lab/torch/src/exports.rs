//! `cargo lab torch-exports`: programs that every minor release writes with `torch.export`, loaded by every other one.
//!
//! What releases write and refuse becomes `crates/torch/archives/data/exported_loaders.tsv`, by which files are judged and
//! converted; what they then do with the files of all others is held against the verdicts.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_core::{Context, Date, Version, check};
use unskew_lab_harness::{Comparison, Prediction};
use unskew_lab_harness::{Oracle, Page, compare};
use unskew_releases::find;
use unskew_source::{FileSource, Source};
use unskew_torch_matrix::TorchHost;
use unskew_torch_matrix::differential::ReleaseResult;
use unskew_torch_matrix::exports::{
    ExportedProgram, has_region, records, refusals, results, written,
};

use crate::release_runs::{ReleaseRunArgs, ReleaseRuns};

/// A release of every minor that has `torch.export`.
const MINORS: [&str; 15] = [
    "2.1.2", "2.2.2", "2.3.1", "2.4.1", "2.5.1", "2.6.0", "2.7.1", "2.8.0", "2.9.1", "2.10.0",
    "2.11.0", "2.12.1", "2.13.0", "2.14.1", "2.15.0",
];

const PAGE: Page = Page("docs/reference/torch-exports.md");
const TABLE: Page = Page("crates/torch/archives/data/exported_loaders.tsv");

const HEAD: &str = "<!-- made by `cargo lab torch-exports --write` -->\n\n# Exported programs between PyTorch releases\n\n\
    Every minor release with `torch.export` writes up to 70 programs, each of which shows one thing that such a file can hold \
    (`lab/torch/probes/torch_export.py`), and every one loads and runs those of all others. A verdict is right if the program \
    loads and gives what it gave its writer, or does not and the verdict says so.\n\n";

/// What stands above the rows of the table.
const TABLE_HEAD: &str = "\
# What `torch.export.load` of each release does with a file, besides the types of its graph (exported.tsv).
# writes: it writes this record, with * for the name of the model. needs-in-archive, needs-in-zip: it does not load a file
# without it, with a folder around the records or without. ignores-fields: it passes over fields that it does not know.
# loads-input, loads-output: it loads a program with such a constant input, with such an output. takes-region: it loads and
# runs an operator of higher order of this name.
# refuses-result: it does not load a list of one tensor as the result of such an operator, as 2.6 writes it. said: its words.
# Made by `cargo lab torch-exports --write`.
what\tname\tsince\tuntil\tsaid
";

/// Has every minor release write exported programs, and load those of all others.
#[derive(Args)]
pub struct TorchExports {
    /// A release; one of every minor if none is named.
    #[arg(long = "release", default_values = MINORS)]
    releases: Vec<String>,
    #[command(flatten)]
    runs: ReleaseRunArgs,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, a release not be run, or a verdict is wrong.
pub fn run(arguments: &TorchExports) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let folder = arguments.runs.measured.clone().unwrap_or_else(|| scratch.path().to_owned());
    let runs = ReleaseRuns::new(&arguments.releases, &arguments.runs, &folder);
    let exports = Exports { runs, folder: &folder, pairs: RefCell::default() };
    let programs = exports.cases(&folder)?;
    let table = exports.table(&programs)?;
    TABLE.write(&format!("{TABLE_HEAD}{table}"), &arguments.runs.write)?;
    let agreement = compare(&exports, &folder)?;
    let matrix = exports.matrix();
    let mut page = format!("{}\n\n{matrix}\n", agreement.tally.agreement());
    let _ = write!(page, "By the release that loads:\n\n{}", agreement.table);
    for (release, line) in &agreement.wrong {
        let _ = write!(page, "\n* {release}: {line}");
    }
    PAGE.publish(HEAD, &page, &arguments.runs.write)?;
    let wrong = agreement.tally.wrong();
    ensure!(wrong == 0, "{wrong} of {} verdicts are wrong", agreement.tally.judged());
    Ok(())
}

/// How many programs of one release another one runs, how many verdicts were right, and how many there are.
#[derive(Clone, Copy, Default)]
struct PairCount {
    works: usize,
    right: usize,
    all: usize,
}

struct Exports<'a> {
    runs: ReleaseRuns<'a>,
    folder: &'a Path,
    /// By reader and writer.
    pairs: RefCell<BTreeMap<(Version, Version), PairCount>>,
}

impl Exports<'_> {
    /// The rows of the data: what is written and refused, each as long as it is so.
    fn table(&self, programs: &[ExportedProgram]) -> anyhow::Result<String> {
        let mut rows: BTreeMap<(&str, String), BTreeMap<Version, String>> = BTreeMap::new();
        let mut minors: Vec<Version> = Vec::new();
        for release in self.runs.releases {
            let version: Version = release.parse()?;
            let minor = Version::pair(version.major(), version.minor());
            minors.push(minor);
            let own: Vec<ExportedProgram> =
                programs.iter().filter(|one| one.writer == version).cloned().collect();
            let mut add = |kind, name: &str, said: &str| {
                let row = rows.entry((kind, name.to_owned())).or_default();
                row.insert(minor, said.trim_end_matches([' ', ':']).to_owned());
            };
            let written = records(&own)?;
            written.iter().for_each(|record| add("writes", record, "-"));
            let text = self
                .runs
                .answer("refuse", release, |host, limit| host.refuse_programs(programs, limit))?;
            let all = refusals(&text)?;
            for (step, (loads, said)) in &all {
                match step.split_once(' ') {
                    Some(("record", name)) if !loads && !name.ends_with(char::is_numeric) => {
                        let is_archive = name.contains('/') || name.starts_with("archive_");
                        add(
                            if is_archive { "needs-in-archive" } else { "needs-in-zip" },
                            name,
                            said,
                        );
                    }
                    Some(("more", "Node")) if *loads => add("ignores-fields", "*", "-"),
                    _ => {}
                }
            }
            for (kind, name, said) in told_by_programs(self, programs, release)? {
                add(kind, name, &said);
            }
        }
        minors.sort_unstable();
        let mut text = String::new();
        for ((kind, name), releases) in &rows {
            for (since, until, said) in spans(&minors, releases) {
                let until = until.map_or_else(|| "-".to_owned(), |until| until.to_string());
                writeln!(text, "{kind}\t{name}\t{since}\t{until}\t{said}")?;
            }
        }
        Ok(text)
    }

    /// A row for each reader and a column for each writer.
    fn matrix(&self) -> String {
        let pairs = self.pairs.borrow();
        let writers: BTreeSet<Version> = pairs.keys().map(|(_, writer)| *writer).collect();
        let short = |one: &Version| Version::pair(one.major(), one.minor()).to_string();
        let heads: Vec<String> = writers.iter().map(short).collect();
        let mut text = format!("| reads, below: writes | {} |\n| --- |", heads.join(" | "));
        text.push_str(&" --: |".repeat(heads.len()));
        text.push('\n');
        let readers: BTreeSet<Version> = pairs.keys().map(|(reader, _)| *reader).collect();
        for reader in &readers {
            let cell = |writer: &Version| {
                let one = pairs.get(&(*reader, *writer)).copied().unwrap_or_default();
                let wrong = one.all - one.right;
                let mark = if wrong > 0 { format!(" ({wrong} wrong)") } else { String::new() };
                format!("{}/{}{mark}", one.works, one.all)
            };
            let cells: Vec<String> = writers.iter().map(cell).collect();
            let _ = writeln!(text, "| {} | {} |", short(reader), cells.join(" | "));
        }
        text
    }
}

/// The outputs and the operators of higher order that a release takes in its own files, and the results of operators of higher order that it does not load
/// as 2.6 writes them, with its words.
fn told_by_programs(
    exports: &Exports<'_>,
    programs: &[ExportedProgram],
    release: &str,
) -> anyhow::Result<Vec<(&'static str, &'static str, String)>> {
    let outputs = [
        ("none_output", "as_none"),
        ("int_output", "as_int"),
        ("float_output", "as_float"),
        ("bool_output", "as_bool"),
        ("text_output", "as_string"),
    ];
    let regions = [
        ("cond", "cond"),
        ("map", "map_impl"),
        ("while_loop", "while_loop"),
        ("no_grad", "wrap_with_set_grad_enabled"),
        ("autocast", "wrap_with_autocast"),
    ];
    let inputs = [
        ("none_input", "as_none"),
        ("int_input", "as_int"),
        ("float_input", "as_float"),
        ("text_input", "as_string"),
    ];
    let version: Version = release.parse()?;
    let answers = exports.ask(&release.to_owned(), programs, exports.folder)?;
    let mut found = Vec::new();
    for (one, answer) in programs.iter().zip(&answers) {
        let Some((result, said)) = answer else { continue };
        let output = outputs.iter().find(|(name, _)| *name == one.name);
        if let Some((_, output)) = output
            && one.writer == version
            && *result == ReleaseResult::Works
        {
            found.push(("loads-output", *output, "-".to_owned()));
        }
        let input = inputs.iter().find(|(name, _)| *name == one.name);
        if let Some((_, input)) = input
            && one.writer == version
            && *result == ReleaseResult::Works
        {
            found.push(("loads-input", *input, "-".to_owned()));
        }
        let region = regions.iter().find(|(name, _)| *name == one.name);
        if let Some((_, region)) = region
            && one.writer == version
            && *result == ReleaseResult::Works
            && has_region(one, region)?
        {
            found.push(("takes-region", *region, "-".to_owned()));
        }
        let is_of_2_6 = (one.writer.major(), one.writer.minor()) == (2, 6);
        if is_of_2_6 && one.name == "cond" && version > one.writer && *result == ReleaseResult::Load
        {
            let words: String = said.chars().take_while(|c| *c != '(').collect();
            found.push(("refuses-result", "as_tensors", words));
        }
    }
    Ok(found)
}

/// The releases that a row is of, as spans without a gap; the last one is open where it reaches the newest release.
fn spans(
    minors: &[Version],
    releases: &BTreeMap<Version, String>,
) -> Vec<(Version, Option<Version>, String)> {
    let mut spans: Vec<(Version, Option<Version>, String)> = Vec::new();
    let mut is_open = false;
    for minor in minors {
        match (releases.get(minor), spans.last_mut()) {
            (Some(_), Some(last)) if is_open => last.1 = Some(*minor),
            (Some(said), _) => spans.push((*minor, Some(*minor), said.clone())),
            (None, _) => {}
        }
        is_open = releases.contains_key(minor);
    }
    if let Some(last) = spans.last_mut().filter(|last| last.1.as_ref() == minors.last()) {
        last.1 = None;
    }
    spans
}

impl Oracle for Exports<'_> {
    const HEAD: &'static str = "release | ";
    type Peer = String;
    type Case = ExportedProgram;
    type Answer = (ReleaseResult, String);

    fn peers(&self) -> anyhow::Result<Vec<String>> {
        Ok(self.runs.releases.to_vec())
    }

    fn cases(&self, folder: &Path) -> anyhow::Result<Vec<ExportedProgram>> {
        let said = self.runs.written(folder, TorchHost::write_programs)?;
        let mut all = Vec::new();
        for (release, place, text) in said {
            all.extend(written(release, &place, &text)?);
        }
        Ok(all)
    }

    fn ask(
        &self,
        release: &String,
        programs: &[ExportedProgram],
        _: &Path,
    ) -> anyhow::Result<Vec<Option<(ReleaseResult, String)>>> {
        let text =
            self.runs.answer("read", release, |host, limit| host.read_programs(programs, limit))?;
        results(programs, &text)
    }

    fn compare(
        &self,
        release: &String,
        program: &ExportedProgram,
        (result, words): &(ReleaseResult, String),
    ) -> anyhow::Result<Comparison> {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&program.path)?);
        let party = unskew_torch::party(&source)?.with_context(|| program.name.clone())?;
        let runtime = unskew_releases::torch::runtime(find(&format!("torch@{release}"))?.row());
        let runtime = runtime.with_context(|| release.clone())?;
        let context = Context::on(Date::constant(2026, 11, 1));
        let verdict = check(&party, &runtime.party(), &context);
        let works = *result == ReleaseResult::Works;
        let comparison = Comparison::new(Prediction::new(&verdict), works, || {
            let ExportedProgram { writer, name, .. } = program;
            format!("{name} of {writer}: {:?}, really {result:?} {words}", verdict.outcome)
        });
        let mut pairs = self.pairs.borrow_mut();
        let pair = pairs.entry((release.parse()?, program.writer)).or_default();
        pair.all += 1;
        pair.works += usize::from(works);
        pair.right += usize::from(comparison.wrong().is_none());
        Ok(comparison)
    }

    fn name(&self, release: &String) -> String {
        release.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_lasts_as_long_as_all_releases_have_it() {
        let minor = |n| Version::pair(2, n);
        let minors = [minor(1), minor(2), minor(3), minor(4)];
        let all = |given: &[i64]| {
            let releases = given.iter().map(|n| (minor(*n), "-".to_owned())).collect();
            let rows = spans(&minors, &releases).into_iter();
            rows.map(|(since, until, _)| (since, until)).collect::<Vec<_>>()
        };
        assert_eq!(all(&[2, 3, 4]), [(minor(2), None)]);
        assert_eq!(all(&[1, 2]), [(minor(1), Some(minor(2)))]);
        assert_eq!(all(&[1, 3]), [(minor(1), Some(minor(1))), (minor(3), Some(minor(3)))]);
    }
}
