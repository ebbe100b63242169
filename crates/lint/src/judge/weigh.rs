//! What a boundary wants to hear, and how loudly.

use unskew_core::{Role, Severity, Side};

use super::Old;
use crate::boundary::Boundary;
use crate::kind::{Change, Level};

/// A change with the weight that the boundary gives it; none if it is not to be reported.
///
/// A direction that is not promised makes a note of what breaks it; a note is for the level `all`. What the
/// boundary says about a rule comes before both.
pub fn weigh(boundary: &Boundary, mut change: Change) -> Option<Change> {
    let strictness = boundary.level_of(&change.file);
    if strictness == Level::Off {
        return None;
    }
    if let Some(weight) = boundary.weight_of(change.finding.rule.code, &change.file) {
        change.finding.severity = weight.severity()?;
        return Some(change);
    }
    if change.breaks.is_some_and(|direction| !boundary.direction.meets(direction)) {
        change.finding.severity = Severity::Note;
        change.level = Level::All;
    }
    (change.level <= strictness).then_some(change)
}

/// The change with the version that it was found against.
pub fn since(mut change: Change, old: &Old) -> Change {
    if change.finding.other.is_none() {
        let side =
            Side { role: Role::Artifact, name: old.label.clone(), origin: old.origin.clone() };
        change.finding.other = Some(side);
    }
    change
}
