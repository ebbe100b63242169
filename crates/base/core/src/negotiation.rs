//! Finding the highest version that two sides share.
//!
//! The rule is the one of *IFRT SerDes Version Management* ("a common and highest version can be
//! negotiated"), with what its implementation forgets: the range that a side announces is not the
//! range in which all of its parts work. IFRT accepts SerDes 0 to current, but a program cannot be
//! written below `week_4_old`, so a session is agreed in which every jit fails. Here each part has
//! its own floor, and an agreement says which parts it leaves out.

use std::fmt;

use crate::{Version, VersionRange};

/// A part of a side's traffic that exists only from some version on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartFloor {
    /// The part: a type, a request kind.
    pub part: String,
    /// The lowest version at which the part can be written.
    pub floor: Version,
    /// Whether the session is useless without it.
    pub needed: bool,
}

/// What one side offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The name of the side, for messages.
    pub name: String,
    /// The versions that it speaks.
    pub range: VersionRange,
    /// The floors of its parts.
    pub floors: Vec<PartFloor>,
}

/// What two sides agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The highest version that both speak.
    pub version: Version,
    /// The parts that do not exist at that version and are not needed.
    pub without: Vec<PartFloor>,
}

/// Why two sides do not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAgreement {
    /// The ranges do not meet, or neither has an upper end.
    NoCommonVersion {
        /// The two ranges, in the order of the sides.
        ranges: Box<[VersionRange; 2]>,
    },
    /// There is a common version, but a part that is needed does not exist at it.
    PartUnreachable {
        /// The first part whose least version the agreed one does not reach.
        part: Box<PartFloor>,
        /// The highest common version, which is below the part's floor.
        highest: Version,
    },
}

impl fmt::Display for NoAgreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommonVersion { ranges } => {
                write!(f, "no common version: {} and {}", ranges[0], ranges[1])
            }
            Self::PartUnreachable { part, highest } => write!(
                f,
                "{} needs at least {}, the highest common version is {highest}",
                part.part, part.floor
            ),
        }
    }
}

/// The highest version that both sides speak and at which every needed part of both exists.
///
/// The floors matter only downwards: parts appear with rising versions, so if a needed part does
/// not exist at the *highest* common version it exists at none.
///
/// ```
/// use unskew_core::{negotiate, NoAgreement, Offer, PartFloor, Version, VersionRange};
/// let client = Offer {
///     name: "jaxlib 0.10.2".into(),
///     range: VersionRange::between(Version::number(0), Version::number(3)),
///     floors: vec![PartFloor { part: "HloProgram".into(), floor: Version::number(3), needed: true }],
/// };
/// let server = Offer {
///     name: "server".into(),
///     range: VersionRange::between(Version::number(0), Version::number(2)),
///     floors: vec![],
/// };
/// // The ranges meet at 2, and yet no program could be sent.
/// assert!(matches!(negotiate(&client, &server), Err(NoAgreement::PartUnreachable { .. })));
/// ```
///
/// # Errors
/// [`NoAgreement`] with the two ranges, or the part that is out of reach.
pub fn negotiate(a: &Offer, b: &Offer) -> Result<Agreement, NoAgreement> {
    let common = a.range.intersection(b.range);
    let version = common
        .max
        .filter(|_| !common.is_empty())
        .ok_or_else(|| NoAgreement::NoCommonVersion { ranges: Box::new([a.range, b.range]) })?;
    let mut missing: Vec<PartFloor> =
        a.floors.iter().chain(&b.floors).filter(|part| part.floor > version).cloned().collect();
    missing.sort_by(|x, y| (x.floor, &x.part).cmp(&(y.floor, &y.part)));
    missing.dedup();
    match missing.iter().rposition(|part| part.needed) {
        Some(i) => Err(NoAgreement::PartUnreachable {
            part: Box::new(missing.swap_remove(i)),
            highest: version,
        }),
        None => Ok(Agreement { version, without: missing }),
    }
}
