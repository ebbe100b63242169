//! Agreeing on a version with a peer.

use crate::proto::Message;
use crate::{Any, Family, FamilyVersion};

/// What one side can do: the versions that it reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionOffer {
    /// The lowest version that the side reads, inclusive.
    pub minimum: u32,
    /// The highest version that the side reads, inclusive.
    pub maximum: u32,
}

impl VersionOffer {
    /// What this build offers for the family.
    pub const fn for_family<F: Family>() -> Self {
        Self { minimum: F::MINIMUM, maximum: F::CURRENT }
    }
}

/// A type that will be needed, and the lowest version in which it can be written: more than the
/// family's minimum, if the type is younger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionFloor {
    /// The type that has no form below that version.
    pub type_name: &'static str,
    /// The lowest version that has a form of the type.
    pub version: u32,
}

impl VersionFloor {
    /// The floor of a protobuf message, as it declares it.
    pub const fn for_message<F: Family, M: Message<F>>() -> Self {
        Self { type_name: M::NAME, version: M::DESCRIPTION.since.version }
    }
}

/// Why no version could be agreed on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NegotiationError {
    /// The two ranges have nothing in common.
    #[error(
        "{family}: no common version: we read {ours_min} to {ours_max}, the peer {theirs_min} to {theirs_max}"
    )]
    NothingInCommon {
        /// The name of the family.
        family: &'static str,
        /// The lowest version on this side.
        ours_min: u32,
        /// The highest version on this side.
        ours_max: u32,
        /// The lowest version on the peer's side.
        theirs_min: u32,
        /// The highest version on the peer's side.
        theirs_max: u32,
    },
    /// They have, but a type that will be needed cannot be written so low.
    #[error(
        "{family}: {type_name} will be needed and cannot be written below version {floor}; the highest common version is {common}"
    )]
    BelowFloor {
        /// The name of the family.
        family: &'static str,
        /// The name of the type that will be needed.
        type_name: &'static str,
        /// The lowest version in which it can be written.
        floor: u32,
        /// What would have been agreed on.
        common: u32,
    },
}

/// The highest version that both sides have, if every type of `needed` can be written in it.
///
/// A negotiation of ranges alone would connect, and fail at the first value of a type that is
/// younger than the version agreed on; so the types that will be needed are named here.
///
/// # Errors
/// [`NegotiationError`] with both ranges, or the type and its floor.
pub fn negotiate<F: Family>(
    any: &Any<F>,
    peer: VersionOffer,
    needed: &[VersionFloor],
) -> Result<FamilyVersion<F>, NegotiationError> {
    let ours = VersionOffer::for_family::<F>();
    let nothing = NegotiationError::NothingInCommon {
        family: F::NAME,
        ours_min: ours.minimum,
        ours_max: ours.maximum,
        theirs_min: peer.minimum,
        theirs_max: peer.maximum,
    };
    let common = ours.maximum.min(peer.maximum);
    if common < ours.minimum.max(peer.minimum) {
        return Err(nothing);
    }
    let highest = needed.iter().max_by_key(|floor| floor.version);
    if let Some(floor) = highest.filter(|floor| floor.version > common) {
        let (type_name, floor) = (floor.type_name, floor.version);
        return Err(NegotiationError::BelowFloor { family: F::NAME, type_name, floor, common });
    }
    any.get(i64::from(common)).map_err(|_| nothing)
}
