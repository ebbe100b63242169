//! Pairs that break and declare against each other: another release of either side.

use super::repair::Repair;
use super::{OfRequirement, PinChange};
use crate::dependencies::Unmet;

/// What could be changed for each requirement that is not met between two packages that break.
pub(super) fn options<'a>(repair: &Repair<'a>, unmet: &Unmet<'a>) -> Vec<OfRequirement<'a>> {
    let mut all = Vec::new();
    for (of, dependency, installed) in unmet.other_versions(repair.environment) {
        if !repair.is_broken(&of.key(), &installed.key()) {
            continue;
        }
        let reason = format!("{} requires {}", of.label(), dependency.text);
        let allowed = repair.nearest(repair.environment, installed, Some(dependency));
        let of_other = allowed.map(|release| PinChange::exact(installed, release, &reason));
        let reason = format!("the nearest release that takes {}", installed.label());
        let fits = repair.nearest(repair.environment, of, None);
        let of_package = fits.map(|release| PinChange::exact(of, release, &reason));
        let options = of_other.into_iter().chain(of_package).collect();
        all.push((of.name.as_str(), installed.name.as_str(), options));
    }
    all
}
