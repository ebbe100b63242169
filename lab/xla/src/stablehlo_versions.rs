//! `cargo lab stablehlo-versions`: artifacts that are written for other versions, against StableHLO's own serializer.
//!
//! The newest jaxlib that is here makes artifacts of programs, and writes each for every version. Unskew writes each
//! for every version too. Of each pair a real jaxlib reads both, the oldest one that reads that version; what they are
//! as text has to be equal. Where the real serializer refuses, what Unskew writes has to be read.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::Args;
use serde::Deserialize;
use unskew_core::Version;
use unskew_jax_matrix::JaxHost;
use unskew_lab_harness::{Page, WritePage};
use unskew_source::{FileSource, Source, SourceExt as _};

use crate::stablehlo_programs::{Bench, LOWER, Programs, again, artifacts, probe};

const TABLE: Page = Page("docs/reference/stablehlo-versions.md");

/// How many parts are written and read at once.
const THREADS: usize = 4;

/// Writes StableHLO artifacts for every version, and holds them against what real jaxlibs write and read.
#[derive(Args)]
pub struct StablehloVersions {
    #[command(flatten)]
    programs: Programs,
    #[command(flatten)]
    write: WritePage,
}

#[derive(Deserialize)]
struct Printed {
    file: String,
    text: Option<String>,
    said: String,
}

/// What became of the programs for one version.
#[derive(Default)]
struct Counts {
    equal: usize,
    different: usize,
    refused: usize,
    added: usize,
    unread: usize,
    both: usize,
    /// What the real serializer wrote and no real jaxlib of that age reads.
    broken: usize,
}

/// Makes, writes, reads and compares.
///
/// # Errors
/// If no environment is there, a probe cannot be run, or something was written that is not what it should be.
pub fn run(arguments: &StablehloVersions) -> anyhow::Result<()> {
    let bench = Bench::new(&arguments.programs)?;
    let Bench { hosts, base, .. } = &bench;
    let (writer, programs) = (bench.writer()?, artifacts(base)?.len());
    let at = |name: &str| bench.at(name);
    let (real, ours) = (at("real")?, at("ours")?);
    let own = known(hosts.iter().map(stablehlo).collect::<Result<_, _>>()?);
    let newest = own.last().copied().context("no jaxlib says its StableHLO")?;
    let history = unskew_stablehlo::history().context("no history of StableHLO")?;
    let versions: Vec<Version> = history.entries().iter().map(|one| one.version).collect();
    let versions: Vec<Version> = versions.into_iter().filter(|one| *one <= newest).collect();
    let names: Vec<String> = versions.iter().map(ToString::to_string).collect();
    again(&|| {
        let mut command = probe(writer, LOWER);
        command.arg("write").arg(base).arg(&real).args(&names);
        command
    })?;
    let reasons = write_ours(base, &ours, &versions)?;
    let mut tallies: Vec<Counts> = versions.iter().map(|_| Counts::default()).collect();
    let mut wrong = Vec::new();
    for (host, (from, to)) in hosts.iter().zip(shares(&own)) {
        let share = |version: &Version| from < *version && *version <= to;
        let texts = |folder: &Path, name: &str| -> anyhow::Result<HashMap<String, Printed>> {
            let some: Vec<PathBuf> =
                (0..THREADS).map(|part| at(&format!("{name}-{part}"))).collect::<Result<_, _>>()?;
            let endings: Vec<String> = (versions.iter().filter(|version| share(version)))
                .map(|version| format!("@{version}.bc"))
                .collect();
            let mut parts = some.iter().cycle();
            for path in artifacts(folder)? {
                let file = path.file_name().unwrap_or_default();
                let name = file.to_string_lossy();
                if endings.iter().any(|ending| name.ends_with(ending))
                    && let Some(part) = parts.next()
                {
                    fs::hard_link(&path, part.join(file))?;
                }
            }
            let printed = at_once(&some, |part| print(host, part))?;
            Ok(printed.into_iter().flatten().collect())
        };
        if !versions.iter().any(&share) {
            continue;
        }
        let version = &host.version;
        let of_real = texts(&real, &format!("real-{version}"))?;
        let of_ours = texts(&ours, &format!("ours-{version}"))?;
        for (version, tally) in versions.iter().zip(&mut tallies).filter(|(one, _)| share(one)) {
            for path in artifacts(base)? {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let file = format!("{name}@{version}.bc");
                if let Some(what) = tally.add(of_real.get(&file), of_ours.get(&file)) {
                    wrong.push(format!("{file} on jaxlib {}: {what}", host.version));
                }
            }
        }
    }
    let page = page(&versions, &tallies, programs, parsed(writer, base, &at)?);
    print!("{page}");
    let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    reasons.iter().take(40).for_each(|(why, count)| println!("{count} not written: {why}"));
    wrong.iter().take(40).for_each(|what| println!("{what}"));
    TABLE.write(&page, &arguments.write)?;
    ensure!(wrong.is_empty(), "{} artifacts are not what they should be", wrong.len());
    Ok(())
}

/// Writes every artifact for every version as Unskew does, and says why some are not, with how many.
fn write_ours(
    base: &Path,
    ours: &Path,
    versions: &[Version],
) -> anyhow::Result<BTreeMap<String, usize>> {
    let paths = artifacts(base)?;
    let parts: Vec<&[PathBuf]> = paths.chunks(paths.len().div_ceil(THREADS).max(1)).collect();
    let options = unskew_stablehlo::rewrite::RewriteOptions { approximate: true };
    let all = at_once(&parts, |part| {
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for path in *part {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            for version in versions {
                let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
                let place = ours.join(format!("{name}@{version}.bc"));
                match unskew_stablehlo::rewrite::plan(&source, *version, &options) {
                    Ok(Some((plan, output))) if plan.is_possible() => {
                        fs::write(&place, output.bytes(0, output.size())?)?;
                    }
                    Ok(Some((plan, _))) => {
                        let why = plan.blockers.first().map(|one| one.message.clone());
                        *reasons.entry(why.unwrap_or_default()).or_default() += 1;
                    }
                    Ok(None) => {
                        *reasons.entry("no portable artifact".to_owned()).or_default() += 1;
                    }
                    Err(error) => *reasons.entry(error.problem.to_string()).or_default() += 1,
                }
            }
        }
        Ok(reasons)
    })?;
    let mut reasons = BTreeMap::new();
    for (why, count) in all.into_iter().flatten() {
        *reasons.entry(why).or_default() += count;
    }
    Ok(reasons)
}

/// How many artifacts are the same after they were printed as text, which the newest jaxlib parses.
fn parsed(
    writer: &JaxHost,
    base: &Path,
    at: &dyn Fn(&str) -> anyhow::Result<PathBuf>,
) -> anyhow::Result<usize> {
    let (texts, made, before) = (at("text")?, at("parsed")?, at("before")?);
    for path in artifacts(base)? {
        let source: Arc<dyn Source> = Arc::new(FileSource::open(&path)?);
        let name = path.file_name().unwrap_or_default();
        let mut text = Vec::new();
        if unskew_stablehlo::print::text(&source, &Default::default(), &mut text).is_ok() {
            fs::write(texts.join(name).with_extension("mlir"), text)?;
        }
        fs::hard_link(&path, before.join(name))?;
    }
    again(&|| {
        let mut command = probe(writer, LOWER);
        command.arg("parse").arg(&texts).arg(&made);
        command
    })?;
    let (made, before) = (print(writer, &made)?, print(writer, &before)?);
    let same = before.values().filter(|one| {
        let name = one.file.trim_end_matches(".bc");
        made.get(&format!("{name}-0.bc")).is_some_and(|made| made.text == one.text)
    });
    Ok(same.count())
}

/// Does something with each part, with all at once.
fn at_once<P: Sync, R: Send>(
    parts: &[P],
    what: impl Fn(&P) -> anyhow::Result<R> + Sync,
) -> anyhow::Result<Vec<R>> {
    std::thread::scope(|scope| {
        let what = &what;
        let started: Vec<_> = parts.iter().map(|part| scope.spawn(move || what(part))).collect();
        let ended = started.into_iter().map(|one| one.join());
        ended.map(|one| one.map_err(|_| anyhow::anyhow!("a thread panicked"))?).collect()
    })
}

impl Counts {
    /// Counts a pair. What is wrong with it, if anything is.
    fn add(&mut self, real: Option<&Printed>, ours: Option<&Printed>) -> Option<String> {
        let (count, wrong) = match (real, ours) {
            (None, None) => (&mut self.both, None),
            (None, Some(ours)) if ours.text.is_some() => (&mut self.added, None),
            (None, Some(ours)) => (&mut self.unread, Some(format!("is not read: {}", ours.said))),
            (Some(real), _) if real.text.is_none() => (&mut self.broken, None),
            (Some(_), None) => (&mut self.refused, None),
            (Some(real), Some(ours)) if real.text == ours.text => (&mut self.equal, None),
            (Some(_), Some(ours)) => (&mut self.different, Some(format!("differs {}", ours.said))),
        };
        *count += 1;
        wrong
    }
}

fn page(versions: &[Version], tallies: &[Counts], programs: usize, parsed: usize) -> String {
    let mut page = String::from("# StableHLO for other versions\n\n");
    let sum = |what: fn(&Counts) -> usize| tallies.iter().map(what).sum::<usize>();
    let (equal, different) = (sum(|one| one.equal), sum(|one| one.different));
    let refused = sum(|one| one.refused);
    let (added, unread, both) = (sum(|one| one.added), sum(|one| one.unread), sum(|one| one.both));
    let _ = write!(
        page,
        "Made by `cargo lab stablehlo-versions --write`: {programs} programs, of StableHLO's public test data, JAX's \
         back-compatibility data and made at random, each written for every version by StableHLO's own serializer and \
         by Unskew, and read by the oldest jaxlib here that reads that version.\n\n\
         Of {} that the serializer writes and a jaxlib of that age reads, Unskew writes {equal} so that they read the \
         same, {different} differently, and refuses {refused}. Of {} that it refuses, Unskew writes {added} that are read, \
         {unread} that are not, and refuses {both}. Printed as MLIR text, {parsed} programs are the same once the newest \
         jaxlib has parsed them.\n\n\
         | StableHLO | the same | different | refused by Unskew alone | written by Unskew alone | and not read | refused \
         by both | the serializer's are not read |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: |\n",
        equal + different + refused,
        added + unread + both,
    );
    for (version, one) in versions.iter().zip(tallies) {
        let Counts { equal, different, refused, added, unread, both, broken } = one;
        let _ = writeln!(
            page,
            "| {version} | {equal} | {different} | {refused} | {added} | {unread} | {both} | {broken} |"
        );
    }
    page
}

/// Versions of which each is at least the one before.
fn known(all: Vec<Version>) -> Vec<Version> {
    let mut highest = Version::triple(0, 0, 0);
    all.into_iter()
        .map(|one| {
            highest = highest.max(one);
            highest
        })
        .collect()
}

/// Which versions each reads: those above what the one before it reads.
fn shares(own: &[Version]) -> Vec<(Version, Version)> {
    let before = std::iter::once(Version::triple(0, 0, 0)).chain(own.iter().copied());
    before.zip(own.iter().copied()).collect()
}

/// The StableHLO of a jaxlib.
fn stablehlo(host: &JaxHost) -> anyhow::Result<Version> {
    let mut command = host.peer.command();
    command.args([
        "-c",
        "from jaxlib.mlir.dialects import stablehlo as s; print(s.get_current_version())",
    ]);
    let output = command.stderr(Stdio::null()).output()?;
    let text = String::from_utf8(output.stdout)?;
    text.trim().parse().map_err(|_| anyhow::anyhow!("jaxlib {} says no StableHLO", host.version))
}

/// What each artifact of a folder is as text.
fn print(host: &JaxHost, folder: &Path) -> anyhow::Result<HashMap<String, Printed>> {
    let mut all = HashMap::new();
    let mut tries = 0;
    loop {
        let output = probe(host, LOWER).arg("print").arg(folder).output()?;
        for line in String::from_utf8(output.stdout)?.lines() {
            let one: Printed = serde_json::from_str(line)?;
            fs::remove_file(folder.join(&one.file))?;
            all.insert(one.file.clone(), one);
        }
        if output.status.success() {
            return Ok(all);
        }
        // The one behind the last that was named took the process down.
        let Some(next) = artifacts(folder)?.into_iter().next() else { return Ok(all) };
        let file = next.file_name().unwrap_or_default().to_string_lossy().into_owned();
        fs::remove_file(next)?;
        all.insert(
            file.clone(),
            Printed { file, text: None, said: "takes jaxlib down".to_owned() },
        );
        tries += 1;
        ensure!(tries < 1000, "jaxlib {} ends again and again", host.version);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reads_what_is_above_the_one_before() {
        let version = |minor| Version::triple(1, minor, 0);
        let own = known(vec![version(1), version(9), version(8)]);
        assert_eq!(own, [version(1), version(9), version(9)]);
        let first = Version::triple(0, 0, 0);
        assert_eq!(
            shares(&own),
            [(first, version(1)), (version(1), version(9)), (version(9), version(9))]
        );
    }
}
