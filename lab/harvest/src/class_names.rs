//! Classes and functions that pickles look up in packages, by release: `cargo lab harvest class-names==ultralytics,pandas`.
//!
//! ```text
//! wheels ─ probe ─▶ a folder of sources by release ─ ReleaseSources ─▶ what any release defines, and whether each has it ─▶ the table
//! ```
//!
//! The sections of the packages that are named are made anew, those of others stay: `class-names==all` makes all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};
use rayon::prelude::*;
use unskew_class_names::PackageClasses;
use unskew_definitions::SpanTable;
use unskew_environments::{ModuleDefinitions, NamePresence, ReleaseSources};
use unskew_lab_harness::run_command;
use unskew_releases::packages_with_classes;

use crate::release_archives::{FetchedRelease, ReleaseSelection, fetched_releases, with_sources};

const TABLE: &str = "crates/judging/releases/data/class-names.tsv";

/// Which releases are taken of each package.
const SELECTION: ReleaseSelection = ReleaseSelection { since: "2019-01-01", per_minor: 30 };

const HEAD: &str = "# Classes and functions that files name, by the releases that have them, made by `cargo lab harvest class-names==all`.\n";

/// What pickles of NumPy name and its modules get from compiled code when they are imported, so that sources do not say it:
/// looked up in NumPy 1.19.5, 1.24.4, 1.26.4, 2.0.2 and 2.3.5, which have all that their modules are there for.
const MADE_AT_IMPORT: [(&str, &[&str]); 3] = [
    ("numpy.core.multiarray", &["_reconstruct", "scalar"]),
    ("numpy._core.multiarray", &["_reconstruct", "scalar"]),
    ("numpy.core.numeric", &["_frombuffer"]),
];

/// The names of a module that are made when it is imported.
fn made_at_import(module: &str) -> &'static [&'static str] {
    MADE_AT_IMPORT.iter().find(|(one, _)| *one == module).map_or(&[], |(_, names)| names)
}

/// The package whose loader takes old names for new ones, and what prints them.
const MAPPING_PACKAGE: &str = "ultralytics";
const MAPPING_PROBE: &str = "lab/harvest/probes/loader_names.py";

/// Takes what the releases of these packages define. `from` is a folder of sources that the probe wrote.
///
/// # Errors
/// If the index cannot be asked, or an archive is none.
pub(crate) fn harvest(packages: &str, from: Option<&Path>) -> Result<()> {
    let packages: BTreeSet<String> = match packages {
        "all" => packages_with_classes().map(str::to_owned).collect(),
        some => some.split(',').map(str::to_owned).collect(),
    };
    let releases = fetched_releases(from, &SELECTION, &packages)?;
    let definitions: Vec<Vec<ModuleDefinitions>> = releases
        .par_iter()
        .map(|release| with_sources(release, |sources| sources.definitions()))
        .collect::<Result<_>>()?;
    let mut by_package: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, release) in releases.iter().enumerate() {
        by_package.entry(&release.package).or_default().push(at);
    }
    let path = unskew_peers::root().join(TABLE);
    let old = fs::read_to_string(&path).unwrap_or_default();
    let mut sections: BTreeMap<&str, String> = BTreeMap::new();
    for (package, places) in by_package {
        let known = names_of_any(&definitions, &places);
        let rows: Vec<(String, Vec<String>)> = places
            .par_iter()
            .filter_map(|at| Some((releases.get(*at)?, definitions.get(*at)?)))
            .map(|(release, defined)| {
                Ok((release.version.to_string(), rows_of(release, defined, &known)?))
            })
            .collect::<Result<_>>()?;
        println!("{package}: {} releases, {} names", rows.len(), known.len());
        sections.insert(package, SpanTable::from_releases(&rows).write(package));
    }
    let table = SpanTable::replace_sections(HEAD, &old, sections);
    fs::write(&path, table).with_context(|| path.display().to_string())
}

/// What any release of a package defines, as `module:name`.
fn names_of_any(definitions: &[Vec<ModuleDefinitions>], places: &[usize]) -> BTreeSet<String> {
    let all = places.iter().filter_map(|at| definitions.get(*at)).flatten();
    let mut names = BTreeSet::new();
    for module in all {
        let more = made_at_import(&module.module).iter().copied();
        let own = module.names.iter().flatten().map(String::as_str);
        names.extend(own.chain(more).map(|name| format!("{}:{name}", module.module)));
    }
    names
}

/// The rows of a release: names that it has, those that it may have, and its extension modules.
fn rows_of(
    release: &FetchedRelease,
    defined: &[ModuleDefinitions],
    known: &BTreeSet<String>,
) -> Result<Vec<String>> {
    let extensions = defined.iter().filter(|one| one.is_extension);
    let mut rows: Vec<String> = extensions.clone().flat_map(extension_rows).collect();
    let compiled: BTreeSet<&str> = extensions.map(|one| one.module.as_str()).collect();
    rows.extend(mapped_rows(release)?);
    let written = WrittenNames {
        identifiers: identifiers(&release.archive)?,
        has_compiled_code: !compiled.is_empty(),
    };
    with_sources(release, |sources| {
        rows.extend(rows_of_names(sources, known, &compiled, &written));
    })?;
    Ok(rows)
}

/// What a release may make when its modules are imported: what is written nowhere in its sources is not there.
struct WrittenNames {
    identifiers: BTreeSet<String>,
    /// Compiled code may bind any name in a module.
    has_compiled_code: bool,
}

impl WrittenNames {
    fn may_have_module(&self, module: &str) -> bool {
        module.split('.').all(|part| self.identifiers.contains(part))
    }

    fn may_bind(&self, name: &str) -> bool {
        self.has_compiled_code || self.identifiers.contains(name)
    }
}

/// The rows of an extension module: the names that were found in it, and that it may have others.
fn extension_rows(module: &ModuleDefinitions) -> Vec<String> {
    let names = module.names.iter().flatten();
    let rows = names.map(|name| PackageClasses::row(&module.module, name, false));
    rows.chain([PackageClasses::row(&module.module, "", true)]).collect()
}

/// The rows of the classes and functions that any release of the package has.
fn rows_of_names(
    sources: &mut ReleaseSources,
    known: &BTreeSet<String>,
    compiled: &BTreeSet<&str>,
    written: &WrittenNames,
) -> Vec<String> {
    let mut rows = BTreeSet::new();
    let named = known.iter().filter_map(|one| one.split_once(':'));
    for (module, name) in named.filter(|(module, _)| !compiled.contains(module)) {
        let is_open = sources.has(module) == Some(NamePresence::Unknown);
        match sources.has(&format!("{module}:{name}")) {
            Some(NamePresence::Present) => rows.insert(PackageClasses::row(module, name, false)),
            Some(NamePresence::Unknown) if !is_open && made_at_import(module).contains(&name) => {
                rows.insert(PackageClasses::row(module, name, false))
            }
            Some(NamePresence::Unknown) if !written.may_bind(name) => false,
            Some(NamePresence::Unknown) if is_open && !written.may_have_module(module) => false,
            // A module that may be made when another is imported.
            Some(NamePresence::Unknown) if is_open => {
                rows.insert(PackageClasses::row(module, "", true))
            }
            Some(NamePresence::Unknown) => rows.insert(PackageClasses::row(module, name, true)),
            Some(NamePresence::Missing) | None => false,
        };
    }
    rows.into_iter().collect()
}

/// Every identifier in the sources of a release.
fn identifiers(archive: &Path) -> Result<BTreeSet<String>> {
    let mut archive = zip::ZipArchive::new(fs::File::open(archive)?)?;
    let mut found = BTreeSet::new();
    for at in 0..archive.len() {
        let mut member = archive.by_index(at)?;
        let mut bytes = Vec::new();
        if member.name().is_ok_and(|name| name.ends_with(".py")) {
            member.read_to_end(&mut bytes)?;
        }
        let text = String::from_utf8_lossy(&bytes);
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        found.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
    }
    Ok(found)
}

/// The rows of the names that a loader takes for others.
fn mapped_rows(release: &FetchedRelease) -> Result<Vec<String>> {
    if release.package != MAPPING_PACKAGE {
        return Ok(Vec::new());
    }
    let probe = unskew_peers::root().join(MAPPING_PROBE);
    let printed = run_command(Command::new("python3").arg(probe).arg(&release.archive))?;
    let pairs = printed.lines().filter_map(|line| line.split_once('\t'));
    Ok(pairs.map(|(old, new)| PackageClasses::mapped_row(old, new)).collect())
}
