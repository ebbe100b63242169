//! The packages with a plug-in that JAX's makers release beside jaxlib, and which of them a release of JAX takes.
//!
//! JAX names them in its extras: `jax-cuda12-plugin[with-cuda]<=0.6.2,>=0.6.2 ; extra == 'cuda12'`. Nothing but an installation
//! by the extra compares that. Only jaxlib 0.5.3 and later compare a version themselves, that of the modules for CUDA.

use std::str::FromStr as _;

use pep440_rs::{Version as Pep440, VersionSpecifiers};
use unskew_core::{Context, Finding, Judgement, Matcher, Party, Phase, Requirement, Severity};
use unskew_pjrt::rules::{NoDefaultMemory, PackageOfAnotherJax};

use crate::declared_requirements;

/// The kinds of packages that are made from the sources of a jaxlib, and have its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JaxPackage {
    /// Python modules with kernels and handlers: `jax-cuda12-plugin`.
    Modules,
    /// The PJRT plug-in itself: `jax-cuda12-pjrt`.
    Plugin,
}

impl JaxPackage {
    /// What a package is, by its name as indexes compare it; none if it is none of these.
    ///
    /// ```
    /// use unskew_releases::JaxPackage;
    ///
    /// assert_eq!(JaxPackage::of_name("jax-cuda12-pjrt"), Some(JaxPackage::Plugin));
    /// assert_eq!(JaxPackage::of_name("jax-rocm7-plugin"), Some(JaxPackage::Modules));
    /// assert_eq!(JaxPackage::of_name("jax-metal"), None);
    /// ```
    pub fn of_name(key: &str) -> Option<Self> {
        let rest = key.strip_prefix("jax-cuda").or_else(|| key.strip_prefix("jax-rocm"))?;
        let (number, kind) = rest.split_once('-')?;
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        match kind {
            "plugin" => Some(Self::Modules),
            "pjrt" => Some(Self::Plugin),
            _ => None,
        }
    }
}

/// The range of versions that a release of JAX takes of a package, of what the release declares: `<=0.6.2,>=0.6.2`. What it
/// says of the modules holds for the plug-in beside them.
pub fn declared_range<'a>(
    declared: impl IntoIterator<Item = &'a str>,
    package: &str,
) -> Option<&'a str> {
    let package = match JaxPackage::of_name(package) {
        Some(JaxPackage::Plugin) => package.replace("-pjrt", "-plugin"),
        _ => package.to_owned(),
    };
    let range = |text: &'a str| {
        let rest = text.trim().strip_prefix(&*package)?;
        let rest = match rest.trim_start().strip_prefix('[') {
            Some(extras) => extras.split_once(']')?.1,
            None => rest,
        };
        let range = rest.split(';').next()?.trim();
        let range = range.strip_prefix('(').and_then(|one| one.strip_suffix(')')).unwrap_or(range);
        range.starts_with(['<', '>', '=', '~']).then_some(range)
    };
    declared.into_iter().find_map(range)
}

/// Whether a range allows a version; none if one of the two is none that Python's packages have.
pub fn range_allows(range: &str, version: &str) -> Option<bool> {
    let version = Pep440::from_str(version).ok()?;
    VersionSpecifiers::from_str(range).ok().map(|range| range.contains(&version))
}

/// The numbers that a version begins with, as jaxlib compares them: 0, 7 and 2 of `0.7.2.dev1+cuda`.
pub fn version_numbers(version: &str) -> Option<Vec<u64>> {
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
    let parts = version.get(..end)?.trim_end_matches('.').split('.');
    parts.map(|number| number.parse().ok()).collect()
}

/// The last JAX that takes plug-ins of exactly its own minor of the C API.
const LAST_EXACT: [u64; 3] = [0, 4, 31];

/// What is to be said of a package whose version is none that a release of JAX takes. `range` is what the release declares.
///
/// A package that is newer than jaxlib calls what jaxlib has not: an error. An older one is loaded, and whether its handlers
/// work on a device was not measured: a warning, as for libtpu, which is made from other sources.
pub fn set_finding(jax: &str, package: &str, version: &str, range: &str) -> Finding {
    let finding =
        PackageOfAnotherJax { jax: &jax, package: &package, version: &version, range: &range };
    let finding = finding.finding();
    let (own, other) = (version_numbers(jax), version_numbers(version));
    let is_refused = own.as_deref() <= Some(&LAST_EXACT[..]) && minor(jax) != minor(version);
    match package != "libtpu" && (other > own || is_refused) {
        true => finding,
        false => finding.with_severity(Severity::Warning).in_phase(Phase::FirstUse),
    }
}

/// The package with Apple's plug-in, its last release, and the first jaxlib that asks for what it lacks.
const METAL: &str = "jax-metal";
const LAST_METAL: [u64; 3] = [0, 1, 1];
const DEFAULT_MEMORY: [u64; 3] = [0, 5, 1];

/// What jaxlib asks of a plug-in that the package does not have, if that is known; none if nothing is known of the package.
pub fn lacking(package: &str, version: &str, jaxlib: &str) -> Option<Vec<Finding>> {
    let is_known = package == METAL && version_numbers(version)?.as_slice() <= &LAST_METAL[..];
    let asks = is_known.then(|| version_numbers(jaxlib))?? >= DEFAULT_MEMORY.to_vec();
    let finding = NoDefaultMemory { jaxlib: &jaxlib, package: &package, version: &version };
    let symptom = "XlaRuntimeError: UNIMPLEMENTED: default_memory_space is not supported.";
    Some(asks.then(|| finding.finding().with_symptom(symptom)).into_iter().collect())
}

/// The minor of the C API of a release of JAX, and of the packages that are made with it.
fn minor(version: &str) -> Option<i32> {
    let name = format!("jax {version}");
    crate::jax::hosts().iter().find(|host| host.name == name)?.minor
}

/// What the wheel of a package with a plug-in requires of a release of JAX; none if no release names the package.
pub fn set_requirement(package: &str, version: &str) -> Option<Requirement> {
    let is_named = JaxPackage::of_name(package).is_some() || ["libtpu", METAL].contains(&package);
    let matcher = SetMatcher { package: package.to_owned(), version: version.to_owned() };
    is_named.then(|| Requirement::matches("jax.set", matcher).irrelevant_if_absent())
}

/// Asks a release of JAX whether it takes a package.
struct SetMatcher {
    package: String,
    version: String,
}

impl Matcher for SetMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let jax = other.name.strip_prefix("jax ")?;
        if let Some(findings) = lacking(&self.package, &self.version, jax) {
            return Some(Judgement { findings, ..Judgement::default() });
        }
        let table = declared_requirements("jax")?;
        let declared = table.of_release(jax)?;
        let is_same = version_numbers(jax) == version_numbers(&self.version);
        let range = declared_range(declared, &self.package)?;
        let fits = is_same || range_allows(range, &self.version)?;
        let finding = (!fits).then(|| set_finding(jax, &self.package, &self.version, range));
        Some(Judgement { findings: finding.into_iter().collect(), ..Judgement::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_of_a_version_count() {
        assert_eq!(version_numbers("0.12.0.1"), Some(vec![0, 12, 0, 1]));
        assert_eq!(version_numbers("0.7.2.dev3+cuda"), Some(vec![0, 7, 2]));
        assert_eq!(version_numbers("unknown"), None);
    }

    #[test]
    fn the_extras_of_a_release_say_what_it_takes() {
        let range = |jax: &str, package: &str| {
            let table = declared_requirements("jax").unwrap();
            let declared = table.of_release(jax).unwrap();
            declared_range(declared, package).map(str::to_owned)
        };
        assert_eq!(range("0.4.28", "jax-cuda12-pjrt").as_deref(), Some("==0.4.28"));
        assert_eq!(range("0.4.35", "jax-cuda12-plugin").as_deref(), Some("<=0.4.35,>=0.4.34"));
        assert_eq!(range("0.6.2", "libtpu").as_deref(), Some("==0.0.17.*"));
        assert_eq!(range("0.6.2", "jax-cuda13-plugin"), None);
        assert_eq!(range_allows("==0.0.17.*", "0.0.17.1"), Some(true));
        assert_eq!(range_allows("==0.0.17.*", "0.0.23"), Some(false));
    }
}
