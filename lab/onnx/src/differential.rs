//! `cargo lab onnx-differential`: verdicts about node cases of onnx, against what real ONNX Runtimes do with them.
//!
//! The newest onnx writes its node cases as they are, under other opsets without any conversion, and with other element
//! types (`lab/onnx/probes/onnx_cases.py`); each ONNX Runtime makes a session of each and runs it
//! (`lab/onnx/probes/onnx_run.py`), and each pair is judged. With `--ort` releases write the cases as files of the format
//! `.ort`, and every release loads the files of every other.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_core::{Outcome, Party, Phase, Verdict, check};
use unskew_lab_harness::{
    Agreement, Answers, Comparison, Oracle, Package, Prediction, compare, today,
};
use unskew_releases::find;
use unskew_source::{FileSource, Source};

/// The opsets under which each case is written.
const OPSETS: [&str; 12] = ["7", "9", "11", "13", "15", "17", "19", "21", "23", "25", "27", "28"];

/// The releases that are asked unless others are named.
const RELEASES: [&str; 10] = [
    "1.8.1", "1.10.0", "1.12.1", "1.14.1", "1.16.3", "1.18.1", "1.20.1", "1.23.2", "1.26.0",
    "1.32.0",
];

/// The operators that ONNX Runtime adds, which made models take their forms from.
pub(crate) const OPERATORS: &str = "crates/judging/releases/data/onnxruntime/operators.tsv";

/// Holds verdicts about ONNX models against what real ONNX Runtimes do with them.
#[derive(Args)]
pub struct OnnxDifferential {
    /// Takes only each so-manieth case.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// The release of onnx that writes the cases.
    #[arg(long, default_value = "1.23.2")]
    onnx: String,
    /// A release that is asked.
    #[arg(long = "release")]
    releases: Vec<String>,
    /// A folder with packages that are installed already: `VERSION` and `onnx-VERSION`.
    #[arg(long)]
    installed: Option<PathBuf>,
    /// Takes the models of this folder in the place of node cases.
    #[arg(long)]
    models: Option<PathBuf>,
    /// Takes models that are made at random in the place of node cases; this text decides them.
    #[arg(long, conflicts_with = "models")]
    made: Option<String>,
    /// How many are made of each form of an operator.
    #[arg(long, default_value_t = 12, requires = "made")]
    count: usize,
    /// Has this release write the cases as files of the format `.ort`, which are judged and run in their place.
    #[arg(long = "ort", conflicts_with = "keep")]
    writers: Vec<String>,
    /// Keeps the cases and what releases did with them in this folder, and takes what is there already.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Writes every wrong verdict into this file.
    #[arg(long)]
    list: Option<PathBuf>,
}

/// Makes, runs, judges and compares.
///
/// # Errors
/// If a package cannot be had or asked, or more than one verdict in two hundred was wrong.
pub fn run(arguments: &OnnxDifferential) -> anyhow::Result<()> {
    let made = tempfile::tempdir()?;
    let Agreement { tally, wrong, .. } = compare(arguments, made.path())?;
    if let Some(list) = &arguments.list {
        let lines: String =
            wrong.iter().map(|(version, line)| format!("{version}\t{line}\n")).collect();
        fs::write(list, lines)?;
    }
    let (wrong, all) = (tally.wrong(), tally.count());
    ensure!(wrong * 200 <= all, "{wrong} of {all} verdicts were wrong");
    Ok(())
}

/// A model: its name, and the party, or why it cannot be read.
pub struct Model {
    name: String,
    party: Result<Party, String>,
}

/// What a release does with a model: the outcome, and what it says.
pub struct Answer {
    outcome: String,
    said: String,
}

impl Oracle for OnnxDifferential {
    const HEAD: &'static str = "ONNX Runtime | ";
    type Peer = (String, Arc<Party>);
    type Case = Model;
    type Answer = Answer;

    fn peers(&self) -> anyhow::Result<Vec<(String, Arc<Party>)>> {
        let named: Vec<&str> = match self.releases.as_slice() {
            [] => RELEASES.to_vec(),
            named => named.iter().map(String::as_str).collect(),
        };
        let party = |version: &str| {
            let release = find(&format!("onnxruntime=={version}"))?;
            Ok((version.to_owned(), release.party()))
        };
        named.into_iter().map(party).collect()
    }

    fn cases(&self, made: &Path) -> anyhow::Result<Vec<Model>> {
        let folder = self.folder(made);
        if self.models.is_none() && !folder.exists() {
            let site = self.site(&format!("onnx-{}", self.onnx));
            let onnx = Package::new("onnx", &self.onnx, site.as_deref())?;
            let out = folder.to_str().context("a folder that is no text")?;
            if let Some(seed) = &self.made {
                onnx.ask("onnx", "onnx_made.py", &[out, seed, &self.count.to_string(), OPERATORS])?;
                return models(&folder);
            }
            let every = self.every.max(1).to_string();
            let asked: Vec<&str> = [out, &every].into_iter().chain(OPSETS).collect();
            onnx.ask("onnx", "onnx_cases.py", &asked)?;
        }
        for version in &self.writers {
            self.write(version, &folder, &made.join("written"))?;
        }
        models(&self.given(made))
    }

    fn ask(
        &self,
        (version, _): &(String, Arc<Party>),
        cases: &[Model],
        made: &Path,
    ) -> anyhow::Result<Vec<Option<Answer>>> {
        let answers = Answers::new(self.keep.as_ref().map(|keep| keep.join("out")).as_deref());
        let said = answers.get(&format!("{version}.tsv"), || {
            let package = Package::new("onnxruntime", version, self.site(version).as_deref())?;
            let folder = self.given(made);
            let folder = folder.to_str().context("a folder that is no text")?;
            package.ask("onnx", "onnx_run.py", &[folder])
        })?;
        let answer = |line: &str| {
            let mut cells = line.splitn(3, '\t').map(str::to_owned);
            let (name, outcome) = (cells.next()?, cells.next()?);
            Some((name, Answer { outcome, said: cells.next().unwrap_or_default() }))
        };
        let mut all: BTreeMap<String, Answer> = said.lines().filter_map(answer).collect();
        Ok(cases.iter().map(|case| all.remove(&case.name)).collect())
    }

    fn compare(
        &self,
        (_, release): &(String, Arc<Party>),
        Model { name, party }: &Model,
        Answer { outcome, said }: &Answer,
    ) -> anyhow::Result<Comparison> {
        let works = matches!(outcome.as_str(), "ok" | "session");
        let line = |what: &str| format!("{name}\t{outcome}\t{what}");
        let verdict = match party {
            Ok(party) => check(party, release, &today()),
            Err(error) => {
                let line = || line(&format!("not read: {error}"));
                return Ok(Comparison::new(Prediction::Fails, works, line));
            }
        };
        // Nothing was run: what fails at the first run is not seen.
        let at_first_use = verdict.first_failure() == Some(Phase::FirstUse);
        let unseen = outcome == "session" && at_first_use;
        let prediction = match verdict.outcome {
            Outcome::Compatible => Prediction::Works,
            Outcome::Incompatible => Prediction::Fails,
            _ => Prediction::NotJudged,
        };
        let wrong = || line(&if works { first(&verdict) } else { said.clone() });
        Ok(Comparison::new(prediction, works && !unseen, wrong))
    }

    fn name(&self, (version, _): &(String, Arc<Party>)) -> String {
        version.clone()
    }
}

impl OnnxDifferential {
    /// Where the models lie that onnx writes, or that were given.
    fn folder(&self, made: &Path) -> PathBuf {
        let kept = self.keep.as_ref().map(|folder| folder.join("cases"));
        let models = self.models.clone().or(kept);
        models.unwrap_or_else(|| made.join("cases"))
    }

    fn given(&self, made: &Path) -> PathBuf {
        if self.writers.is_empty() { self.folder(made) } else { made.join("written") }
    }

    /// Has a release write the models of a folder in the format `.ort`, and lays their inputs beside them.
    fn write(&self, version: &str, folder: &Path, out: &Path) -> anyhow::Result<()> {
        let package = Package::new("onnxruntime", version, self.site(version).as_deref())?;
        fs::create_dir_all(out)?;
        let [from, to] = [folder, out].map(|folder| folder.to_str().unwrap_or_default());
        for level in ["basic", "all"] {
            package.ask("onnx", "onnx_run.py", &[from, to, level])?;
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if let Some(name) =
                path.file_name().filter(|_| path.extension().is_some_and(|end| end == "npz"))
            {
                fs::copy(&path, out.join(name))?;
            }
        }
        Ok(())
    }

    fn site(&self, name: &str) -> Option<PathBuf> {
        self.installed.as_ref().map(|folder| folder.join(name))
    }
}

fn models(folder: &Path) -> anyhow::Result<Vec<Model>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.ends_with(".onnx") && !name.ends_with(".ort") {
            continue;
        }
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&path)?);
        let party = match unskew_onnx::party(&source) {
            Ok(Some(party)) => Ok(party),
            Ok(None) => Err("not recognized".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        all.push(Model { name, party });
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(all)
}

fn first(verdict: &Verdict) -> String {
    verdict
        .findings
        .first()
        .map(|one| format!("{} {}", one.rule.code, one.message))
        .unwrap_or_default()
}
