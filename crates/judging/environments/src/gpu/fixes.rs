//! What makes a package run on a GPU.

use unskew_core::{Severity, Version};
use unskew_cuda::ComputeCapability;

use super::releases::{TORCH, newest, release_fits, releases_for};
use crate::rules::EN122;
use crate::{Environment, InstalledPackage, PackagePair, PinChange};

/// The sentence that says which build of a package runs on a GPU, where it fails, or where only some of its libraries do not run.
pub(super) fn fix(package: &InstalledPackage, gpu: ComputeCapability, fails: bool) -> String {
    let label = &package.name;
    if !fails {
        return format!(
            "Nothing, if these libraries are not needed; else use a build of {label} with code for {gpu} in them."
        );
    }
    if package.key() != TORCH {
        return format!("Install a release or a build of {label} that has code for {gpu}.");
    }
    let all = releases_for(&[gpu]);
    match (all.first(), all.last()) {
        (Some(first), Some(last)) if Some(last.version) == newest() => {
            format!(
                "Install torch {} or later, whose wheels on PyPI have code for {gpu}.",
                first.version
            )
        }
        (Some(first), Some(last)) => {
            let (first, last) = (first.version, last.version);
            format!("Install torch {first} to {last}, whose wheels on PyPI have code for {gpu}.")
        }
        _ => format!(
            "No wheel of torch on PyPI that is known has code for {gpu}; build it from source."
        ),
    }
}

/// The releases of PyTorch to which an environment could change where the installed one does not run on its GPUs: the next one,
/// and the one before.
pub(crate) fn options(environment: &Environment, on_gpus: &[PackagePair]) -> Vec<PinChange> {
    let (Some(package), Some(host)) = (environment.package(TORCH), &environment.gpus) else {
        return Vec::new();
    };
    let label = package.label();
    let is_it =
        |pair: &PackagePair| pair.one.name == label && pair.is_broken() && lacks_only_code(pair);
    let Some(here) = package.numbers().filter(|_| on_gpus.iter().any(is_it)) else {
        return Vec::new();
    };
    let all: Vec<Version> =
        releases_for(&host.gpus).iter().map(|release| release.version).collect();
    let next = all.iter().find(|release| **release > here);
    let before = all.iter().rev().find(|release| **release < here);
    let reason = format!("its wheel on PyPI has code for {}", host.models());
    let change = |release: &Version| PinChange::exact(package, release.to_string(), &reason);
    next.into_iter().chain(before).map(change).collect()
}

/// The pairs of packages and GPUs that still break after a change. NVIDIA's libraries come along with PyTorch.
pub(crate) fn open_after(
    environment: &Environment,
    on_gpus: &[PackagePair],
    change: &PinChange,
) -> Vec<String> {
    let gpus = environment.gpus.as_ref().map(|host| host.gpus.as_slice()).unwrap_or_default();
    let torch = change.pins.iter().find(|pin| pin.package == TORCH);
    let is_fixed = torch.is_some_and(|pin| release_fits(&pin.release, gpus));
    let comes_along = |pair: &PackagePair| {
        [TORCH, "nvidia-"].iter().any(|start| pair.one.name.starts_with(start))
    };
    let is_open = |pair: &&PackagePair| {
        pair.is_broken() && !(is_fixed && comes_along(pair) && lacks_only_code(pair))
    };
    let open = on_gpus.iter().filter(is_open);
    open.map(|pair| format!("{} with {}", pair.one.name, pair.other.name)).collect()
}

/// Whether all that breaks a pair is code that is missing, which no driver changes.
fn lacks_only_code(pair: &PackagePair) -> bool {
    let mut errors = pair.verdict.findings.iter().filter(|one| one.severity == Severity::Error);
    errors.all(|one| one.rule.code == EN122.code)
}
