//! The axis `python.names`: findings of names that one package asks another for.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_core::{
    Context, Finding, Judgement, Matcher, Party, Phase, Requirement, Role, Severity, Unjudged,
};
use unskew_extensions::wheels::normal;

use super::NamePairs;
use super::by_release::ReleaseNames;
use super::missing::{Asked, OwnedFailure};
use super::owners::Owner;
use crate::dependencies::Unmet;
use crate::dependency::Dependency;
use crate::rules::{
    KeywordNotTaken, PackageRefusesVersion, PythonModuleMissing, PythonNameMissing,
    PythonNameMissingInFunction,
};
use crate::{Environment, InstalledPackage};

/// The package or Python that is asked for names, as a capability: its modules were read.
struct NamesWereRead;

/// What a package asks another for in vain.
pub(super) struct NameMatcher {
    pub(super) findings: Vec<Finding>,
}

/// The fix where nothing is known of other releases.
pub(super) const ANY_OTHER: &str = "Install a newer release of the package that asks, or an older one of the package that is asked.";

impl Matcher for NameMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        other.capability::<NamesWereRead>()?;
        Some(Judgement { findings: self.findings.clone(), ..Judgement::default() })
    }
}

/// Puts failures to the packages that they are of.
pub(super) fn name_pairs(
    environment: &Environment,
    unmet: &Unmet<'_>,
    failures: Vec<OwnedFailure>,
    unjudged: Vec<Unjudged>,
) -> NamePairs {
    let names = LazyCell::new(|| ReleaseNames::new(environment));
    let mut pairs: BTreeMap<(Owner, Owner), Vec<Finding>> = BTreeMap::new();
    let mut alone: BTreeMap<usize, Vec<Finding>> = BTreeMap::new();
    for failure in &failures {
        let Owner::Package(by) = failure.by else { continue };
        match failure.of {
            Some(of) => {
                let finding = of_pair(environment, &names, failure, by, of);
                pairs.entry((failure.by, of)).or_default().push(finding);
            }
            // A function may import what is optional.
            None if failure.fails_at_load => {
                alone.entry(by).or_default().push(of_nobody(environment, unmet, failure, by));
            }
            None => {}
        }
    }
    let pairs = pairs.into_iter().filter_map(|((by, of), findings)| {
        let Owner::Package(by) = by else { return None };
        let one = environment.packages.get(by)?;
        let other = match of {
            Owner::Package(at) => environment.packages.get(at)?.label(),
            Owner::Python => python(environment),
        };
        Some(asking(one.label(), other, NameMatcher { findings }))
    });
    NamePairs { pairs: pairs.collect(), alone, unjudged, reached: None }
}

/// Two packages of which the first asks the second for names.
pub(super) fn asking(one: String, other: String, matcher: NameMatcher) -> (Party, Party) {
    let one = Party::new(one, Role::Artifact, "package")
        .require(Requirement::matches("python.names", matcher));
    let other =
        Party::new(other, Role::Runtime, "package").with_capability(Arc::new(NamesWereRead));
    (one, other)
}

fn of_pair(
    environment: &Environment,
    names: &ReleaseNames<'_>,
    failure: &OwnedFailure,
    by: usize,
    of: Owner,
) -> Finding {
    let one = environment.packages.get(by);
    let (other, declared) = match of {
        Owner::Package(at) => match environment.packages.get(at) {
            Some(package) => (package.label(), one.and_then(|one| declared(one, package))),
            None => (String::new(), None),
        },
        Owner::Python => (python(environment), None),
    };
    let fix = match (declared, of) {
        (Some(text), _) => as_declared(&text),
        (None, Owner::Python) => {
            "Install a newer release of the package that asks, or an older Python.".to_owned()
        }
        (None, Owner::Package(of)) => {
            let name = table_name(&failure.failure.asked);
            let by_table = name.and_then(|name| names.fix_of(by, of, &name));
            by_table.unwrap_or_else(|| ANY_OTHER.to_owned())
        }
    };
    let line = failure.failure.line.to_string();
    let module = &failure.failure.by;
    let missing = &failure.failure;
    let (finding, symptom) = match &missing.asked {
        Asked::Check { message, .. } => {
            let text = if message.is_empty() { "it raises" } else { message };
            let finding = PackageRefusesVersion { module, line: &line, other: &other, text: &text };
            (finding.finding(), format!("{}: {message}", missing.exception))
        }
        Asked::Keyword { module: of, function, keyword, .. } => {
            let by = match failure.fails_at_load {
                true => format!("{module} line {line}"),
                false => format!("a function of {module}, line {line},"),
            };
            let function = format!("{of}.{function}");
            let (_, symptom) = symptom(&missing.asked);
            let (by, function) = (&by, &function);
            let finding =
                KeywordNotTaken { by, other: &other, function, keyword, fix: &fix }.finding();
            let finding = match failure.fails_at_load {
                true => finding,
                false => finding.with_severity(Severity::Warning).in_phase(Phase::FirstUse),
            };
            (finding, symptom)
        }
        asked => {
            let (name, symptom) = symptom(asked);
            let name = &name;
            let (other, fix) = (&other, &fix);
            let finding = match failure.fails_at_load {
                true => {
                    let by = format!("{module} line {line}");
                    PythonNameMissing { by: &by, other, name, fix }.finding()
                }
                false => {
                    let by = format!("a function of {module}, line {line},");
                    PythonNameMissingInFunction { by: &by, other, name, fix }.finding()
                }
            };
            (finding, symptom)
        }
    };
    finding.with_symptom(symptom).at([chain(missing)].iter().collect())
}

fn of_nobody(
    environment: &Environment,
    unmet: &Unmet<'_>,
    failure: &OwnedFailure,
    by: usize,
) -> Finding {
    let (name, symptom) = symptom(&failure.failure.asked);
    let (line, module) = (failure.failure.line.to_string(), &failure.failure.by);
    let finding = PythonModuleMissing { module, line: &line, name: &name }.finding();
    let missing = unmet.missing_of(by);
    let declared = missing.iter().find(|one| one.key == normal(&name));
    let finding = match declared {
        Some(one) => finding.with_fix(as_declared(&one.text)),
        None if missing.is_empty() && is_optional(environment, failure, by) => {
            finding.with_severity(Severity::Warning).in_phase(Phase::FirstUse)
        }
        None => finding,
    };
    finding.with_symptom(symptom).at([chain(&failure.failure)].iter().collect())
}

/// The fix where a package declares what it needs.
pub(super) fn as_declared(requirement: &str) -> String {
    format!("Install what it declares: `uv pip install '{requirement}'`.")
}

/// Whether a package was brought by another one, which does not import it at load: as `matplotlib-inline`, which IPython brings
/// for those who have Matplotlib.
fn is_optional(environment: &Environment, failure: &OwnedFailure, by: usize) -> bool {
    let Some(package) = environment.packages.get(by) else { return false };
    let key = package.key();
    let brings = |text: &String| {
        Dependency::read(text)
            .is_some_and(|one| one.key == key && !one.marker.unwrap_or_default().contains("extra"))
    };
    failure.importing.iter().eq([&by])
        && environment.packages.iter().any(|other| other.requires.iter().any(brings))
}

/// What is asked for, and the words of Python's exception.
pub(super) fn symptom(asked: &Asked) -> (String, String) {
    match asked {
        Asked::Module(module) => {
            (module.clone(), format!("ModuleNotFoundError: No module named '{module}'"))
        }
        Asked::Name { module, name, is_attribute: true } => (
            format!("{module}.{name}"),
            format!("AttributeError: module '{module}' has no attribute '{name}'"),
        ),
        Asked::Name { module, name, is_attribute: false } => (
            format!("{module}.{name}"),
            format!("ImportError: cannot import name '{name}' from '{module}'"),
        ),
        Asked::Keyword { module, function, is_class, keyword } => {
            let method = if *is_class { ".__init__" } else { "" };
            let says = "got an unexpected keyword argument";
            let symptom = format!("TypeError: {function}{method}() {says} '{keyword}'");
            (format!("{module}.{function}"), symptom)
        }
        Asked::Check { module, message } => (module.clone(), message.clone()),
    }
}

/// The imports on the way, as a place.
fn chain(failure: &super::ImportFailure) -> String {
    failure.chain.join(" > ")
}

/// What is asked for, as the table of names writes it; none if it is no name.
fn table_name(asked: &Asked) -> Option<String> {
    match asked {
        Asked::Module(module) => Some(module.clone()),
        Asked::Name { module, name, .. } => Some(format!("{module}:{name}")),
        Asked::Keyword { .. } | Asked::Check { .. } => None,
    }
}

/// What a package declares of another, where the one that is installed is none of it.
pub(super) fn declared(package: &InstalledPackage, other: &InstalledPackage) -> Option<String> {
    let version = other.version.parse::<pep440_rs::Version>().ok()?;
    let all = package.requires.iter().filter_map(|text| Dependency::read(text));
    let mut unmet = all.filter(|one| one.key == other.key() && !one.allows(&version));
    unmet.next().map(|one| one.text)
}

fn python(environment: &Environment) -> String {
    environment.python.map_or_else(|| "Python".to_owned(), |python| format!("Python {python}"))
}
