//! `cargo lab tokenizers`: files `tokenizer.json` with components that are drawn, half of them written anew by a release that is
//! drawn, loaded and asked by every release of tokenizers, against the verdicts; `--take` measures every component and writes
//! the database.

mod table;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use unskew_core::{Phase, Version, check};
use unskew_lab_harness::environment::{Dependencies, with_requirements};
use unskew_lab_harness::{Agreement, Comparison, Oracle, Page, WritePage, run_command};
use unskew_releases::{Family, Release};
use unskew_source::{FileSource, Source};

use crate::files::{folders, make_empty};

const WRITE: &str = "lab/hub/probes/tokenizers_write.py";
const READ: &str = "lab/hub/probes/tokenizers_read.py";
const ROWS: &str = "lab/hub/probes/tokenizers_rows.py";
const PAGE: Page = Page("docs/reference/tokenizers-load-matrix.md");

/// The first release without wheels for Python 3.9, which has one for every release before.
const NEW_PYTHON: Version = Version::pair(0, 23);

/// Has releases of tokenizers load and ask files, and holds the verdicts against what they do.
#[derive(Args)]
pub struct Tokenizers {
    /// Where environments and files are kept
    #[arg(long, default_value = "target/tokenizers")]
    folder: PathBuf,
    /// What draws the components
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many files are drawn
    #[arg(long, default_value_t = 400)]
    count: usize,
    /// A folder with folders that have a tokenizer.json each, in place of files that are drawn
    #[arg(long)]
    real: Option<PathBuf>,
    /// Measures every component in every release, and writes that into the database
    #[arg(long)]
    take: bool,
    #[command(flatten)]
    page: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, a file is said to load and does not, or a verdict about loading is wrong.
pub fn run(arguments: &Tokenizers) -> anyhow::Result<()> {
    let folder = std::path::absolute(&arguments.folder)?;
    let files = folder.join(format!("files-{}", arguments.seed));
    make_empty(&files)?;
    let loads = Loads {
        arguments,
        environments: folder.join("environments"),
        newest: RefCell::default(),
        silent: Cell::default(),
    };
    if arguments.take {
        return table::take(&loads, &files);
    }
    let agreement = unskew_lab_harness::compare(&loads, &files)?;
    let silent = loads.silent.get();
    println!("{}", silent.in_words());
    let text = text(arguments, &agreement, silent);
    PAGE.publish("<!-- made by `cargo lab tokenizers --write` -->\n\n", &text, &arguments.page)?;
    let wrong = agreement.tally.wrong();
    ensure!(wrong == 0, "{wrong} of {} verdicts are wrong", agreement.tally.judged());
    Ok(())
}

pub(super) struct Loads<'a> {
    arguments: &'a Tokenizers,
    environments: PathBuf,
    /// What the newest release makes of each file.
    newest: RefCell<BTreeMap<PathBuf, Answer>>,
    silent: Cell<SilentCount>,
}

/// What a release made of a file.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Answer {
    folder: PathBuf,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    ids: Option<Value>,
    #[serde(default)]
    text: Option<Value>,
}

/// Files that load, by whether they give other ids or texts than in the newest release, and whether a verdict says so.
#[derive(Clone, Copy, Debug, Default)]
struct SilentCount {
    both_same: usize,
    both_differ: usize,
    /// Said to differ, and alike for the texts that were asked.
    only_said: usize,
    /// Different, and nothing was said.
    only_seen: usize,
}

impl SilentCount {
    fn in_words(self) -> String {
        let Self { both_same, both_differ, only_said, only_seen } = self;
        format!(
            "Of the files that load, {both_differ} give other ids or texts than in the newest release, as was said; {both_same} the \
             same, as was said; {only_said} the same for the texts that were asked, where others may differ; {only_seen} differ, and \
             nothing was said."
        )
    }
}

impl Loads<'_> {
    /// The interpreter of an environment with a release, which is made if it is not there yet.
    fn python(&self, release: Version) -> anyhow::Result<PathBuf> {
        let place = self.environments.join(release.to_string());
        let wanted = if release < NEW_PYTHON { "3.9" } else { "3.12" };
        let package = format!("tokenizers=={release}");
        with_requirements(&place, wanted, &[&package], Dependencies::None)
    }

    fn probe(&self, release: Version) -> anyhow::Result<Command> {
        let mut command = Command::new(self.python(release)?);
        command.env("TOKENIZERS_PARALLELISM", "false").env("RUST_BACKTRACE", "0");
        command.arg(unskew_peers::root().join(READ));
        Ok(command)
    }

    /// What a release prints of the files in these folders.
    fn read(&self, release: Version, folders: &[PathBuf]) -> anyhow::Result<String> {
        run_command(self.probe(release)?.arg("load").args(folders))
    }

    fn answers(&self, release: Version, folders: &[PathBuf]) -> anyhow::Result<Vec<Answer>> {
        let said = self.read(release, folders)?;
        // Releases print warnings to the same place.
        let lines = said.lines().filter(|line| line.starts_with("{\"folder\""));
        lines.map(|line| Ok(serde_json::from_str(line)?)).collect()
    }

    /// Files that are drawn; each second is written anew by a release, as far as that loads it.
    fn draw(&self, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
        let Tokenizers { seed, count, .. } = self.arguments;
        let made = folder.join("made");
        let mut write = Command::new("python3");
        write.arg(unskew_peers::root().join(WRITE)).arg("drawn").arg(&made);
        run_command(write.args([seed.to_string(), count.to_string()]))?;
        let mut folders = folders(&made)?;
        let releases = releases();
        let mut again: BTreeMap<Version, Vec<(usize, PathBuf)>> = BTreeMap::new();
        for (at, _) in folders.iter().enumerate().skip(1).step_by(2) {
            let Some(release) = releases.get((at / 2 + *seed as usize) % releases.len()) else {
                continue;
            };
            let name = format!("{at:04}-by-{release}");
            again.entry(*release).or_default().push((at, folder.join(name)));
        }
        for (release, pairs) in again {
            let mut command = self.probe(release)?;
            command.arg("rewrite");
            for (at, target) in &pairs {
                command.args(folders.get(*at)).arg(target);
            }
            run_command(&mut command)?;
            for (at, target) in pairs {
                if let (true, Some(place)) = (target.exists(), folders.get_mut(at)) {
                    *place = target;
                }
            }
        }
        Ok(folders)
    }
}

/// Every release of the database, oldest first.
pub(super) fn releases() -> Vec<Version> {
    Family::Tokenizers.rows().iter().map(|row| row.version).collect()
}

impl Oracle for Loads<'_> {
    const HEAD: &'static str = "release | ";
    type Peer = (Version, Release);
    type Case = PathBuf;
    type Answer = Answer;

    fn peers(&self) -> anyhow::Result<Vec<Self::Peer>> {
        let found = |version: Version| {
            Ok((version, unskew_releases::find(&format!("tokenizers@{version}"))?))
        };
        releases().into_iter().map(found).collect()
    }

    fn cases(&self, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
        let cases = match &self.arguments.real {
            Some(real) => folders(&std::path::absolute(real)?)?,
            None => self.draw(folder)?,
        };
        if let Some(newest) = releases().last() {
            let answers = self.answers(*newest, &cases)?;
            let answers = answers.into_iter().map(|one| (one.folder.clone(), one));
            self.newest.replace(answers.collect());
        }
        Ok(cases)
    }

    fn ask(
        &self,
        (version, _): &Self::Peer,
        folders: &[PathBuf],
        _: &Path,
    ) -> anyhow::Result<Vec<Option<Answer>>> {
        let answers = self.answers(*version, folders)?.into_iter();
        let mut answers: BTreeMap<PathBuf, Answer> =
            answers.map(|one| (one.folder.clone(), one)).collect();
        Ok(folders.iter().map(|folder| answers.remove(folder)).collect())
    }

    fn compare(
        &self,
        (_, release): &Self::Peer,
        folder: &PathBuf,
        answer: &Answer,
    ) -> anyhow::Result<Comparison> {
        let path = folder.join("tokenizer.json");
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&path)?);
        let party = unskew_tokenizers::party(&source)?;
        let party = party.with_context(|| format!("no tokenizer: {}", path.display()))?;
        let verdict = check(&party, &release.party(), &unskew_lab_harness::today());
        let said = |phase| verdict.findings.iter().find(|one| one.phase == Some(phase));
        let refused = said(Phase::Load);
        let line = || {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let what = answer.error.as_deref().unwrap_or("loads");
            format!("{name}: {what}; verdict: {}", refused.map_or("loads", |one| &one.message))
        };
        let newest = self.newest.borrow();
        if let Some(newest) = newest.get(folder).filter(|one| one.error.is_none())
            && answer.error.is_none()
            && refused.is_none()
        {
            let mut silent = self.silent.get();
            // What is drawn by chance is compared with nothing.
            let differs = |a: &Option<Value>, b: &Option<Value>| {
                a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| a != b)
            };
            let seen = differs(&answer.ids, &newest.ids) || differs(&answer.text, &newest.text);
            let count = match (said(Phase::Silent).is_some(), seen) {
                (true, true) => &mut silent.both_differ,
                (false, false) => &mut silent.both_same,
                (true, false) => &mut silent.only_said,
                (false, true) => &mut silent.only_seen,
            };
            *count += 1;
            self.silent.set(silent);
            if said(Phase::Silent).is_none() && seen {
                let kind = if differs(&answer.ids, &newest.ids) { "ids" } else { "text" };
                println!("{release}: {}: other {kind}, and nothing was said", folder.display());
            }
        }
        // What it did not look at can fail; what it refuses must.
        Ok(match (refused.is_none(), answer.error.is_none()) {
            (true, true) | (false, false) => Comparison::Right,
            (true, false) if !verdict.unjudged.is_empty() => Comparison::NotJudged,
            (true, false) => Comparison::FalseCompatible(line()),
            (false, true) => Comparison::FalseRefused(line()),
        })
    }

    fn name(&self, (_, release): &Self::Peer) -> String {
        release.to_string()
    }
}

fn text(arguments: &Tokenizers, agreement: &Agreement, silent: SilentCount) -> String {
    format!(
        "# tokenizer.json on releases of tokenizers\n\n{} files of components that are drawn by seed {}, with fields and values that are drawn, \
         are loaded by every release since 0.10.0; each second was written anew by one of these \
         (`lab/hub/probes/tokenizers_write.py`). A verdict is right if it says whether the file is loaded.\n\n{}\n{}\n",
        arguments.count,
        arguments.seed,
        agreement.in_words(),
        silent.in_words(),
    )
}
