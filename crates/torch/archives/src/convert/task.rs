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

/// What is converted, by what is known of it, and the release. Checkpoints need no records.
#[derive(Clone, Copy)]
pub(super) struct ConversionSides<'t> {
    /// The name that findings show.
    pub(super) file: &'t str,
    pub(super) model: &'t TorchModel,
    pub(super) to: &'t TorchRuntime,
}

impl<'t> ConversionTask<'t> {
    pub(super) fn sides(&self) -> ConversionSides<'t> {
        ConversionSides { file: self.file, model: self.model, to: self.to }
    }
}

/// Says that something besides calls has no form in the release.
pub(super) fn block(task: &ConversionTask<'_>, plan: &mut Conversion, what: &str, places: Places) {
    block_for(&task.sides(), plan, what, places);
}

/// The same, where there are no records.
pub(super) fn block_for(
    sides: &ConversionSides<'_>,
    plan: &mut Conversion,
    what: &str,
    places: Places,
) {
    let (file, runtime) = (&sides.file, &sides.to.name());
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
