//! `cargo lab locked-names`: pairs of releases that the table of Python names calls broken, drawn at random, installed and imported.
//!
//! What declares against each other, an installer refuses to install: so each pair is one that metadata calls good. Each is
//! judged as the lock that `uv pip freeze` writes of it, imported, changed as the first proposal says, and imported again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use unskew_environments::{EnvironmentVerdict, LockTarget, PackageLock, judge};
use unskew_lab_harness::environment::{make_empty, uv};
use unskew_lab_harness::{Page, WritePage, run_command, today};
use unskew_releases::{NameAbsence, PythonNames};

const PAGE: Page = Page("docs/reference/locked-names.md");

const PYTHON: &str = "3.11";

/// Packages that bring PyTorch or TensorFlow along: gigabytes for each pair.
const LARGE: [&str; 47] = [
    "accelerate",
    "audiocraft",
    "auto-gptq",
    "autoawq",
    "autogluon-tabular",
    "bertopic",
    "botorch",
    "captum",
    "colbert-ai",
    "compel",
    "controlnet-aux",
    "deepspeed",
    "diffusers",
    "fairscale",
    "fastai",
    "flagembedding",
    "gluonts",
    "gpytorch",
    "keras-cv",
    "keras-hub",
    "keras-nlp",
    "keybert",
    "kornia",
    "lightning",
    "monai",
    "nemo-toolkit",
    "open-clip-torch",
    "optimum",
    "peft",
    "pyro-ppl",
    "pytorch-lightning",
    "sentence-transformers",
    "simpletransformers",
    "tensorflow",
    "tensorflow-addons",
    "tensorflow-cpu",
    "tensorflow-decision-forests",
    "tensorflow-estimator",
    "tensorflow-probability",
    "tensorflow-text",
    "tf-keras",
    "timm",
    "torch",
    "torchao",
    "torchmetrics",
    "trl",
    "vllm",
];

/// Installs pairs of releases of which one lacks a name that the other asks for, and imports them.
#[derive(clap::Args)]
pub struct LockedNames {
    /// What draws the pairs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many pairs are installed
    #[arg(long, default_value_t = 30)]
    count: usize,
    #[command(flatten)]
    write: WritePage,
}

/// A pair of releases of which the second lacks what the import of the first needs.
#[derive(Clone, Debug)]
struct BrokenPair {
    asking: (String, String),
    lacking: (String, String),
    name: String,
    /// The module at the top whose import fails.
    top: String,
}

/// What came of a pair.
struct Outcome {
    pair: BrokenPair,
    /// Whether the lock is said to fail over a name.
    is_named: bool,
    /// The last line of the import; none if it works.
    error: Option<String>,
    /// The proposed change, and the last line of the import after it; none if it works.
    change: Option<(String, Option<String>)>,
}

/// Runs what was asked for.
///
/// # Errors
/// If nothing can be installed, or a pair works that is said to fail.
pub fn run(arguments: &LockedNames) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let (mut outcomes, mut refused) = (Vec::new(), 0);
    for pair in drawn(arguments.seed) {
        if outcomes.len() == arguments.count {
            break;
        }
        match outcome(pair, folder.path())? {
            Some(outcome) => outcomes.push(outcome),
            None => refused += 1,
        }
    }
    let page = page(arguments.seed, &outcomes, refused)?;
    PAGE.publish("<!-- made by `cargo lab locked-names --write` -->\n\n", &page, &arguments.write)?;
    let wrong = outcomes.iter().filter(|one| one.error.is_none()).count();
    ensure!(wrong == 0, "{wrong} of {} pairs work that are said to fail", outcomes.len());
    Ok(())
}

/// A pair of releases for each two packages, in an order that the seed decides.
fn drawn(seed: u64) -> Vec<BrokenPair> {
    let hash = |parts: &[&str]| {
        let mut hasher = DefaultHasher::new();
        (seed, parts).hash(&mut hasher);
        hasher.finish()
    };
    let packages: Vec<(&str, PythonNames)> = PythonNames::packages()
        .filter(|key| !LARGE.contains(key))
        .filter_map(|key| Some((key, PythonNames::of_package(key)?)))
        .collect();
    let mut lacking: BTreeMap<String, Vec<(&str, &str)>> = BTreeMap::new();
    for (key, names) in &packages {
        for release in names.releases() {
            for (absence, name) in names.absent(release) {
                if absence == NameAbsence::MayLack {
                    continue;
                }
                lacking.entry(name.to_owned()).or_default().push((*key, release.as_str()));
            }
        }
    }
    let mut all: BTreeMap<(&str, &str), (u64, BrokenPair)> = BTreeMap::new();
    for (key, names) in &packages {
        for release in names.releases() {
            for asked in names.asked_by(release).into_iter().filter(|one| one.fails_at_load) {
                for (other, version) in lacking.get(&asked.name).into_iter().flatten() {
                    let rank = hash(&[key, release, other, version]);
                    let is_first = all.get(&(*key, *other)).is_none_or(|(first, _)| rank < *first);
                    if other == key || !is_first {
                        continue;
                    }
                    let owned = |key: &str, version: &str| (key.to_owned(), version.to_owned());
                    let top = asked.by.split('.').next().unwrap_or_default().to_owned();
                    let (asking, lacking) = (owned(key, release), owned(other, version));
                    let name = asked.name.replace(':', ".");
                    all.insert((*key, *other), (rank, BrokenPair { asking, lacking, name, top }));
                }
            }
        }
    }
    let mut all: Vec<(u64, BrokenPair)> = all.into_values().collect();
    all.sort_by_key(|(rank, _)| *rank);
    all.into_iter().map(|(_, pair)| pair).collect()
}

/// Installs and imports a pair; none if it cannot be installed.
fn outcome(pair: BrokenPair, folder: &Path) -> anyhow::Result<Option<Outcome>> {
    let place = folder.join("environment");
    let python = place.join("bin/python");
    make_empty(&place, PYTHON)?;
    let pins = [&pair.asking, &pair.lacking].map(|(name, version)| format!("{name}=={version}"));
    // Older packages ask setuptools for pkg_resources, which is another reason to fail.
    if install(&python, pins.iter().map(String::as_str).chain(["setuptools<80"])).is_err() {
        println!("cannot be installed together: {}", pins.join(" "));
        return Ok(None);
    }
    let lock = run_command(
        Command::new(uv()?).args(["pip", "freeze", "--quiet", "--python"]).arg(&python),
    )?;
    let verdict = verdict(&lock)?;
    let findings = verdict.pairs.iter().flat_map(|pair| &pair.verdict.findings);
    let is_named = findings.into_iter().any(|finding| finding.rule.code == "EN118");
    let error = imported(&python, &pair.top);
    let requirements = verdict
        .change
        .map(|change| change.pins.into_iter().map(|pin| pin.requirement).collect::<Vec<_>>());
    let change = requirements.map(|requirements| {
        let text = requirements.join(" ");
        match install(&python, requirements.iter().map(String::as_str)) {
            Ok(_) => (text, imported(&python, &pair.top)),
            Err(_) => (text, Some("cannot be installed".to_owned())),
        }
    });
    let outcome = Outcome { pair, is_named, error, change };
    println!("{}", row(&outcome));
    Ok(Some(outcome))
}

fn install<'a>(
    python: &PathBuf,
    requirements: impl Iterator<Item = &'a str>,
) -> anyhow::Result<String> {
    let mut install = Command::new(uv()?);
    install.args(["pip", "install", "--quiet", "--only-binary", ":all:", "--python"]).arg(python);
    run_command(install.args(requirements))
}

fn verdict(lock: &str) -> anyhow::Result<EnvironmentVerdict> {
    let lock = PackageLock::of_text("requirements.txt", lock)?;
    let target = LockTarget { python: Some(PYTHON.parse()?), ..LockTarget::default() };
    let (environment, _) = lock.environment(target, None);
    Ok(judge(&environment, &today()))
}

/// The last line that an import prints before it fails; none if it works.
fn imported(python: &PathBuf, module: &str) -> Option<String> {
    let run = Command::new(python).args(["-c", &format!("import {module}")]).output();
    let output = match run {
        Ok(output) => output,
        Err(error) => return Some(error.to_string()),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let last = || said.lines().last().unwrap_or_default().chars().take(120).collect();
    (!output.status.success()).then(last)
}

fn row(outcome: &Outcome) -> String {
    let pair = &outcome.pair;
    let label = |(name, version): &(String, String)| format!("{name} {version}");
    // Where a package is installed says nothing here.
    let plain = |text: &str| text.split(" (/").next().unwrap_or(text).replace('|', "\\|");
    let error = outcome.error.as_deref().map_or("works".to_owned(), plain);
    let (change, after) = match &outcome.change {
        Some((change, None)) => (change.clone(), "works".to_owned()),
        Some((change, Some(error))) => (change.clone(), plain(error)),
        None => ("none".to_owned(), String::new()),
    };
    let (asking, lacking) = (label(&pair.asking), label(&pair.lacking));
    let named = if outcome.is_named { "yes" } else { "no" };
    format!("| {asking} | {lacking} | `{}` | {named} | {error} | {change} | {after} |", pair.name)
}

fn page(seed: u64, outcomes: &[Outcome], refused: usize) -> anyhow::Result<String> {
    let count = outcomes.len();
    let fail = outcomes.iter().filter(|one| one.error.is_some()).count();
    let named = outcomes.iter().filter(|one| one.is_named).count();
    let changed = outcomes.iter().filter_map(|one| one.change.as_ref());
    let works = changed.clone().filter(|(_, error)| error.is_none()).count();
    let mut page = format!(
        "# Python names in locks, on real imports\n\n\
         Pairs of releases that the table of Python names (`crates/judging/releases/data/python-names.tsv`) calls broken, one for each two \
         packages, drawn by seed {seed}; those that bring PyTorch or TensorFlow along are left out. Each was installed with uv for Python \
         {PYTHON}, which refuses what declares against each other: {refused} were, or have no wheels. The lock is what `uv pip freeze` \
         writes. A proposed change was installed and imported, too.\n\n\
         **Agreement: the import of {fail} of {count} fails; `unskew lock` names a missing name in {named}. After {works} of {} \
         proposed changes the import works.**\n\n\
         | asks | lacks | name | named | import | proposed | import after it |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
        changed.count(),
    );
    for outcome in outcomes {
        writeln!(page, "{}", row(outcome)).context("a text can be written to")?;
    }
    Ok(page)
}
