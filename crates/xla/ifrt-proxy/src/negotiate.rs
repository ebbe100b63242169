//! Negotiation of the versions that a client and this server speak.
//!
//! The answer is the lower of the two highest versions, of the protocol and of SerDes each. It is always in
//! the client's range: a client ends its process at an answer that is not. Where there is no such version
//! the client gets a refusal that names both sides, both ranges, and what to install.

use unskew_core::{Version, VersionRange};
use unskew_ifrt::types::{Ifrt, any_version};

use crate::messages::{GetVersion, ProxyVersion};
use crate::status::{Status, StatusCode};

/// The lowest protocol version: that of the oldest clients there are.
pub const LOWEST: i32 = 3;

/// The highest protocol version: the last whose messages are known here.
pub const HIGHEST: i32 = 25;

/// The protocol version from which SerDes versions are announced.
const ANNOUNCES_SERDES: i32 = 15;

/// The versions of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionVersions {
    /// The version of the proxy's protocol.
    pub protocol: i32,
    /// Of SerDes: what this server writes.
    pub serdes: i32,
}

impl SessionVersions {
    /// The versions as a message.
    pub fn message(self) -> ProxyVersion {
        ProxyVersion { protocol: self.protocol, serdes: self.serdes }
    }

    /// The versions that a client claims to have agreed on.
    ///
    /// # Errors
    /// If this server does not speak them, so that it cannot have agreed.
    pub fn claimed(version: ProxyVersion) -> Result<Self, Status> {
        let ProxyVersion { protocol, serdes } = version;
        let (lowest, highest) = serdes_range();
        if !(LOWEST..=HIGHEST).contains(&protocol) || !(lowest..=highest).contains(&serdes) {
            return Err(Status::invalid(format!(
                "a session with versions that were not agreed: protocol {protocol}, SerDes {serdes}"
            )));
        }
        Ok(Self { protocol, serdes })
    }

    /// The SerDes version at which a session is written to.
    ///
    /// # Errors
    /// If it is none that can be written.
    pub(crate) fn written_at(self) -> Result<unskew_serdes::FamilyVersion<Ifrt>, Status> {
        let version = any_version().get(self.serdes.into());
        version.map_err(|error| Status::new(StatusCode::FailedPrecondition, error.to_string()))
    }

    /// Whether the protocol is of this version or later.
    pub fn since(self, version: i32) -> bool {
        self.protocol >= version
    }
}

/// The SerDes versions that are written and read here.
fn serdes_range() -> (i32, i32) {
    let range = any_version().range();
    let number = |version: u32| i32::try_from(version).unwrap_or(i32::MAX);
    (number(*range.start()), number(*range.end()))
}

/// The versions for a client that asks.
///
/// # Errors
/// INVALID_ARGUMENT if there are none.
///
/// ```
/// use unskew_ifrt_proxy::messages::{GetVersion, ProxyVersion};
/// use unskew_ifrt_proxy::negotiate;
///
/// // What the client of jax 0.6.2 asks: protocol 3 to 14, and no word of SerDes.
/// let version = |protocol| Some(ProxyVersion { protocol, serdes: 0 });
/// let agreed = negotiate(&GetVersion { min: version(3), max: version(14) }).unwrap();
/// assert_eq!((agreed.protocol, agreed.serdes), (14, 0));
///
/// let refused = negotiate(&GetVersion { min: version(26), max: version(31) }).unwrap_err();
/// assert!(refused.message.contains("26 to 31"));
/// ```
pub fn negotiate(asked: &GetVersion) -> Result<SessionVersions, Status> {
    let (min, max) = (asked.min.unwrap_or_default(), asked.max.unwrap_or_default());
    if max.protocol < min.protocol || max.serdes < min.serdes || min.protocol < 0 || min.serdes < 0
    {
        return Err(Status::invalid(format!(
            "no ranges of versions: protocol {} to {}, SerDes {} to {}",
            min.protocol, max.protocol, min.serdes, max.serdes
        )));
    }
    let protocol = max.protocol.min(HIGHEST);
    if protocol < min.protocol.max(LOWEST) {
        return Err(refusal(
            "IFRT proxy protocol",
            (min.protocol, max.protocol),
            (LOWEST, HIGHEST),
        ));
    }
    let (lowest, highest) = serdes_range();
    let serdes = max.serdes.min(highest);
    if protocol >= ANNOUNCES_SERDES && serdes < min.serdes.max(lowest) {
        return Err(refusal("IFRT SerDes", (min.serdes, max.serdes), (lowest, highest)));
    }
    Ok(SessionVersions { protocol, serdes })
}

/// What a client is told with which there is no common version.
fn refusal(what: &str, client: (i32, i32), server: (i32, i32)) -> Status {
    let range = |(min, max): (i32, i32)| {
        VersionRange::between(Version::number(min.into()), Version::number(max.into()))
    };
    let fix = if client.0 > server.1 {
        "install a newer unskew on the server, or an older jaxlib for the client"
    } else {
        "install a newer jaxlib for the client"
    };
    let text = format!(
        "no common version of {what}: the JAX client speaks {}, the server (unskew {}) speaks {}; {fix}",
        spoken(range(client)),
        env!("CARGO_PKG_VERSION"),
        spoken(range(server)),
    );
    Status::new(StatusCode::InvalidArgument, text)
}

fn spoken(range: VersionRange) -> String {
    match (range.min, range.max) {
        (Some(min), Some(max)) if min == max => min.to_string(),
        (Some(min), Some(max)) => format!("{min} to {max}"),
        _ => range.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(min: (i32, i32), max: (i32, i32)) -> Result<SessionVersions, Status> {
        let version = |(protocol, serdes)| Some(ProxyVersion { protocol, serdes });
        negotiate(&GetVersion { min: version(min), max: version(max) })
    }

    /// What seven real clients announced, and one of the future.
    #[test]
    fn every_client_there_has_been_is_answered_within_its_range() {
        let clients = [
            ((3, 0), (4, 0)),
            ((3, 0), (14, 0)),
            ((15, 0), (16, 0)),
            ((15, 0), (22, 0)),
            ((16, 0), (25, 1)),
            ((16, 0), (25, 3)),
            ((16, 2), (31, 6)),
        ];
        for (min, max) in clients {
            let agreed = ask(min, max).unwrap();
            assert!((min.0..=max.0).contains(&agreed.protocol), "{max:?}");
            assert!((min.1..=max.1).contains(&agreed.serdes), "{max:?}");
        }
    }

    #[test]
    fn the_last_version_is_that_of_the_history() {
        let history = unskew_ifrt::proxy().unwrap();
        assert_eq!(history.current(), Version::number(HIGHEST.into()));
        let lowest = Version::number(LOWEST.into());
        assert!(history.entries().iter().any(|entry| entry.version == lowest));
    }

    #[test]
    fn a_refusal_names_both_ranges_and_what_to_install() {
        let too_new = ask((26, 0), (31, 6)).unwrap_err().message;
        assert!(too_new.contains("26 to 31") && too_new.contains("3 to 25"), "{too_new}");
        assert!(too_new.contains("install a newer unskew"), "{too_new}");
        let too_old = ask((1, 0), (2, 0)).unwrap_err().message;
        assert!(too_old.contains("install a newer jaxlib"), "{too_old}");
        let serdes = ask((16, 6), (25, 9)).unwrap_err().message;
        assert!(serdes.contains("SerDes") && serdes.contains("6 to 9"), "{serdes}");
    }

    #[test]
    fn ranges_that_are_none_are_refused() {
        for (min, max) in [((4, 0), (3, 0)), ((-5, 0), (4, 0)), ((16, -1), (25, 0))] {
            assert!(ask(min, max).is_err(), "{min:?} {max:?}");
        }
        assert!(SessionVersions::claimed(ProxyVersion { protocol: 25, serdes: -1 }).is_err());
        assert!(SessionVersions::claimed(ProxyVersion { protocol: 26, serdes: 0 }).is_err());
    }
}
