//! `cargo lab boosters`: models that releases of XGBoost, LightGBM and CatBoost train and save, loaded and asked by every other
//! one, against the verdicts; `--take` writes what was measured into the database.

mod properties;
mod releases;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_artifact::{OpenOptions, open};
use unskew_boosters::{BoosterModel, MeasuredOutcome, pickled_models};
use unskew_core::{Party, Phase, check};
use unskew_definitions::SpanTable;
use unskew_lab_harness::environment::{Dependencies, with_requirements};
use unskew_lab_harness::{Agreement, Comparison, Oracle, Page, WritePage, run_command};
use unskew_pickle::PickleFile;
use unskew_releases::named_parties;
use unskew_source::{FileSource, Source};

use self::properties::{MeasuredModel, add_lacking, add_spans, rows, without_places};
use self::releases::AskedRelease;
use crate::files::make_empty;

const WRITES: &str = "lab/hub/probes/boosters_write.py";
const LOADS: &str = "lab/hub/probes/boosters_load.py";
const TABLE: &str = "crates/judging/releases/data/boosters.tsv";
const PAGE: Page = Page("docs/reference/boosters-load-matrix.md");

const HEAD: &str = "# What releases make of models of gradient boosting, by their properties, made by `cargo lab boosters --take`.\n";

/// What draws the data of the models of which the database is made; others are held out.
const TAKEN_SEEDS: [u64; 2] = [1, 2];

/// Has releases of XGBoost, LightGBM and CatBoost load and ask the models that others save, and holds the verdicts against what they do.
#[derive(Args)]
pub struct BoosterModels {
    /// Where environments and files are kept
    #[arg(long, default_value = "target/boosters")]
    folder: PathBuf,
    /// What draws the data; other than 1, each model also has the options of another one. The database is made of 1 and 2
    #[arg(long, default_value_t = 3)]
    seed: u64,
    /// Only these packages
    #[arg(long, num_args = 1..)]
    packages: Vec<String>,
    /// Writes what was measured into the database
    #[arg(long)]
    take: bool,
    #[command(flatten)]
    page: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, or more than one verdict in a hundred is wrong.
pub fn run(arguments: &BoosterModels) -> anyhow::Result<()> {
    let folder = std::path::absolute(&arguments.folder)?;
    let loads = Loads { arguments, environments: folder.join("environments") };
    if arguments.take {
        return loads.take(&folder);
    }
    let files = files_of(&folder, arguments.seed);
    make_empty(&files)?;
    let agreement = unskew_lab_harness::compare(&loads, &files)?;
    let text = text(arguments, &agreement);
    PAGE.publish("<!-- made by `cargo lab boosters --write` -->\n\n", &text, &arguments.page)?;
    let (wrong, judged) = (agreement.tally.wrong(), agreement.tally.judged());
    ensure!(wrong * 100 <= judged, "{wrong} of {judged} verdicts are wrong");
    Ok(())
}

/// Where the models of a seed are kept.
fn files_of(folder: &Path, seed: u64) -> PathBuf {
    folder.join(format!("files-{seed}"))
}

struct Loads<'a> {
    arguments: &'a BoosterModels,
    environments: PathBuf,
}

/// A model of a package in a file.
struct SavedModel {
    package: &'static str,
    path: PathBuf,
}

/// What a release made of a model: what went wrong, with the error.
type Answer = (MeasuredOutcome, String);

impl Loads<'_> {
    fn probe(&self, release: &AskedRelease, probe: &str) -> anyhow::Result<Command> {
        let place = self.environments.join(release.name());
        let requirements = release.requirements();
        let requirements: Vec<&str> = requirements.iter().map(String::as_str).collect();
        let python = with_requirements(&place, release.python, &requirements, Dependencies::None)?;
        let mut command = Command::new(python);
        command.arg(unskew_peers::root().join(probe)).arg(release.package);
        Ok(command)
    }

    fn asked_releases(&self) -> Vec<AskedRelease> {
        let wanted = &self.arguments.packages;
        let is_wanted =
            |one: &AskedRelease| wanted.is_empty() || wanted.iter().any(|name| name == one.package);
        AskedRelease::all().filter(is_wanted).collect()
    }

    /// Has every release train and save its models.
    fn write_models(&self, folder: &Path, seed: u64) -> anyhow::Result<Vec<SavedModel>> {
        let mut cases = Vec::new();
        for release in self.asked_releases() {
            let place = folder.join(release.name());
            let mut write = self.probe(&release, WRITES)?;
            println!("{}", run_command(write.arg(&place).arg(seed.to_string()))?.trim_end());
            let files = place.read_dir()?.filter_map(|file| Some(file.ok()?.path()));
            let beside = ["npy", "npz", "options"];
            let is_model = |path: &PathBuf| {
                path.extension().is_some_and(|end| !beside.iter().any(|one| *one == end))
            };
            let mut files: Vec<PathBuf> = files.filter(is_model).collect();
            files.sort();
            cases.extend(
                files.into_iter().map(|path| SavedModel { package: release.package, path }),
            );
        }
        Ok(cases)
    }

    /// Measures every release, and writes the lines of the packages that were asked for.
    fn take(&self, folder: &Path) -> anyhow::Result<()> {
        let mut cases = Vec::new();
        for seed in TAKEN_SEEDS {
            let files = files_of(folder, seed);
            make_empty(&files)?;
            cases.extend(self.write_models(&files, seed)?);
        }
        let path = unskew_peers::root().join(TABLE);
        let old = fs::read_to_string(&path).unwrap_or_default();
        let mut measured: BTreeMap<&'static str, Vec<(String, Vec<String>)>> = BTreeMap::new();
        for release in self.asked_releases() {
            let answers = self.ask(&release, &cases, folder)?;
            let mut models = Vec::new();
            for (case, answer) in cases.iter().zip(answers) {
                let Some((outcome, error)) = answer else { continue };
                let properties = read(&case.path)?.properties;
                models.push(MeasuredModel { properties, outcome, error });
            }
            add_spans(&mut models);
            add_lacking(&mut models);
            let (rows, unexplained) = rows(&models);
            println!("{}: {} rows, {unexplained} models not explained", release.name(), rows.len());
            let rows = rows.iter().map(ToString::to_string).collect();
            measured.entry(release.package).or_default().push((release.version.to_owned(), rows));
        }
        let section = |(package, releases): (&'static str, Vec<_>)| {
            (package, SpanTable::from_releases(&releases).write(package))
        };
        let sections = measured.into_iter().map(section).collect();
        let table = SpanTable::replace_sections(HEAD, &old, sections);
        fs::write(&path, table).with_context(|| path.display().to_string())
    }
}

fn source(path: &Path) -> anyhow::Result<Arc<dyn Source>> {
    Ok(Arc::new(FileSource::open(path)?))
}

fn read(path: &Path) -> anyhow::Result<BoosterModel> {
    let source = source(path)?;
    let model = match PickleFile::read(&source, |_| true)? {
        Some(file) => pickled_models(&file).into_iter().next(),
        None => BoosterModel::read(&source)?,
    };
    model.with_context(|| format!("no model: {}", path.display()))
}

/// The release as one side of a check.
fn party(release: &AskedRelease) -> anyhow::Result<Arc<Party>> {
    let name = format!("{}@{}", release.package, release.version);
    let named = named_parties::select(&name).context("no release of a package")??;
    Ok(named.into_iter().next().context("no release")?.1)
}

impl Oracle for Loads<'_> {
    const HEAD: &'static str = "release | ";
    type Peer = AskedRelease;
    type Case = SavedModel;
    type Answer = Answer;

    fn peers(&self) -> anyhow::Result<Vec<AskedRelease>> {
        Ok(self.asked_releases())
    }

    fn cases(&self, folder: &Path) -> anyhow::Result<Vec<SavedModel>> {
        self.write_models(folder, self.arguments.seed)
    }

    fn ask(
        &self,
        peer: &AskedRelease,
        cases: &[SavedModel],
        _: &Path,
    ) -> anyhow::Result<Vec<Option<Answer>>> {
        let own = cases.iter().filter(|case| case.package == peer.package).map(|case| &case.path);
        let said = run_command(self.probe(peer, LOADS)?.args(own))?;
        let mut answers: BTreeMap<&Path, Answer> = BTreeMap::new();
        for line in said.lines() {
            let mut cells = line.split('\t');
            let (Some(path), Some(outcome), error) = (cells.next(), cells.next(), cells.next())
            else {
                continue;
            };
            let outcome = match outcome {
                "same" => MeasuredOutcome::Same,
                "other" => MeasuredOutcome::Differs,
                _ => MeasuredOutcome::Load,
            };
            answers.insert(Path::new(path), (outcome, error.unwrap_or_default().to_owned()));
        }
        Ok(cases.iter().map(|case| answers.remove(case.path.as_path())).collect())
    }

    fn compare(
        &self,
        peer: &AskedRelease,
        case: &SavedModel,
        (outcome, error): &Answer,
    ) -> anyhow::Result<Comparison> {
        let opened = open(&case.path, &OpenOptions::default())?;
        let model = &opened.pieces.first().context("nothing in the file")?.party;
        let verdict = check(model, &*party(peer)?, &unskew_lab_harness::today());
        let said = verdict.findings.first();
        let expected = match said.and_then(|finding| finding.phase) {
            None => MeasuredOutcome::Same,
            Some(Phase::Silent) => MeasuredOutcome::Differs,
            Some(_) => MeasuredOutcome::Load,
        };
        let name = |path: &Path| {
            let parts =
                path.iter().rev().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>();
            parts.into_iter().rev().collect::<Vec<_>>().join("/")
        };
        let line = || {
            let said = said.map_or("loads", |finding| &finding.message);
            let error = without_places(error);
            format!("{}: {} {error}; verdict: {said}", name(&case.path), outcome.as_str())
        };
        Ok(match (expected, *outcome) {
            (said, done) if said == done => Comparison::Right,
            (MeasuredOutcome::Same, _) => Comparison::FalseCompatible(line()),
            (_, MeasuredOutcome::Same) => Comparison::FalseRefused(line()),
            _ => Comparison::WrongPhase(line()),
        })
    }

    fn name(&self, release: &AskedRelease) -> String {
        release.name()
    }
}

fn text(arguments: &BoosterModels, agreement: &Agreement) -> String {
    format!(
        "# Models of gradient boosting on real releases\n\nEvery release trains a small model for each objective and option that it knows \
         (`{WRITES}`, data drawn by seed {}), and saves it in each format that it writes. Every release of the package loads all of them, \
         and is asked for 30 predictions. A verdict is right if it says whether the model loads, and whether it answers the \
         same.\n\n{}",
        arguments.seed,
        agreement.in_words(),
    )
}
