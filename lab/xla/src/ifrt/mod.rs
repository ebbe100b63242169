//! `cargo lab ifrt`: holds the IFRT types against the protobuf descriptors in real packages of jaxlib, and
//! with `clients` runs real JAX releases on the server.

mod clients;
mod clients_page;
mod compare;
mod descriptor;
mod page;
mod proxy;
mod scan;
mod source;
mod speed;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::ensure;
pub use compare::type_names;
use compare::{TypeName, compare};
use proxy::Messages;
use unskew_core::{Version, VersionRange};
use unskew_lab_harness::WritePage;

/// What of IFRT is compared with the sources of its releases.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Ifrt {
    #[command(subcommand)]
    other: Option<Other>,
    /// A JAX release; all that have an environment if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    #[command(flatten)]
    write: WritePage,
}

/// What else there is.
#[derive(clap::Subcommand)]
enum Other {
    /// Runs JAX releases on `unskew serve` with every plug-in.
    Clients(clients::Clients),
    /// Measures JAX on the server, beside the plug-in itself and a copy over TCP.
    Speed(speed::Speed),
}

/// Checks, and prints every deviation with both sides; or does what else is asked.
///
/// # Errors
/// If a package cannot be read, or something deviates; as the other says.
pub fn run(arguments: &Ifrt) -> anyhow::Result<()> {
    match &arguments.other {
        None => check(arguments),
        Some(Other::Clients(clients)) => clients::run(clients),
        Some(Other::Speed(speed)) => speed::run(speed),
    }
}

fn check(arguments: &Ifrt) -> anyhow::Result<()> {
    let mut packages = packages()?;
    if !arguments.releases.is_empty() {
        packages.retain(|package| arguments.releases.contains(&package.version.to_string()));
    }
    ensure!(!packages.is_empty(), "no jaxlib is here; `cargo xtask corpus` fetches some");
    let (names, messages) = (type_names(), Messages::read()?);
    let (mut reports, mut proxies) = (Vec::new(), Vec::new());
    for package in &packages {
        let found = package.scan(&names)?;
        let report = package.serdes.map(|serdes| compare(&package.label(), serdes, &found, &names));
        let proxy = messages.compare(&package.label(), &found.pool);
        println!("{proxy}");
        proxy.deviations.iter().for_each(|deviation| println!("  {deviation}"));
        if let Some(report) = report {
            println!("{report}");
            report.deviations.iter().for_each(|deviation| println!("  {deviation}"));
            reports.push(report);
        }
        proxies.push(proxy);
    }
    let found: BTreeSet<String> = proxies.iter().flat_map(|it| it.found.clone()).collect();
    for field in messages.fields().difference(&found) {
        println!("in none of these packages: {field}");
    }
    page::PAGE.write(&page::page(&reports, &proxies), &arguments.write)?;
    let types: usize = reports.iter().map(|report| report.deviations.len()).sum();
    let proxy: usize = proxies.iter().map(|report| report.deviations.len()).sum();
    let deviations = types + proxy;
    ensure!(deviations == 0, "{deviations} deviations in {} packages", packages.len());
    Ok(())
}

/// A jaxlib in the environments of the corpus.
struct Package {
    version: Version,
    /// The SerDes versions in its messages; none if it has no such versions yet.
    serdes: Option<VersionRange>,
    /// The shared object with everything in it.
    object: PathBuf,
}

impl Package {
    fn label(&self) -> String {
        format!("jaxlib {}", self.version)
    }

    fn scan(&self, names: &[TypeName]) -> anyhow::Result<scan::LibraryContents> {
        let texts: Vec<&str> = names.iter().map(|name| name.name).collect();
        let found = scan::scan(&self.object, &texts)?;
        ensure!(found.files > 20, "{}: only {} descriptors", self.object.display(), found.files);
        Ok(found)
    }
}

/// The packages that are here, oldest first.
fn packages() -> anyhow::Result<Vec<Package>> {
    let folder = unskew_peers::root().join("corpus/python");
    let mut all = Vec::new();
    for entry in folder.read_dir().into_iter().flatten() {
        let place = entry?.path();
        let name = place.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(version) = name.strip_prefix("jax-").and_then(|text| text.parse().ok()) else {
            continue;
        };
        if let Some(object) = object(&place) {
            all.push(Package { version, serdes: announced(&version), object });
        }
    }
    all.sort_by_key(|package| package.version);
    Ok(all)
}

/// The SerDes versions that a release announces. Those of 0.6 announce none, and have version 0.
fn announced(version: &Version) -> Option<VersionRange> {
    let zero = Version::number(0);
    let release = unskew_releases::find(&format!("jax@{version}")).ok()?;
    let party = release.party();
    let known = party.capability::<unskew_ifrt::IfrtRelease>()?;
    let first = unskew_ifrt::serdes()?.entries().first()?.landed;
    known.serdes.or_else(|| (known.released >= first).then_some(VersionRange::between(zero, zero)))
}

/// The largest shared object of a jaxlib: it is called otherwise in every other release.
fn object(environment: &Path) -> Option<PathBuf> {
    let libraries = environment.join("lib").read_dir().ok()?;
    let folders = libraries.flatten().map(|entry| entry.path().join("site-packages/jaxlib"));
    let files = folders.filter_map(|folder| folder.read_dir().ok()).flatten().flatten();
    let objects =
        files.map(|file| file.path()).filter(|p| p.extension().is_some_and(|e| e == "so"));
    objects.max_by_key(|path| path.metadata().map_or(0, |data| data.len()))
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn the_types_say_what_the_descriptors_of_real_packages_say() -> anyhow::Result<()> {
        let packages = packages()?;
        if packages.is_empty() {
            println!("SKIPPED: no jaxlib is here; `cargo xtask corpus` fetches some");
        }
        let (names, messages) = (type_names(), Messages::read()?);
        let with_versions = packages.iter().rev().filter(|package| package.serdes.is_some());
        let before = packages.iter().rfind(|package| package.serdes.is_none());
        let mut found_fields = BTreeSet::new();
        for package in with_versions.take(3).chain(before) {
            let found = package.scan(&names)?;
            let proxy = messages.compare(&package.label(), &found.pool);
            assert!(proxy.deviations.is_empty(), "{proxy}: {:#?}", proxy.deviations);
            assert!(proxy.compared[0] > 40 && proxy.compared[1] > 120, "{proxy}");
            println!("{proxy}");
            found_fields.extend(proxy.found);
            let Some(serdes) = package.serdes else { continue };
            let report = compare(&package.label(), serdes, &found, &names);
            assert!(report.deviations.is_empty(), "{report}: {:#?}", report.deviations);
            assert!(report.compared[0] > 20 && report.compared[1] > 70, "{report}");
            println!("{report}");
        }
        // What none of them has is of clients between them: of 0.4.31.
        let nowhere: Vec<String> = messages.fields().difference(&found_fields).cloned().collect();
        println!("in none of these packages: {nowhere:?}");
        assert!(packages.is_empty() || nowhere.len() < 12, "{nowhere:?}");
        Ok(())
    }

    #[test]
    fn a_changed_descriptor_deviates() -> anyhow::Result<()> {
        let Some(package) = packages()?.pop() else {
            println!("SKIPPED: no jaxlib is here; `cargo xtask corpus` fetches some");
            return Ok(());
        };
        let serdes = package.serdes.context("the newest has versions")?;
        let names = type_names();
        let texts: Vec<&str> = names.iter().map(|name| name.name).collect();
        let deviations =
            |change: &dyn Fn(&mut scan::LibraryContents)| -> anyhow::Result<Vec<String>> {
                let mut found = scan::scan(&package.object, &texts)?;
                change(&mut found);
                Ok(compare("changed", serdes, &found, &names).deviations)
            };
        let message = |found: &mut scan::LibraryContents,
                       change: &dyn Fn(&mut descriptor::Message)| {
            found.pool.messages.get_mut("xla.ifrt.ShapeProto").into_iter().for_each(change);
        };
        let all = deviations(&|found| {
            message(found, &|shape| shape.fields.iter_mut().for_each(|field| field.number += 1));
            found.pool.messages.remove("xla.ifrt.DeviceListProto");
            let kinds = found.pool.enumerations.get_mut("xla.ifrt.DTypeProto.Kind");
            kinds.into_iter().for_each(|kinds| kinds.values[1].number = 77);
            found.texts[0] = false;
        })?;
        let said = |part: &str| all.iter().any(|text| text.contains(part));
        for part in [
            "Shape: no field 1: dims",
            "Shape: we say kind 5 version_number = 2, it says repeated kind 3 dims = 2",
            "Shape: we have no field 3: version_number",
            "DeviceList: no such message",
            "DTypeKind: no value KIND_PRED",
            "DTypeKind: we have no value 77: KIND_PRED",
            "its name is not there: xla::ifrt::PjRtLayout",
        ] {
            assert!(said(part), "{part}: {all:#?}");
        }
        assert_eq!(all.len(), 7, "{all:#?}");
        Ok(())
    }
}
