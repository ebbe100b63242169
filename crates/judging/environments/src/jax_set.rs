//! jaxlib with the packages of plug-ins that are made from its sources: `jax-cuda12-plugin`, `jax-rocm7-pjrt`; and libtpu.

use std::sync::Arc;

use unskew_core::{
    Context, Judgement, Matcher, Party, Requirement, Role, Severity, Unjudged, Version, aspect,
};
use unskew_releases::{
    JaxPackage, declared_range, lacking, range_allows, set_finding, version_numbers,
};

use crate::rules::CudaPluginOfOtherVersion;
use crate::{Environment, InstalledPackage};

/// The first jaxlib that takes ROCm's modules of any version: their requirements say what fits.
const ROCM_IS_FREE: Version = Version::triple(0, 11, 0);

/// A package that stands beside jaxlib.
struct Beside<'a> {
    package: &'a InstalledPackage,
    jaxlib: &'a InstalledPackage,
    /// The JAX that is installed, and what it declares of the package.
    jax: Option<(&'a InstalledPackage, &'a str)>,
}

/// Every package with jaxlib, where it can be said what fits.
fn all<'a>(environment: &'a Environment) -> Vec<Beside<'a>> {
    let Some(jaxlib) = environment.package("jaxlib") else { return Vec::new() };
    let jax = environment.package("jax");
    let beside = |package: &'a InstalledPackage| {
        let key = package.key();
        let declared = |jax: &'a InstalledPackage| {
            let requires = jax.requires.iter().map(String::as_str);
            Some((jax, declared_range(requires, &key)?))
        };
        let jax = jax.and_then(declared);
        match JaxPackage::of_name(&key) {
            Some(JaxPackage::Modules) => {}
            // The modules beside it say the same.
            Some(JaxPackage::Plugin) => {
                let modules = key.replace("-pjrt", "-plugin");
                if environment.package(&modules).is_some() {
                    return None;
                }
            }
            None if key == "libtpu" && jax.is_some() => {}
            None if key == "jax-metal" => {}
            None => return None,
        }
        Some(Beside { package, jaxlib, jax })
    };
    environment.packages.iter().filter_map(beside).collect()
}

/// Each package with the jaxlib, or the JAX, that it has to fit.
pub(crate) fn pairs(environment: &Environment) -> Vec<(Party, Party)> {
    let pair = |beside: Beside<'_>| {
        let matcher = SetMatcher { judgement: beside.judgement()? };
        let kind = match beside.package.key().as_str() {
            "libtpu" => "PJRT plug-in for TPUs",
            "jax-metal" => "PJRT plug-in of Apple",
            key if key.starts_with("jax-cuda") => "JAX's modules for CUDA",
            _ => "JAX's modules for ROCm",
        };
        let one = Party::new(beside.package.label(), Role::Plugin, kind);
        let one = one.require(Requirement::matches("jax.cuda_plugin", matcher));
        let other = match beside.jax.filter(|_| !beside.is_compared()) {
            Some((jax, _)) if !beside.is_same() => jax,
            _ => beside.jaxlib,
        };
        let other = Party::new(other.label(), Role::Runtime, "package");
        Some((one, other.with_capability(Arc::new(beside.jaxlib.clone()))))
    };
    all(environment).into_iter().filter_map(pair).collect()
}

/// Packages that do not fit, and the version of each that does.
pub(crate) fn other_versions(environment: &Environment) -> Vec<(&InstalledPackage, String)> {
    let is_broken = |beside: &Beside<'_>| {
        let is_error = |judgement: Judgement| {
            judgement.findings.iter().any(|one| one.severity == Severity::Error)
        };
        // Apple's plug-in is numbered otherwise.
        let is_of_jax = JaxPackage::of_name(&beside.package.key()).is_some();
        is_of_jax && beside.judgement().is_some_and(is_error)
    };
    let broken = all(environment).into_iter().filter(is_broken);
    broken.map(|beside| (beside.package, beside.jaxlib.public_version().to_owned())).collect()
}

impl Beside<'_> {
    fn is_same(&self) -> bool {
        version_numbers(&self.package.version) == version_numbers(&self.jaxlib.version)
    }

    /// Whether jaxlib compares the versions itself, and says so.
    fn is_compared(&self) -> bool {
        let key = self.package.key();
        let is_free = key.starts_with("jax-rocm")
            && self.jaxlib.numbers().is_some_and(|jaxlib| jaxlib >= ROCM_IS_FREE);
        let is_modules = JaxPackage::of_name(&key) == Some(JaxPackage::Modules);
        is_modules && self.jaxlib.compares_plugins && !is_free
    }

    /// What is to be said; none if a version is none that is understood, or nothing says what fits.
    fn judgement(&self) -> Option<Judgement> {
        let (key, has, wanted) = (self.package.key(), &self.package.version, &self.jaxlib.version);
        version_numbers(has)?;
        version_numbers(wanted)?;
        if self.is_same() {
            return Some(Judgement::default());
        }
        if key == "jax-metal" {
            let findings = lacking(&key, has, wanted)?;
            let what = "whether it does all else that jaxlib asks of it: nothing of it was run";
            let unjudged = match findings.is_empty() {
                true => vec![Unjudged::new(aspect::PLUGIN, what)],
                false => Vec::new(),
            };
            return Some(Judgement { findings, unjudged, ..Judgement::default() });
        }
        let finding = if self.is_compared() {
            let finding = CudaPluginOfOtherVersion { package: &key, version: has, jaxlib: wanted };
            let module = key.replace('-', "_");
            finding.finding().with_symptom(format!(
                "RuntimeWarning: JAX plugin {module} version {has} is installed, but it is not compatible with the \
                 installed jaxlib version {wanted}, so it will not be used."
            ))
        } else if let Some((jax, range)) = self.jax {
            if range_allows(range, has)? {
                return Some(Judgement::default());
            }
            set_finding(jax.public_version(), &key, has, range)
        } else if key == "libtpu" {
            return None;
        } else {
            let jaxlib = self.jaxlib.public_version();
            set_finding(jaxlib, &key, has, &format!("=={jaxlib}"))
        };
        Some(Judgement { findings: vec![finding], ..Judgement::default() })
    }
}

/// What was found of a package and jaxlib.
struct SetMatcher {
    judgement: Judgement,
}

impl Matcher for SetMatcher {
    fn judge(&self, _: &Party, _: &Party, _: &Context) -> Option<Judgement> {
        Some(self.judgement.clone())
    }
}
