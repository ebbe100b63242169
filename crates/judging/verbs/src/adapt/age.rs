//! Version that is to be presented, and to whom.

use std::path::PathBuf;
use std::sync::Arc;

use unskew_core::{Axis, Party, Role, Version};
use unskew_pjrt::layout::FLOOR;
use unskew_pjrt::{API_AXIS, STABLEHLO_AXIS};
use unskew_pjrt_adapter_settings::{AdapterConfig, HostAge};
use unskew_releases::{Family, Release};

use super::{AdaptError, AdaptTarget};
use crate::VerbError;
use crate::sides::ResolvedSide;

/// The newest major version of the interface.
const MAJOR: i64 = 0;

/// Which age the result presents, and to whom.
#[derive(Debug)]
pub enum Age {
    /// A plug-in for a host.
    For {
        /// The release for which the plug-in is adapted.
        release: Release,
        /// What the settings say of it.
        host: HostAge,
        /// The minor version that is presented.
        present: i32,
    },
    /// A plug-in that presents a minor.
    Presented(i32),
    /// A plug-in that behaves as one of a minor.
    Emulated(i32),
}

impl Age {
    /// From what was asked for and what the plug-in says of itself.
    pub(super) fn from_target(
        wanted: &AdaptTarget,
        side: &ResolvedSide,
    ) -> Result<Self, VerbError> {
        let plugin = plugin_minor(side)?;
        let below = |version: Version, what: &str| {
            let minor = minor_of(version)?;
            if minor > plugin {
                return Err(AdaptError::Age(format!(
                    "a plug-in of 0.{plugin} cannot {what} a later version: {version}"
                )));
            }
            Ok(minor)
        };
        match wanted {
            AdaptTarget::For(name) => Self::for_host(name, plugin),
            AdaptTarget::Present(version) => Ok(Self::Presented(below(*version, "present")?)),
            AdaptTarget::Emulate(version) => Ok(Self::Emulated(below(*version, "behave as")?)),
        }
    }

    fn for_host(name: &str, plugin: i32) -> Result<Self, VerbError> {
        let release = unskew_releases::find(name)?;
        let party = release.party();
        if release.family() == Family::TensorFlow {
            return Err(AdaptError::Age(format!(
                "{release} loads a PJRT plug-in behind TFNPD_InitPlugin, which an adapter has not; adapt the plug-in that the \
                 device is made of with --present, and have the device load that"
            ))
            .into());
        }
        let version = provided(&party, API_AXIS).ok_or_else(|| {
            AdaptError::Age(format!(
                "not a host of PJRT plug-ins, or its PJRT version is not known: {release}"
            ))
        })?;
        let minor = minor_of(version).map_err(age_error(format!("{release} cannot be served")))?;
        let host = HostAge {
            name: party.name.clone(),
            minor,
            released: Some(release.row().released.to_string()),
            stablehlo: provided(&party, STABLEHLO_AXIS).map(|version| version.to_string()),
        };
        Ok(Self::For { release, host, present: minor.min(plugin) })
    }

    /// The settings that follow.
    pub(super) fn config(&self, plugin: PathBuf) -> AdapterConfig {
        match self {
            Self::For { host, present, .. } => AdapterConfig {
                host: Some(host.clone()),
                ..AdapterConfig::presenting(plugin, *present)
            },
            Self::Presented(minor) => AdapterConfig::presenting(plugin, *minor),
            Self::Emulated(minor) => AdapterConfig::emulating(plugin, *minor),
        }
    }
}

/// The minor of the plug-in on this side.
fn plugin_minor(side: &ResolvedSide) -> Result<i32, AdaptError> {
    let parties = || side.members.iter().filter(|member| member.release.is_none());
    let found = parties().find_map(|member| provided(&member.party, API_AXIS));
    let Some(version) = found else {
        let member = side.members.first();
        let name = member.map(|member| member.label.clone()).unwrap_or_default();
        let is_plugin = member.is_some_and(|member| member.party.role == Role::Plugin);
        let text = match parties().flat_map(|member| &member.party.notes).next() {
            Some(finding) if is_plugin => {
                format!("{name}: not a PJRT plug-in that can be loaded: {}", finding.message)
            }
            _ => {
                let kind = member.map_or("nothing", |member| &*member.party.kind);
                format!("{name}: not a PJRT plug-in ({kind}); `unskew convert` is for models")
            }
        };
        return Err(AdaptError::Age(text));
    };
    minor_of(version).map_err(age_error(format!("the plug-in is of PJRT {version}")))
}

/// Adds whose version it is to an error.
fn age_error(what: String) -> impl FnOnce(AdaptError) -> AdaptError {
    |source| AdaptError::AgeOf { what, source: Box::new(source) }
}

/// The newest version that a party provides on an axis.
fn provided(party: &Arc<Party>, axis: &'static str) -> Option<Version> {
    party.provision(&Axis::from(axis))?.versions.max
}

/// The minor of a version that can be spoken.
fn minor_of(version: Version) -> Result<i32, AdaptError> {
    let minor = i32::try_from(version.minor()).unwrap_or(i32::MAX);
    let text = if version.major() != MAJOR {
        format!("there is no PJRT version of another major than {MAJOR}: {version}")
    } else if minor < FLOOR {
        format!(
            "before 0.{FLOOR} the table of functions was not yet stable, so nothing older can be presented: {version}"
        )
    } else {
        return Ok(minor);
    };
    Err(AdaptError::Age(text))
}
