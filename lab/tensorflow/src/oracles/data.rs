//! `cargo lab tensorflow-data`: graphs and SavedModels on real TensorFlow releases, against the verdicts.
//!
//! An environment has up to 1.6 GB, so one that is not there yet is made for its run and removed after it, unless
//! `--keep` is given. `--write` puts the table into the documentation.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use unskew_lab_harness::corpus::written_models;
use unskew_lab_harness::environment::with_release;
use unskew_lab_harness::{Page, WritePage};
use unskew_lab_tensorflow::{
    FOR_A_SESSION, LoadJob, LoadOutcome, LoadStage, LoadTrial, MODELS, TensorFlowHost,
    battery_trials, trials,
};

/// The page that `--write` makes.
const PAGE: Page = Page("docs/reference/tensorflow-load-matrix.md");

/// The releases of the table. The first is the one whose results the others are held against.
const RELEASES: [&str; 11] = [
    "2.21.0", "2.15.1", "2.12.1", "2.9.3", "2.5.3", "2.4.4", "1.15.0", "1.4.1", "1.2.1", "1.0.1",
    "0.12.1",
];

/// How far the results of two releases may lie apart.
const TOLERANCE: f64 = 1e-4;

const HEAD: &str = "<!-- made by `cargo lab tensorflow-data --write` -->\n\n# Graphs and SavedModels on real \
    TensorFlow releases\n\n\
    Real releases of TensorFlow, each loading 40 graphs of a battery (one for each rule by which a graph is taken or \
    refused) and 14 models: those of the corpus, and nine that TensorFlow 2.21.0 wrote. What it did is held against \
    the verdict of `unskew check`, with its phase: `import` says that loading failed, `run` that the first run did. \
    SavedModels are loaded with `tf.saved_model.load` from 2.0 on, for a session before; from 2.0 on for a \
    session too (`tf.compat.v1`). Where `check` announces \
    adaptations, the model was converted too (`unskew convert`), and has to load, and to compute what TensorFlow \
    2.21.0 computes with the original, up to 1e-4.\n\n";

/// Loads graphs and SavedModels on TensorFlow releases.
#[derive(Args)]
pub struct TensorflowData {
    /// A TensorFlow release; the eleven of the table if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    /// How many seconds a release may take.
    #[arg(long, default_value_t = 600)]
    limit: u64,
    /// Keeps the environments that are made.
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    write: WritePage,
}

/// A release, what it was to load, and what came of it.
struct Column {
    release: String,
    trials: Vec<LoadTrial>,
    loaded: BTreeMap<String, LoadOutcome>,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, or a release not be started. What a release does is no error.
pub fn run(arguments: &TensorflowData) -> anyhow::Result<()> {
    written_models()?;
    let named = arguments.releases.clone();
    let releases = if named.is_empty() { RELEASES.map(str::to_owned).to_vec() } else { named };
    let mut columns = Vec::new();
    for release in releases {
        let column =
            column(&release, arguments).with_context(|| format!("tensorflow {release}"))?;
        let cells = column.cells();
        let agreed = cells.iter().filter(|cell| cell.agrees()).count();
        eprintln!("tensorflow {release}: {agreed} of {} as expected", cells.len());
        for cell in cells.iter().filter(|cell| !cell.agrees()) {
            eprintln!("  {}", cell.in_words());
        }
        columns.push(column);
    }
    let page = page(&columns);
    PAGE.publish(HEAD, &page, &arguments.write)?;
    Ok(())
}

fn column(release: &str, arguments: &TensorflowData) -> anyhow::Result<Column> {
    with_release("tensorflow", release, arguments.keep, || {
        let folder = tempfile::tempdir()?;
        let mut trials = trials(release, folder.path())?;
        trials.extend(battery_trials(release, folder.path())?);
        let jobs: Vec<LoadJob> = trials.iter().map(|trial| trial.job.clone()).collect();
        let loaded =
            TensorFlowHost::named(release)?.load(&jobs, Duration::from_secs(arguments.limit))?;
        Ok(Column { release: release.to_owned(), trials, loaded })
    })
}

/// One thing on one release.
struct Cell<'c> {
    trial: &'c LoadTrial,
    loaded: &'c LoadOutcome,
}

impl Column {
    fn cells(&self) -> Vec<Cell<'_>> {
        let found = |trial| Some((trial, self.loaded.get(&name(trial))?));
        let all = self.trials.iter().filter_map(found);
        all.map(|(trial, loaded)| Cell { trial, loaded }).collect()
    }
}

fn name(trial: &LoadTrial) -> String {
    trial.job.name.clone()
}

impl Cell<'_> {
    fn agrees(&self) -> bool {
        self.trial.expected == self.loaded.phase
    }

    fn in_words(&self) -> String {
        let said = self.loaded.said.replace('\n', " ");
        let said: String = said.chars().take(240).collect();
        let (expected, phase) = (word(self.trial.expected), word(self.loaded.phase));
        format!("{}: expected {expected}, was {phase}: {said}", self.trial.job.name)
    }
}

fn word(came: LoadStage) -> &'static str {
    match came {
        LoadStage::Ok => "loads",
        LoadStage::Import => "import",
        LoadStage::Run => "run",
    }
}

fn page(columns: &[Column]) -> String {
    let mut text = String::new();
    let all: Vec<Cell<'_>> = columns.iter().flat_map(Column::cells).collect();
    let plain = || all.iter().filter(|cell| cell.trial.converted.is_none());
    let agreed = plain().filter(|cell| cell.agrees()).count();
    let percent = 100.0 * agreed as f64 / plain().count().max(1) as f64;
    let (ran, converted, same) = conversions(columns);
    let _ = writeln!(
        text,
        "**Agreement: {agreed} of {} verdicts ({percent:.1} %), phase included.** Of {converted} converted models \
         {ran} load and run; {same} were compared with TensorFlow 2.21.0, and compute the same.\n",
        plain().count()
    );
    let _ = writeln!(
        text,
        "| model | {} |",
        columns.iter().map(|c| &*c.release).collect::<Vec<_>>().join(" | ")
    );
    let _ = writeln!(text, "| --- |{}", " --- |".repeat(columns.len()));
    for (name, _) in MODELS {
        let cells: Vec<String> = columns.iter().map(|column| model_cell(column, name)).collect();
        let _ = writeln!(text, "| `{name}` | {} |", cells.join(" | "));
    }
    let _ = writeln!(
        text,
        "{}\n{}",
        counted("SavedModels for a session of TensorFlow 2", columns, |name| name
            .ends_with(FOR_A_SESSION)),
        counted("battery", columns, |name| name.starts_with("battery/"))
    );
    let wrong: Vec<String> = columns
        .iter()
        .flat_map(|column| {
            let cells = column.cells();
            let wrong: Vec<String> = cells
                .iter()
                .filter(|cell| !cell.agrees())
                .map(|cell| format!("- {}, {}", column.release, cell.in_words()))
                .collect();
            wrong
        })
        .collect();
    if !wrong.is_empty() {
        let _ = writeln!(text, "\nNot as expected:\n\n{}", wrong.join("\n"));
    }
    text
}

/// A row that counts how many of the jobs with such names went as expected.
fn counted(what: &str, columns: &[Column], is: impl Fn(&str) -> bool) -> String {
    let cells = columns.iter().map(|column| {
        let cells = column.cells();
        let of = || cells.iter().filter(|cell| is(&cell.trial.job.name));
        match (of().filter(|cell| cell.agrees()).count(), of().count()) {
            (_, 0) => "-".to_owned(),
            (agreed, all) => format!("{agreed}/{all}"),
        }
    });
    format!("| {what}, as expected | {} |", cells.collect::<Vec<_>>().join(" | "))
}

/// What became of a model: as it is, and converted.
fn model_cell(column: &Column, name: &str) -> String {
    let cells = column.cells();
    let is =
        cells.iter().find(|cell| cell.trial.converted.is_none() && cell.trial.job.name == name);
    let converted = cells.iter().find(|cell| cell.trial.converted == Some(name));
    let mark = |cell: &&Cell<'_>| {
        let mark = if cell.agrees() { "" } else { " (!)" };
        format!("{}{mark}", word(cell.loaded.phase))
    };
    match (is, converted) {
        (None, _) => "-".to_owned(),
        (Some(cell), None) => mark(&cell),
        (Some(cell), Some(other)) => format!("{}; converted: {}", mark(&cell), mark(&other)),
    }
}

/// How many converted models run, how many there are, and how many compute what the first release computes with
/// the original; one that computes something else is reported as one that does not run.
fn conversions(columns: &[Column]) -> (usize, usize, usize) {
    let (mut ran, mut all, mut same) = (0, 0, 0);
    for cell in columns.iter().flat_map(Column::cells) {
        let Some(name) = cell.trial.converted else { continue };
        all += 1;
        let reference = columns.iter().find(|column| column.release == RELEASES[0]);
        let reference = reference.and_then(|column| column.loaded.get(name));
        // The names of outputs are those of the loader; only what both name can be compared.
        let comparable = reference.is_some_and(|other| {
            other.values.keys().any(|key| cell.loaded.values.contains_key(key))
        });
        let equal = reference.is_some_and(|other| cell.loaded.computes_what(other, TOLERANCE));
        ran += usize::from(cell.loaded.phase == LoadStage::Ok && (equal || !comparable));
        same += usize::from(equal);
        if comparable && !equal {
            eprintln!("{} computes something else", cell.trial.job.path.display());
        }
    }
    (ran, all, same)
}
