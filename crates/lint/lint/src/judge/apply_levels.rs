//! Levels of findings, as a boundary sets them.

use unskew_core::{Role, Severity, Side};

use super::sides::Old;
use crate::boundary::Boundary;
use unskew_kinds::{FileChange, Level};

/// A change with the weight that the boundary gives it; none if it is not to be reported.
///
/// A direction that is not promised makes a note of what breaks it; a note is for the level `all`. What the
/// boundary says about a rule comes before both. What an entry of `sunset` names is kept as such a note at every level,
/// and `sunset::check` lets it go.
pub fn apply_levels(boundary: &Boundary, mut change: FileChange) -> Option<FileChange> {
    let strictness = boundary.level_of(&change.file);
    if strictness == Level::Off {
        return None;
    }
    if let Some(weight) = boundary.weight_of(change.finding.rule.code, &change.file) {
        change.finding.severity = weight.severity()?;
        return Some(change);
    }
    let mut of_sunset = false;
    if is_unpromised(boundary, &change) {
        // An announced removal is a promise whatever the direction is: `sunset::check` still has to see it.
        of_sunset = is_of_sunset(boundary, &change);
        change.finding.severity = Severity::Note;
        change.level = Level::All;
    }
    (of_sunset || change.level <= strictness).then_some(change)
}

/// Whether a change breaks only a direction that the boundary does not promise.
pub fn is_unpromised(boundary: &Boundary, change: &FileChange) -> bool {
    change.breaks.is_some_and(|direction| !boundary.direction.meets(direction))
}

/// The change with the version that it was found against.
pub fn since(mut change: FileChange, old: &Old) -> FileChange {
    if change.finding.other.is_none() {
        let side =
            Side { role: Role::Artifact, name: old.label.clone(), origin: old.origin.clone() };
        change.finding.other = Some(side);
    }
    change
}

/// Whether a change is about anything that was announced to go.
pub fn is_of_sunset(boundary: &Boundary, change: &FileChange) -> bool {
    boundary.sunsets.iter().any(|sunset| is_about(change, &sunset.what))
}

/// Whether a change is about what was announced: its subject, or something that its message names.
pub fn is_about(change: &FileChange, what: &str) -> bool {
    let named = || change.finding.message.split('`').skip(1).step_by(2).any(|word| word == what);
    change.subject == what || named()
}
