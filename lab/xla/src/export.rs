//! `cargo lab jax-export`: verdicts about files of `jax.export`, against what real JAX releases do with them.
//!
//! Every release writes some functions (`lab/xla/probes/export_write.py`) and every release loads and calls all of them
//! (`lab/xla/probes/export_read.py`); each pair is judged. `jax.export` needs two packages that JAX does not require:
//! `python/environments/flatbuffers-25.2.10.txt`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};
use unskew_core::{Phase, check};
use unskew_jax_matrix::JaxHost;
use unskew_lab_harness::environment::Environment;
use unskew_lab_harness::{Comparison, Oracle, Page, Prediction, WritePage, compare, today};
use unskew_peers::Peer;
use unskew_source::{FileSource, Source};

const WRITE: &str = "lab/xla/probes/export_write.py";
const READ: &str = "lab/xla/probes/export_read.py";
/// The environment of what `jax.export` needs beside JAX.
const PACKAGES: (&str, &str) = ("flatbuffers", "25.2.10");
const TABLE: Page = Page("docs/reference/jax-export-matrix.md");

/// Has JAX releases write and read files of jax.export, and holds the verdicts against what they do.
#[derive(Args)]
pub struct JaxExport {
    /// A JAX release; all that have an environment if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    #[command(flatten)]
    write: WritePage,
}

/// What a writer says of one function.
#[derive(Deserialize)]
struct Written {
    name: String,
    inputs: Option<serde_json::Value>,
}

/// A file with what it is called with.
#[derive(Serialize)]
pub struct Case {
    path: PathBuf,
    inputs: serde_json::Value,
}

/// What a reader did with a file.
#[derive(Deserialize)]
pub struct Reading {
    phase: Option<String>,
    error: Option<String>,
}

/// Writes, reads, judges and compares.
///
/// # Errors
/// If an environment is missing, a probe cannot be run, or a verdict was wrong.
pub fn run(arguments: &JaxExport) -> anyhow::Result<()> {
    Environment::named(&format!("{}-{}", PACKAGES.0, PACKAGES.1))?.make()?;
    let files = Files {
        hosts: JaxHost::chosen(&arguments.releases)?,
        packages: Peer::named(PACKAGES.0, PACKAGES.1)?,
    };
    let folder = tempfile::tempdir()?;
    let agreement = compare(&files, folder.path())?;
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (host, line) in &agreement.wrong {
        let (file, what) = line.split_once('\t').unwrap_or((line, ""));
        wrong.entry(what).or_default().push(format!("{file} on {host}"));
    }
    for (what, files) in &wrong {
        println!("{what}\n  {} times, first {}", files.len(), files[0]);
    }
    TABLE.write(&page(&agreement.table, agreement.tally.count()), &arguments.write)?;
    ensure!(wrong.is_empty(), "{} kinds of verdicts were wrong", wrong.len());
    Ok(())
}

/// The releases that write and read, and what `jax.export` needs beside them.
struct Files {
    hosts: Vec<JaxHost>,
    packages: Peer,
}

impl Oracle for Files {
    const HEAD: &'static str = "JAX that reads | ";
    type Peer = JaxHost;
    type Case = Case;
    type Answer = Reading;

    fn peers(&self) -> anyhow::Result<Vec<JaxHost>> {
        Ok(self.hosts.clone())
    }

    fn cases(&self, folder: &Path) -> anyhow::Result<Vec<Case>> {
        let mut cases = Vec::new();
        for host in &self.hosts {
            cases.extend(write(host, &self.packages, folder)?);
        }
        println!("{} files of {} releases", cases.len(), self.hosts.len());
        Ok(cases)
    }

    fn ask(
        &self,
        host: &JaxHost,
        cases: &[Case],
        _: &Path,
    ) -> anyhow::Result<Vec<Option<Reading>>> {
        Ok(read(host, &self.packages, cases)?.into_iter().map(Some).collect())
    }

    fn compare(
        &self,
        host: &JaxHost,
        case: &Case,
        reading: &Reading,
    ) -> anyhow::Result<Comparison> {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&case.path)?);
        let party = unskew_jax_export::party(&source)?.context("no file of jax.export")?;
        let release = unskew_releases::find(&format!("jax@{}", host.version))?;
        let verdict = check(&party, &release.party(), &today());
        let codes: Vec<&str> = verdict.findings.iter().map(|finding| finding.rule.code).collect();
        let judged = match verdict.first_failure() {
            Some(Phase::Load) => "load",
            _ => "call",
        };
        let prediction = Prediction::new(&verdict);
        let did = reading.phase.as_deref();
        let line = || {
            let said = reading.error.as_deref().unwrap_or("works").replace('\n', " ");
            let said: String = said.chars().take(100).collect();
            let judged = if prediction == Prediction::Fails { judged } else { "compatible" };
            format!("{}\tjudged {judged} {codes:?}, and did: {said}", named(case))
        };
        Ok(match did {
            Some(did) if prediction == Prediction::Fails && did != judged => {
                Comparison::WrongPhase(line())
            }
            did => Comparison::new(prediction, did.is_none(), line),
        })
    }

    fn name(&self, host: &JaxHost) -> String {
        host.version.to_string()
    }
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
fn python(host: &JaxHost, packages: &Peer) -> anyhow::Result<Command> {
    let library = packages.python.ancestors().nth(2).context("an environment")?.join("lib");
    let site = fs::read_dir(library)?.flatten().map(|entry| entry.path().join("site-packages"));
    let site = site.into_iter().find(|path| path.is_dir()).context("site-packages")?;
    let mut command = host.peer.command();
    command.env("PYTHONPATH", site).stderr(Stdio::null());
    Ok(command)
}

/// Has a release write what it can.
fn write(host: &JaxHost, packages: &Peer, folder: &Path) -> anyhow::Result<Vec<Case>> {
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
fn read(host: &JaxHost, packages: &Peer, cases: &[Case]) -> anyhow::Result<Vec<Reading>> {
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
