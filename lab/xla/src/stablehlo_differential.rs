//! `cargo lab stablehlo-differential`: verdicts about portable artifacts made at random, against what real jaxlibs do.
//!
//! The newest jaxlib that is here writes programs for versions at random (`lab/xla/probes/stablehlo_make.py`), each
//! jaxlib reads all of them (`lab/xla/probes/stablehlo_read.py`), and each pair is judged. A program that a verdict is
//! wrong about is narrowed down to one of its pieces. `--file` puts that piece into the tests of the crate.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use serde::Deserialize;
use unskew_core::{Context, Date, Outcome, Party, Role, Version, aspect, check};
use unskew_jax_matrix::Host;
use unskew_source::{FileSource, Source};

const MAKE: &str = "lab/xla/probes/stablehlo_make.py";
const MODULES: &str = "lab/xla/probes/stablehlo_modules.py";
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
#[derive(Deserialize)]
struct Reading {
    file: String,
    reads: bool,
    said: String,
}

/// How many verdicts of a release were what.
#[derive(Default)]
struct Tally {
    right: usize,
    unjudged: usize,
    false_compatible: usize,
    false_refused: usize,
}

/// A release with what it did.
struct Reader<'h> {
    host: &'h Host,
    stablehlo: Version,
    readings: Vec<Reading>,
}

/// Makes, reads, judges and compares.
///
/// # Errors
/// If no environment is there, a probe cannot be run, or a verdict was wrong.
pub fn run(arguments: &StablehloDifferential) -> anyhow::Result<()> {
    let hosts: Vec<Host> = match &arguments.releases[..] {
        [] => Host::all(),
        named => named.iter().map(|name| Host::named(name)).collect::<Result<_, _>>()?,
    };
    let writer = Host::all().pop().context("`cargo xtask corpus` makes the environments of JAX")?;
    let folder = tempfile::tempdir()?;
    match arguments.modules {
        true => take_modules(&writer, folder.path())?,
        false => make(&writer, folder.path(), arguments, None)?,
    }
    let mut wrong: BTreeMap<String, String> = BTreeMap::new();
    println!(
        "| jaxlib | its StableHLO | artifacts | right | not judged | compatible, and refused | refused, and read |"
    );
    println!("| --- | --- | --: | --: | --: | --: | --: |");
    for host in &hosts {
        let reader = Reader::ask(host, folder.path())?;
        let mut tally = Tally::default();
        for reading in &reader.readings {
            if let Some(what) = tally.add(&reader, reading, folder.path())? {
                wrong.entry(reading.file.clone()).or_insert(what);
            }
        }
        let Tally { right, unjudged, false_compatible, false_refused } = tally;
        println!(
            "| {} | {} | {} | {right} | {unjudged} | {false_compatible} | {false_refused} |",
            host.version,
            reader.stablehlo,
            reader.readings.len()
        );
    }
    let mut programs = BTreeMap::new();
    if arguments.modules {
        wrong.values().for_each(|what| println!("{what}"));
        ensure!(wrong.is_empty(), "{} modules were judged wrongly by some reader", wrong.len());
        return Ok(());
    }
    for (file, what) in &wrong {
        programs.entry(program(file)).or_insert((file, what));
    }
    for (file, what) in programs.values() {
        let small = shrink(&writer, &hosts, arguments, file)?;
        println!("{what}\n  narrowed down to {}", small.as_deref().unwrap_or("the whole program"));
    }
    ensure!(wrong.is_empty(), "{} artifacts were judged wrongly by some reader", wrong.len());
    Ok(())
}

impl<'h> Reader<'h> {
    /// Has a release read every artifact of a folder.
    fn ask(host: &'h Host, folder: &Path) -> anyhow::Result<Self> {
        let output = host
            .peer
            .command()
            .arg(unskew_peers::root().join(READ))
            .arg(folder)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stderr(Stdio::null())
            .output()?;
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
        Ok(Self { host, stablehlo, readings })
    }

    fn outcome(&self, path: &Path) -> anyhow::Result<Outcome> {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
        let party = unskew_stablehlo::party(&source)?.context("no artifact")?;
        let name = format!("jaxlib {}", self.host.version);
        let reader =
            unskew_stablehlo::reader(Party::new(name, Role::Runtime, "jaxlib"), self.stablehlo);
        let today = Context::on(Date::constant(2026, 11, 1));
        let verdict = check(&party, &reader, &today);
        // Who deserializes does not ask for handlers.
        let reads = verdict.unjudged.iter().all(|one| one.aspect == aspect::CUSTOM_CALLS);
        Ok(match verdict.outcome {
            Outcome::Unjudged if reads => Outcome::Compatible,
            outcome => outcome,
        })
    }
}

impl Tally {
    /// Compares one verdict; what is wrong with it, if anything is.
    fn add(
        &mut self,
        reader: &Reader<'_>,
        reading: &Reading,
        folder: &Path,
    ) -> anyhow::Result<Option<String>> {
        let outcome = reader.outcome(&folder.join(&reading.file))?;
        let count = match (&outcome, reading.reads) {
            (Outcome::Unjudged, _) => &mut self.unjudged,
            (Outcome::Incompatible, true) => &mut self.false_refused,
            (Outcome::Incompatible, false) => &mut self.right,
            (_, true) => &mut self.right,
            (_, false) => &mut self.false_compatible,
        };
        *count += 1;
        if outcome == Outcome::Unjudged || (outcome != Outcome::Incompatible) == reading.reads {
            return Ok(None);
        }
        let (host, version) = (&reader.host.version, reader.stablehlo);
        let did = if reading.reads { "reads it" } else { "refuses it" };
        let said = reading.said.replace('\n', " ");
        Ok(Some(format!(
            "{}: judged {outcome:?}, jaxlib {host} ({version}) {did} {said}",
            reading.file
        )))
    }
}

/// Puts the modules of JAX's own data into a folder.
fn take_modules(writer: &Host, folder: &Path) -> anyhow::Result<()> {
    let mut command = writer.peer.command();
    command.arg(unskew_peers::root().join(MODULES)).arg(folder);
    command.env("PYTHONDONTWRITEBYTECODE", "1").stderr(Stdio::null());
    ensure!(command.status()?.success(), "{MODULES} failed on jaxlib {}", writer.version);
    Ok(())
}

/// Makes artifacts: all of them, or those of some pieces of one program.
fn make(
    writer: &Host,
    folder: &Path,
    arguments: &StablehloDifferential,
    pieces: Option<&str>,
) -> anyhow::Result<()> {
    let mut command = writer.peer.command();
    command.arg(unskew_peers::root().join(MAKE)).arg(folder);
    command.args([arguments.seed.to_string(), arguments.count.to_string()]);
    command.env("PYTHONDONTWRITEBYTECODE", "1").stderr(Stdio::null());
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

/// The first piece of the program of `file` that alone is judged wrongly too, as a test case if that is asked for.
fn shrink(
    writer: &Host,
    hosts: &[Host],
    arguments: &StablehloDifferential,
    file: &str,
) -> anyhow::Result<Option<String>> {
    let (number, pieces) = program(file);
    for piece in pieces {
        let folder = tempfile::tempdir()?;
        make(writer, folder.path(), arguments, Some(&format!("{number}:{piece}")))?;
        let readers: Vec<Reader<'_>> =
            hosts.iter().map(|host| Reader::ask(host, folder.path())).collect::<Result<_, _>>()?;
        let mut wrong = None;
        for reader in &readers {
            for reading in &reader.readings {
                if Tally::default().add(reader, reading, folder.path())?.is_some() {
                    wrong = Some(reading.file.clone());
                }
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
fn file_case(readers: &[Reader<'_>], folder: &Path, file: &str, seed: u64) -> anyhow::Result<()> {
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
