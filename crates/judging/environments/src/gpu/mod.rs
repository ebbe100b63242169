//! GPUs and their driver with the packages that have code for them.
//!
//! | matter | what decides |
//! | --- | --- |
//! | kernels and GPU | the code in the shared objects of a package ([`PackageGpuCode`]), in a lock that of PyTorch's release ([`releases`]) |
//! | PTX and driver | the version of PTX, and the CUDA that the driver came with |
//! | CUDA and driver | the version of CUDA that a package was built for, or is |
//! | GPU and driver | the CUDA that first compiled for the GPU |
//!
//! Nothing is read if neither GPUs nor a driver are given.

mod fixes;
mod host;
mod judge;
mod object_fits;
mod package_code;
mod releases;

use std::sync::Arc;

use rayon::prelude::*;
use unskew_core::{Context, Party, Requirement, Role, Unjudged, Version, aspect, check};
use unskew_extensions::cuda::{major_of_package, version_of_build};
use unskew_source::read_text;

use crate::package::CODE;
use crate::{Environment, InstalledPackage, PackagePair};

pub(crate) use fixes::{open_after, options};
pub use host::GpuHost;
use judge::{GpuMatcher, NewerGpu};
use package_code::PackageGpuCode;

/// Packages whose kernels are compiled where they run, and are in no file of theirs.
const COMPILERS: [&str; 8] = [
    "triton",
    "cupy-cuda11x",
    "cupy-cuda12x",
    "cupy-cuda13x",
    "jax-cuda12-pjrt",
    "jax-cuda13-pjrt",
    "numba-cuda",
    "warp-lang",
];

/// What an environment says to the GPUs of a machine.
#[derive(Default)]
pub(crate) struct GpuVerdict {
    pub(crate) pairs: Vec<PackagePair>,
    pub(crate) unjudged: Vec<Unjudged>,
}

/// Judges every package that has code for GPUs, and the driver with the GPUs.
pub(crate) fn judge_gpus(environment: &Environment, context: &Context) -> GpuVerdict {
    let Some(host) = environment.gpus.as_ref().filter(|host| !host.is_empty()) else {
        return GpuVerdict::default();
    };
    let party = |name: String| {
        Party::new(name, Role::Host, "GPUs and their driver")
            .with_capability(Arc::new(host.clone()))
    };
    let cuda = cuda_of_torch(environment);
    let matchers: Vec<GpuMatcher> = environment
        .packages
        .par_iter()
        .filter_map(|package| matcher(environment, package, host, cuda))
        .collect();
    let mut verdict = GpuVerdict::default();
    for matcher in matchers {
        let one = Party::new(matcher.package.label(), Role::Plugin, "package with code for GPUs")
            .require(Requirement::matches("gpu.code", matcher));
        let other = party(host.name());
        let found = check(&one, &other, context);
        verdict.pairs.push(PackagePair { one, other, verdict: found });
    }
    if let (Some(driver), false) = (&host.driver, host.gpus.is_empty()) {
        let one = Party::new(format!("driver {driver}"), Role::Plugin, "driver")
            .require(Requirement::matches("gpu.driver", NewerGpu { driver: driver.clone() }));
        let other = party(host.models());
        let found = check(&one, &other, context);
        // That a driver knows a GPU is nothing to be listed among packages.
        if !found.findings.is_empty() {
            verdict.pairs.push(PackagePair { one, other, verdict: found });
        }
    }
    verdict.unjudged = not_judged(environment, host, &verdict.pairs);
    verdict
}

/// What is to be judged of a package; none if it has nothing to do with GPUs as far as is known.
fn matcher(
    environment: &Environment,
    package: &InstalledPackage,
    host: &GpuHost,
    cuda: Option<Version>,
) -> Option<GpuMatcher> {
    let built = cuda_of(environment, package);
    let code = match environment.is_lock {
        true => PackageGpuCode::for_release(package),
        false if host.gpus.is_empty() => PackageGpuCode::default(),
        false => PackageGpuCode::read(package, cuda),
    };
    if built.is_none() && code.is_nothing() {
        return None;
    }
    Some(GpuMatcher { package: package.clone(), code, built })
}

/// The version of CUDA that a package was built for, or is, where it says so.
fn cuda_of(environment: &Environment, package: &InstalledPackage) -> Option<Version> {
    let key = package.key();
    if major_of_package(&key, &package.version).is_some() {
        let version: Version = package.public_version().parse().ok()?;
        return Some(Version::pair(version.major(), version.minor()));
    }
    let local = package.version.split_once('+').and_then(|(_, local)| version_of_build(local));
    if local.is_some() || key != releases::TORCH {
        return local;
    }
    match environment.is_lock {
        true => releases::release_on_index(package).map(|release| release.cuda),
        false => cuda_of_text(&read_text(&package.at.join("torch/version.py"), CODE).ok()?),
    }
}

/// The version in `cuda: Optional[str] = '12.4'` of `torch/version.py`.
pub fn cuda_of_text(text: &str) -> Option<Version> {
    let is_cuda = |line: &&str| {
        line.strip_prefix("cuda").is_some_and(|rest| rest.starts_with([' ', ':', '=']))
    };
    let line = text.lines().find(is_cuda)?;
    line.rsplit_once('=')?.1.trim().trim_matches(['"', '\'']).parse().ok()
}

fn cuda_of_torch(environment: &Environment) -> Option<Version> {
    cuda_of(environment, environment.package(releases::TORCH)?)
}

/// What is not looked at: code that is in no file, GPUs whose model is not known, packages of a lock.
fn not_judged(environment: &Environment, host: &GpuHost, pairs: &[PackagePair]) -> Vec<Unjudged> {
    let mut all = Vec::new();
    let mut say = |aspect: &'static str, reason: &str, labels: Vec<String>| {
        if !labels.is_empty() {
            all.push(Unjudged::new(aspect, reason).at(labels.iter().collect()));
        }
    };
    if !host.unknown.is_empty() {
        let reason = "GPUs whose compute capability is not known; --gpu sm_XY says it";
        say(aspect::KERNELS, reason, host.unknown.clone());
    }
    if host.gpus.is_empty() {
        return all;
    }
    let of = |is: &dyn Fn(&InstalledPackage) -> bool| -> Vec<String> {
        environment.packages.iter().filter(|one| is(one)).map(InstalledPackage::label).collect()
    };
    let compile = of(&|package| COMPILERS.contains(&&*package.key()));
    say(
        aspect::KERNELS,
        "kernels that are compiled when they first run, which are in no file",
        compile,
    );
    if environment.is_lock {
        let is_judged =
            |package: &InstalledPackage| pairs.iter().any(|pair| pair.one.name == package.label());
        let takes_cuda = |package: &InstalledPackage| {
            let is_torch = package.key() == releases::TORCH && !package.version.ends_with("+cpu");
            is_torch
                || package.objects.iter().any(|(_, needs)| needs.cuda_majors().next().is_some())
        };
        let packages = of(&|package| takes_cuda(package) && !is_judged(package));
        let reason = "code for GPUs in wheels of a lock; `unskew env` reads that of an installed environment";
        say(aspect::CONTENTS, reason, packages);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cuda_of_a_build_stands_in_its_sources() {
        for (text, cuda) in [
            ("debug = False\ncuda = '11.7'\n", Some(Version::pair(11, 7))),
            ("cuda: Optional[str] = '12.4'\nhip = None", Some(Version::pair(12, 4))),
            ("cuda = None\n", None),
            ("cuda_arch = '9.0'\n", None),
        ] {
            assert_eq!(cuda_of_text(text), cuda, "{text}");
        }
    }
}
