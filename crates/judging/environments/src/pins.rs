//! The smallest change of versions after which nothing that was judged breaks.
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

use crate::dependency::Dependency;
use crate::framework::Installed;
use crate::judge::{extensions_of, fits, loaded, version};
use crate::{Environment, Generated, InstalledPackage, plugins, skipped};

/// One package whose version changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The name of the package as its index normalizes it.
    pub package: String,
    /// The version that is installed.
    pub from: String,
    /// What to install, as a requirement: `torchao==0.12.0`.
    pub requirement: String,
    /// Why, in one sentence.
    pub reason: String,
}

/// What to install instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PinChange {
    /// Each package that changes.
    pub pins: Vec<Pin>,
    /// What breaks and has no known fix among releases.
    pub open: Vec<String>,
}

impl PinChange {
    /// The command that makes the change.
    pub fn command(&self) -> String {
        let all: Vec<String> =
            self.pins.iter().map(|pin| format!("'{}'", pin.requirement)).collect();
        format!("uv pip install {}", all.join(" "))
    }
}

/// The smallest change for an environment; none if nothing is known that helps.
pub fn smallest(environment: &Environment) -> Option<PinChange> {
    let mut change = PinChange::default();
    for framework in Framework::ALL {
        if let Some(installed) = Installed::find(environment, framework) {
            of_framework(environment, &installed, &mut change);
        }
    }
    of_runtimes(environment, &mut change);
    (!change.pins.is_empty()).then_some(change)
}

/// What the solver chooses among: a release of the framework, and packages that change with it.
struct Choice<'a> {
    release: Option<Version>,
    packages: Vec<(&'a InstalledPackage, String)>,
    /// Packages of which no harvested release fits.
    open: Vec<&'a InstalledPackage>,
    distance: usize,
}

fn of_framework(environment: &Environment, installed: &Installed<'_>, change: &mut PinChange) {
    let framework = installed.framework;
    let extensions: Vec<&InstalledPackage> = extensions_of(environment, framework).collect();
    if extensions.iter().all(|package| package_fits(package, framework, &installed.exports)) {
        return;
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
    let Some(best) = choices.into_iter().min_by_key(size) else { return };
    let name = &installed.package.name;
    if let Some(release) = best.release {
        change.pins.push(Pin {
            package: name.clone(),
            from: installed.package.version.clone(),
            requirement: format!("{name}=={release}"),
            reason: format!("has all symbols that {} import", labels(&extensions)),
        });
    }
    let target = best.release.map_or_else(|| installed.package.label(), |r| format!("{name} {r}"));
    for (package, release) in best.packages {
        change.pins.push(Pin {
            package: package.name.clone(),
            from: package.version.clone(),
            requirement: format!("{}=={release}", package.name),
            reason: format!("the newest harvested release of which {target} has all symbols"),
        });
    }
    change.open.extend(best.open.iter().map(|package| package.label()));
}

fn labels(packages: &[&InstalledPackage]) -> String {
    packages.iter().map(|package| package.label()).collect::<Vec<_>>().join(", ")
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
            || !declares(package, &installed.package.key(), before)
            || declares(package, &installed.package.key(), &after);
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

/// Whether what a package requires of `key` allows a version of it. A requirement under a condition (`extra == "x"`)
/// is none here.
pub(crate) fn declares(package: &InstalledPackage, key: &str, version: &str) -> bool {
    let Ok(version) = Pep440::from_str(version) else { return true };
    let all = package.requires.iter().filter_map(|text| Dependency::read(text));
    let of_key = all.filter(|one| one.key == key && one.marker.is_none());
    of_key.into_iter().all(|one| one.allows(&version))
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
            && (declares(&requires, required, after)
                && declares(&requires, framework.as_str(), after));
        let known = releases.entry(version).or_insert(true);
        *known &= fits;
    }
    releases.into_iter().rev().find(|(_, fits)| *fits).map(|(version, _)| version.to_string())
}

/// protobuf, grpcio, jaxlib and NumPy: what they must be follows from the others.
fn of_runtimes(environment: &Environment, change: &mut PinChange) {
    if let Some(protobuf) = environment.package("protobuf") {
        of_protobuf(environment, protobuf, change);
    }
    if let Some(grpcio) = environment.package("grpcio") {
        let least = generated(environment).filter_map(|one| match one {
            Generated::Grpc(version) => Some(version),
            _ => None,
        });
        if let Some(least) = least.max().filter(|least| version(grpcio).is_some_and(|v| v < *least))
        {
            push(change, grpcio, format!("grpcio>={least}"), "the newest generated code needs it");
        }
    }
    if let (Some(jax), Some(jaxlib)) = (environment.package("jax"), environment.package("jaxlib")) {
        let least = jax.least_jaxlib.as_deref().and_then(|text| text.parse::<Version>().ok());
        let fits = version(jax).zip(version(jaxlib)).is_some_and(|(jax, jaxlib)| {
            jaxlib <= jax && least.is_none_or(|least| jaxlib >= least)
        });
        if !fits {
            let requirement = format!("jaxlib=={}", jax.public_version());
            push(change, jaxlib, requirement, "jax takes the jaxlib of its own version");
        }
    }
    for (package, jaxlib) in plugins::other_versions(environment) {
        let requirement = format!("{}=={}", package.key(), jaxlib.public_version());
        push(change, package, requirement, "jaxlib uses the modules for CUDA of its own version");
    }
    if let Some(numpy) =
        environment.package("numpy").filter(|one| version(one).is_some_and(|v| v.major() >= 2))
    {
        let old = |package: &&InstalledPackage| crate::numpy::needs_numpy_1(package);
        let all: Vec<&InstalledPackage> = environment.packages.iter().filter(old).collect();
        if !all.is_empty() {
            let reason = format!("compiled against NumPy 1: {}", labels(&all));
            push(change, numpy, "numpy<2".to_owned(), &reason);
        }
    }
}

fn push(change: &mut PinChange, package: &InstalledPackage, requirement: String, reason: &str) {
    let (name, from) = (package.name.clone(), package.version.clone());
    change.pins.push(Pin { package: name, from, requirement, reason: reason.to_owned() });
}

fn generated(environment: &Environment) -> impl Iterator<Item = Generated> {
    let others =
        environment.packages.iter().filter(|one| !["protobuf", "grpcio"].contains(&&*one.key()));
    others.flat_map(|package| package.generated.keys().copied())
}

/// The lowest range of protobuf that takes all generated code.
fn of_protobuf(environment: &Environment, protobuf: &InstalledPackage, change: &mut PinChange) {
    let Some(runtime) = version(protobuf) else { return };
    let checked: Vec<Version> = generated(environment)
        .filter_map(|one| if let Generated::Checked(version) = one { Some(version) } else { None })
        .collect();
    let refuses = |code: &Version| crate::runtimes::refuses(runtime, *code);
    let has_old = generated(environment).any(|one| one == Generated::Descriptors);
    let Some(newest) = checked.iter().max().copied() else {
        if has_old && runtime.major() >= 4 {
            push(
                change,
                protobuf,
                "protobuf<4".to_owned(),
                "code from before protobuf 3.20 needs it",
            );
        }
        return;
    };
    if !checked.iter().any(refuses) {
        return;
    }
    if has_old {
        change.open.push(format!(
            "protobuf: no release takes generated code from before 3.20 and of {newest}; one of the packages has to change"
        ));
        return;
    }
    let requirement = format!("protobuf>={newest},<{}", newest.major() + 1);
    let names: Vec<&InstalledPackage> = environment
        .packages
        .iter()
        .filter(|package| package.generated.contains_key(&Generated::Checked(newest)))
        .collect();
    push(change, protobuf, requirement, &format!("takes the generated code of {}", labels(&names)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_on_others_and_under_conditions_allow_everything() {
        let package = InstalledPackage {
            requires: ["torch==2.7.1", "numpy", "torch<1; extra == 'old'", "torch-geometric (>=9)"]
                .map(str::to_owned)
                .to_vec(),
            ..InstalledPackage::default()
        };
        assert!(declares(&package, "torch", "2.7.1"));
        assert!(!declares(&package, "torch", "2.8.0"));
        assert!(declares(&package, "numpy", "2.0"));
        assert!(!declares(&package, "torch-geometric", "2.0"));
    }
}
