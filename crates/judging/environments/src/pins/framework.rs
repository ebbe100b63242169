//! Changes after which all native extensions fit their framework.
//!
//! For each framework every release of the table is tried, the installed one first. With a release fixed, each package
//! with extensions either fits or needs another release, of which the newest harvested one that fits is taken; so
//! for each release the change is known, and the smallest one wins. What the packages declare of the
//! framework (`Requires-Dist`) holds for each package that stays as it is.

use std::collections::BTreeMap;
use std::str::FromStr as _;
use std::sync::Arc;

use pep440_rs::Version as Pep440;
use unskew_core::Version;
use unskew_extensions::{ExportedSymbols, Framework, Machine, Needs, cuda, table, wheels};

use super::{Options, PinChange, labels};
use crate::extension_pairs::{extensions_of, fits, loaded};
use crate::framework::Installed;
use crate::{Environment, InstalledPackage, skipped};

/// What the solver chooses among: a release of the framework, and packages that change with it.
struct Choice<'a> {
    release: Option<Version>,
    packages: Vec<(&'a InstalledPackage, String)>,
    /// Packages of which no harvested release fits.
    open: Vec<&'a InstalledPackage>,
    distance: usize,
}

/// What could be changed so that all extensions of a framework fit it.
pub(super) fn options(environment: &Environment, installed: &Installed<'_>) -> Options {
    let framework = installed.framework;
    let extensions: Vec<&InstalledPackage> = extensions_of(environment, framework).collect();
    if extensions.iter().all(|package| package_fits(package, framework, &installed.exports)) {
        return Options::new();
    }
    let machine = extensions
        .iter()
        .flat_map(|package| &package.objects)
        .find_map(|(_, needs)| needs.machine)
        .unwrap_or(Machine::X86);
    let known = table().of_framework(framework, machine);
    let here =
        known.iter().position(|one| *one >= installed.exports.release()).unwrap_or(known.len());
    let mut choices = vec![choice(environment, installed, None, &extensions, 0)];
    for (index, release) in known.iter().enumerate() {
        if *release != installed.exports.release() {
            let distance = index.abs_diff(here) + 1;
            choices.push(choice(environment, installed, Some(*release), &extensions, distance));
        }
    }
    let size = |choice: &Choice<'_>| {
        let changes = choice.packages.len() + usize::from(choice.release.is_some());
        (choice.open.len(), changes, choice.release.is_some(), choice.distance)
    };
    choices.sort_by_key(size);
    let Some(best) = choices.first() else { return Options::new() };
    let keeps = best.release.is_none();
    let is_other =
        |choice: &&Choice<'_>| choice.release.is_none() != keeps && choice.open.is_empty();
    let other = choices.iter().find(is_other);
    [best].into_iter().chain(other).map(|choice| change(choice, installed, &extensions)).collect()
}

/// A choice as pins.
fn change(
    choice: &Choice<'_>,
    installed: &Installed<'_>,
    extensions: &[&InstalledPackage],
) -> PinChange {
    let mut change = PinChange::default();
    let package = installed.package;
    if let Some(release) = choice.release {
        let reason = format!("has all symbols that {} import", labels(extensions));
        change.extend(PinChange::exact(package, release.to_string(), &reason));
    }
    let name = &package.name;
    let target =
        choice.release.map_or_else(|| package.label(), |release| format!("{name} {release}"));
    for (package, release) in &choice.packages {
        let reason = format!("the newest harvested release of which {target} has all symbols");
        change.extend(PinChange::exact(package, release.clone(), &reason));
    }
    change.open.extend(choice.open.iter().map(|package| package.label()));
    change
}

/// What has to change if the framework is of this release.
fn choice<'a>(
    environment: &'a Environment,
    installed: &Installed<'a>,
    release: Option<Version>,
    extensions: &[&'a InstalledPackage],
    distance: usize,
) -> Choice<'a> {
    let framework = installed.framework;
    let exports = release.map_or_else(
        || installed.exports.clone(),
        |release| {
            // Another release from the same index brings the CUDA of its own.
            let here = installed.exports.cuda_runtimes();
            let of_index = cuda::major_on_pypi(installed.exports.release());
            let is_default = of_index.is_some_and(|major| here.iter().eq([&major]));
            let runtimes = match (is_default, cuda::major_on_pypi(release)) {
                (true, Some(major)) => [major].into(),
                _ => here.clone(),
            };
            let exports =
                ExportedSymbols::of_release(framework, release).with_cuda_runtimes(runtimes);
            installed
                .exports
                .cuda()
                .map_or_else(|| exports.clone(), |has| exports.clone().with_cuda(has))
        },
    );
    let mut choice = Choice { release, packages: Vec::new(), open: Vec::new(), distance };
    let before = installed.package.public_version();
    let after = release.map_or_else(|| before.to_owned(), |release| release.to_string());
    for package in &environment.packages {
        let extends = extensions.iter().any(|one| std::ptr::eq(*one, package));
        // A requirement that is broken already is not this change's affair.
        let declared = release.is_none()
            || !package.allows(&installed.package.key(), before)
            || package.allows(&installed.package.key(), &after);
        let fits = !extends || package_fits(package, framework, &exports);
        if fits && declared {
            continue;
        }
        match other_release(package, &installed.package.key(), &after, framework, &exports) {
            Some(version) => choice.packages.push((package, version)),
            None => choice.open.push(package),
        }
    }
    choice
}

fn package_fits(
    package: &InstalledPackage,
    framework: Framework,
    exports: &ExportedSymbols,
) -> bool {
    let objects = package.objects.iter().map(|(path, needs)| (path.as_str(), needs));
    loaded(objects, framework, exports).iter().all(|(_, needs)| fits(needs, exports))
        && skipped::loads(package.loads_with.as_ref(), exports)
}

/// The newest harvested release of a package that fits; none if none is known.
fn other_release(
    package: &InstalledPackage,
    required: &str,
    after: &str,
    framework: Framework,
    exports: &ExportedSymbols,
) -> Option<String> {
    let key = package.key();
    let mut releases: BTreeMap<Pep440, bool> = BTreeMap::new();
    for wheel in wheels::wheels().iter().filter(|wheel| wheel.package() == key) {
        let Ok(version) = Pep440::from_str(wheel.version()) else { continue };
        let objects: Vec<(String, Arc<Needs>)> = wheel
            .objects
            .iter()
            .map(|(path, needs)| (path.clone(), Arc::new(needs.clone())))
            .collect();
        // A wheel that requires another release of the framework would bring it along.
        let requires = InstalledPackage {
            requires: wheel.requires.iter().cloned().collect(),
            ..InstalledPackage::default()
        };
        let refs = objects.iter().map(|(path, needs)| (path.as_str(), needs));
        let fits = loaded(refs, framework, exports).iter().all(|(_, needs)| fits(needs, exports))
            && skipped::loads(wheel.loads_with.as_ref(), exports)
            && (requires.allows(required, after) && requires.allows(framework.as_str(), after));
        let known = releases.entry(version).or_insert(true);
        *known &= fits;
    }
    releases.into_iter().rev().find(|(_, fits)| *fits).map(|(version, _)| version.to_string())
}
