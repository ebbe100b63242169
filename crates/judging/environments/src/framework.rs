//! The frameworks that are installed, as the other side of extensions.

use std::collections::BTreeSet;
use std::sync::Arc;

use unskew_core::{Party, Role, Unjudged, Version, aspect};
use unskew_extensions::{ExportedSymbols, Framework, Machine, cuda, harvest, table};
use unskew_releases::{Exact, Family};
use unskew_source::{FileSource, Source};

use crate::{Environment, InstalledPackage};

pub(crate) struct Installed<'a> {
    pub(crate) framework: Framework,
    pub(crate) package: &'a InstalledPackage,
    pub(crate) exports: ExportedSymbols,
    /// What stands in for what: a release judged by the table of another.
    pub(crate) remark: Option<String>,
}

/// The family of releases that a framework is.
fn family(framework: Framework) -> Family {
    match framework {
        Framework::Torch => Family::Torch,
        Framework::TensorFlow => Family::TensorFlow,
    }
}

/// The package of a framework in an environment, if there is exactly one with its libraries.
pub(crate) fn package(
    environment: &Environment,
    framework: Framework,
) -> Option<&InstalledPackage> {
    let is = |package: &&InstalledPackage| {
        Family::of_package(&package.name) == Some(family(framework))
            && package.name != "libtorch"
            && !package.is_left_behind()
    };
    let all: Vec<&InstalledPackage> = environment.packages.iter().filter(is).collect();
    let with_libraries: Vec<&InstalledPackage> =
        all.iter().copied().filter(|package| !package.libraries.is_empty()).collect();
    match (&*with_libraries, &*all) {
        ([one], _) | ([], [one]) => Some(one),
        _ => None,
    }
}

impl<'a> Installed<'a> {
    /// The framework in an environment, if it is there.
    pub(crate) fn find(environment: &'a Environment, framework: Framework) -> Option<Self> {
        let package = package(environment, framework)?;
        let exact = package.public_version().parse::<Exact>().ok();
        let numbers = exact.map_or(Version::number(0), |exact| exact.numbers);
        let is_release = exact.is_some_and(|exact| !exact.is_before_release());
        let known = table().of_framework(framework, Machine::X86);
        let runtimes = cuda_runtimes(environment, framework, package, numbers);
        let exports = ExportedSymbols::of_release(framework, numbers).with_cuda_runtimes(runtimes);
        let cuda = has_cuda(package);
        let with_cuda = |exports: ExportedSymbols| match cuda {
            Some(has) => exports.with_cuda(has),
            None => exports,
        };
        if is_release && known.contains(&numbers) {
            let exports = with_cuda(exports);
            return Some(Self { framework, package, exports, remark: None });
        }
        if let Some(names) = installed(framework, package) {
            let exports = with_cuda(exports.read(names));
            return Some(Self { framework, package, exports, remark: None });
        }
        let minor = Version::pair(numbers.major(), numbers.minor());
        let near = known.iter().rev().find(|one| is_release && one.starts_with(&minor));
        let (exports, remark) = match near {
            Some(near) => {
                let remark = format!("{} is judged by the symbols of {near}", package.label());
                let runtimes = exports.cuda_runtimes().clone();
                let exports =
                    ExportedSymbols::of_release(framework, *near).with_cuda_runtimes(runtimes);
                (with_cuda(exports), Some(remark))
            }
            None => (exports, None),
        };
        Some(Self { framework, package, exports, remark })
    }

    /// As the other side of an extension.
    pub(crate) fn party(&self) -> Party {
        let kind = match self.framework {
            Framework::Torch => "PyTorch",
            Framework::TensorFlow => "TensorFlow",
        };
        let party = Party::new(self.package.label(), Role::Host, kind)
            .with_capability(Arc::new(self.exports.clone()));
        match &self.remark {
            Some(remark) => party.not_judged(Unjudged::new(aspect::VERSION, remark.clone())),
            None => party,
        }
    }
}

/// Whether the libraries for CUDA are there.
fn has_cuda(package: &InstalledPackage) -> Option<bool> {
    let has = package.libraries.iter().any(|path| path.ends_with("libtorch_cuda.so"));
    let local = package.version.split_once('+').map(|(_, local)| local);
    if Family::of_package(&package.name) == Some(Family::TensorFlow) {
        return package.name.replace('_', "-").ends_with("-cpu").then_some(false);
    }
    match (package.libraries.is_empty(), local) {
        (false, _) => Some(has),
        (true, Some("cpu")) => Some(false),
        (true, _) => None,
    }
}

/// The majors of CUDA whose runtime comes with the PyTorch of an environment: by how it says that it was built, by the
/// packages that are there, or, where a lock takes it from PyPI, by its release. Empty if nothing says so.
fn cuda_runtimes(
    environment: &Environment,
    framework: Framework,
    package: &InstalledPackage,
    release: Version,
) -> BTreeSet<u32> {
    if framework != Framework::Torch {
        return BTreeSet::new();
    }
    let packages = environment.packages.iter();
    let mut majors: BTreeSet<u32> =
        packages.filter_map(|one| cuda::major_of_package(&one.key(), &one.version)).collect();
    let local = package.version.split_once('+').map(|(_, local)| local);
    majors.extend(local.and_then(cuda::version_of_build).map(|cuda| cuda.major() as u32));
    if majors.is_empty() && local.is_none() && package.is_of_default_index {
        majors.extend(cuda::major_on_pypi(release));
    }
    majors
}

/// What the libraries export that are really there; none if one of them cannot be read.
fn installed(framework: Framework, package: &InstalledPackage) -> Option<BTreeSet<String>> {
    let offered = package.libraries.iter().filter(|path| harvest::is_offered(framework, path));
    let mut sources: Vec<Arc<dyn Source>> = Vec::new();
    for path in offered {
        sources.push(Arc::new(FileSource::open(&package.at.join(path)).ok()?));
    }
    let columns = harvest::columns(framework, Version::number(0), &sources).ok()?;
    let names: BTreeSet<String> = columns.into_iter().flat_map(|(_, names)| names).collect();
    (!names.is_empty()).then_some(names)
}
