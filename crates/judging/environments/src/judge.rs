//! All pairs of an environment that meet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unskew_core::{
    Context, Finding, Outcome, Party, Requirement, Role, Unjudged, Verdict, Version, aspect, check,
};
use unskew_extensions::{ExportedSymbols, Framework, Needs, gap};

use crate::dependencies::Unmet;
use crate::framework::Installed;
use crate::names::ReachedModules;
use crate::package_checks::of_package;
use crate::pins::{self, PinChange};
use crate::runtimes::{CodeMatcher, JaxMatcher, Runtime};
use crate::{
    Environment, Generated, InstalledPackage, gpu, handlers, libraries, names, numpy, plugins,
    self_checked, skipped, system,
};

/// Two packages that meet, and what is to be said of them.
#[derive(Clone, Debug)]
pub struct PackagePair {
    /// The package that needs something.
    pub one: Party,
    /// The package that has it.
    pub other: Party,
    /// Whether the two work together, and what was not looked at.
    pub verdict: Verdict,
}

/// What is to be said of an environment.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentVerdict {
    /// All pairs compared, those that break first.
    pub pairs: Vec<PackagePair>,
    /// Packages with something to be said of them alone: their installation, another Python.
    pub alone: Vec<Party>,
    /// The smallest change of versions after which no pair breaks; none if none does, or none is known.
    pub change: Option<PinChange>,
    /// A second one, which changes the other side: the upgrade beside the downgrade.
    pub other_change: Option<PinChange>,
    /// Changes that would fix it but for what another package declares, each with that.
    pub refused: Vec<String>,
    /// What of the declared requirements is not judged.
    pub unjudged: Vec<Unjudged>,
    /// How many declared requirements were held against the version that is installed.
    pub compared: usize,
}

/// Judges an environment: every pair of packages that meet, each package alone, and what to change.
pub fn judge(environment: &Environment, context: &Context) -> EnvironmentVerdict {
    let unmet = Unmet::new(environment);
    let names = names::judge_names(environment, &unmet);
    let mut pairs = pairs_of(environment, names.reached.as_ref(), context);
    let without_library = libraries::pairs(environment, &unmet);
    for (one, other) in names.pairs.into_iter().chain(self_checked::pairs(environment, &unmet)) {
        let verdict = check(&one, &other, context);
        pairs.push(PackagePair { one, other, verdict });
    }
    let mut has_said: BTreeSet<usize> = BTreeSet::new();
    for (places, one, other) in without_library {
        has_said.extend(places);
        let verdict = check(&one, &other, context);
        pairs.push(PackagePair { one, other, verdict });
    }
    sort(&mut pairs);
    let gpus = gpu::judge_gpus(environment, context);
    let mut alone: Vec<Party> = Vec::new();
    for (at, package) in environment.packages.iter().enumerate() {
        let label = package.label();
        let breaks = |other: &InstalledPackage| {
            let is = |pair: &PackagePair| {
                pair.one.name == label && pair.other.name == other.label() && pair.is_broken()
            };
            pairs.iter().any(is)
        };
        let mut unmet = match has_said.contains(&at) {
            // What is missing stands in the fix of what it breaks.
            true => Vec::new(),
            false => unmet.findings(at, package, breaks),
        };
        unmet.extend(names.alone.get(&at).into_iter().flatten().cloned());
        alone.extend(of_package(package, environment, unmet));
    }
    let is_broken = pairs.iter().chain(&gpus.pairs).any(PackagePair::is_broken);
    let reached = names.reached.as_ref();
    let changes = match is_broken {
        true => pins::changes(environment, &unmet, (&pairs, &gpus.pairs), reached, context),
        false => pins::Changes::default(),
    };
    let refused = changes.refused;
    let mut all = changes.all.into_iter();
    let (change, other_change) = (all.next(), all.next());
    let compared = unmet.compared;
    pairs.extend(gpus.pairs);
    sort(&mut pairs);
    let unjudged = unmet.unjudged.into_iter().chain(names.unjudged).chain(gpus.unjudged).collect();
    EnvironmentVerdict { pairs, alone, change, other_change, refused, unjudged, compared }
}

/// Judges every pair of packages that meet, those that break first.
pub fn judge_pairs(environment: &Environment, context: &Context) -> Vec<PackagePair> {
    pairs_of(environment, None, context)
}

/// The same, where it is known which modules the imports of packages reach.
pub(crate) fn pairs_of(
    environment: &Environment,
    reached: Option<&ReachedModules>,
    context: &Context,
) -> Vec<PackagePair> {
    let mut pairs = Vec::new();
    let mut meet = |one: Party, other: Party| {
        let verdict = check(&one, &other, context);
        pairs.push(PackagePair { one, other, verdict });
    };
    for framework in Framework::ALL {
        let installed = Installed::find(environment, framework);
        for package in extensions_of(environment, framework) {
            match &installed {
                Some(installed) => {
                    meet(extension(package, framework, &installed.exports), installed.party());
                }
                // Nothing to load it with: an optional part, or an environment that is not whole.
                None => meet(extension_alone(package, framework), nothing(environment, framework)),
            }
        }
    }
    for (key, runtime) in RUNTIMES {
        let Some(installed) = environment.package(key) else { continue };
        let Some(version) = version(installed) else { continue };
        let other = || {
            Party::new(installed.label(), Role::Runtime, "package")
                .with_capability(Arc::new(runtime(version)))
        };
        for package in &environment.packages {
            if let Some(requirement) = requirement(package, runtime(version), reached) {
                let one = Party::new(package.label(), Role::Artifact, kind(runtime(version)));
                meet(one.require(requirement), other());
            }
        }
    }
    for (one, other) in handlers::pairs(environment).into_iter().chain(plugins::pairs(environment))
    {
        meet(one, other);
    }
    if let Some(system) = &environment.system {
        let other = || {
            Party::new(&*system.name, Role::Host, "system")
                .with_capability(Arc::new(system.clone()))
        };
        for package in &environment.packages {
            if let Some(requirement) = system::requirement(package, system) {
                let one =
                    Party::new(package.label(), Role::Artifact, "package with native modules");
                meet(one.require(requirement), other());
            }
        }
    }
    sort(&mut pairs);
    pairs
}

/// Puts the pairs that break first.
fn sort(pairs: &mut [PackagePair]) {
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.verdict.severity()));
}

impl PackagePair {
    /// Whether the pair fails as it is installed. One that works after an adaptation fails without it.
    pub fn is_broken(&self) -> bool {
        matches!(self.verdict.outcome, Outcome::Incompatible | Outcome::Adaptable(_))
    }
}

/// Makes the capability of a runtime of a version.
type MakeRuntime = fn(Version) -> Runtime;

/// The packages whose version decides, each with its capability.
const RUNTIMES: [(&str, MakeRuntime); 4] = [
    ("protobuf", Runtime::Protobuf),
    ("grpcio", Runtime::Grpc),
    ("jaxlib", Runtime::Jaxlib),
    ("numpy", Runtime::NumPy),
];

fn kind(runtime: Runtime) -> &'static str {
    match runtime {
        Runtime::Protobuf(_) => "package with code generated by protobuf",
        Runtime::Grpc(_) => "package with code generated by grpc",
        Runtime::Jaxlib(_) => "JAX",
        Runtime::NumPy(_) => "package with modules compiled against NumPy",
    }
}

/// The numbers of an installed version; none if it is none that Python's packages have.
pub(crate) fn version(package: &InstalledPackage) -> Option<Version> {
    let exact: unskew_releases::Exact = package.public_version().parse().ok()?;
    Some(exact.numbers)
}

/// What a package requires of a runtime, if anything.
fn requirement(
    package: &InstalledPackage,
    runtime: Runtime,
    reached: Option<&ReachedModules>,
) -> Option<Requirement> {
    let label = package.label();
    match runtime {
        Runtime::Protobuf(_) | Runtime::Grpc(_) => {
            let of_grpc = matches!(runtime, Runtime::Grpc(_));
            // The runtime has generated code of its own, of its own version.
            let is_own = package.key() == "protobuf" || package.key() == "grpcio";
            let generated: BTreeMap<_, _> = package
                .generated
                .iter()
                .filter(|(one, _)| matches!(one, Generated::Grpc(_)) == of_grpc && !is_own)
                .map(|(one, files)| (*one, files.clone()))
                .collect();
            let axis = if of_grpc { "grpc.generated" } else { "protobuf.generated" };
            let choices = match of_grpc || is_own {
                true => Vec::new(),
                false => package.choices.clone(),
            };
            let is_late = |path: &&String| reached.is_some_and(|all| !all.has(package, path));
            let paths = generated.values().flatten();
            let late = paths.filter(is_late).cloned().collect();
            let matcher = CodeMatcher { package: label, generated, choices, late };
            let has_any = !matcher.generated.is_empty() || !matcher.choices.is_empty();
            has_any.then(|| Requirement::matches(axis, matcher))
        }
        Runtime::Jaxlib(_) => {
            let least = package.least_jaxlib.as_deref()?.parse().ok()?;
            let matcher = JaxMatcher { jax: version(package)?, least };
            (package.key() == "jax").then(|| Requirement::matches("jax.jaxlib", matcher))
        }
        Runtime::NumPy(_) => numpy::requirement(package),
    }
}

/// The packages with extensions of a framework, without those of the framework itself.
pub(crate) fn extensions_of(
    environment: &Environment,
    framework: Framework,
) -> impl Iterator<Item = &InstalledPackage> {
    let takes = move |package: &&InstalledPackage| {
        let is_framework = unskew_releases::Family::of_package(&package.name)
            .is_some_and(|family| family.as_str() == framework.as_str());
        !is_framework && package.objects.iter().any(|(_, needs)| needs.extends(framework))
    };
    environment.packages.iter().filter(takes)
}

/// Whether an object can be loaded, as far as symbols say.
pub(crate) fn fits(needs: &Needs, exports: &ExportedSymbols) -> bool {
    gap(needs, exports).is_none_or(|gap| gap.is_empty()) && exports.lacks_cuda(needs).is_none()
}

/// What variants of one library have in common: its folder, and its name without numbers and devices. A package that has
/// a build for each release of a framework loads only the one that fits.
pub(crate) fn variant(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let letters: String = name.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    let mut name = letters;
    for device in ["cuda", "cpu", "rocm", "hip", "xpu"] {
        name = name.replace(device, "");
    }
    format!("{folder}/{name}")
}

/// The objects of a package that have to be loaded with a framework: all, but for variants of one that fits.
pub(crate) fn loaded<'a>(
    objects: impl Iterator<Item = (&'a str, &'a Arc<Needs>)> + Clone,
    framework: Framework,
    exports: &ExportedSymbols,
) -> Vec<(&'a str, &'a Arc<Needs>)> {
    let all = objects.filter(|(_, needs)| needs.extends(framework));
    // What no release can load, the package does not load either: tensorflow-io ships a test that is linked against
    // nothing. If that holds for all of a package, it is built for a release that is not in the table.
    let is_loaded = |needs: &Needs| !is_loaded_by_none(needs, framework);
    let some = all.clone().any(|(_, needs)| is_loaded(needs));
    let of = all.filter(move |(_, needs)| !some || is_loaded(needs));
    let fitting: Vec<String> = of
        .clone()
        .filter(|(_, needs)| fits(needs, exports))
        .map(|(path, _)| variant(path))
        .collect();
    of.filter(|(path, needs)| fits(needs, exports) || !fitting.contains(&variant(path))).collect()
}

/// Whether no release of the table has what an object takes from a framework.
pub(crate) fn is_loaded_by_none(needs: &Needs, framework: Framework) -> bool {
    ExportedSymbols::fitting(needs, framework).is_empty()
}

/// A package as an extension of a framework.
fn extension(package: &InstalledPackage, framework: Framework, exports: &ExportedSymbols) -> Party {
    let objects = package.objects.iter().map(|(path, needs)| (path.as_str(), needs));
    let mut party = Party::new(package.label(), Role::Plugin, "package with native extensions");
    for (_, needs) in loaded(objects, framework, exports) {
        party = unskew_extensions::requirements(needs, framework)
            .into_iter()
            .fold(party, Party::require);
    }
    skipped::requirement(package, framework).into_iter().fold(party, Party::require)
}

fn extension_alone(package: &InstalledPackage, framework: Framework) -> Party {
    let reason = format!("{} is not installed, or more than once", framework);
    Party::new(package.label(), Role::Plugin, "package with native extensions")
        .not_judged(Unjudged::new(aspect::VERSION, reason))
        .require(Requirement::new(
            framework.axis(),
            unskew_core::Need::Feature(framework.axis().to_owned()),
            |clash| Finding::new(&unskew_core::rules::CO001, clash.other.name.clone()),
        ))
}

fn nothing(environment: &Environment, framework: Framework) -> Party {
    Party::new(format!("{framework} in {}", environment.name), Role::Host, "not installed")
}
