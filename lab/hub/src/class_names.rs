//! `cargo lab class-names`: classes that pickles look up, looked up in real releases of packages, against the verdicts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_class_names::{ClassNames, PackageRelease, judge};
use unskew_core::{Party, Severity};
use unskew_lab_harness::environment::{Dependencies, with_requirements};
use unskew_lab_harness::{Agreement, Comparison, Oracle, Page, WritePage, run_command};
use unskew_random::Random;
use unskew_releases::named_parties;

use crate::files::make_empty;

const PROBE: &str = "lab/hub/probes/class_names.py";
const PAGE: Page = Page("docs/reference/class-names.md");

/// Has releases of packages look up classes of their modules, and holds the verdicts against what they find.
#[derive(Args)]
pub struct NamedClasses {
    /// Where environments are kept
    #[arg(long, default_value = "target/class-names")]
    folder: PathBuf,
    /// The releases, each with the Python that it runs on behind a colon
    #[arg(long, num_args = 1.., default_values = [
        "numpy@1.19.5:3.8", "numpy@1.24.4:3.8", "numpy@1.26.4:3.11", "numpy@2.0.2:3.11", "numpy@2.3.5:3.11",
        "pandas@1.2.5:3.8", "pandas@1.5.3:3.8", "pandas@2.0.3:3.8", "pandas@2.2.3:3.11", "pandas@3.0.0:3.11",
        "lightgbm@3.3.5:3.8", "lightgbm@4.6.0:3.11", "xgboost@1.7.6:3.8", "xgboost@2.1.4:3.11",
        "imbalanced-learn@0.9.1:3.8", "imbalanced-learn@0.13.0:3.11",
        "category-encoders@2.5.1:3.8", "category-encoders@2.8.1:3.11", "joblib@1.1.1:3.8", "joblib@1.5.2:3.11",
        "statsmodels@0.13.5:3.8", "statsmodels@0.14.5:3.11",
    ])]
    releases: Vec<String>,
    /// Folders that Python searches too, for packages that are not installed for this
    #[arg(long)]
    beside: Vec<PathBuf>,
    /// How many names of each package are drawn; of those that some release lacks, all are
    #[arg(long, default_value_t = 400)]
    count: usize,
    /// What draws them
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    page: WritePage,
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, or more than one verdict in a hundred is wrong.
pub fn run(arguments: &NamedClasses) -> anyhow::Result<()> {
    let folder = std::path::absolute(&arguments.folder)?;
    let files = folder.join("names");
    make_empty(&files)?;
    let lookups = Lookups { arguments, environments: folder.join("environments") };
    let agreement = unskew_lab_harness::compare(&lookups, &files)?;
    let text = text(arguments, &agreement);
    PAGE.publish("<!-- made by `cargo lab class-names --write` -->\n\n", &text, &arguments.page)?;
    let (wrong, judged) = (agreement.tally.wrong(), agreement.tally.judged());
    ensure!(wrong * 100 <= judged, "{wrong} of {judged} verdicts are wrong");
    Ok(())
}

struct Lookups<'a> {
    arguments: &'a NamedClasses,
    environments: PathBuf,
}

/// A release that is asked.
struct AskedRelease {
    package: String,
    version: String,
    python: String,
    party: Arc<Party>,
}

/// A name of a package: its module, and the class or function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct LookedUpName {
    package: String,
    module: String,
    name: String,
}

impl Lookups<'_> {
    fn python(&self, release: &AskedRelease) -> anyhow::Result<PathBuf> {
        let AskedRelease { package, version, python, .. } = release;
        let place = self.environments.join(format!("{package}-{version}"));
        let pinned = format!("{package}=={version}");
        let dependencies = match self.arguments.beside.is_empty() {
            true => Dependencies::All,
            false => Dependencies::None,
        };
        with_requirements(&place, python, &[&pinned], dependencies)
    }
}

impl Oracle for Lookups<'_> {
    const HEAD: &'static str = "release | ";
    type Peer = AskedRelease;
    type Case = LookedUpName;
    /// Whether the release has the name, or the error.
    type Answer = Result<(), String>;

    fn peers(&self) -> anyhow::Result<Vec<AskedRelease>> {
        let found = |text: &String| {
            let (release, python) = text.split_once(':').context("not PACKAGE@VERSION:PYTHON")?;
            let (package, version) = release.split_once('@').context("not PACKAGE@VERSION")?;
            let named = named_parties::select(release).context("no release of a package")??;
            let (_, party) = named.into_iter().next().context("no release")?;
            let [package, version, python] = [package, version, python].map(str::to_owned);
            Ok(AskedRelease { package, version, python, party })
        };
        self.arguments.releases.iter().map(found).collect()
    }

    fn cases(&self, _: &Path) -> anyhow::Result<Vec<LookedUpName>> {
        let mut random = Random::new(self.arguments.seed);
        let mut packages: BTreeMap<String, Arc<Party>> = BTreeMap::new();
        for peer in self.peers()? {
            packages.insert(peer.package, peer.party);
        }
        let mut cases = BTreeSet::new();
        for (package, party) in packages {
            let release = party.capability::<PackageRelease>().context("no classes")?;
            let (mut changed, mut kept) = (Vec::new(), Vec::new());
            for (module, name, always) in release.names() {
                let case = LookedUpName {
                    package: package.clone(),
                    module: module.to_owned(),
                    name: name.to_owned(),
                };
                if always { kept.push(case) } else { changed.push(case) }
            }
            for mut from in [changed, kept] {
                for _ in 0..self.arguments.count.min(from.len()) {
                    let at = random.below(from.len());
                    cases.insert(from.swap_remove(at));
                }
            }
        }
        Ok(cases.into_iter().collect())
    }

    fn ask(
        &self,
        peer: &AskedRelease,
        cases: &[LookedUpName],
        folder: &Path,
    ) -> anyhow::Result<Vec<Option<Self::Answer>>> {
        let is_its = |case: &&LookedUpName| case.package == peer.package;
        let lines = cases.iter().filter(is_its).map(|one| format!("{} {}\n", one.module, one.name));
        let names = folder.join(format!("{}-{}.txt", peer.package, peer.version));
        fs::write(&names, lines.collect::<String>())?;
        let mut command = Command::new(self.python(peer)?);
        command.arg(unskew_peers::root().join(PROBE)).stdin(File::open(&names)?);
        if !self.arguments.beside.is_empty() {
            command.env("PYTHONPATH", std::env::join_paths(&self.arguments.beside)?);
        }
        let said = run_command(&mut command)?;
        let mut answers = said.lines().map(|line| match line.split_once('\t') {
            Some(("present", _)) => Some(Ok(())),
            Some(("missing", error)) => Some(Err(error.to_owned())),
            _ => None,
        });
        let answer = |case: &LookedUpName| {
            if case.package == peer.package { answers.next().flatten() } else { None }
        };
        Ok(cases.iter().map(answer).collect())
    }

    fn compare(
        &self,
        peer: &AskedRelease,
        case: &LookedUpName,
        answer: &Self::Answer,
    ) -> anyhow::Result<Comparison> {
        let release = peer.party.capability::<PackageRelease>().context("no classes")?;
        let full = format!("{}.{}", case.module, case.name);
        let judgement =
            judge(&ClassNames::of_pickle([full.clone()]), release).context("not a name of it")?;
        let is_refused = judgement.findings.iter().any(|one| one.severity >= Severity::Warning);
        let is_open = judgement.unjudged.len() > 1;
        let line =
            || format!("{full}: {}", answer.as_ref().err().map_or("is there", |error| error));
        Ok(match (is_refused, answer.is_ok()) {
            _ if is_open => Comparison::NotJudged,
            (false, true) | (true, false) => Comparison::Right,
            (false, false) => Comparison::FalseCompatible(line()),
            (true, true) => Comparison::FalseRefused(line()),
        })
    }

    fn name(&self, peer: &AskedRelease) -> String {
        format!("{} {}", peer.package, peer.version)
    }
}

fn text(arguments: &NamedClasses, agreement: &Agreement) -> String {
    format!(
        "# Classes that files name\n\nOf each package, up to {count} of the classes and functions that some release lacks, and {count} \
         that all have, drawn by seed {}, are looked up in real releases as `pickle.load` does (`lab/hub/probes/class_names.py`). \
         What needs another package that is not installed is left out. A verdict is right if it says whether the release has the \
         name.\n\n{}",
        arguments.seed,
        agreement.in_words(),
        count = arguments.count,
    )
}
