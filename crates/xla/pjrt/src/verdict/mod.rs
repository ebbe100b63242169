//! A plug-in and a host as parties: what they have to say to each other before they meet.
//!
//! [`party`] makes a party of what a plug-in's file says and what a [`Probe`](crate::Probe) saw;
//! [`ReleasedHost`] is the other side, a released framework; [`predict`] walks the steps of its way to the
//! first result. The dated [`history`] of the interface and the [`policy`] of its makers give the
//! window.

mod adapter;
mod axes;
mod history;
mod host;
mod matcher;
mod plugin;
mod prediction;

pub use axes::{API_AXIS, STABLEHLO_AXIS};
pub use history::{SupportedMinors, history, policy, supported_minors};
pub use host::{HostFramework, ReleasedHost, Siblings, Strictness};
pub(crate) use host::{gets_mesh_shardings_wrong, is_moot, needed_functions, required_functions};
pub(crate) use matcher::adapted_prediction;
pub(crate) use plugin::looks_like_xla_cpu;
pub use plugin::{PluginFacts, party, party_of_code, party_of_known, recognizes};
pub use prediction::predict;
