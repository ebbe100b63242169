//! Python names that packages ask each other for, and that releases lack: `cargo lab harvest python-names==all`.
//!
//! ```text
//! wheels ─ probe ─▶ a folder of sources by release ─ ReleaseSources ─▶ what each release asks of others, what it has ─▶ the table
//! ```
//!
//! `python-names==all` takes the packages that the table has, `python-names==A,B` others beside them. A row stays only where some
//! release lacks the name and another has it. What a release asks for, although the others lacked it on the day on which it
//! was published, is left out and printed: releases work on their day, so the reading is in doubt there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr as _;

use anyhow::{Context as _, Result, ensure};
use pep440_rs::{Version, VersionSpecifiers};
use rayon::prelude::*;
use unskew_environments::{AskedName, AskedWhen, NamePresence, ReleaseSources};
use unskew_lab_harness::run_command;
use unskew_releases::{AskedPythonName, PythonNames, SpanTable};

const PROBE: &str = "lab/harvest/probes/python_sources.py";
const TABLE: &str = "crates/judging/releases/data/python-names.tsv";
const SOURCES: &str = "corpus/python-sources";

/// The day of the first releases that are taken.
const SINCE: &str = "2022-07-01";

const HEAD: &str = "# Names that releases ask others for or lack, made by `cargo lab harvest python-names==all`.\n";

/// A release whose sources were fetched.
struct FetchedRelease {
    package: String,
    version: Version,
    /// The day on which it was published.
    day: String,
    archive: PathBuf,
}

/// What a release asks others for, and under which conditions of their versions.
struct AskingRelease {
    asked: BTreeMap<(AskedName, AskedWhen), String>,
    /// The modules at its top that can be asked.
    tops: BTreeSet<String>,
    requires: Vec<(String, VersionSpecifiers)>,
}

/// Makes the table of these packages, and of those that it has. `from` is a folder of sources that the probe wrote, with its
/// lines in `releases.tsv`: nothing is fetched then.
///
/// # Errors
/// If the index cannot be asked, or an archive is none.
pub(crate) fn harvest(packages: &str, from: Option<&Path>) -> Result<()> {
    let root = unskew_peers::root();
    let folder = from.map_or_else(|| root.join(SOURCES), Path::to_owned);
    let listing = match from {
        Some(folder) => fs::read_to_string(folder.join("releases.tsv"))?,
        None => {
            let mut all: BTreeSet<String> = PythonNames::packages().map(str::to_owned).collect();
            all.extend(packages.split(',').filter(|one| *one != "all").map(str::to_owned));
            run_command(
                Command::new("python3").arg(root.join(PROBE)).arg(&folder).arg(SINCE).args(all),
            )?
        }
    };
    let releases = fetched(&folder, &listing)?;
    let asking: Vec<AskingRelease> = releases
        .par_iter()
        .map(|release| asking(release).with_context(|| release.archive.display().to_string()))
        .collect::<Result<_>>()?;
    println!("{} releases read", releases.len());
    let all: BTreeSet<&AskedName> =
        asking.iter().flat_map(|one| one.asked.keys().map(|(asked, _)| asked)).collect();
    let presence: Vec<BTreeMap<&AskedName, NamePresence>> = releases
        .par_iter()
        .zip(&asking)
        .map(|(release, asking)| presence(release, &asking.tops, &all))
        .collect::<Result<_>>()?;
    let table = Harvested { releases: &releases, asking: &asking, presence: &presence }.written();
    let path = root.join(TABLE);
    fs::write(&path, HEAD.to_owned() + &table).with_context(|| path.display().to_string())
}

/// The releases that the probe printed, by package, the oldest first.
fn fetched(folder: &Path, listing: &str) -> Result<Vec<FetchedRelease>> {
    let mut releases = Vec::new();
    for line in listing.lines() {
        let [package, version, day] = *line.split('\t').collect::<Vec<_>>() else {
            anyhow::bail!("no release: {line}")
        };
        releases.push(FetchedRelease {
            package: package.to_owned(),
            version: Version::from_str(version)?,
            day: day.to_owned(),
            archive: folder.join(package).join(format!("{version}.zip")),
        });
    }
    releases.sort_by(|a, b| (&a.package, &a.version).cmp(&(&b.package, &b.version)));
    ensure!(!releases.is_empty(), "no release was fetched");
    Ok(releases)
}

/// Unpacks the sources of a release for as long as they are read.
fn with_sources<T: Send>(
    release: &FetchedRelease,
    read: impl FnOnce(ReleaseSources) -> T + Send,
) -> Result<T> {
    let folder = tempfile::tempdir()?;
    unpack(&release.archive, folder.path())?;
    on_large_stack(|| read(ReleaseSources::read(folder.path(), &release.package)))
}

/// Unpacks what is no test: with them it takes twice the time.
fn unpack(archive: &Path, folder: &Path) -> Result<()> {
    let mut archive = zip::ZipArchive::new(fs::File::open(archive)?)?;
    for at in 0..archive.len() {
        let mut member = archive.by_index(at)?;
        let Some(path) =
            member.enclosed_name().filter(|path| !path.iter().any(|part| part == "tests"))
        else {
            continue;
        };
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        std::io::copy(&mut member, &mut fs::File::create(path)?)?;
    }
    Ok(())
}

/// Imports nest: each level of Python's takes a few of ours.
fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(256 << 20);
        let started = thread.spawn_scoped(scope, work)?;
        Ok(started.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

fn asking(release: &FetchedRelease) -> Result<AskingRelease> {
    let requires = requires(&release.archive)?;
    let (asked, tops) = with_sources(release, |mut sources| {
        let asked = sources.asked();
        (asked, sources.tops().iter().cloned().collect())
    })?;
    Ok(AskingRelease { asked, tops, requires })
}

/// What a release declares of others, without conditions.
fn requires(archive: &Path) -> Result<Vec<(String, VersionSpecifiers)>> {
    let mut archive = zip::ZipArchive::new(fs::File::open(archive)?)?;
    let names = archive.file_names().filter_map(Result::ok);
    let name = names.map(String::from).find(|name| name.ends_with(".dist-info/METADATA"));
    let Some(name) = name else { return Ok(Vec::new()) };
    let text = std::io::read_to_string(archive.by_name(&name)?)?;
    let head = text.split("\n\n").next().unwrap_or_default();
    let all = head.lines().filter_map(|line| line.strip_prefix("Requires-Dist: "));
    let one = |text: &str| {
        let (text, marker) = text.split_once(';').unwrap_or((text, ""));
        let end = text.find(|c: char| "[ (<>=!~".contains(c)).unwrap_or(text.len());
        let (name, range) = text.split_at(end);
        let range = range.split_once(']').map_or(range, |(_, rest)| rest);
        let range = range.replace(['(', ')'], "");
        let is_for_all = !marker.contains("extra") && !marker.contains("python_version");
        let range = VersionSpecifiers::from_str(range.trim()).ok().filter(|_| is_for_all)?;
        Some((name.to_lowercase().replace(['_', '.'], "-"), range))
    };
    Ok(all.filter_map(one).collect())
}

fn presence<'a>(
    release: &FetchedRelease,
    tops: &BTreeSet<String>,
    all: &BTreeSet<&'a AskedName>,
) -> Result<BTreeMap<&'a AskedName, NamePresence>> {
    let is_of =
        |asked: &&&AskedName| asked.module.split('.').next().is_some_and(|top| tops.contains(top));
    let asked: Vec<&AskedName> = all.iter().filter(is_of).copied().collect();
    if asked.is_empty() {
        return Ok(BTreeMap::new());
    }
    with_sources(release, |mut sources| {
        let of = asked.into_iter().filter_map(|asked| Some((asked, sources.has(asked)?)));
        of.collect()
    })
}

/// Everything that was read.
struct Harvested<'a> {
    releases: &'a [FetchedRelease],
    asking: &'a [AskingRelease],
    presence: &'a [BTreeMap<&'a AskedName, NamePresence>],
}

impl Harvested<'_> {
    fn written(&self) -> String {
        let mut packages: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, release) in self.releases.iter().enumerate() {
            packages.entry(&release.package).or_default().push(at);
        }
        // A name that some release has, and another of the same package lacks.
        let mut lost: BTreeMap<&AskedName, BTreeSet<&str>> = BTreeMap::new();
        for (package, places) in &packages {
            let all = |state| {
                let of = places.iter().filter_map(|at| self.presence.get(*at)).flatten();
                of.filter(move |(_, one)| **one == state)
                    .map(|(asked, _)| *asked)
                    .collect::<BTreeSet<_>>()
            };
            for asked in all(NamePresence::Missing).intersection(&all(NamePresence::Present)) {
                lost.entry(asked).or_default().insert(package);
            }
        }
        let mut doubted = 0;
        let mut sections: BTreeMap<&str, Vec<(String, Vec<String>)>> = BTreeMap::new();
        let mut is_asked: BTreeSet<&AskedName> = BTreeSet::new();
        for (package, places) in &packages {
            for at in places {
                let (Some(release), Some(asking)) = (self.releases.get(*at), self.asking.get(*at))
                else {
                    continue;
                };
                let mut rows = Vec::new();
                for ((asked, when), module) in &asking.asked {
                    let Some(of) = lost.get(asked) else { continue };
                    if of
                        .iter()
                        .any(|of| self.is_missing_on(asked, packages.get(of), release, asking))
                    {
                        doubted += 1;
                        println!(
                            "in doubt: {package} {}: {asked:?} {when:?} {module}",
                            release.version
                        );
                        continue;
                    }
                    is_asked.insert(asked);
                    rows.push(PythonNames::asked_row(&AskedPythonName {
                        name: asked_text(asked),
                        by: module.clone(),
                        fails_at_load: *when == AskedWhen::Load,
                        is_attribute: asked.is_attribute,
                    }));
                }
                sections.entry(package).or_default().push((release.version.to_string(), rows));
            }
        }
        for (package, places) in &packages {
            for (row, at) in places.iter().enumerate() {
                let missing = self.presence.get(*at).into_iter().flatten();
                let missing = missing.filter(|(asked, state)| {
                    **state == NamePresence::Missing
                        && is_asked.contains(**asked)
                        && lost.get(**asked).is_some_and(|of| of.contains(package))
                });
                let lacks: BTreeSet<String> = missing
                    .map(|(asked, _)| PythonNames::lacking_row(&asked_text(asked)))
                    .collect();
                if let Some((_, rows)) = sections.get_mut(package).and_then(|all| all.get_mut(row))
                {
                    rows.extend(lacks);
                }
            }
        }
        println!("{} names, {doubted} uses in doubt", lost.len());
        let with_rows =
            sections.iter().filter(|(_, all)| all.iter().any(|(_, rows)| !rows.is_empty()));
        with_rows.map(|(package, all)| SpanTable::from_releases(all).write(package)).collect()
    }

    /// Whether the newest release of a package on the day of another lacks what that asks for; of those that it declares.
    fn is_missing_on(
        &self,
        asked: &AskedName,
        of: Option<&Vec<usize>>,
        release: &FetchedRelease,
        asking: &AskingRelease,
    ) -> bool {
        let is_allowed = |other: &&FetchedRelease| {
            let mut ranges = asking.requires.iter().filter(|(name, _)| *name == other.package);
            other.day <= release.day && ranges.all(|(_, range)| range.contains(&other.version))
        };
        let places = of.into_iter().flatten().filter_map(|at| Some((self.releases.get(*at)?, *at)));
        let newest =
            places.filter(|(other, _)| is_allowed(other)).max_by_key(|(other, _)| &other.version);
        newest.is_some_and(|(_, at)| {
            self.presence.get(at).and_then(|all| all.get(asked)) == Some(&NamePresence::Missing)
        })
    }
}

fn asked_text(asked: &AskedName) -> String {
    match &asked.name {
        Some(name) => format!("{}:{name}", asked.module),
        None => asked.module.clone(),
    }
}
