//! `cargo lab scikit-learn`: estimators that every release of scikit-learn fits and saves, loaded and asked by every other one,
//! against the verdicts; `--take` writes what was measured into the database first.

mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use serde::Deserialize;
use unskew_core::{Phase, Severity, Version, check};
use unskew_lab_harness::environment::{Dependencies, with_requirements};
use unskew_lab_harness::{Agreement, Comparison, Oracle, Page, WritePage, run_command};
use unskew_releases::Release;
use unskew_source::{FileSource, Source};

use crate::files::make_empty;

const WRITE: &str = "lab/hub/probes/sklearn_write.py";
const READ: &str = "lab/hub/probes/sklearn_read.py";
const NAMES: &str = "lab/hub/probes/sklearn_names.py";
/// Behind the name of a classifier that was fitted to two classes.
const BINARY: &str = "-binary";
const PAGE: Page = Page("docs/reference/scikit-learn-load-matrix.md");

/// The releases, each with its Python, and the NumPy and SciPy of its time. All have NumPy 1, so that what differs is
/// scikit-learn.
const RELEASES: [(&str, &str, &str, &str); 13] = [
    ("0.22.2.post1", "3.8", "<1.20", "<1.6"),
    ("0.23.2", "3.8", "<1.20", "<1.6"),
    ("0.24.2", "3.9", "<1.22", "<1.7"),
    ("1.0.2", "3.9", "<1.23", "<1.8"),
    ("1.1.3", "3.10", "<1.24", "<1.10"),
    ("1.2.2", "3.11", "<1.25", "<1.11"),
    ("1.3.2", "3.11", "<1.27", "<1.12"),
    ("1.4.2", "3.12", "<1.27", "<1.13"),
    ("1.5.2", "3.12", "<1.27", "<1.15"),
    ("1.6.1", "3.12", "<1.27", "<1.16"),
    ("1.7.2", "3.12", "<1.27", "<1.17"),
    ("1.8.0", "3.12", "<1.27", ""),
    ("1.9.1", "3.12", "<1.27", ""),
];

/// Has releases of scikit-learn load what others fitted, and holds the verdicts against what they do.
#[derive(Args)]
pub struct ScikitLearn {
    /// Where environments and files are kept
    #[arg(long, default_value = "target/scikit-learn")]
    folder: PathBuf,
    /// What draws the data; an odd one also fits with other arguments than the defaults
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Writes the names of every release and what was measured into the database
    #[arg(long)]
    take: bool,
    #[command(flatten)]
    page: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, or more than two verdicts in a hundred are wrong.
pub fn run(arguments: &ScikitLearn) -> anyhow::Result<()> {
    let folder = std::path::absolute(&arguments.folder)?;
    let files = folder.join(format!("files-{}", arguments.seed));
    make_empty(&files)?;
    let loads = Loads { seed: arguments.seed, environments: folder.join("environments") };
    if arguments.take {
        return table::take(&loads, &files);
    }
    let agreement = unskew_lab_harness::compare(&loads, &files)?;
    let text = text(arguments, &agreement);
    PAGE.publish("<!-- made by `cargo lab scikit-learn --write` -->\n\n", &text, &arguments.page)?;
    let (wrong, judged) = (agreement.tally.wrong(), agreement.tally.judged());
    ensure!(wrong * 50 <= judged, "{wrong} of {judged} verdicts are wrong");
    Ok(())
}

pub(super) struct Loads {
    seed: u64,
    environments: PathBuf,
}

/// What a release did with an estimator.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Answer {
    name: String,
    writer: String,
    #[serde(default)]
    load: Option<String>,
    #[serde(default, rename = "use")]
    raises: Option<String>,
    #[serde(default)]
    differs: Option<(String, f64)>,
}

impl Answer {
    /// The class of the estimator: what was fitted to two classes has a name of its own.
    fn class(&self) -> &str {
        self.name.strip_suffix(BINARY).unwrap_or(&self.name)
    }
}

impl Loads {
    /// The interpreter of an environment with a release, which is made if it is not there yet.
    fn python(&self, release: (&str, &str, &str, &str)) -> anyhow::Result<PathBuf> {
        let (version, python, numpy, scipy) = release;
        let place = self.environments.join(version);
        let requirements =
            [format!("scikit-learn=={version}"), format!("numpy{numpy}"), format!("scipy{scipy}")];
        let requirements: Vec<&str> = requirements.iter().map(String::as_str).collect();
        with_requirements(&place, python, &requirements, Dependencies::All)
    }

    fn probe(&self, version: &str, probe: &str) -> anyhow::Result<Command> {
        let release = RELEASES.iter().find(|(one, ..)| *one == version);
        let mut command = Command::new(self.python(*release.context("a release of the list")?)?);
        // Sums are made in one order.
        command.env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1");
        command.arg(unskew_peers::root().join(probe));
        Ok(command)
    }

    /// Has every release write, and gives what it wrote.
    fn write(&self, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for (version, ..) in RELEASES {
            let place = folder.join(version);
            run_command(self.probe(version, WRITE)?.arg(&place).arg(self.seed.to_string()))?;
            for one in place.read_dir()? {
                let path = one?.path();
                if path.extension().is_some_and(|end| end == "joblib") {
                    files.push(path);
                }
            }
        }
        files.sort();
        Ok(files)
    }

    /// What a release does with everything in the folder.
    fn read(&self, version: &str, folder: &Path) -> anyhow::Result<Vec<Answer>> {
        let folders = RELEASES.map(|(writer, ..)| folder.join(writer));
        let said = run_command(self.probe(version, READ)?.args(folders))?;
        said.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }
}

/// Whether an error is of NumPy or SciPy: another version of them is installed beside a release of another year.
pub(super) fn is_of_others(error: &str) -> bool {
    [
        "__randomstate_ctor",
        "__generator_ctor",
        "'scipy.",
        "'numpy.",
        "module 'scipy",
        "module 'numpy",
    ]
    .iter()
    .any(|one| error.contains(one))
}

/// The version of the database for one of the package.
fn version(text: &str) -> anyhow::Result<Version> {
    unskew_scikit_learn::release_version(text).with_context(|| format!("no version: {text}"))
}

/// The release that wrote a file, and the estimator in it.
fn written(path: &Path) -> Option<(String, String)> {
    let writer = path.parent()?.file_name()?.to_str()?.to_owned();
    Some((writer, path.file_stem()?.to_str()?.to_owned()))
}

impl Oracle for Loads {
    const HEAD: &'static str = "release | ";
    type Peer = (&'static str, Release);
    type Case = PathBuf;
    type Answer = Answer;

    fn peers(&self) -> anyhow::Result<Vec<Self::Peer>> {
        let found = |(text, ..): (&'static str, &str, &str, &str)| {
            Ok((text, unskew_releases::find(&format!("scikit-learn@{}", version(text)?))?))
        };
        RELEASES.into_iter().map(found).collect()
    }

    fn cases(&self, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
        self.write(folder)
    }

    fn ask(
        &self,
        (version, _): &Self::Peer,
        cases: &[PathBuf],
        folder: &Path,
    ) -> anyhow::Result<Vec<Option<Answer>>> {
        let answers = self.read(version, folder)?.into_iter();
        let answers: BTreeMap<(String, String), Answer> =
            answers.map(|one| ((one.writer.clone(), one.name.clone()), one)).collect();
        Ok(cases.iter().map(|path| answers.get(&written(path)?).cloned()).collect())
    }

    fn compare(
        &self,
        (_, release): &Self::Peer,
        path: &PathBuf,
        answer: &Answer,
    ) -> anyhow::Result<Comparison> {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
        let party = unskew_scikit_learn::party(&source)?;
        let party = party.with_context(|| format!("not scikit-learn's: {}", path.display()))?;
        let verdict = check(&party, &release.party(), &unskew_lab_harness::today());
        let said = |phase| {
            verdict
                .findings
                .iter()
                .find(|one| one.severity >= Severity::Warning && one.phase == Some(phase))
        };
        let first = said(Phase::Load).or(said(Phase::FirstUse)).or(said(Phase::Silent));
        let predicted = first.and_then(|finding| finding.phase);
        let (happened, what) = match answer {
            Answer { load: Some(error), .. } => (Some(Phase::Load), error.clone()),
            Answer { raises: Some(error), .. } => (Some(Phase::FirstUse), error.clone()),
            Answer { differs: Some((method, apart)), .. } => {
                (Some(Phase::Silent), format!("{method} differs by {apart:.2e}"))
            }
            _ => (None, "works".to_owned()),
        };
        let line = || {
            let rule = first.map_or("no finding".to_owned(), |one| {
                format!("{} {}", one.rule.code, one.message)
            });
            format!("{} of {}: {what}; verdict: {rule}", answer.name, answer.writer)
        };
        // A verdict names what the file needs of these, and does not know which are installed.
        if predicted.is_none() && is_of_others(&what) {
            return Ok(Comparison::NotJudged);
        }
        Ok(match (predicted, happened) {
            (one, other) if one == other => Comparison::Right,
            (Some(_), None) => Comparison::FalseRefused(line()),
            _ => Comparison::FalseCompatible(line()),
        })
    }

    fn name(&self, (_, release): &Self::Peer) -> String {
        release.to_string()
    }
}

fn text(arguments: &ScikitLearn, agreement: &Agreement) -> String {
    let arguments = match arguments.seed % 2 {
        0 => "with default arguments",
        _ => "with other arguments than the defaults where an estimator has some of a short list",
    };
    format!(
        "# Estimators of scikit-learn on its other releases\n\n{} releases fit every estimator that made data can be fitted to, {arguments}, and \
         save it by joblib (`lab/hub/probes/sklearn_write.py`). Every release loads all of them, and calls what it can of \
         `predict`, `predict_proba`, `decision_function`, `transform`, `score_samples` and `kneighbors`. A verdict is right if it says \
         what goes wrong first: it does not load, a method raises, or a method answers otherwise than in the release that wrote \
         it.\n\n{}\n\n{}\n{}",
        RELEASES.len(),
        agreement.tally.agreement(),
        agreement.table,
        wrong(agreement)
    )
}

/// What was wrong, one line for each estimator: the first of its verdicts, and how many there are.
fn wrong(agreement: &Agreement) -> String {
    let mut estimators: BTreeMap<&str, (usize, &(String, String))> = BTreeMap::new();
    for one in &agreement.wrong {
        let name = one.1.split(' ').next().unwrap_or_default();
        estimators.entry(name).or_insert((0, one)).0 += 1;
    }
    let mut text = String::from("Wrong, by estimator, each with its first case:\n\n");
    for (count, (release, line)) in estimators.values() {
        text += &format!("* {count}: {release}: {line}\n");
    }
    text
}
