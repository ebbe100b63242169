//! `cargo lab stablehlo-differential`: verdicts about portable artifacts made at random, against what real jaxlibs do.
//!
//! The newest jaxlib that is here writes programs for versions at random (`lab/xla/probes/stablehlo_make.py`), each
//! jaxlib reads all of them (`lab/xla/probes/stablehlo_read.py`), and each pair is judged. A program that a verdict is
//! wrong about is narrowed down to one of its pieces. `--file` puts that piece into the tests of the crate.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use serde::Deserialize;
use unskew_core::{Outcome, Party, Role, Version, aspect, check};
use unskew_jax_matrix::JaxHost;
use unskew_lab_harness::{Comparison, Oracle, Prediction, compare, today};
use unskew_source::{FileSource, Source};

use crate::stablehlo_programs::{MAKE, MODULES, artifacts, probe};

const READ: &str = "lab/xla/probes/stablehlo_read.py";

/// Where `--file` puts test cases.
const CASES: &str = "crates/xla/stablehlo/tests/data/differential";

/// Makes StableHLO artifacts at random, and holds the verdicts against what real jaxlibs do with them.
#[derive(Args)]
pub struct StablehloDifferential {
    /// How many programs are made, each for seven versions.
    #[arg(long, default_value_t = 300)]
    count: usize,
    /// Takes the modules of the back-compatibility data that the newest JAX here has, in the place of programs made at
    /// random.
    #[arg(long)]
    modules: bool,
    /// The same seed makes the same programs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A JAX release that reads; all that have an environment if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    /// Puts what a verdict is wrong about into the tests of the crate.
    #[arg(long)]
    file: bool,
}

/// What the first line of a reader says.
#[derive(Deserialize)]
struct Head {
    stablehlo: String,
}

/// What a reader did with an artifact.
#[derive(Clone, Deserialize)]
pub struct Reading {
    file: String,
    reads: bool,
    said: String,
}

/// A release with what it did.
pub struct Reader {
    host: JaxHost,
    stablehlo: Version,
    readings: Vec<Reading>,
}

/// Makes, reads, judges and compares.
///
/// # Errors
/// If no environment is there, a probe cannot be run, or a verdict was wrong.
pub fn run(arguments: &StablehloDifferential) -> anyhow::Result<()> {
    let writer = newest()?;
    let folder = tempfile::tempdir()?;
    match arguments.modules {
        true => take_modules(&writer, folder.path())?,
        false => make(&writer, folder.path(), arguments, None)?,
    }
    let readers = Readers { folder: folder.path(), hosts: JaxHost::chosen(&arguments.releases)? };
    let agreement = compare(&readers, folder.path())?;
    if arguments.modules {
        agreement.wrong.iter().for_each(|(_, what)| println!("{what}"));
    } else {
        let mut programs: BTreeMap<(&str, Vec<&str>), &str> = BTreeMap::new();
        for (_, what) in &agreement.wrong {
            let file = what.split(": ").next().unwrap_or_default();
            programs.entry(program(file)).or_insert(what);
        }
        for ((number, pieces), what) in programs {
            let small = shrink(&writer, &readers.hosts, arguments, number, &pieces)?;
            println!(
                "{what}\n  narrowed down to {}",
                small.as_deref().unwrap_or("the whole program")
            );
        }
    }
    let wrong = agreement.wrong.len();
    ensure!(wrong == 0, "{wrong} verdicts were wrong");
    Ok(())
}

/// The jaxlib that writes: the newest.
fn newest() -> anyhow::Result<JaxHost> {
    JaxHost::all().pop().context("`cargo xtask corpus` makes the environments of JAX")
}

/// The releases that read the artifacts of a folder.
struct Readers<'f> {
    folder: &'f Path,
    hosts: Vec<JaxHost>,
}

impl Oracle for Readers<'_> {
    const HEAD: &'static str = "jaxlib | its StableHLO | ";
    type Peer = Reader;
    type Case = String;
    type Answer = Reading;

    fn peers(&self) -> anyhow::Result<Vec<Reader>> {
        self.hosts.iter().map(|host| Reader::ask(host, self.folder)).collect()
    }

    fn cases(&self, folder: &Path) -> anyhow::Result<Vec<String>> {
        let name = |path: PathBuf| Some(path.file_name()?.to_str()?.to_owned());
        Ok(artifacts(folder)?.into_iter().filter_map(name).collect())
    }

    fn ask(
        &self,
        reader: &Reader,
        files: &[String],
        _: &Path,
    ) -> anyhow::Result<Vec<Option<Reading>>> {
        let reading = |file: &String| reader.readings.iter().find(|one| one.file == *file).cloned();
        Ok(files.iter().map(reading).collect())
    }

    fn compare(
        &self,
        reader: &Reader,
        _: &String,
        reading: &Reading,
    ) -> anyhow::Result<Comparison> {
        reader.compare(reading, self.folder)
    }

    fn name(&self, reader: &Reader) -> String {
        reader.host.version.to_string()
    }

    fn row(&self, reader: &Reader) -> String {
        format!("{} | {}", reader.host.version, reader.stablehlo)
    }
}

impl Reader {
    /// Has a release read every artifact of a folder.
    fn ask(host: &JaxHost, folder: &Path) -> anyhow::Result<Self> {
        let output = probe(host, READ).arg(folder).output()?;
        let text = String::from_utf8(output.stdout)?;
        let mut lines = text.lines();
        let head = lines.next().with_context(|| format!("jaxlib {} says nothing", host.version))?;
        let head: Head = serde_json::from_str(head)?;
        let readings = lines.map(serde_json::from_str).collect::<Result<Vec<Reading>, _>>()?;
        ensure!(
            output.status.success(),
            "jaxlib {} ended after {} files",
            host.version,
            readings.len()
        );
        let stablehlo = head
            .stablehlo
            .parse()
            .map_err(|_| anyhow::anyhow!("no version: {}", head.stablehlo))?;
        Ok(Self { host: host.clone(), stablehlo, readings })
    }

    fn outcome(&self, path: &Path) -> anyhow::Result<Outcome> {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
        let party = unskew_stablehlo::party(&source)?.context("no artifact")?;
        let name = format!("jaxlib {}", self.host.version);
        let reader =
            unskew_stablehlo::reader(Party::new(name, Role::Runtime, "jaxlib"), self.stablehlo);
        let verdict = check(&party, &reader, &today());
        // Who deserializes does not ask for handlers.
        let reads = verdict.unjudged.iter().all(|one| one.aspect == aspect::CUSTOM_CALLS);
        Ok(match verdict.outcome {
            Outcome::Unjudged if reads => Outcome::Compatible,
            outcome => outcome,
        })
    }

    fn compare(&self, reading: &Reading, folder: &Path) -> anyhow::Result<Comparison> {
        let outcome = self.outcome(&folder.join(&reading.file))?;
        let prediction = match outcome {
            Outcome::Unjudged => Prediction::NotJudged,
            Outcome::Incompatible => Prediction::Fails,
            _ => Prediction::Works,
        };
        let (host, version) = (&self.host.version, self.stablehlo);
        let did = if reading.reads { "reads it" } else { "refuses it" };
        let said = reading.said.replace('\n', " ");
        Ok(Comparison::new(prediction, reading.reads, || {
            let file = &reading.file;
            format!("{file}: judged {outcome:?}, jaxlib {host} ({version}) {did} {said}")
        }))
    }
}

/// Puts the modules of JAX's own data into a folder.
fn take_modules(writer: &JaxHost, folder: &Path) -> anyhow::Result<()> {
    let status = probe(writer, MODULES).arg(folder).status()?;
    ensure!(status.success(), "{MODULES} failed on jaxlib {}", writer.version);
    Ok(())
}

/// Makes artifacts: all of them, or those of some pieces of one program.
fn make(
    writer: &JaxHost,
    folder: &Path,
    arguments: &StablehloDifferential,
    pieces: Option<&str>,
) -> anyhow::Result<()> {
    let mut command = probe(writer, MAKE);
    command.arg(folder).args([arguments.seed.to_string(), arguments.count.to_string()]);
    if let Some(pieces) = pieces {
        command.args(["--pieces", pieces]);
    }
    ensure!(command.status()?.success(), "{MAKE} failed on jaxlib {}", writer.version);
    Ok(())
}

/// The program of an artifact, and its pieces: `14-0_1@1.9.0.bc` is of 14, and has 0 and 1.
fn program(file: &str) -> (&str, Vec<&str>) {
    let name = file.split('@').next().unwrap_or_default();
    let (program, pieces) = name.split_once('-').unwrap_or((name, ""));
    (program, pieces.split('_').collect())
}

/// The first of the pieces of a program that alone is judged wrongly too, as a test case if that is asked for.
fn shrink(
    writer: &JaxHost,
    hosts: &[JaxHost],
    arguments: &StablehloDifferential,
    number: &str,
    pieces: &[&str],
) -> anyhow::Result<Option<String>> {
    for piece in pieces {
        let folder = tempfile::tempdir()?;
        make(writer, folder.path(), arguments, Some(&format!("{number}:{piece}")))?;
        let asked = hosts.iter().map(|host| Reader::ask(host, folder.path()));
        let readers: Vec<Reader> = asked.collect::<Result<_, _>>()?;
        let mut wrong = None;
        for (reader, reading) in
            readers.iter().flat_map(|one| one.readings.iter().map(move |reading| (one, reading)))
        {
            if reader.compare(reading, folder.path())?.wrong().is_some() {
                wrong = Some(reading.file.clone());
            }
        }
        let Some(wrong) = wrong else { continue };
        let text = fs::read_to_string(folder.path().join(format!("{number}-{piece}.mlir")))?;
        if arguments.file {
            file_case(&readers, folder.path(), &wrong, arguments.seed)?;
        }
        return Ok(Some(format!("{wrong}:\n{text}")));
    }
    Ok(None)
}

/// Puts an artifact, its text and what each release does with it into the tests of the crate.
fn file_case(readers: &[Reader], folder: &Path, file: &str, seed: u64) -> anyhow::Result<()> {
    let cases: PathBuf = unskew_peers::root().join(CASES);
    let name = format!("seed-{seed}-{file}");
    fs::copy(folder.join(file), cases.join(&name))?;
    let text = file.split('@').next().unwrap_or_default();
    fs::copy(folder.join(format!("{text}.mlir")), cases.join(name.replace(".bc", ".mlir")))?;
    let mut table = fs::OpenOptions::new().append(true).open(cases.join("measured.tsv"))?;
    for reader in readers {
        let reading = reader.readings.iter().find(|reading| reading.file == file);
        let reads = reading.map_or("no", |reading| if reading.reads { "yes" } else { "no" });
        writeln!(table, "{name}\t{}\t{reads}", reader.stablehlo)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_its_program_and_pieces() {
        assert_eq!(program("14-0_1@1.9.0.bc"), ("14", vec!["0", "1"]));
        assert_eq!(program("7-0@1.9.0.bc"), ("7", vec!["0"]));
    }
}
