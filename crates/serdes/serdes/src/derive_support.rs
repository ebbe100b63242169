//! Support for derived code: the choice of the format that is recorded.

use std::fmt::Display;
use std::marker::PhantomData;

use crate::write::EncodeProblem;
use crate::{DecodeError, DecodeProblem, Decoder, EncodeError, Encoder, Family, FormatRecording};

/// The lowest of a type's formats that a version which is still read uses: the newest that is not
/// newer than the family's minimum.
#[inline]
pub fn lowest_living<F: Family>(formats: &[u32]) -> u32 {
    let at_minimum = formats.iter().rfind(|format| **format <= F::MINIMUM);
    at_minimum.or(formats.first()).copied().unwrap_or_default()
}

/// The format of a type that has one, if the requested version has the type.
///
/// # Errors
/// [`EncodeProblem::TooYoung`] if the type is younger.
#[inline]
pub fn only<F: Family>(to: &Encoder<'_, F>, since: u32) -> Result<u32, EncodeError> {
    let requested = to.version();
    if requested < since { Err(too_young::<F>(requested, since)) } else { Ok(since) }
}

/// Whether a field holds something else than its default.
#[inline]
pub fn holds<T: PartialEq>(field: &T, default: T) -> bool {
    *field != default
}

#[cold]
fn too_young<F: Family>(requested: u32, since: u32) -> EncodeError {
    EncodeError::new(EncodeProblem::TooYoung { family: F::NAME, requested, since })
}

/// A conversion to an older form says no.
#[cold]
pub fn not_written(text: impl Display) -> EncodeError {
    EncodeError::new(EncodeProblem::Refused(text.to_string()))
}

/// A conversion from an older form says no.
#[cold]
pub fn not_read<F: Family>(from: &Decoder<'_, F>, text: impl Display) -> DecodeError {
    from.error(DecodeProblem::Refused(text.to_string()))
}

/// The formats that can hold a value, narrowed down field by field.
pub struct FormatChoice<F: Family> {
    requested: u32,
    record: FormatRecording,
    least: u32,
    family: PhantomData<F>,
}

impl<F: Family> FormatChoice<F> {
    /// All formats from `since` on that the requested version has.
    ///
    /// # Errors
    /// [`EncodeProblem::TooYoung`] if it has none.
    #[inline]
    pub fn new(to: &Encoder<'_, F>, since: u32) -> Result<Self, EncodeError> {
        let least = only(to, since)?;
        let (requested, record) = (to.version(), to.record());
        Ok(Self { requested, record, least, family: PhantomData })
    }

    /// The field holds something, and is there since a version.
    ///
    /// # Errors
    /// [`EncodeProblem::TooYoung`] if the requested version does not have it.
    #[inline]
    pub fn needs(&mut self, name: &'static str, since: u32) -> Result<(), EncodeError> {
        if since > self.requested {
            return Err(too_young::<F>(self.requested, since).in_field(name));
        }
        self.least = self.least.max(since);
        Ok(())
    }

    /// The field holds something, and was there until a version. An older format would hold it, but
    /// builds of the requested version need not read that any more.
    ///
    /// # Errors
    /// [`EncodeProblem::Removed`] if the requested version does not have it any more.
    #[inline]
    pub fn gone_after(&mut self, name: &'static str, until: u32) -> Result<(), EncodeError> {
        if self.requested <= until {
            return Ok(());
        }
        let problem = EncodeProblem::Removed { family: F::NAME, requested: self.requested, until };
        Err(EncodeError::new(problem).in_field(name))
    }

    /// The field holds something that its older form, of `until`, cannot hold.
    ///
    /// # Errors
    /// [`EncodeProblem::Refused`] if the requested version has only that.
    #[inline]
    pub fn needs_newer(
        &mut self,
        name: &'static str,
        until: u32,
        text: impl Display,
    ) -> Result<(), EncodeError> {
        if self.requested <= until {
            return Err(not_written(text).in_field(name));
        }
        self.least = self.least.max(until.saturating_add(1));
        Ok(())
    }

    /// The format to record, of those of the type, rising.
    #[inline]
    pub fn format(&self, formats: &[u32]) -> u32 {
        let least = self.least.max(lowest_living::<F>(formats));
        let mut able = formats.iter().copied();
        let chosen = match self.record {
            FormatRecording::Lowest => able.find(|format| *format >= least),
            FormatRecording::AsRequested => able.rfind(|format| *format <= self.requested),
        };
        chosen.unwrap_or(least)
    }
}
