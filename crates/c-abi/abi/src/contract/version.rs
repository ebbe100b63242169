//! Versions of an interface.

use std::fmt;
use std::str::FromStr;

/// The version of an interface: major and minor. The patch version changes no struct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceVersion {
    /// Changes with what is incompatible.
    pub major: u32,
    /// Changes with what is appended or deprecated.
    pub minor: u32,
}

/// A text that is not of the form `1.2`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a version of the form MAJOR.MINOR: {0}")]
pub struct NotAVersion(pub String);

impl InterfaceVersion {
    /// The version of these numbers.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// Whether this is not after `other`; usable in constants.
    pub const fn is_at_most(self, other: Self) -> bool {
        self.major < other.major || (self.major == other.major && self.minor <= other.minor)
    }
}

impl fmt::Display for InterfaceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for InterfaceVersion {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let parts = text.split_once('.').and_then(|(major, minor)| {
            Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
        });
        parts.ok_or_else(|| NotAVersion(text.to_owned()))
    }
}
