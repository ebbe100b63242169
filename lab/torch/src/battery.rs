//! `cargo lab torch-battery`: functions by the samples of PyTorch's own tests, judged, converted and run by real releases.
//!
//! An environment that is not there yet is made for its run and removed after it, unless `--keep` is given. `--write` makes
//! the page of the documentation.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_lab_harness::{Page, WritePage};
use unskew_releases::find;
use unskew_source::{FileSource, Source};
use unskew_torch_matrix::differential::{CompiledModule, DifferentialCell, cells};
use unskew_torch_matrix::interpreted::{interpreted, interpreted_table};
use unskew_torch_matrix::samples::samples_table;

use crate::models::with;

/// The page that `--write` makes.
const PAGE: Page = Page("docs/reference/torch-battery.md");

const HEAD: &str = "<!-- made by `cargo lab torch-battery --write` -->\n\n# Verdicts on samples of PyTorch's own tests\n\n\
    Functions of one call each: the samples that a release of PyTorch tests its own operators with (`op_db`), read from the \
    installed package, scripted, traced, or traced in place, with the type of their numbers chosen at random \
    (`lab/torch/probes/torch_battery.py`). The rules were measured on other calls; `diff` and \
    `mvlgamma` have rules since a first run. Each is judged for another release as it is and, where a conversion rewrites it, \
    converted, and loaded and run there.\n\n\
    A verdict is *right* if the release does first what it says: an error at load, an error at the first run, another result, or \
    the same one. *Said to perhaps differ* is a warning, and the release gives the same or another result. *Not judged* claims \
    nothing. *Differ, unsaid* are converted files that fail or give another result, of which no finding says so. Left out is what \
    is random, what gives memory that nobody wrote, and numbers in half precision.\n\n";

/// Has PyTorch releases write functions by the samples of their tests, and judges, converts and runs them for others.
#[derive(Args)]
pub struct TorchBattery {
    /// Two releases, such as `2.15.0-1.10.2`: the writer, 1.10 or later, and the reader.
    #[arg(long = "pair", default_values = [
        "2.15.0-1.10.2", "2.15.0-2.3.1", "2.5.1-1.13.1", "2.1.2-1.10.2", "1.13.1-2.5.1", "1.10.2-2.15.0",
    ])]
    pairs: Vec<String>,
    /// Runs the functions of this release by the interpreter instead, and lists those that it stops at.
    #[arg(long, value_name = "RELEASE")]
    interpret: Option<String>,
    /// How many functions each writer makes.
    #[arg(long, default_value_t = 600)]
    count: u32,
    /// What the random choices begin with: the same seed gives the same functions.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// How many seconds a release may take for all of it.
    #[arg(long, default_value_t = 1800)]
    limit: u64,
    /// Keeps the environments that are made.
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    write: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If a release cannot be run, or a converted file gives another result and no finding says so.
pub fn run(arguments: &TorchBattery) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let limit = Duration::from_secs(arguments.limit);
    if let Some(release) = &arguments.interpret {
        return run_interpreted(arguments, release, folder.path(), limit);
    }
    let mut made: BTreeMap<String, (PathBuf, Vec<CompiledModule>)> = BTreeMap::new();
    let mut all = Vec::new();
    for pair in &arguments.pairs {
        let (writer, reader) = pair.split_once('-').with_context(|| format!("no pair: {pair}"))?;
        if !made.contains_key(writer) {
            let place = folder.path().join(writer);
            fs::create_dir(&place)?;
            let choice = (arguments.seed, arguments.count);
            let written =
                with(
                    writer,
                    arguments.keep,
                    |host| Ok(host.write_samples(&place, choice, limit)?),
                )?;
            made.insert(writer.to_owned(), (place, written));
        }
        let (place, written) = made.get(writer).context("nothing was written")?;
        let found = tried(writer, reader, place, written, arguments.keep, limit)?;
        eprint!("{}", samples_table(&found));
        all.extend(found);
    }
    let table = samples_table(&all);
    let others = others(&all);
    print!("{table}\n{others}");
    let TorchBattery { count, seed, .. } = arguments;
    let page = format!(
        "{HEAD}```\ncargo lab torch-battery --count {count} --seed {seed}\n```\n\n{table}\n## Verdicts that were not \
             right\n\n| releases | file | said | did | operator |\n| --- | --- | --- | --- | --- |\n{others}"
    );
    PAGE.write(&page, &arguments.write)?;
    let wrong = all.iter().filter(|cell| cell.is_wrong_conversion()).count();
    ensure!(wrong == 0, "{wrong} conversions are silently wrong");
    Ok(())
}

fn run_interpreted(
    arguments: &TorchBattery,
    release: &str,
    folder: &Path,
    limit: Duration,
) -> anyhow::Result<()> {
    let choice = (arguments.seed, arguments.count);
    let written =
        with(release, arguments.keep, |host| Ok(host.write_samples(folder, choice, limit)?))?;
    let version = release.parse().ok().with_context(|| format!("no release: {release}"))?;
    let mut all = Vec::new();
    for material in &written {
        let file = material.files.first().context("no file")?;
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&folder.join(file))?);
        all.push((material, interpreted(&source, material, version)?));
    }
    print!("{}", interpreted_table(&all));
    Ok(())
}

fn tried(
    writer: &str,
    reader: &str,
    place: &Path,
    written: &[CompiledModule],
    keep: bool,
    limit: Duration,
) -> anyhow::Result<Vec<DifferentialCell>> {
    let release = find(&format!("torch@{reader}"))?;
    with(reader, keep, |host| cells(writer.parse()?, place, written, host, release, limit))
}

/// The verdicts that were not right, a row of a table each.
fn others(all: &[DifferentialCell]) -> String {
    let mut text = String::new();
    for cell in all.iter().filter(|cell| !cell.agrees()) {
        let DifferentialCell { writer, reader, said, real, pieces, .. } = cell;
        let how = if cell.converted { "converted" } else { "as it is" };
        let call = pieces.join(" ");
        let _ = writeln!(text, "| {writer} to {reader} | {how} | {said:?} | {real:?} | {call} |");
    }
    text
}
