//! The host that has loaded the plug-in, as far as it can be told.

use unskew_abi::contract::InterfaceVersion;
use unskew_abi::contract::handshake::AnnouncedVersion;
use unskew_stream_executor::layout::ReleaseGroup;

/// The TensorFlow that has loaded the plug-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    pub(crate) announced: AnnouncedVersion,
    pub(crate) releases: ReleaseGroup,
    pub(crate) named: Option<String>,
}

impl Host {
    /// The version of the interface that it announces, which has been 0.0.1 in every release.
    pub fn announced(&self) -> AnnouncedVersion {
        self.announced
    }

    /// The releases that have structs of the sizes that it handed out at registration.
    pub fn releases(&self) -> ReleaseGroup {
        self.releases
    }

    /// The release that it names itself, such as `2.15.1`. None if that function cannot be found: it belongs
    /// to another library than those that plug-ins use.
    pub fn named(&self) -> Option<&str> {
        self.named.as_deref()
    }

    /// Major and minor of [`Host::named`].
    pub fn release(&self) -> Option<InterfaceVersion> {
        release_of(self.named.as_deref()?)
    }
}

pub(crate) fn release_of(named: &str) -> Option<InterfaceVersion> {
    let mut parts = named.split('.');
    let (major, minor) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(InterfaceVersion::new(major, minor))
}
