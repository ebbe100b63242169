//! Python names that one package asks another for, and which it lacks: another release of either side.

use super::repair::Repair;
use super::{OfRequirement, PinChange};
use crate::InstalledPackage;
use crate::names::ReleaseNames;

/// What could be changed for each pair that breaks over a name, as the table of names says.
pub(super) fn options<'a>(repair: &Repair<'a>) -> Vec<OfRequirement<'a>> {
    let environment = repair.environment;
    let names = ReleaseNames::new(environment);
    let mut all = Vec::new();
    for missing in names.missing.iter().filter(|one| one.fails_at_load()) {
        let packages = &environment.packages;
        let (Some(by), Some(of)) = (packages.get(missing.by), packages.get(missing.of)) else {
            continue;
        };
        if !repair.is_broken(&by.key(), &of.key()) {
            continue;
        }
        let change = |package: &'a InstalledPackage, releases: Vec<&str>, reason: &str| {
            let key = package.key();
            let others = || environment.packages.iter().filter(|one| one.key() != key);
            let mut allowed = releases.into_iter().filter(|one| repair.takes_python(&key, one));
            let is_allowed = |one: &&str| others().all(|other| other.allows(&key, one));
            let release = allowed.clone().find(is_allowed).or_else(|| allowed.next())?;
            Some(PinChange::exact(package, release.to_owned(), reason))
        };
        let has = format!("it has what {} asks for", by.label());
        let asks = format!("it does not ask {} for what that lacks", of.label());
        let options = [
            change(of, names.asked_that_fit(missing), &has),
            change(by, names.asking_that_fit(missing), &asks),
        ];
        let options = options.into_iter().flatten().collect();
        all.push((by.name.as_str(), of.name.as_str(), options));
    }
    all
}
