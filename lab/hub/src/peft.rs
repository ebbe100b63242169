//! `cargo lab peft`: configurations of adapters that every release of PEFT writes, loaded by every other one, against the verdicts;
//! `--take` writes what every release knows and does into the database.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use serde::Deserialize;
use unskew_core::{Phase, Version, check};
use unskew_lab_harness::environment::{Dependencies, with_requirements};
use unskew_lab_harness::{Agreement, Comparison, Oracle, Page, WritePage, run_command};
use unskew_releases::{Family, Release};
use unskew_source::{FileSource, Source};

use crate::files::{folders, make_empty, measured_rows};

const PROBE: &str = "lab/hub/probes/peft_configs.py";
const TABLE: &str = "crates/judging/releases/data/peft/names.tsv";
const PAGE: Page = Page("docs/reference/peft-load-matrix.md");

/// The Python of all releases: what they need of others is not there.
const PYTHON: &str = "3.11";

/// Has releases of PEFT load the configurations of adapters that others write, and holds the verdicts against what they do.
#[derive(Args)]
pub struct PeftAdapters {
    /// Where environments and files are kept
    #[arg(long, default_value = "target/peft")]
    folder: PathBuf,
    /// What draws the values of fields
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Writes what every release knows and does into the database
    #[arg(long)]
    take: bool,
    #[command(flatten)]
    page: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, or a verdict is wrong.
pub fn run(arguments: &PeftAdapters) -> anyhow::Result<()> {
    let folder = std::path::absolute(&arguments.folder)?;
    let files = folder.join(format!("files-{}", arguments.seed));
    make_empty(&files)?;
    let loads = Loads { arguments, environments: folder.join("environments") };
    if arguments.take {
        return loads.take(&files);
    }
    let agreement = unskew_lab_harness::compare(&loads, &files)?;
    let text = text(arguments, &agreement);
    PAGE.publish("<!-- made by `cargo lab peft --write` -->\n\n", &text, &arguments.page)?;
    let wrong = agreement.tally.wrong();
    ensure!(wrong == 0, "{wrong} of {} verdicts are wrong", agreement.tally.judged());
    Ok(())
}

struct Loads<'a> {
    arguments: &'a PeftAdapters,
    environments: PathBuf,
}

/// What a release made of a configuration.
#[derive(Clone, Debug, Deserialize)]
struct Answer {
    folder: PathBuf,
    #[serde(default)]
    error: Option<String>,
}

fn releases() -> Vec<Version> {
    Family::Peft.rows().iter().map(|row| row.version).collect()
}

impl Loads<'_> {
    fn probe(&self, release: Version) -> anyhow::Result<Command> {
        let place = self.environments.join(release.to_string());
        let package = format!("peft=={release}");
        let requirements = [&*package, "packaging", "typing-extensions"];
        let python = with_requirements(&place, PYTHON, &requirements, Dependencies::None)?;
        let mut command = Command::new(python);
        command.arg(unskew_peers::root().join(PROBE));
        Ok(command)
    }

    /// Measures every release, and writes the table.
    fn take(&self, folder: &Path) -> anyhow::Result<()> {
        let all = releases();
        let mut rows: BTreeMap<String, BTreeSet<Version>> = BTreeMap::new();
        for release in &all {
            let said = run_command(self.probe(*release)?.arg("measure").arg(folder))?;
            for line in said.lines() {
                rows.entry(line.to_owned()).or_default().insert(*release);
            }
        }
        let path = unskew_peers::root().join(TABLE);
        fs::write(&path, measured_rows(&all, &rows)).with_context(|| path.display().to_string())?;
        println!("{}: {} rows", path.display(), rows.len());
        Ok(())
    }
}

impl Oracle for Loads<'_> {
    const HEAD: &'static str = "release | ";
    type Peer = (Version, Release);
    type Case = PathBuf;
    type Answer = Answer;

    fn peers(&self) -> anyhow::Result<Vec<Self::Peer>> {
        let found =
            |version: Version| Ok((version, unskew_releases::find(&format!("peft@{version}"))?));
        releases().into_iter().map(found).collect()
    }

    fn cases(&self, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
        let mut cases = Vec::new();
        for release in releases() {
            let place = folder.join(release.to_string());
            let seed = self.arguments.seed.to_string();
            run_command(self.probe(release)?.arg("write").arg(&place).arg(seed))?;
            cases.extend(folders(&place)?);
        }
        Ok(cases)
    }

    fn ask(
        &self,
        (version, _): &Self::Peer,
        folders: &[PathBuf],
        _: &Path,
    ) -> anyhow::Result<Vec<Option<Answer>>> {
        let said = run_command(self.probe(*version)?.arg("load").args(folders))?;
        let answers: Vec<Answer> =
            said.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let mut answers: BTreeMap<PathBuf, Answer> =
            answers.into_iter().map(|one| (one.folder.clone(), one)).collect();
        Ok(folders.iter().map(|folder| answers.remove(folder)).collect())
    }

    fn compare(
        &self,
        (_, release): &Self::Peer,
        folder: &PathBuf,
        answer: &Answer,
    ) -> anyhow::Result<Comparison> {
        let path = folder.join("adapter_config.json");
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&path)?);
        let party = unskew_peft::party(&source)?;
        let party = party.with_context(|| format!("no adapter: {}", path.display()))?;
        let verdict = check(&party, &release.party(), &unskew_lab_harness::today());
        let refused = verdict.findings.iter().find(|one| one.phase == Some(Phase::Load));
        let line = || {
            let what = answer.error.as_deref().unwrap_or("loads");
            let said = refused.map_or("loads", |one| &one.message);
            format!("{}: {what}; verdict: {said}", folder.display())
        };
        Ok(match (refused.is_none(), answer.error.is_none()) {
            (true, true) | (false, false) => Comparison::Right,
            (true, false) => Comparison::FalseCompatible(line()),
            (false, true) => Comparison::FalseRefused(line()),
        })
    }

    fn name(&self, (_, release): &Self::Peer) -> String {
        release.to_string()
    }
}

fn text(arguments: &PeftAdapters, agreement: &Agreement) -> String {
    format!(
        "# Configurations of adapters on releases of PEFT\n\nEvery release since 0.1.0 writes two configurations of each type that it \
         knows: one as it is, and one with four fields that are drawn by seed {} at other values (`lab/hub/probes/peft_configs.py`). \
         Every release loads all of them, without PyTorch and transformers, which a configuration does not need. A verdict is right if \
         it says whether the configuration is loaded.\n\n{}",
        arguments.seed,
        agreement.in_words(),
    )
}
