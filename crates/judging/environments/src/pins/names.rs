//! Python names that one package asks another for, and which it lacks: another release of either side.

use super::repair::Repair;
use super::{OfRequirement, PinChange, declares};
use crate::InstalledPackage;
use crate::names::{MissingNames, ReleaseNames};

/// What could be changed for each pair that breaks over a name, as the table of names says.
pub(super) fn options<'a>(repair: &Repair<'a>) -> Vec<OfRequirement<'a>> {
    let environment = repair.environment;
    let names = ReleaseNames::new(environment);
    let mut all = Vec::new();
    for missing in names.missing().into_iter().filter(MissingNames::fails_at_load) {
        let packages = &environment.packages;
        let (Some(by), Some(of)) = (packages.get(missing.by), packages.get(missing.of)) else {
            continue;
        };
        if !repair.is_broken(&by.key(), &of.key()) {
            continue;
        }
        let change = |package: &'a InstalledPackage, other_changes: bool| {
            let key = package.key();
            let others = || environment.packages.iter().filter(|one| one.key() != key);
            let releases = names.fitting(&missing, other_changes);
            let mut allowed = releases.into_iter().filter(|one| repair.takes_python(&key, one));
            let is_forbidden = |one: &&str| others().any(|other| !declares(other, &key, one));
            let release =
                allowed.clone().find(|one| !is_forbidden(one)).or_else(|| allowed.next())?;
            let reason = match other_changes {
                true => format!("it has what {} asks for", by.label()),
                false => format!("it does not ask {} for what that lacks", of.label()),
            };
            Some(PinChange::exact(package, release.to_owned(), &reason))
        };
        let options = [change(of, true), change(by, false)].into_iter().flatten().collect();
        all.push((by.name.as_str(), of.name.as_str(), options));
    }
    all
}
