//! The family of the IFRT formats, and how a version to write is come by.

#[cfg(feature = "week-n-old")]
use unskew_serdes::WeekNOld;
use unskew_serdes::{Any, family};

family!(
    /// The IFRT formats: versions 0 to 5, with the days on which they landed.
    ///
    /// What changed in version 6, which clients since jax 0.11.2 announce, is not known; so it is not
    /// written and not read, and the highest that is agreed on with them is 5. What they send of the
    /// types here at 6 is what they send at 5 (`tests/it/captured.rs`).
    pub Ifrt = "data/serdes.history.toml", minimum = 0, current = 5
);

/// The capability to write any version: for protocols that negotiate one.
///
/// Whoever uses it says so in its own manifest, by the feature `any-version`.
#[cfg(feature = "any-version")]
pub const fn any_version() -> Any<Ifrt> {
    Ifrt::access().any()
}

/// The capability to write a version that builds of some weeks ago read: for data on disk.
///
/// Whoever uses it says so in its own manifest, by the feature `week-n-old`.
#[cfg(feature = "week-n-old")]
pub const fn week_n_old() -> WeekNOld<Ifrt> {
    Ifrt::access().week_n_old()
}

/// For the verdicts of this crate, which ask what another build can be given.
pub(crate) const fn any() -> Any<Ifrt> {
    Ifrt::access().any()
}
