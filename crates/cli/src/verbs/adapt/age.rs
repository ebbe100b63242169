//! What is to be presented, and to whom.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use unskew_core::{Axis, Party, Version};
use unskew_pjrt::layout::FLOOR;
use unskew_pjrt::{API_AXIS, STABLEHLO_AXIS};
use unskew_pjrt_adapter::{Config, HostAge};
use unskew_releases::Release;

use crate::args::Adapt;
use crate::sides::Side;

/// The newest major version of the interface.
const MAJOR: i64 = 0;

/// What was asked for.
pub enum Age {
    /// A plug-in for a host.
    For { release: Release, host: HostAge, present: i32 },
    /// A plug-in that presents a minor.
    Presented(i32),
    /// A plug-in that behaves as one of a minor.
    Emulated(i32),
}

impl Age {
    /// From the arguments and what the plug-in says of itself.
    pub fn of(args: &Adapt, side: &Side) -> anyhow::Result<Self> {
        let plugin = plugin_minor(side)?;
        let below = |version: Version, what: &str| {
            let minor = minor_of(version)?;
            if minor > plugin {
                bail!("a plug-in of 0.{plugin} cannot {what} a later version: {version}");
            }
            Ok(minor)
        };
        match (&args.host, args.present, args.emulate) {
            (Some(name), _, _) => Self::for_host(name, plugin),
            (_, Some(version), _) => Ok(Self::Presented(below(version, "present")?)),
            (_, _, Some(version)) => Ok(Self::Emulated(below(version, "behave as")?)),
            _ => bail!("one of --for, --present and --emulate is needed"),
        }
    }

    fn for_host(name: &str, plugin: i32) -> anyhow::Result<Self> {
        let release = unskew_releases::find(name)?;
        let party = release.party();
        let version = provided(&party, API_AXIS).with_context(|| {
            format!("not a host of PJRT plug-ins, or its PJRT version is not known: {release}")
        })?;
        let minor = minor_of(version).with_context(|| format!("{release} cannot be served"))?;
        let host = HostAge {
            name: party.name.clone(),
            minor,
            released: Some(release.row().released.to_string()),
            stablehlo: provided(&party, STABLEHLO_AXIS).map(|version| version.to_string()),
        };
        Ok(Self::For { release, host, present: minor.min(plugin) })
    }

    /// The settings that follow.
    pub fn config(&self, plugin: PathBuf) -> Config {
        match self {
            Self::For { host, present, .. } => {
                Config { host: Some(host.clone()), ..Config::presenting(plugin, *present) }
            }
            Self::Presented(minor) => Config::presenting(plugin, *minor),
            Self::Emulated(minor) => Config::emulating(plugin, *minor),
        }
    }
}

/// The minor of the plug-in on this side.
fn plugin_minor(side: &Side) -> anyhow::Result<i32> {
    let parties = || side.members.iter().filter(|member| member.release.is_none());
    let found = parties().find_map(|member| provided(&member.party, API_AXIS));
    let Some(version) = found else {
        let name = side.members.first().map(|member| member.label.clone()).unwrap_or_default();
        let why = parties().flat_map(|member| &member.party.notes).next();
        let why = why.map(|finding| format!("\n{}", finding.message)).unwrap_or_default();
        bail!("not a PJRT plug-in that can be loaded: {name}{why}");
    };
    minor_of(version).with_context(|| format!("the plug-in is of PJRT {version}"))
}

/// The newest version that a party provides on an axis.
fn provided(party: &Arc<Party>, axis: &'static str) -> Option<Version> {
    party.provision(&Axis::from(axis))?.versions.max
}

/// The minor of a version that can be spoken.
fn minor_of(version: Version) -> anyhow::Result<i32> {
    let minor = i32::try_from(version.minor()).unwrap_or(i32::MAX);
    if version.major() != MAJOR {
        bail!("there is no PJRT version of another major than {MAJOR}: {version}");
    }
    if minor < FLOOR {
        bail!(
            "before 0.{FLOOR} the table of functions was not yet stable, so nothing older can be presented: {version}"
        );
    }
    Ok(minor)
}
