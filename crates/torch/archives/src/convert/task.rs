//! Conversion task: what is converted and for what, and what is said of it on the way.

use unskew_core::{Conversion, Finding, Places, Rewrite};

use crate::format::Records;
use crate::{TorchModel, TorchRuntime, rules};

/// A file, read, and the release that it is converted for.
pub(super) struct ConversionTask<'t> {
    /// The name that findings show.
    pub(super) file: &'t str,
    pub(super) records: &'t Records,
    pub(super) model: &'t TorchModel,
    pub(super) to: &'t TorchRuntime,
}

/// Says that something besides calls has no form in the release.
pub(super) fn block(task: &ConversionTask<'_>, plan: &mut Conversion, what: &str, places: Places) {
    let (file, runtime) = (&task.file, &task.to.name());
    let finding = rules::ArchiveHasNoForm { file, runtime, what: &what };
    add_blocker(plan, finding.finding(), places);
}

/// Adds a blocker; one that says the same already gets its places.
pub(super) fn add_blocker(plan: &mut Conversion, finding: Finding, places: Places) {
    match plan.blockers.iter_mut().find(|known| known.message == finding.message) {
        Some(known) => known.places.extend(&places),
        None => plan.blockers.push(finding.at(places)),
    }
}

pub(super) fn rewrite(plan: &mut Conversion, adaptation: &'static str, what: String, place: &str) {
    plan.add(Rewrite::new(adaptation, what).at(place));
}
