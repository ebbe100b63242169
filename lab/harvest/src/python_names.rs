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
use std::path::Path;

use anyhow::{Context as _, Result};
use pep440_rs::Version;
use rayon::prelude::*;
use unskew_definitions::SpanTable;
use unskew_environments::{InstalledPackage, NamePresence};
use unskew_releases::{AskedPythonName, NameAbsence, PythonNames};

use crate::release_archives::{FetchedRelease, ReleaseSelection, fetched_releases, with_sources};

const TABLE: &str = "crates/judging/releases/data/python-names.tsv";
/// Which releases are taken of each package.
const SELECTION: ReleaseSelection = ReleaseSelection { since: "2022-07-01", per_minor: 4 };

const HEAD: &str = "# Names that releases ask others for or lack, made by `cargo lab harvest python-names==all`.\n";

/// What a release asks others for, and what it declares that it takes of them.
struct AskingRelease {
    asked: Vec<AskedPythonName>,
    /// The modules whose import is its import, and all at its top.
    tops: BTreeSet<String>,
    all_tops: BTreeSet<String>,
    package: InstalledPackage,
}

/// Which names that any release asks for a release has.
type PresenceOfNames<'a> = BTreeMap<&'a str, NamePresence>;

/// Makes the table of these packages, and of those that it has. `from` is a folder of sources that the probe wrote, with its
/// lines in `releases.tsv`: nothing is fetched then.
///
/// # Errors
/// If the index cannot be asked, or an archive is none.
pub(crate) fn harvest(packages: &str, from: Option<&Path>) -> Result<()> {
    let all = PythonNames::packages().map(str::to_owned);
    let all = all.chain(packages.split(',').filter(|one| *one != "all").map(str::to_owned));
    let releases = fetched_releases(from, &SELECTION, &all.collect())?;
    let asking: Vec<AskingRelease> = releases
        .par_iter()
        .map(|release| asking(release).with_context(|| release.archive.display().to_string()))
        .collect::<Result<_>>()?;
    println!("{} releases read", releases.len());
    let all: BTreeSet<&str> =
        asking.iter().flat_map(|one| &one.asked).map(|asked| &*asked.name).collect();
    let tops = TopsOfPackages::new(&releases, &asking);
    let presence: Vec<PresenceOfNames<'_>> = releases
        .par_iter()
        .zip(&asking)
        .map(|(release, asking)| presence(release, asking, &tops, &all))
        .collect::<Result<_>>()?;
    let table = HarvestedNames::new(&releases, &asking, &presence).table();
    let path = unskew_peers::root().join(TABLE);
    fs::write(&path, HEAD.to_owned() + &table).with_context(|| path.display().to_string())
}

fn asking(release: &FetchedRelease) -> Result<AskingRelease> {
    let package = package(&release.archive)?;
    with_sources(release, |sources| AskingRelease {
        asked: sources.asked(),
        tops: sources.tops().iter().cloned().collect(),
        all_tops: sources.all_tops().clone(),
        package,
    })
}

/// The modules at the top that one package alone has, in some release: `pkg_resources` is of setuptools, and gone since 82.
struct TopsOfPackages<'a> {
    /// The package of each, and its last release that has the module.
    packages: BTreeMap<&'a str, (&'a str, &'a Version)>,
}

impl<'a> TopsOfPackages<'a> {
    fn new(releases: &'a [FetchedRelease], asking: &'a [AskingRelease]) -> Self {
        let mut packages: BTreeMap<&str, BTreeMap<&str, &Version>> = BTreeMap::new();
        for (release, asking) in releases.iter().zip(asking) {
            for top in &asking.all_tops {
                // The last release of a package comes last.
                packages.entry(top).or_default().insert(&release.package, &release.version);
            }
        }
        let alone = packages.into_iter().filter_map(|(top, packages)| {
            let first = packages.first_key_value().map(|(package, last)| (*package, *last));
            Some((top, first.filter(|_| packages.len() == 1)?))
        });
        Self { packages: alone.collect() }
    }

    fn has(&self, package: &str, top: &str) -> bool {
        self.packages.get(top).is_some_and(|(one, _)| *one == package)
    }

    /// Whether a release comes after all that have the module. Before the first, and between two, another package may bring it:
    /// typer 0.12.0 took its own from typer-slim.
    fn is_gone(&self, release: &FetchedRelease, top: &str) -> bool {
        let last = self.packages.get(top).filter(|(package, _)| *package == release.package);
        last.is_some_and(|(_, last)| release.version > **last)
    }
}

/// What the metadata of a release says.
fn package(archive: &Path) -> Result<InstalledPackage> {
    let mut archive = zip::ZipArchive::new(fs::File::open(archive)?)?;
    let names = archive.file_names().filter_map(Result::ok);
    let name = names.map(String::from).find(|name| name.ends_with(".dist-info/METADATA"));
    let name = name.context("no METADATA")?;
    let text = std::io::read_to_string(archive.by_name(&name)?)?;
    InstalledPackage::from_metadata(&text).context("a METADATA without a name")
}

fn presence<'a>(
    release: &FetchedRelease,
    asking: &AskingRelease,
    tops: &TopsOfPackages<'_>,
    all: &BTreeSet<&'a str>,
) -> Result<PresenceOfNames<'a>> {
    let top = |name: &'a str| name.split(['.', ':']).next().unwrap_or_default();
    let is_of =
        |name: &&&'a str| asking.tops.contains(top(name)) || tops.has(&release.package, top(name));
    let asked: Vec<&str> = all.iter().filter(is_of).copied().collect();
    if asked.is_empty() {
        return Ok(BTreeMap::new());
    }
    with_sources(release, |sources| {
        let mut presence = |name: &'a str| match asking.all_tops.contains(top(name)) {
            true => sources.has(name),
            false => Some(NamePresence::Missing).filter(|_| tops.is_gone(release, top(name))),
        };
        asked.into_iter().filter_map(|name| Some((name, presence(name)?))).collect()
    })
}

/// Everything that was read, of each release in the same place.
struct HarvestedNames<'a> {
    releases: &'a [FetchedRelease],
    asking: &'a [AskingRelease],
    presence: &'a [PresenceOfNames<'a>],
    /// The places of the releases of each package, the oldest first.
    packages: BTreeMap<&'a str, Vec<usize>>,
    /// The packages of which some release has a name, and another lacks it.
    lost: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> HarvestedNames<'a> {
    fn new(
        releases: &'a [FetchedRelease],
        asking: &'a [AskingRelease],
        presence: &'a [PresenceOfNames<'a>],
    ) -> Self {
        let mut packages: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, release) in releases.iter().enumerate() {
            packages.entry(&release.package).or_default().push(at);
        }
        let mut lost: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (package, places) in &packages {
            let names_with = |presence_wanted: NamePresence| -> BTreeSet<&str> {
                let all = places.iter().filter_map(|at| presence.get(*at)).flatten();
                all.filter(|(_, one)| **one == presence_wanted).map(|(name, _)| *name).collect()
            };
            let missing = names_with(NamePresence::Missing);
            for name in missing.intersection(&names_with(NamePresence::Present)) {
                lost.entry(name).or_default().insert(package);
            }
        }
        Self { releases, asking, presence, packages, lost }
    }

    fn table(&self) -> String {
        let asked: Vec<Vec<&AskedPythonName>> =
            (0..self.releases.len()).map(|at| self.asked_without_doubt(at)).collect();
        let needed: BTreeSet<&str> =
            asked.iter().flatten().map(|asked| asked.name.as_str()).collect();
        println!("{} names", needed.len());
        let section = |(package, places): (&&str, &Vec<usize>)| {
            let rows = places.iter().filter_map(|at| {
                let asked = asked.get(*at)?.iter().map(|asked| PythonNames::asked_row(asked));
                let rows = asked.chain(self.absent_rows(package, *at, &needed)).collect();
                Some((self.releases.get(*at)?.version.to_string(), rows))
            });
            let rows: Vec<(String, Vec<String>)> = rows.collect();
            SpanTable::from_releases(&rows).write(package)
        };
        self.packages.iter().map(section).collect()
    }

    /// What a release asks for of what others lost, but for what was missing on its day.
    fn asked_without_doubt(&self, at: usize) -> Vec<&'a AskedPythonName> {
        let asked = self.asking.get(at).into_iter().flat_map(|one| &one.asked);
        let is_right = |asked: &&AskedPythonName| {
            let Some(packages) = self.lost.get(&*asked.name) else { return false };
            let doubt = packages.iter().find(|of| self.is_missing_on_its_day(at, of, &asked.name));
            if let (Some(of), Some(release)) = (doubt, self.releases.get(at)) {
                let FetchedRelease { package, version, .. } = release;
                println!(
                    "in doubt: {package} {version} asks {of} for {} by {}",
                    asked.name, asked.by
                );
            }
            doubt.is_none()
        };
        asked.filter(is_right).collect()
    }

    /// Whether a name is missing in the newest release of another package that a release accepts and that was there on its day.
    fn is_missing_on_its_day(&self, at: usize, of: &str, name: &str) -> bool {
        let (Some(release), Some(asking)) = (self.releases.get(at), self.asking.get(at)) else {
            return false;
        };
        let was_there = |at: &&usize| {
            self.releases.get(**at).is_some_and(|other| {
                other.day <= release.day && asking.package.allows(of, &other.version.to_string())
            })
        };
        let newest = self.packages.get(of).and_then(|places| places.iter().rfind(was_there));
        let presence = newest.and_then(|at| self.presence.get(*at)?.get(name));
        presence == Some(&NamePresence::Missing)
    }

    /// The rows of names that a release of a package lacks or may lack.
    fn absent_rows(&self, package: &str, at: usize, needed: &BTreeSet<&str>) -> Vec<String> {
        let presence = self.presence.get(at);
        let absent = |name: &&str| {
            let is_lost = self.lost.get(name).is_some_and(|of| of.contains(package));
            let absence = match presence.and_then(|all| all.get(name)) {
                Some(NamePresence::Present) => None,
                Some(NamePresence::Missing) => Some(NameAbsence::Lacks),
                Some(NamePresence::Unknown) | None => Some(NameAbsence::MayLack),
            };
            Some(PythonNames::absent_row(absence.filter(|_| is_lost)?, name))
        };
        needed.iter().filter_map(absent).collect()
    }
}
