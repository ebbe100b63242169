//! Parts of an interface that not every plug-in has.
//!
//! An *optional* feature is a struct or an attribute that may be absent for good: both sides are
//! complete without it. An *experimental* one has a version number and a struct of its own, null where it
//! is not implemented. It may change with every version, so that two sides use it only if their numbers
//! are equal. The day on which it graduates is the day from which the compatibility window counts; until
//! the window is over, hosts go on to work with plug-ins that do not have it.
//!
//! Source: *PJRT C API ABI versioning*, "Experimental/under development provision" and "Optional
//! features".

use jiff::civil::Date;

/// How far a feature has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureStage {
    /// No promise: the number must be the same on both sides.
    Experimental {
        /// The version of the feature's own struct.
        version: u32,
    },
    /// Part of the interface, and never demanded.
    Optional,
    /// Part of the interface, and demanded once the window since its graduation is over.
    Core {
        /// The day of graduation, from which the window counts.
        graduated: Date,
    },
}

/// What one side can do with a feature of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureUse {
    /// Both have it in the same form.
    Available,
    /// The other side does not have it, which is normal: go on without.
    Absent,
    /// Both have it, and in different forms: go on without, and tell.
    OtherVersion {
        /// The number of the other side.
        theirs: u32,
        /// The number of this side.
        ours: u32,
    },
    /// The other side had to have it by now.
    Missing,
}

/// What to do with a feature. `theirs` is the version that the other side has, if it has the feature at
/// all; the number matters only while the feature is experimental. `weeks` is the compatibility window.
pub fn usable(stage: FeatureStage, theirs: Option<u32>, today: Date, weeks: u32) -> FeatureUse {
    match (stage, theirs) {
        (FeatureStage::Experimental { version }, Some(theirs)) if theirs != version => {
            FeatureUse::OtherVersion { theirs, ours: version }
        }
        (_, Some(_)) => FeatureUse::Available,
        (FeatureStage::Core { graduated }, None) if today >= end_of_window(graduated, weeks) => {
            FeatureUse::Missing
        }
        (_, None) => FeatureUse::Absent,
    }
}

fn end_of_window(graduated: Date, weeks: u32) -> Date {
    let window = jiff::Span::new().days(i64::from(weeks.min(10_000)) * 7);
    graduated.checked_add(window).unwrap_or(Date::MAX)
}
