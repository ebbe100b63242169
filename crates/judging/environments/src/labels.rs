//! Labels that a wheel would have to declare: the variants and ABI dependencies of the drafts PEP 825 and PEP 850, and its
//! platform tag, computed from its shared objects.

use std::collections::BTreeSet;

use unskew_core::Version;
use unskew_extensions::{ExportedSymbols, Framework, NumPyAbi, table};

use crate::InstalledPackage;
use crate::extension_pairs::{is_loaded_by_none, loaded};
use crate::system::{least_glibc, policy_of};

/// One label, and what it is computed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeLabel {
    /// As a wheel declares it: `abi_dependency :: torch :: 2.9`, `Requires-Dist: torch>=2.11.0`.
    pub text: String,
    /// Why, in one sentence.
    pub reason: String,
}

/// What is to be said of a wheel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// What it would have to declare.
    pub labels: Vec<NodeLabel>,
    /// What it declares and does not keep.
    pub broken: Vec<String>,
}

/// Computes the labels of a wheel that was read, by the platform tags in its file name.
pub fn labels(package: &InstalledPackage) -> Labels {
    let mut all = Labels::default();
    for framework in Framework::ALL {
        of_framework(package, framework, &mut all);
    }
    of_numpy(package, &mut all);
    of_cuda(package, &mut all);
    of_system(package, &mut all);
    all
}

fn of_framework(package: &InstalledPackage, framework: Framework, all: &mut Labels) {
    let objects = package.objects.iter().filter(|(_, needs)| needs.extends(framework));
    let objects: Vec<_> =
        objects.filter(|(_, needs)| !is_loaded_by_none(needs, framework)).collect();
    let Some(machine) = objects.iter().find_map(|(_, needs)| needs.machine) else { return };
    let known = table().of_framework(framework, machine);
    let fits = |release: &Version| {
        let exports = ExportedSymbols::of_release(framework, *release);
        let refs = objects.iter().map(|(path, needs)| (path.as_str(), needs));
        let loaded = loaded(refs, framework, &exports);
        loaded.iter().all(|(_, needs)| crate::extension_pairs::fits(needs, &exports))
    };
    let fitting: Vec<Version> = known.iter().copied().filter(fits).collect();
    let (Some(first), Some(last)) = (fitting.first(), fitting.last()) else {
        let what = format!("no known release of {framework} has all symbols that it imports");
        all.broken.push(what);
        return;
    };
    if objects.iter().all(|(_, needs)| needs.is_stable(framework)) {
        all.labels.push(NodeLabel {
            text: format!("Requires-Dist: {framework}>={first}"),
            reason: "it imports C shims of the stable ABI only, and this is the first release with all of them".to_owned(),
        });
    } else {
        let minors: BTreeSet<Version> =
            fitting.iter().map(|one| Version::pair(one.major(), one.minor())).collect();
        for minor in &minors {
            all.labels.push(NodeLabel {
                text: format!("abi_dependency :: {framework} :: {minor}"),
                reason:
                    "it has all symbols that are imported; the layout of C++ classes is not judged"
                        .to_owned(),
            });
        }
        let next = known.iter().find(|one| *one > last);
        let below = next.map(|next| format!(",<{}", Version::pair(next.major(), next.minor())));
        all.labels.push(NodeLabel {
            text: format!("Requires-Dist: {framework}>={first}{}", below.unwrap_or_default()),
            reason: "the range of these releases".to_owned(),
        });
    }
    let allowed = known.iter().filter(|one| !fitting.contains(one));
    let allowed: Vec<String> = allowed
        .map(Version::to_string)
        .filter(|release| package.allows(framework.as_str(), release))
        .collect();
    if let [first, .., last] | [first @ last] = &*allowed {
        let count = allowed.len();
        all.broken.push(format!(
            "Requires-Dist allows {count} known releases of {framework} that lack symbols, {first} to {last}"
        ));
    }
}

fn of_numpy(package: &InstalledPackage, all: &mut Labels) {
    let uses = |abi: NumPyAbi| package.objects.iter().any(|(_, needs)| needs.numpy == abi);
    if uses(NumPyAbi::One) {
        all.labels.push(NodeLabel {
            text: "Requires-Dist: numpy<2".to_owned(),
            reason: "modules are compiled with the C API of NumPy 1".to_owned(),
        });
        if package.allows("numpy", "2.0.0") {
            all.broken.push("Requires-Dist allows NumPy 2, which refuses its modules".to_owned());
        }
    } else if uses(NumPyAbi::Two) {
        all.labels.push(NodeLabel {
            text: "abi_dependency :: numpy :: 2".to_owned(),
            reason: "modules are compiled with the C API of NumPy 2, which NumPy 1 has too"
                .to_owned(),
        });
    }
}

/// The majors of CUDA that shared objects are linked against: 12 of `libcudart.so.12`.
fn of_cuda(package: &InstalledPackage, all: &mut Labels) {
    let needed = package.objects.iter().flat_map(|(_, needs)| &needs.needed);
    let majors: BTreeSet<&str> =
        needed.filter_map(|library| library.strip_prefix("libcudart.so.")).collect();
    for major in majors {
        all.labels.push(NodeLabel {
            text: format!("nvidia :: cuda_version_lower_bound :: {major}"),
            reason: format!("it is linked against libcudart.so.{major}"),
        });
    }
}

fn of_system(package: &InstalledPackage, all: &mut Labels) {
    // The policy that each need asks for, with the need and the object that has it.
    let needs = package.objects.iter().flat_map(|(path, needs)| {
        let of = move |(family, version): (&String, &Version)| {
            Some((policy_of(family, *version)?, format!("{path} needs {family}_{version}")))
        };
        needs.system.iter().filter_map(of)
    });
    let Some((least, reason)) = needs.max() else { return };
    let has_others = package.objects.iter().any(|(_, needs)| needs.foreign().next().is_some());
    let bundled = if has_others { "; libraries that it brings along are not judged" } else { "" };
    let label = format!("manylinux_{}_{}", least.major(), least.minor());
    let promised = package.platforms.iter().filter_map(|tag| Some((least_glibc(tag)?, tag))).min();
    if let Some((_, tag)) = promised.filter(|(promised, _)| *promised < least) {
        all.broken.push(format!("its tag {tag} promises less than {label}: {reason}"));
    }
    all.labels
        .push(NodeLabel { text: label, reason: format!("{reason}, so no older tag{bundled}") });
}
