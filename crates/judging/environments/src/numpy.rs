//! NumPy and what was compiled against it.
//!
//! The modules of a package say by themselves against which NumPy they were compiled. Those of a framework have hundreds
//! of megabytes and are not read: for them a table says which release was the first that was compiled against NumPy 2.

use std::sync::Arc;

use unskew_core::{Context, Judgement, Matcher, Party, Requirement, Version};
use unskew_extensions::{Needs, NumPyAbi};
use unskew_releases::Family;

use crate::rules::{FrameworkForNumpy1, Numpy1Module};
use crate::runtimes::Runtime;
use crate::version_pairs::with_runtime;
use crate::{Environment, InstalledPackage};

/// What a framework does that was compiled against NumPy 1, if it finds NumPy 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Without {
    /// It cannot be imported.
    Fails,
    /// It is imported, and goes on without NumPy: its conversions to and from arrays raise.
    Lacks,
    /// It is imported, and its first operation ends the process.
    Dies,
}

/// The first release of each framework that was compiled against NumPy 2, by the name of NumPy's C API module in the modules
/// of the release before and of this one; and what older ones do, as it was seen.
const FIRST_WITH_2: [(Family, Version, Without); 4] = [
    (Family::Torch, Version::pair(2, 3), Without::Lacks),
    (Family::TensorFlow, Version::pair(2, 18), Without::Fails),
    (Family::Jax, Version::triple(0, 4, 26), Without::Dies),
    (Family::OnnxRuntime, Version::pair(1, 19), Without::Fails),
];

/// The first release of other packages that was compiled against NumPy 2, by the modules of its wheels on PyPI and of those of the
/// release before: `unskew lock --fetch` reads them. It tells what a release that is not installed does.
const FIRST_MODULES_WITH_2: [(&str, Version); 17] = [
    ("pandas", Version::triple(2, 2, 2)),
    ("scipy", Version::pair(1, 13)),
    ("scikit-learn", Version::triple(1, 4, 2)),
    ("pyarrow", Version::number(16)),
    ("numba", Version::pair(0, 60)),
    ("matplotlib", Version::triple(3, 8, 4)),
    ("statsmodels", Version::triple(0, 14, 2)),
    ("scikit-image", Version::pair(0, 23)),
    ("opencv-python", Version::pair(4, 10)),
    ("opencv-python-headless", Version::pair(4, 10)),
    ("h5py", Version::pair(3, 11)),
    ("spacy", Version::pair(3, 8)),
    ("ml-dtypes", Version::pair(0, 4)),
    ("shapely", Version::triple(2, 0, 4)),
    ("pywavelets", Version::pair(1, 6)),
    ("numexpr", Version::pair(2, 10)),
    ("bottleneck", Version::pair(1, 4)),
];

/// The NumPy against which a package was compiled.
#[derive(Clone, Debug)]
enum Compiled {
    /// Modules of these paths against NumPy 1; the others, if any, against NumPy 2.
    Modules(Vec<String>),
    /// The modules of a framework against NumPy 1 (what it then does), or NumPy 2.
    Framework(Option<Without>),
}

impl Compiled {
    /// Against which NumPy a package was compiled; none if it was against none.
    fn from_package(package: &InstalledPackage) -> Option<Self> {
        if package.key() == "numpy" {
            return None;
        }
        let objects = |abi: NumPyAbi| {
            let has = move |(_, needs): &&(String, Arc<Needs>)| needs.numpy == abi;
            package.objects.iter().filter(has)
        };
        let old: Vec<String> = objects(NumPyAbi::One).map(|(path, _)| path.clone()).collect();
        if !old.is_empty() || objects(NumPyAbi::Two).next().is_some() {
            return Some(Self::Modules(old));
        }
        let key = package.key();
        let known = FIRST_MODULES_WITH_2.iter().find(|(of, _)| *of == key);
        if let Some((_, first)) = known.filter(|_| package.is_of_default_index) {
            let without = (package.numbers()? < *first).then_some(Without::Fails);
            return Some(Self::Framework(without));
        }
        // jax itself has no modules: jaxlib has them.
        let family = Family::of_package(&package.name).filter(|_| package.key() != "jax")?;
        let (_, first, without) = FIRST_WITH_2.iter().find(|(of, ..)| *of == family)?;
        let is_old = package.numbers()? < *first;
        Some(Self::Framework(is_old.then_some(*without)))
    }
}

/// Whether NumPy 2 does not serve what a package was compiled to.
pub(crate) fn needs_numpy_1(package: &InstalledPackage) -> bool {
    match Compiled::from_package(package) {
        Some(Compiled::Modules(old)) => !old.is_empty(),
        Some(Compiled::Framework(without)) => without.is_some(),
        None => false,
    }
}

/// Whether it is known against which NumPy a package was compiled.
pub(crate) fn is_known(package: &InstalledPackage) -> bool {
    Compiled::from_package(package).is_some()
}

/// Each package that was compiled against NumPy, and NumPy.
pub(crate) fn pairs(environment: &Environment) -> Vec<(Party, Party)> {
    let kind = "package with modules compiled against NumPy";
    with_runtime(environment, "numpy", Runtime::NumPy, kind, |package| {
        let compiled = Compiled::from_package(package)?;
        let matcher = NumPyMatcher { package: package.label(), compiled };
        Some(Requirement::matches("numpy.abi", matcher))
    })
}

struct NumPyMatcher {
    package: String,
    compiled: Compiled,
}

impl Matcher for NumPyMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let Runtime::NumPy(numpy) = *other.capability::<Runtime>()? else { return None };
        let mut judgement = Judgement::default();
        if numpy.major() < 2 {
            return Some(judgement);
        }
        let refused = format!(
            "A module that was compiled using NumPy 1.x cannot be run in NumPy {numpy} as it may crash."
        );
        let package = &self.package;
        let finding = match &self.compiled {
            Compiled::Modules(objects) => objects.first().map(|first| {
                let finding = Numpy1Module { object: first, package, numpy: &numpy }.finding();
                finding.with_symptom(refused).at(objects.iter().collect())
            }),
            Compiled::Framework(Some(Without::Fails)) => {
                let finding = Numpy1Module { object: &"a module", package, numpy: &numpy };
                Some(finding.finding().with_symptom(refused))
            }
            Compiled::Framework(Some(without)) => {
                let symptom = match without {
                    Without::Dies => "Segmentation fault",
                    _ => "RuntimeError: Numpy is not available",
                };
                let finding = FrameworkForNumpy1 { package, numpy: &numpy }.finding();
                Some(finding.with_symptom(symptom))
            }
            Compiled::Framework(None) => None,
        };
        judgement.findings.extend(finding);
        Some(judgement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(name: &str, version: &str) -> Option<Compiled> {
        let (name, version) = (name.to_owned(), version.to_owned());
        Compiled::from_package(&InstalledPackage { name, version, ..InstalledPackage::default() })
    }

    #[test]
    fn a_framework_knows_numpy_2_from_the_release_on_that_was_compiled_against_it() {
        let without = |name: &str, version: &str| match compiled(name, version) {
            Some(Compiled::Framework(without)) => without,
            other => panic!("{name} {version}: {other:?}"),
        };
        assert_eq!(without("torch", "2.2.2+cu121"), Some(Without::Lacks));
        assert_eq!(without("torch", "2.3.0"), None);
        assert_eq!(without("tensorflow-cpu", "2.17.1"), Some(Without::Fails));
        assert_eq!(without("tensorflow", "2.18.0"), None);
        assert_eq!(without("jaxlib", "0.4.25"), Some(Without::Dies));
        assert_eq!(without("jaxlib", "0.4.26"), None);
        assert_eq!(without("onnxruntime-gpu", "1.18.1"), Some(Without::Fails));
        assert_eq!(without("onnxruntime", "1.19.0"), None);
    }

    #[test]
    fn a_release_that_is_not_installed_is_known_by_its_number_if_it_is_of_pypi() {
        let release = |version: &str, is_of_default_index: bool| {
            let (name, version) = ("pandas".to_owned(), version.to_owned());
            let package = InstalledPackage {
                name,
                version,
                is_of_default_index,
                ..InstalledPackage::default()
            };
            needs_numpy_1(&package)
        };
        assert!(release("2.2.1", true));
        assert!(!release("2.2.2", true));
        assert!(!release("2.2.1", false));
    }

    #[test]
    fn what_has_no_modules_of_its_own_was_compiled_against_no_numpy() {
        assert!(compiled("jax", "0.4.20").is_none());
        assert!(compiled("numpy", "2.1.3").is_none());
        assert!(compiled("requests", "2.32.0").is_none());
    }
}
