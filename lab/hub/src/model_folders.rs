//! `cargo lab model-folders`: configurations and tokenizers that releases of transformers write, loaded by others, against the
//! verdicts.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_core::{Phase, Severity, Version, check};
use unskew_lab_harness::environment::{Dependencies, with_requirements};
use unskew_lab_harness::{Agreement, Comparison, Oracle, Page, WritePage, run_command};
use unskew_releases::Release;
use unskew_source::{FileSource, Source};

use crate::files::make_empty;

const PROBE: &str = "lab/hub/probes/model_folders.py";
const PAGE: Page = Page("docs/reference/model-folders.md");

/// The first release that runs on a Python after 3.9, and the first that works with numpy 2.
const NEW_PYTHON: Version = Version::pair(4, 31);
const NUMPY_2: Version = Version::pair(4, 46);

/// Has releases of transformers load what others write, and holds the verdicts against what they do.
#[derive(Args)]
pub struct ModelFolders {
    /// Where environments and folders are kept
    #[arg(long, default_value = "target/model-folders")]
    folder: PathBuf,
    /// The releases that write
    #[arg(long, num_args = 1.., default_values = ["4.31.0", "4.42.4", "4.51.3", "4.57.6", "5.0.0", "5.24.0"])]
    writers: Vec<String>,
    /// The releases that load
    #[arg(long, num_args = 1.., default_values = [
        "4.12.5", "4.21.3", "4.28.1", "4.31.0", "4.36.2", "4.40.2", "4.42.4", "4.45.2", "4.48.3", "4.51.3", "4.56.2", "4.57.6",
        "5.0.0", "5.10.4", "5.24.0",
    ])]
    readers: Vec<String>,
    /// What draws the types of models
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many types each writer draws
    #[arg(long, default_value_t = 40)]
    count: usize,
    #[command(flatten)]
    page: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, or more than one verdict in a hundred is wrong.
pub fn run(arguments: &ModelFolders) -> anyhow::Result<()> {
    let folder = std::path::absolute(&arguments.folder)?;
    let files = folder.join("files");
    make_empty(&files)?;
    let loads = Loads { arguments, environments: folder.join("environments") };
    let agreement = unskew_lab_harness::compare(&loads, &files)?;
    let text = text(arguments, &agreement);
    PAGE.publish("<!-- made by `cargo lab model-folders --write` -->\n\n", &text, &arguments.page)?;
    let (wrong, judged) = (agreement.tally.wrong(), agreement.tally.judged());
    ensure!(wrong * 100 <= judged, "{wrong} of {judged} verdicts are wrong");
    Ok(())
}

struct Loads<'a> {
    arguments: &'a ModelFolders,
    environments: PathBuf,
}

impl Loads<'_> {
    /// The interpreter of an environment with a release, which is made if it is not there yet.
    fn python(&self, version: &str) -> anyhow::Result<PathBuf> {
        let place = self.environments.join(version);
        let release: Version = version.parse()?;
        let wanted = if release < NEW_PYTHON { "3.9" } else { "3.11" };
        let package = format!("transformers=={version}");
        let mut requirements = vec![&*package];
        if release < NUMPY_2 {
            requirements.extend(["numpy<2", "huggingface_hub<0.26"]);
        }
        with_requirements(&place, wanted, &requirements, Dependencies::All)
    }

    fn probe(&self, version: &str) -> anyhow::Result<Command> {
        let mut command = Command::new(self.python(version)?);
        command.arg(unskew_peers::root().join(PROBE));
        Ok(command)
    }
}

impl Oracle for Loads<'_> {
    const HEAD: &'static str = "release | ";
    type Peer = Release;
    type Case = PathBuf;
    type Answer = String;

    fn peers(&self) -> anyhow::Result<Vec<Release>> {
        let found =
            |version: &String| Ok(unskew_releases::find(&format!("transformers@{version}"))?);
        self.arguments.readers.iter().map(found).collect()
    }

    fn cases(&self, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
        let mut cases = Vec::new();
        for version in &self.arguments.writers {
            let place = folder.join(version);
            let (seed, count) = (self.arguments.seed.to_string(), self.arguments.count.to_string());
            run_command(self.probe(version)?.arg("write").arg(&place).args([seed, count]))?;
            for one in place.read_dir()? {
                cases.push(one?.path());
            }
        }
        cases.sort();
        Ok(cases)
    }

    fn ask(
        &self,
        release: &Release,
        folders: &[PathBuf],
        _: &Path,
    ) -> anyhow::Result<Vec<Option<String>>> {
        let version = release.version().to_string();
        let said = run_command(self.probe(&version)?.arg("load").args(folders))?;
        let answer = |line: &str| line.split_once('\t').map(|(_, said)| said.to_owned());
        Ok(said.lines().map(answer).collect())
    }

    fn compare(
        &self,
        release: &Release,
        path: &PathBuf,
        said: &String,
    ) -> anyhow::Result<Comparison> {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&path.join("config.json"))?);
        let party = unskew_transformers::party(&source)?;
        let party = party.with_context(|| format!("no configuration: {}", path.display()))?;
        let beside = |name: &str| {
            let source = FileSource::open(&path.join(name)).ok()?;
            Some(Arc::new(source) as Arc<dyn Source>)
        };
        let party = unskew_transformers::with_files(party, &beside);
        let verdict = check(&party, &release.party(), &unskew_lab_harness::today());
        let refused = verdict
            .findings
            .iter()
            .find(|one| one.severity == Severity::Error && one.phase == Some(Phase::Load));
        let last =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let writer = path.parent().map(last).unwrap_or_default();
        let line = || {
            let why = refused.map_or(said, |finding| &finding.message);
            format!("{} of {writer}: {why}", last(path))
        };
        Ok(match (refused.is_none(), said == "loads") {
            (true, true) | (false, false) => Comparison::Right,
            (false, true) => Comparison::FalseRefused(line()),
            (true, false) => Comparison::FalseCompatible(line()),
        })
    }

    fn name(&self, release: &Release) -> String {
        release.to_string()
    }
}

fn text(arguments: &ModelFolders, agreement: &Agreement) -> String {
    format!(
        "# Model folders on real releases of transformers\n\nReleases {} write the configurations of {} types of models each, drawn \
         by seed {}, those that people have most, forms of rope, and two tokenizers (`lab/hub/probes/model_folders.py`). Other \
         releases load them, without weights. A verdict is right if it says whether the folder is loaded.\n\n{}",
        arguments.writers.join(", "),
        arguments.count,
        arguments.seed,
        agreement.in_words()
    )
}
