//! `cargo lab stablehlo-values`: programs with values, converted, on real plug-ins.
//!
//! StableHLO's public test data has programs that carry their inputs, and call `check` with what should come out. Without
//! that call they are programs without parameters whose results can be compared. Each runs on each CPU plug-in as it was
//! written, and converted for other versions; the results have to be the same bytes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use unskew_core::Version;
use unskew_lab_harness::{Page, WritePage};
use unskew_source::{BytesSource, Source, SourceExt as _};

const PAGE: Page = Page("docs/reference/stablehlo-values.md");
const PLUGINS: [&str; 3] = [
    "xla-cpu-pjrt-0.0.1.so",
    "lammps-jax-pjrt-cpu-0.11.2.so",
    "fastatomstruct-xla-cpu-2026.6.23.so",
];

/// Runs programs that carry their values on CPU plug-ins, as they are and converted for other versions.
#[derive(Args)]
pub struct StablehloValues {
    /// A folder with programs as text: `stablehlo/testdata` of the public repository
    #[arg(long)]
    programs: PathBuf,
    /// Takes every so-manieth program
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// For which versions they are converted
    #[arg(long = "for", value_delimiter = ',', default_value = "0.9.0,1.0.0,1.8.0")]
    versions: Vec<String>,
    /// The command, which the build makes
    #[arg(long, default_value = "target/debug/unskew")]
    command: PathBuf,
    #[command(flatten)]
    write: WritePage,
}

/// What became of converted programs on one plug-in.
#[derive(Default)]
struct Counts {
    equal: usize,
    different: Vec<String>,
    /// They run as they are, and not converted.
    broken: Vec<String>,
}

/// Converts, runs and compares.
///
/// # Errors
/// If there are no programs or plug-ins, or a result is another.
pub fn run(arguments: &StablehloValues) -> anyhow::Result<()> {
    let versions: Vec<Version> =
        arguments.versions.iter().map(|one| one.parse()).collect::<Result<_, _>>()?;
    let command = fs::canonicalize(&arguments.command).context("build the command first")?;
    let folder = tempfile::tempdir()?;
    let mut programs: Vec<PathBuf> = fs::read_dir(&arguments.programs)?
        .map(|file| Ok(file?.path()))
        .collect::<anyhow::Result<_>>()?;
    programs.retain(|path| path.extension().is_some_and(|ending| ending == "mlir"));
    programs.sort();
    let programs: Vec<PathBuf> = programs.into_iter().step_by(arguments.every.max(1)).collect();
    ensure!(!programs.is_empty(), "no programs in {}", arguments.programs.display());
    let mut tallies: BTreeMap<(&str, Version), Counts> = BTreeMap::new();
    let mut ran: BTreeMap<&str, usize> = BTreeMap::new();
    let mut refused: BTreeMap<Version, usize> = BTreeMap::new();
    for path in &programs {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Some(text) = with_values(&fs::read_to_string(path)?) else { continue };
        let text: Arc<dyn Source> = Arc::new(BytesSource::new(name.clone(), text.into_bytes()));
        let place = folder.path().join("whole.mlir");
        fs::write(&place, text.bytes(0, text.size())?)?;
        let mut converted = Vec::new();
        for version in &versions {
            // Nothing that rounds otherwise is allowed.
            let planned = unskew_stablehlo::rewrite::plan(&text, *version, &Default::default());
            match planned {
                Ok(Some((plan, output))) if plan.is_possible() => {
                    let place = folder.path().join(format!("for-{version}.stablehlo"));
                    fs::write(&place, output.bytes(0, output.size())?)?;
                    converted.push((*version, place));
                }
                _ => *refused.entry(*version).or_default() += 1,
            }
        }
        for plugin in PLUGINS {
            let library = unskew_peers::root().join("corpus").join(plugin);
            let Some(whole) = results(&command, &library, &place, folder.path())? else { continue };
            *ran.entry(plugin).or_default() += 1;
            for (version, place) in &converted {
                let tally = tallies.entry((plugin, *version)).or_default();
                match results(&command, &library, place, folder.path())? {
                    Some(again) if again == whole => tally.equal += 1,
                    Some(_) => tally.different.push(name.clone()),
                    None => tally.broken.push(name.clone()),
                }
            }
        }
    }
    let page = page(programs.len(), &ran, &refused, &tallies);
    print!("{page}");
    let mut wrong = 0;
    for ((plugin, version), tally) in &tallies {
        for name in tally.different.iter().chain(&tally.broken) {
            println!("{name} for {version} on {plugin}");
            wrong += 1;
        }
    }
    PAGE.write(&page, &arguments.write)?;
    ensure!(wrong == 0, "{wrong} results are others, or none");
    Ok(())
}

/// A program without the call of what compares its results, which no plug-in has; none if it makes no such call.
fn with_values(text: &str) -> Option<String> {
    let is_check = |line: &&str| line.contains("custom_call @check.");
    text.lines().any(|line| is_check(&line)).then_some(())?;
    let lines: Vec<&str> = text.lines().filter(|line| !is_check(line)).collect();
    Some(lines.join("\n"))
}

/// What a program gives on a plug-in, file by file; none if it does not run there.
fn results(
    command: &Path,
    plugin: &Path,
    program: &Path,
    folder: &Path,
) -> anyhow::Result<Option<Vec<Vec<u8>>>> {
    let out = folder.join("out");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let mut run = Command::new(command);
    run.arg("run").arg(plugin).arg(program).args(["--print", "summary", "-o"]).arg(&out);
    let status = run.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if !status.success() || !out.exists() {
        return Ok(None);
    }
    let mut files: Vec<PathBuf> =
        fs::read_dir(&out)?.map(|file| Ok(file?.path())).collect::<anyhow::Result<_>>()?;
    files.sort();
    let all = files.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?;
    Ok(Some(all).filter(|all| !all.is_empty()))
}

fn page(
    programs: usize,
    ran: &BTreeMap<&str, usize>,
    refused: &BTreeMap<Version, usize>,
    tallies: &BTreeMap<(&str, Version), Counts>,
) -> String {
    let mut page = String::from("# Results of converted programs\n\n");
    let _ = write!(
        page,
        "Made by `cargo lab stablehlo-values --write`: {programs} programs of StableHLO's public test data that carry their \
         inputs, without the call that compares their results. Each is read as text, converted for other versions, and \
         runs on CPU plug-ins from public packages as it is and converted. Equal is: every result has the same bytes.\n\n\
         | plug-in | programs that run | for StableHLO | equal | different | not run | no form in that version |\n\
         | --- | --: | --- | --: | --: | --: | --: |\n",
    );
    for ((plugin, version), tally) in tallies {
        let none = refused.get(version).copied().unwrap_or_default();
        let whole = ran.get(plugin).copied().unwrap_or_default();
        let (equal, other, broken) = (tally.equal, tally.different.len(), tally.broken.len());
        let name = plugin.trim_end_matches(".so");
        let _ = writeln!(
            page,
            "| {name} | {whole} | {version} | {equal} | {other} | {broken} | {none} |"
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_call_that_compares_is_taken_out() {
        let text = "a\n  stablehlo.custom_call @check.expect_close(%2, %1) {x} : t\nb";
        assert_eq!(with_values(text).as_deref(), Some("a\nb"));
        assert_eq!(with_values("a\nb"), None);
    }
}
