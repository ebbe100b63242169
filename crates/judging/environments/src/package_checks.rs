//! Checks of a package by itself.

use unskew_core::{Finding, Party, Role, Unjudged, Version, aspect};
use unskew_extensions::{Needs, PythonTag};

use crate::rules::{InstallationIsBroken, ModuleForOtherPython};
use crate::{Environment, InstallProblem, InstalledPackage, system};

/// What is to be said of a package whatever it meets, with what is found already; none if that is nothing.
pub(crate) fn of_package(
    package: &InstalledPackage,
    environment: &Environment,
    found: Vec<Finding>,
) -> Option<Party> {
    let label = package.label();
    let mut party = Party::new(&*label, Role::Artifact, "installed package");
    for trouble in &package.trouble {
        if !matches!(trouble, InstallProblem::OverBudget(_)) {
            let finding = InstallationIsBroken { package: &label, trouble }.finding();
            party = party.note(finding);
        }
        let reason = format!("{label}: {trouble}");
        party = party.not_judged(Unjudged::new(aspect::CONTENTS, reason));
    }
    for (path, built, python) in other_python(package, environment) {
        let finding =
            ModuleForOtherPython { object: &path, package: &label, built: &built, python: &python };
        party = party.note(finding.finding());
    }
    for finding in system::understated(package).into_iter().chain(found) {
        party = party.note(finding);
    }
    (!party.notes.is_empty() || !party.unjudged.is_empty()).then_some(party)
}

/// Modules that the environment's Python does not import, where none beside them is for it.
fn other_python(
    package: &InstalledPackage,
    environment: &Environment,
) -> Vec<(String, Version, Version)> {
    let Some(python) = environment.python else { return Vec::new() };
    let stem = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
    let other = |needs: &Needs| match needs.python {
        PythonTag::CPython(built) if built != python => Some(built),
        _ => None,
    };
    let fits: Vec<String> = package
        .objects
        .iter()
        .filter(|(_, needs)| other(needs).is_none())
        .map(|(path, _)| stem(path))
        .collect();
    let wrong = package
        .objects
        .iter()
        .filter(|(path, needs)| needs.is_module && !fits.contains(&stem(path)));
    // One is enough to see that the whole package is for another Python.
    wrong.filter_map(|(path, needs)| Some((path.clone(), other(needs)?, python))).take(1).collect()
}
