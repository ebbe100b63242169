//! Handshake of two sides at registration: versions, and what both can rely on.
//!
//! The side that is asked to register compares major versions, says so if they differ, and is unloaded;
//! with the same major version any two minor versions work, by the contract of the structs.

use super::InterfaceVersion;

/// The version of one side, as it passes it to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnnouncedVersion {
    /// Changes with what is incompatible.
    pub major: i32,
    /// Changes with what is appended or deprecated.
    pub minor: i32,
    /// Changes with repairs; it decides nothing.
    pub patch: i32,
}

/// What two sides can rely on: the major version of both, the older minor version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgreedVersion(pub InterfaceVersion);

/// Why two sides cannot work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// The struct that carries the version was never filled in.
    #[error("the struct_size of the registration is 0: the other side did not fill it in")]
    NoSize,
    /// The major versions differ.
    #[error("unsupported major version, theirs: {theirs}, ours: {ours}")]
    OtherMajor {
        /// That of the other side.
        theirs: i32,
        /// That of this side.
        ours: i32,
    },
    /// A version has a negative number.
    #[error("not a version: {0}.{1}")]
    NoVersion(i32, i32),
}

/// Compares the other side's version with ours, by the rule of semantic versions.
///
/// # Errors
/// [`HandshakeError`], whose text is meant for the other side's status.
pub fn agree(
    theirs: AnnouncedVersion,
    struct_size: usize,
    ours: InterfaceVersion,
) -> Result<AgreedVersion, HandshakeError> {
    if struct_size == 0 {
        return Err(HandshakeError::NoSize);
    }
    let (Ok(major), Ok(minor)) = (u32::try_from(theirs.major), u32::try_from(theirs.minor)) else {
        return Err(HandshakeError::NoVersion(theirs.major, theirs.minor));
    };
    if major != ours.major {
        let ours = i32::try_from(ours.major).unwrap_or(i32::MAX);
        return Err(HandshakeError::OtherMajor { theirs: theirs.major, ours });
    }
    Ok(AgreedVersion(InterfaceVersion::new(major, minor.min(ours.minor))))
}
