//! View of a server: its plug-in, its sessions and its counters, as plain values, which the processes of
//! a server send one another.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::counts::Counts;
use crate::limits::ServerLimits;
use crate::memory_quota::MemoryKind;
use crate::platform::{DeviceEntry, ServedPlatform};
use crate::session_status::SessionStatus;

/// A server at one moment.
#[derive(Clone, Debug, Default)]
pub struct ServerView {
    /// For how long it is there.
    pub age: Duration,
    /// Whether sessions may begin.
    pub ready: bool,
    pub limits: ServerLimits,
    pub plugin: PluginView,
    /// The oldest first.
    pub sessions: Vec<SessionView>,
    pub counts: Counts,
}

/// A plug-in and its devices; what it does not answer is the text of its error.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PluginView {
    pub platform: String,
    pub version: String,
    /// The version of the PJRT C API.
    pub api: String,
    /// The StableHLO version that it reads, if it says.
    pub stablehlo: Option<String>,
    pub devices: Vec<DeviceView>,
}

/// A device that can be used.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DeviceView {
    pub id: i32,
    pub kind: String,
    /// The kinds of its memories.
    pub memories: Vec<String>,
    pub name: String,
}

/// A session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SessionView {
    /// From 1 on, in the order of their beginning.
    pub number: u64,
    /// The address of its client.
    pub client: String,
    pub age: Duration,
    pub protocol: i32,
    pub serdes: i32,
    /// Answered requests.
    pub requests: u64,
    /// Those of them that were answered with an error.
    pub failed: u64,
    /// Requests without an answer yet.
    pub in_flight: u64,
    /// Arrays, programs and futures.
    pub handles: u64,
    pub device_bytes: u64,
    pub host_bytes: u64,
    /// The request that is being done, and for how long.
    pub doing: Option<(String, Duration)>,
}

impl PluginView {
    pub(crate) fn new(platform: &ServedPlatform) -> Self {
        let none = |error: unskew_pjrt::Error| format!("unknown: {error}");
        let client = &platform.client;
        Self {
            platform: client.platform_name().unwrap_or_else(none),
            version: client.platform_version().unwrap_or_else(none),
            api: client.plugin().version().to_string(),
            stablehlo: platform.stablehlo.as_ref().map(ToString::to_string),
            devices: platform.devices.iter().map(DeviceView::new).collect(),
        }
    }
}

impl DeviceView {
    fn new(entry: &DeviceEntry) -> Self {
        let description = entry.device.description().ok();
        let of = description.as_ref();
        Self {
            id: entry.id,
            kind: of.and_then(|of| of.kind().ok()).unwrap_or_default(),
            memories: entry.memories.iter().map(|(kind, _)| kind.clone()).collect(),
            name: of.and_then(|of| of.text().ok()).unwrap_or_default(),
        }
    }
}

impl SessionView {
    pub(crate) fn new(session: &SessionStatus) -> Self {
        Self {
            number: session.number,
            client: session.client(),
            age: session.since.elapsed(),
            protocol: session.agreed.protocol,
            serdes: session.agreed.serdes,
            requests: session.requests(),
            failed: session.failed(),
            in_flight: session.in_flight(),
            handles: session.handles() as u64,
            device_bytes: session.account.at(MemoryKind::Device),
            host_bytes: session.account.at(MemoryKind::Host),
            doing: session.doing().map(|(name, time)| (name.to_owned(), time)),
        }
    }
}

/// Whoever can be looked at.
pub trait Viewable: Send + Sync + 'static {
    /// What it is at this moment.
    fn view(&self) -> impl Future<Output = ServerView> + Send;

    /// Whether sessions may begin.
    fn is_ready(&self) -> bool;
}
