//! Native extensions with the framework that they extend.

use std::sync::Arc;

use unskew_core::{Finding, Party, Requirement, Role, Unjudged, aspect};
use unskew_extensions::{ExportedSymbols, Framework, Needs, gap};

use crate::framework::Installed;
use crate::{Environment, InstalledPackage, skipped};

/// Each package with extensions of a framework, and that framework.
pub(crate) fn pairs(environment: &Environment) -> Vec<(Party, Party)> {
    let mut pairs = Vec::new();
    for framework in Framework::ALL {
        let installed = Installed::find(environment, framework);
        pairs.extend(extensions_of(environment, framework).map(|package| match &installed {
            Some(installed) => {
                (extension(package, framework, &installed.exports), installed.party())
            }
            // Nothing to load it with: an optional part, or an environment that is not whole.
            None => (extension_alone(package, framework), nothing(environment, framework)),
        }));
    }
    pairs
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
