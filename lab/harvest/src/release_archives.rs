//! The sources of releases of packages, in an archive each, fetched by a probe.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr as _;

use anyhow::{Result, ensure};
use pep440_rs::Version;
use unskew_environments::ReleaseSources;
use unskew_lab_harness::run_command;

const PROBE: &str = "lab/harvest/probes/python_sources.py";
const SOURCES: &str = "corpus/python-sources";

/// Which releases are taken of each package.
pub(crate) struct ReleaseSelection {
    /// The day of the first ones.
    pub(crate) since: &'static str,
    /// The most of one minor release.
    pub(crate) per_minor: usize,
}

/// A release whose sources were fetched.
pub(crate) struct FetchedRelease {
    pub(crate) package: String,
    pub(crate) version: Version,
    /// The day on which it was published.
    pub(crate) day: String,
    pub(crate) archive: PathBuf,
}

/// The releases of packages, by package, the oldest first. `from` is a folder of sources that the probe wrote, with its lines in
/// `releases.tsv`: nothing is fetched then.
///
/// # Errors
/// If the index cannot be asked.
pub(crate) fn fetched_releases(
    from: Option<&Path>,
    selection: &ReleaseSelection,
    packages: &BTreeSet<String>,
) -> Result<Vec<FetchedRelease>> {
    let root = unskew_peers::root();
    let folder = from.map_or_else(|| root.join(SOURCES), Path::to_owned);
    let listing = match from {
        Some(folder) => fs::read_to_string(folder.join("releases.tsv"))?,
        None => {
            let mut probe = Command::new("python3");
            probe.arg(root.join(PROBE)).arg(&folder).arg(selection.since);
            run_command(probe.arg(selection.per_minor.to_string()).args(packages))?
        }
    };
    let releases = listed(&folder, &listing)?;
    println!("{} releases fetched", releases.len());
    Ok(releases)
}

/// The releases that the probe printed, by package, the oldest first.
fn listed(folder: &Path, listing: &str) -> Result<Vec<FetchedRelease>> {
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

/// Unpacks the sources of a release for as long as they are asked.
pub(crate) fn with_sources<T: Send>(
    release: &FetchedRelease,
    ask: impl FnOnce(&mut ReleaseSources) -> T + Send,
) -> Result<T> {
    let folder = tempfile::tempdir()?;
    unpack(&release.archive, folder.path())?;
    Ok(ReleaseSources::with(folder.path(), &release.package, ask)?)
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
