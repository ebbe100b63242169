//! `cargo lab jax-executables`: what is said of serialized executables, against what real JAX releases do with them.
//!
//! Each release compiles some functions and serializes them (`lab/xla/probes/executables.py`), and each loads those of all.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use serde::Deserialize;
use unskew_compilation_cache::executable_party;
use unskew_core::{Outcome, Phase, Version, check};
use unskew_jax_matrix::JaxHost;
use unskew_lab_harness::{Page, WritePage, today};
use unskew_source::{FileSource, Source};

const PROBE: &str = "lab/xla/probes/executables.py";
const TABLE: Page = Page("docs/reference/jax-executables.md");

/// The first release that is known to write options of XLA by which its files are recognized.
const SINCE: Version = Version::triple(0, 4, 28);

/// Has JAX releases serialize executables and load those of each other, and holds what is said against what they do.
#[derive(Args)]
pub struct JaxExecutables {
    /// A JAX release; all since 0.4.28 that have an environment if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    #[command(flatten)]
    write: WritePage,
}

/// What became of a file.
#[derive(Deserialize)]
struct Loaded {
    file: String,
    what: What,
    error: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum What {
    /// It loads, and the result is right.
    Loads,
    /// It loads, and the result is another.
    Differs,
    Error,
    Ends,
}

/// How many verdicts of one reader were what.
#[derive(Default)]
struct Counts {
    refused: usize,
    unjudged_fails: usize,
    unjudged_loads: usize,
    wrong: Vec<String>,
}

/// Writes, loads, judges and compares.
///
/// # Errors
/// If an environment is missing, a probe cannot be run, or a verdict was wrong.
pub fn run(arguments: &JaxExecutables) -> anyhow::Result<()> {
    let mut hosts: Vec<JaxHost> = JaxHost::chosen(&arguments.releases)?;
    hosts.retain(|host| host.version >= SINCE);
    let folder = tempfile::tempdir()?;
    let mut files = Vec::new();
    for host in &hosts {
        let place = folder.path().join(host.version.to_string());
        fs::create_dir(&place)?;
        probe(host, "write", &[place.display().to_string()])?;
        let mut all: Vec<_> =
            fs::read_dir(&place)?.map(|file| Ok(file?.path())).collect::<anyhow::Result<_>>()?;
        all.sort();
        files.extend(all);
    }
    let paths: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    let head = "| JAX that loads | loads of other releases | ends at | raises at | said to fail, and fails | not judged, and fails | not judged, and loads | wrong |\n\
                | --- | --- | --- | --: | --: | --: | --: | --: |\n";
    let mut table = head.to_owned();
    print!("{head}");
    let mut wrong = Vec::new();
    for host in &hosts {
        let loaded: Vec<Loaded> = probe(host, "load", &paths)?
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()?;
        ensure!(loaded.len() == paths.len(), "JAX {} did not try all files", host.version);
        let mut tally = Counts::default();
        for one in &loaded {
            tally.add(host, one)?;
        }
        let others = |wanted: &[What]| {
            let own = host.version.to_string();
            let mut all: Vec<&str> = loaded
                .iter()
                .filter(|one| wanted.contains(&one.what))
                .filter_map(|one| writer(&one.file))
                .filter(|writer| *writer != own)
                .collect();
            all.dedup();
            if all.is_empty() { "none".to_owned() } else { all.join(" ") }
        };
        let raises = loaded.iter().filter(|one| one.what == What::Error).count();
        let Counts { refused, unjudged_fails, unjudged_loads, wrong: mistakes } = tally;
        let row = format!(
            "| {} | {} | {} | {raises} | {refused} | {unjudged_fails} | {unjudged_loads} | {} |",
            host.version,
            others(&[What::Loads, What::Differs]),
            others(&[What::Ends]),
            mistakes.len()
        );
        println!("{row}");
        let _ = writeln!(table, "{row}");
        wrong.extend(mistakes);
    }
    wrong.iter().for_each(|what| println!("{what}"));
    TABLE.write(&page(&table, hosts.len(), files.len()), &arguments.write)?;
    ensure!(wrong.is_empty(), "{} verdicts were wrong", wrong.len());
    Ok(())
}

fn page(table: &str, hosts: usize, files: usize) -> String {
    format!(
        "<!-- made by `cargo lab jax-executables --write` -->\n\n# Serialized executables of JAX releases\n\n\
         {hosts} releases of JAX serialize {files} compiled functions with `jax.experimental.serialize_executable`, on the CPU \
         of x86-64 Linux, and each loads all and calls what it gets. Each pair is judged, too: {} in all. *Loads of other \
         releases* and *ends at* name the writers of which at least one file is loaded, or ends the process.\n\n{table}",
        hosts * files
    )
}

impl Counts {
    fn add(&mut self, host: &JaxHost, loaded: &Loaded) -> anyhow::Result<()> {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(Path::new(&loaded.file))?);
        let party = executable_party(&source)?
            .with_context(|| format!("{} is no executable", loaded.file))?;
        let release = unskew_releases::find(&format!("jax@{}", host.version))?;
        let verdict = check(&party, &release.party(), &today());
        let fails = matches!(loaded.what, What::Error | What::Ends);
        let at_load = verdict.findings.iter().any(|finding| finding.phase == Some(Phase::Load));
        match verdict.outcome {
            Outcome::Incompatible if fails && at_load => self.refused += 1,
            Outcome::Unjudged if fails => self.unjudged_fails += 1,
            Outcome::Unjudged => self.unjudged_loads += 1,
            outcome => self.wrong.push(format!(
                "{} on {}: {outcome:?}, and it {:?} {}",
                loaded.file,
                host.version,
                loaded.what,
                loaded.error.as_deref().unwrap_or_default()
            )),
        }
        Ok(())
    }
}

/// The release that wrote a file, by its folder.
fn writer(file: &str) -> Option<&str> {
    Path::new(file).parent()?.file_name()?.to_str()
}

fn probe(host: &JaxHost, act: &str, arguments: &[String]) -> anyhow::Result<String> {
    let mut command = host.peer.command();
    command.arg(unskew_peers::root().join(PROBE)).arg(act).args(arguments);
    let output = command.env("JAX_PLATFORMS", "cpu").env_remove("XLA_FLAGS").output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = said.lines().last().unwrap_or_default();
    ensure!(output.status.success(), "JAX {} did not get through: {last}", host.version);
    Ok(String::from_utf8(output.stdout)?)
}
