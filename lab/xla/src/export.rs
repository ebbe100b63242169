//! `cargo lab jax-export`: verdicts about files of `jax.export`, against what real JAX releases do with them.
//!
//! Every release writes some functions (`lab/xla/probes/export_write.py`) and every release loads and calls all of them
//! (`lab/xla/probes/export_read.py`); each pair is judged. `jax.export` needs two packages that JAX does not require:
//! `python/environments/flatbuffers-25.2.10.txt`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};
use unskew_core::{Context, Date, Outcome, Phase, check};
use unskew_jax_matrix::Host;
use unskew_lab_harness::environment::Environment;
use unskew_peers::Peer;
use unskew_source::{FileSource, Source};

const WRITE: &str = "lab/xla/probes/export_write.py";
const READ: &str = "lab/xla/probes/export_read.py";
/// The environment of what `jax.export` needs beside JAX.
const PACKAGES: (&str, &str) = ("flatbuffers", "25.2.10");
const TABLE: &str = "docs/reference/jax-export-matrix.md";

/// Has JAX releases write and read files of jax.export, and holds the verdicts against what they do.
#[derive(Args)]
pub struct JaxExport {
    /// A JAX release; all that have an environment if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    /// Writes docs/reference/jax-export-matrix.md
    #[arg(long)]
    write: bool,
}

/// What a writer says of one function.
#[derive(Deserialize)]
struct Written {
    name: String,
    inputs: Option<serde_json::Value>,
}

/// A file with what it is called with.
#[derive(Serialize)]
struct Case {
    path: PathBuf,
    inputs: serde_json::Value,
}

/// What a reader did with a file.
#[derive(Deserialize)]
struct Reading {
    phase: Option<String>,
    error: Option<String>,
}

/// How many verdicts about the files of one reader were what.
#[derive(Default)]
struct Tally {
    right: usize,
    unjudged: usize,
    false_compatible: usize,
    false_refused: usize,
    wrong_phase: usize,
}

/// Writes, reads, judges and compares.
///
/// # Errors
/// If an environment is missing, a probe cannot be run, or a verdict was wrong.
pub fn run(arguments: &JaxExport) -> anyhow::Result<()> {
    let hosts: Vec<Host> = match &arguments.releases[..] {
        [] => Host::all(),
        named => named.iter().map(|name| Host::named(name)).collect::<Result<_, _>>()?,
    };
    Environment::named(&format!("{}-{}", PACKAGES.0, PACKAGES.1))?.make()?;
    let packages = Peer::named(PACKAGES.0, PACKAGES.1)?;
    let folder = tempfile::tempdir()?;
    let mut cases = Vec::new();
    for host in &hosts {
        cases.extend(write(host, &packages, folder.path())?);
    }
    println!("{} files of {} releases", cases.len(), hosts.len());
    let mut table = String::from(
        "| JAX that reads | files | right | not judged | compatible, and fails | refused, and works | fails elsewhere |\n\
         | --- | --: | --: | --: | --: | --: | --: |\n",
    );
    let mut wrong = BTreeMap::new();
    for host in &hosts {
        let mut tally = Tally::default();
        for (case, reading) in cases.iter().zip(read(host, &packages, &cases)?) {
            if let Some(what) = tally.add(host, case, &reading)? {
                wrong.entry(what).or_insert_with(Vec::new).push(format!(
                    "{} on {}",
                    named(case),
                    host.version
                ));
            }
        }
        let Tally { right, unjudged, false_compatible, false_refused, wrong_phase } = tally;
        let row = format!(
            "| {} | {} | {right} | {unjudged} | {false_compatible} | {false_refused} | {wrong_phase} |",
            host.version,
            cases.len()
        );
        println!("{row}");
        let _ = writeln!(table, "{row}");
    }
    for (what, files) in &wrong {
        println!("{what}\n  {} times, first {}", files.len(), files[0]);
    }
    if arguments.write {
        fs::write(unskew_peers::root().join(TABLE), page(&table, cases.len() * hosts.len()))?;
    }
    ensure!(wrong.is_empty(), "{} kinds of verdicts were wrong", wrong.len());
    Ok(())
}

fn page(table: &str, cells: usize) -> String {
    format!(
        "# Files of jax.export and JAX releases\n\nMade by `cargo lab jax-export --write`: each JAX writes some functions, and \
         each loads and calls all of them, on the CPU with two devices: {cells} cells. A verdict is right if it says \
         whether the file works, and at load or at first use if it does not. *Not judged* is a verdict that names what \
         was not looked at.\n\n{table}"
    )
}

/// Where a file stands among those that were written: `0.6.2/sharded`.
fn named(case: &Case) -> String {
    let mut parts = case.path.components().rev().filter_map(|part| part.as_os_str().to_str());
    let file = parts.next().unwrap_or_default().trim_end_matches(".jaxexp");
    format!("{}/{file}", parts.next().unwrap_or_default())
}

/// The interpreter of a release, with the packages that `jax.export` needs.
fn python(host: &Host, packages: &Peer) -> anyhow::Result<Command> {
    let library = packages.python.ancestors().nth(2).context("an environment")?.join("lib");
    let site = fs::read_dir(library)?.flatten().map(|entry| entry.path().join("site-packages"));
    let site = site.into_iter().find(|path| path.is_dir()).context("site-packages")?;
    let mut command = host.peer.command();
    command.env("PYTHONPATH", site).env("PYTHONDONTWRITEBYTECODE", "1").stderr(Stdio::null());
    Ok(command)
}

/// Has a release write what it can.
fn write(host: &Host, packages: &Peer, folder: &Path) -> anyhow::Result<Vec<Case>> {
    let own = folder.join(host.version.to_string());
    fs::create_dir_all(&own)?;
    let output =
        python(host, packages)?.arg(unskew_peers::root().join(WRITE)).arg(&own).output()?;
    let text = String::from_utf8(output.stdout)?;
    let written = text.lines().map(serde_json::from_str).collect::<Result<Vec<Written>, _>>()?;
    ensure!(!written.is_empty(), "JAX {} wrote nothing", host.version);
    let case =
        |Written { name, inputs }| Some(Case { path: own.join(name + ".jaxexp"), inputs: inputs? });
    Ok(written.into_iter().filter_map(case).collect())
}

/// Has a release load and call every file. What ends the process is an answer too; the next process goes on behind it.
fn read(host: &Host, packages: &Peer, cases: &[Case]) -> anyhow::Result<Vec<Reading>> {
    let mut readings: Vec<Reading> = Vec::new();
    while readings.len() < cases.len() {
        let mut command = python(host, packages)?;
        command.arg(unskew_peers::root().join(READ)).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut input = child.stdin.take().context("standard input")?;
        let lines = cases[readings.len()..]
            .iter()
            .map(serde_json::to_string)
            .collect::<Result<Vec<_>, _>>()?;
        let feed =
            std::thread::spawn(move || lines.iter().try_for_each(|line| writeln!(input, "{line}")));
        let output = child.wait_with_output()?;
        // A process that died stopped reading: that is what its output tells.
        let _ = feed.join();
        let text = String::from_utf8(output.stdout)?;
        let before = readings.len();
        for line in text.lines() {
            readings.push(serde_json::from_str(line)?);
        }
        if readings.len() < cases.len() {
            let died = output.status.code().is_none();
            ensure!(
                died || readings.len() > before,
                "JAX {} cannot read files of jax.export",
                host.version
            );
            readings.push(Reading {
                phase: Some("call".to_owned()),
                error: Some(output.status.to_string()),
            });
        }
    }
    Ok(readings)
}

impl Tally {
    /// Compares one verdict; what is wrong with it, if anything is.
    fn add(
        &mut self,
        host: &Host,
        case: &Case,
        reading: &Reading,
    ) -> anyhow::Result<Option<String>> {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&case.path)?);
        let party = unskew_jax_export::party(&source)?.context("no file of jax.export")?;
        let release = unskew_releases::find(&format!("jax@{}", host.version))?;
        let today = Context::on(Date::constant(2026, 11, 1));
        let verdict = check(&party, &release.party(), &today);
        let codes: Vec<&str> = verdict.findings.iter().map(|finding| finding.rule.code).collect();
        let judged = match (&verdict.outcome, verdict.first_failure()) {
            (Outcome::Incompatible, Some(Phase::Load)) => Some("load"),
            (Outcome::Incompatible, _) => Some("call"),
            (Outcome::Unjudged, _) => {
                self.unjudged += 1;
                return Ok(None);
            }
            _ => None,
        };
        let did = reading.phase.as_deref();
        let count = match (judged, did) {
            (Some(judged), Some(did)) if judged != did => &mut self.wrong_phase,
            (None, Some(_)) => &mut self.false_compatible,
            (Some(_), None) => &mut self.false_refused,
            _ => {
                self.right += 1;
                return Ok(None);
            }
        };
        *count += 1;
        let said = reading.error.as_deref().unwrap_or("works").replace('\n', " ");
        let said: String = said.chars().take(100).collect();
        Ok(Some(format!("judged {} {codes:?}, and did: {said}", judged.unwrap_or("compatible"))))
    }
}
