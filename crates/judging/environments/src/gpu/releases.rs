//! Code for GPUs in the wheels of PyTorch's releases on PyPI, for Linux on x86-64.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use unskew_core::Version;
use unskew_cuda::{ComputeCapability, DeviceCode, GpuCode};
use unskew_extensions::cuda::version_of_build;

use crate::InstalledPackage;

/// The package that the table is of.
pub(super) const TORCH: &str = "torch";

/// A release and what its wheel holds.
#[derive(Clone, Debug)]
pub(crate) struct GpuRelease {
    pub(crate) version: Version,
    /// The version of CUDA that it was built with.
    pub(crate) cuda: Version,
    /// The machine code that most of its fat binaries hold; none of these releases has PTX.
    pub(crate) code: GpuCode,
}

/// The releases in the order of their versions.
static RELEASES: LazyLock<Vec<GpuRelease>> = LazyLock::new(|| {
    let rows = include_str!("../../data/torch-gpu-code.tsv").lines();
    let mut all: Vec<GpuRelease> =
        rows.filter(|line| !line.starts_with('#')).filter_map(row).collect();
    all.sort_by_key(|release| release.version);
    all
});

fn row(line: &str) -> Option<GpuRelease> {
    let mut cells = line.split('\t');
    let (version, cuda) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
    let codes = cells.next()?.split(' ').map(|one| one.parse().map(DeviceCode::Cubin));
    let code = GpuCode { sets: BTreeMap::from([(codes.collect::<Result<_, _>>().ok()?, 1)]) };
    Some(GpuRelease { version, cuda, code })
}

/// The release of which a package would be the wheel on PyPI, by its version. Patch releases of a minor have the same code.
pub(crate) fn release_on_index(package: &InstalledPackage) -> Option<&'static GpuRelease> {
    if package.key() != TORCH || !package.is_of_default_index {
        return None;
    }
    release_of_version(package.numbers()?)
}

/// How a package of a lock compares with the wheel on PyPI that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockedBuild {
    /// It is that wheel.
    OnIndex,
    /// It is another patch release, or the same build from elsewhere.
    Like,
    /// It is built with this CUDA.
    OtherCuda(Version),
}

/// The release by which a package of a lock is judged.
pub(super) fn release_of_lock(
    package: &InstalledPackage,
) -> Option<(&'static GpuRelease, LockedBuild)> {
    if package.key() != TORCH {
        return None;
    }
    let here = package.numbers()?;
    let release = release_of_version(here)?;
    let build = match package.version.split_once('+') {
        None if !package.is_of_default_index => return None,
        None if release.version == here => LockedBuild::OnIndex,
        None => LockedBuild::Like,
        Some((_, local)) => match version_of_build(local)? {
            cuda if cuda == release.cuda => LockedBuild::Like,
            cuda => LockedBuild::OtherCuda(cuda),
        },
    };
    Some((release, build))
}

fn release_of_version(version: Version) -> Option<&'static GpuRelease> {
    let minor = Version::pair(version.major(), version.minor());
    let exact = RELEASES.iter().find(|release| release.version == version);
    exact.or_else(|| RELEASES.iter().find(|release| release.version.starts_with(&minor)))
}

/// Whether the wheel of a release runs on all of these GPUs.
pub(super) fn release_fits(release: &str, gpus: &[ComputeCapability]) -> bool {
    let release = release.parse().ok().and_then(release_of_version);
    release.is_some_and(|release| gpus.iter().all(|gpu| runs_on(release, *gpu)))
}

fn runs_on(release: &GpuRelease, gpu: ComputeCapability) -> bool {
    release.code.fit(gpu).by_cubin > 0
}

/// The releases that run on all of these GPUs, in the order of their versions.
pub(super) fn releases_for(gpus: &[ComputeCapability]) -> Vec<&'static GpuRelease> {
    RELEASES.iter().filter(|release| gpus.iter().all(|gpu| runs_on(release, *gpu))).collect()
}

/// The newest release of the table.
pub(super) fn newest() -> Option<Version> {
    RELEASES.last().map(|release| release.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_release() {
        let text = include_str!("../../data/torch-gpu-code.tsv");
        assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), RELEASES.len());
    }

    #[test]
    fn releases_run_on_what_they_were_compiled_for() {
        let of = |gpu: &str| -> Vec<String> {
            let all = releases_for(&[gpu.parse().unwrap()]);
            all.iter().map(|release| release.version.to_string()).collect()
        };
        assert_eq!(of("sm_120").first().map(String::as_str), Some("2.8.0"));
        assert_eq!(of("sm_90").first().map(String::as_str), Some("2.1.2"));
        assert_eq!(of("sm_60").last().map(String::as_str), Some("2.7.1"));
        assert_eq!(of("sm_70").last().map(String::as_str), Some("2.10.0"));
    }
}
