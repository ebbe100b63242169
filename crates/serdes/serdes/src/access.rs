//! Accessors: how code comes by a version to write.
//!
//! Each accessor is a capability, a value that only the family's own module can make (the function
//! `access` that [`family!`](crate::family) leaves there is private to it). Code that was handed
//! none can only write the version that a caller gives it.

use std::marker::PhantomData;
use std::ops::RangeInclusive;

use jiff::civil::Date;

use crate::{Family, FamilyVersion};

/// The environment variable that turns bad-default mode on: see [`default_version`].
pub const BAD_DEFAULT_VARIABLE: &str = "UNSKEW_SERDES_BAD_DEFAULT";

/// The root of all capabilities of a family.
pub struct Access<F: Family> {
    family: PhantomData<fn() -> F>,
}

impl<F: Family> Access<F> {
    /// For the code that [`family!`](crate::family) makes, and no other.
    #[doc(hidden)]
    pub const fn granted() -> Self {
        Self { family: PhantomData }
    }

    /// The capability to write a version that builds of some weeks ago read.
    pub const fn week_n_old(&self) -> WeekNOld<F> {
        WeekNOld { family: PhantomData }
    }

    /// The capability to write any version that is still written.
    pub const fn any(&self) -> Any<F> {
        Any { family: PhantomData }
    }
}

/// The capability to write a version that builds of some weeks ago read: for data on disk.
pub struct WeekNOld<F: Family> {
    family: PhantomData<fn() -> F>,
}

impl<F: Family> WeekNOld<F> {
    /// The newest version that is at least `weeks` old today.
    pub fn get(&self, weeks: u32, today: Date) -> FamilyVersion<F> {
        FamilyVersion::minted(F::at_least_old(weeks, today))
    }
}

/// The capability to write any version that is still written: for protocols that negotiate.
pub struct Any<F: Family> {
    family: PhantomData<fn() -> F>,
}

/// A number that is no version to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{family} version is out of range: {number}, wanted {minimum} to {current}")]
pub struct OutOfRange {
    /// The name of the family.
    pub family: &'static str,
    /// The version that was asked for.
    pub number: i64,
    /// The lowest version that is still written.
    pub minimum: u32,
    /// The newest version of the family.
    pub current: u32,
}

impl<F: Family> Any<F> {
    /// The version of this number.
    ///
    /// # Errors
    /// [`OutOfRange`] below the minimum and above the current version.
    pub fn get(&self, number: i64) -> Result<FamilyVersion<F>, OutOfRange> {
        let known = u32::try_from(number).ok().filter(|n| self.range().contains(n));
        let (minimum, current) = (F::MINIMUM, F::CURRENT);
        let error = OutOfRange { family: F::NAME, number, minimum, current };
        known.map(FamilyVersion::minted).ok_or(error)
    }

    /// Every version that is still written.
    pub fn range(&self) -> RangeInclusive<u32> {
        F::MINIMUM..=F::CURRENT
    }
}

/// The default: the current version, for writers whose readers are the same build.
///
/// In bad-default mode, by the feature `bad-default` or the environment variable
/// `UNSKEW_SERDES_BAD_DEFAULT=1`, every call fails at once with its place. A test of code that
/// should pass a negotiated version on then finds the spot that forgot it.
///
/// # Panics
/// In bad-default mode, and only there.
#[track_caller]
pub fn default_version<F: Family>() -> FamilyVersion<F> {
    if bad_default() {
        refuse_default(F::NAME);
    }
    FamilyVersion::minted(F::CURRENT)
}

#[track_caller]
#[allow(clippy::panic, reason = "bad-default mode exists to stop a test at this place")]
fn refuse_default(family: &str) -> ! {
    panic!(
        "bad-default mode: the default version of {family} was asked for here; pass the requested version on"
    )
}

#[cfg(feature = "bad-default")]
fn bad_default() -> bool {
    true
}

#[cfg(not(feature = "bad-default"))]
fn bad_default() -> bool {
    use std::sync::LazyLock;
    static ASKED: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os(BAD_DEFAULT_VARIABLE).is_some_and(|v| v == "1"));
    *ASKED
}
