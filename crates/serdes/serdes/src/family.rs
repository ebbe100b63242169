//! Families of formats and their dated versions.

use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;

use jiff::civil::Date;

/// A family of formats: types that evolve along one version line.
///
/// Implemented by [`family!`](crate::family), from a dated history that stands in a file.
pub trait Family: Sized + 'static {
    /// The family's name, as it stands in errors.
    const NAME: &'static str;
    /// Every version that there has been, rising by one.
    const VERSIONS: &'static [VersionEntry];
    /// The lowest version that is still read and written.
    const MINIMUM: u32;
    /// The newest version; writers may write it.
    const CURRENT: u32;

    /// The newest version that was there on every one of the last `weeks` weeks before `today`: a
    /// build that is `weeks` old reads it. The lowest version if none is so old.
    ///
    /// Days are those on which versions landed, not those that their makers planned.
    fn at_least_old(weeks: u32, today: Date) -> u32 {
        let days = i64::from(weeks) * 7;
        let by = jiff::Span::new().try_days(days);
        let by = by.and_then(|span| today.checked_sub(span)).unwrap_or(Date::MIN);
        let old = Self::VERSIONS.iter().rfind(|entry| entry.landed() <= by);
        old.map_or(Self::MINIMUM, |entry| entry.number.max(Self::MINIMUM))
    }
}

/// One version of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionEntry {
    /// The version number on the wire.
    pub number: u32,
    /// The day it landed: year, month, day.
    pub landed: (i16, i8, i8),
    /// What changed with the version, in one sentence.
    pub change: &'static str,
}

impl VersionEntry {
    /// The day it landed.
    pub fn landed(&self) -> Date {
        let (year, month, day) = self.landed;
        // The macro that makes entries has checked the day.
        Date::new(year, month, day).unwrap_or(Date::MIN)
    }
}

/// A version of the family `F` that may be written.
///
/// There is no way to make one from a number: it comes from one of the accessors, which are
/// capabilities of their own.
pub struct FamilyVersion<F: Family> {
    number: u32,
    family: PhantomData<fn() -> F>,
}

impl<F: Family> FamilyVersion<F> {
    pub(crate) fn minted(number: u32) -> Self {
        Self { number, family: PhantomData }
    }

    /// The version number on the wire.
    pub fn number(self) -> u32 {
        self.number
    }
}

// Derives would ask the same of `F`.
impl<F: Family> Clone for FamilyVersion<F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<F: Family> Copy for FamilyVersion<F> {}
impl<F: Family> PartialEq for FamilyVersion<F> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}
impl<F: Family> Eq for FamilyVersion<F> {}
impl<F: Family> PartialOrd for FamilyVersion<F> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<F: Family> Ord for FamilyVersion<F> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.number.cmp(&other.number)
    }
}
impl<F: Family> fmt::Debug for FamilyVersion<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", F::NAME, self.number)
    }
}
impl<F: Family> fmt::Display for FamilyVersion<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.number, f)
    }
}
