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
use unskew_core::{Context, Date, Outcome, Party, Phase, Verdict, check};
use unskew_lab_harness::Package;
use unskew_releases::find;
use unskew_source::{FileSource, Source};

/// The opsets under which each case is written.
const OPSETS: [&str; 12] = ["7", "9", "11", "13", "15", "17", "19", "21", "23", "25", "27", "28"];

/// The releases that are asked unless others are named.
const RELEASES: [&str; 10] = [
    "1.8.1", "1.10.0", "1.12.1", "1.14.1", "1.16.3", "1.18.1", "1.20.1", "1.23.2", "1.26.0",
    "1.32.0",
];

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

/// How many verdicts were what.
#[derive(Default)]
struct Tally {
    right: usize,
    unjudged: usize,
    false_compatible: Vec<String>,
    false_refused: Vec<String>,
}

/// Makes, runs, judges and compares.
///
/// # Errors
/// If a package cannot be had or asked, or more than one verdict in two hundred was wrong.
pub fn run(arguments: &OnnxDifferential) -> anyhow::Result<()> {
    let made = tempfile::tempdir()?;
    let kept = arguments.keep.as_ref().map(|folder| folder.join("cases"));
    let folder = match (&arguments.models, kept) {
        (Some(models), _) => models.clone(),
        (None, Some(kept)) if kept.exists() => kept,
        (None, kept) => {
            let folder = kept.unwrap_or_else(|| made.path().to_owned());
            let site = arguments.site(&format!("onnx-{}", arguments.onnx));
            let onnx = Package::new("onnx", &arguments.onnx, site.as_deref())?;
            let out = folder.to_str().context("a folder that is no text")?;
            let every = arguments.every.max(1).to_string();
            let asked: Vec<&str> = [out, &every].into_iter().chain(OPSETS).collect();
            onnx.ask("onnx", "onnx_cases.py", &asked)?;
            folder
        }
    };
    let written = tempfile::tempdir()?;
    let folder = match arguments.writers.is_empty() {
        true => folder,
        false => {
            for version in &arguments.writers {
                arguments.write(version, &folder, written.path())?;
            }
            written.path().to_owned()
        }
    };
    let parties = parties(&folder)?;
    let releases: Vec<&str> = match arguments.releases.as_slice() {
        [] => RELEASES.to_vec(),
        named => named.iter().map(String::as_str).collect(),
    };
    println!(
        "| ONNX Runtime | models | right | not judged | compatible, and refused | refused, and runs |"
    );
    println!("| --- | --: | --: | --: | --: | --: |");
    let (mut all, mut wrong, mut lines) = (0, 0, String::new());
    for version in releases {
        let said = arguments.outcomes(version, &folder)?;
        let release = find(&format!("onnxruntime=={version}"))?.party();
        let mut tally = Tally::default();
        for line in said.lines() {
            tally.add(line, &parties, &release);
        }
        let bad = tally.false_compatible.len() + tally.false_refused.len();
        let count = tally.right + tally.unjudged + bad;
        println!(
            "| {version} | {count} | {} | {} | {} | {} |",
            tally.right,
            tally.unjudged,
            tally.false_compatible.len(),
            tally.false_refused.len()
        );
        for one in tally.false_compatible.iter().chain(&tally.false_refused) {
            lines.push_str(&format!("{version}\t{one}\n"));
        }
        (all, wrong) = (all + count, wrong + bad);
    }
    if let Some(list) = &arguments.list {
        fs::write(list, lines)?;
    }
    ensure!(wrong * 200 <= all, "{wrong} of {all} verdicts were wrong");
    Ok(())
}

impl OnnxDifferential {
    /// What a release does with the models of a folder, a line each.
    fn outcomes(&self, version: &str, folder: &Path) -> anyhow::Result<String> {
        let kept = self.keep.as_ref().map(|keep| keep.join("out").join(format!("{version}.tsv")));
        if let Some(kept) = kept.as_ref().filter(|kept| kept.exists()) {
            return Ok(fs::read_to_string(kept)?);
        }
        let package = Package::new("onnxruntime", version, self.site(version).as_deref())?;
        let folder = folder.to_str().context("a folder that is no text")?;
        let said = package.ask("onnx", "onnx_run.py", &[folder])?;
        if let Some(kept) = kept {
            fs::create_dir_all(kept.parent().unwrap_or(Path::new(".")))?;
            fs::write(kept, &said)?;
        }
        Ok(said)
    }

    /// Has a release write the models of a folder in the format `.ort`, and lays their inputs beside them.
    fn write(&self, version: &str, folder: &Path, out: &Path) -> anyhow::Result<()> {
        let package = Package::new("onnxruntime", version, self.site(version).as_deref())?;
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

/// Every model of a folder as a party, by its name; with the error where it cannot be read.
fn parties(folder: &Path) -> anyhow::Result<BTreeMap<String, Result<Party, String>>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name =
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !name.ends_with(".onnx") && !name.ends_with(".ort") {
            continue;
        }
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&path)?);
        let party = match unskew_onnx::party(&source) {
            Ok(Some(party)) => Ok(party),
            Ok(None) => Err("not recognized".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        all.insert(name, party);
    }
    Ok(all)
}

impl Tally {
    /// Takes what a release did with a model.
    fn add(
        &mut self,
        line: &str,
        parties: &BTreeMap<String, Result<Party, String>>,
        release: &Party,
    ) {
        let mut cells = line.splitn(3, '\t');
        let (Some(name), Some(outcome)) = (cells.next(), cells.next()) else { return };
        let said = cells.next().unwrap_or_default();
        let works = matches!(outcome, "ok" | "session");
        let today = Context::on(Date::constant(2026, 11, 1));
        let verdict = match parties.get(name) {
            Some(Ok(party)) => check(party, release, &today),
            Some(Err(error)) => {
                match works {
                    true => {
                        self.false_refused.push(format!("{name}\t{outcome}\tnot read: {error}"))
                    }
                    false => self.right += 1,
                }
                return;
            }
            None => return,
        };
        match (&verdict.outcome, works) {
            (Outcome::Compatible, true) | (Outcome::Incompatible, false) => self.right += 1,
            // Nothing was run: what fails at the first run is not seen.
            (Outcome::Incompatible, true)
                if outcome == "session" && verdict.first_failure() == Some(Phase::FirstUse) =>
            {
                self.right += 1;
            }
            (Outcome::Compatible, false) => {
                self.false_compatible.push(format!("{name}\t{outcome}\t{said}"));
            }
            (Outcome::Incompatible, true) => {
                self.false_refused.push(format!("{name}\t{outcome}\t{}", first(&verdict)));
            }
            _ => self.unjudged += 1,
        }
    }
}

fn first(verdict: &Verdict) -> String {
    verdict
        .findings
        .first()
        .map(|one| format!("{} {}", one.rule.code, one.message))
        .unwrap_or_default()
}
