//! The registry of a fleet over HTTP: what `unskew fleet serve` runs.
//!
//! [`unskew_fleet`] knows models, runtimes, decisions and plans, and waits for its database. Around it stands here
//! what a service needs: the network, who may do what, uploads that go on where they stopped, work in the
//! background, limits, and a description of itself. A process keeps nothing that others need: any number of them
//! serve the same database and the same artifacts.
//!
//! ```text
//! connection ─▶ server ─▶ endpoint: name, caller, pace, role, time ─▶ routes::… ─▶ pool ─▶ Fleet
//!                          │                                             └▶ staging (uploads on their way)
//!                          └▶ answer or problem, metrics, log, audit      worker ─▶ jobs ─▶ Fleet
//! ```
//!
//! | part | what it is |
//! | --- | --- |
//! | [`routes`] | the table of all endpoints ([`Endpoint`](endpoint::Endpoint)); the router, the OpenAPI description and the reference are made from it |
//! | [`HttpProblem`](problem::HttpProblem) | the one kind of error, as RFC 9457 has it, with a code `FL001`... |
//! | [`ServiceSettings`] | where the database and the artifacts are, and every limit |
//! | [`FleetServer`] | listens, answers, and stops when it is told to: requests end, jobs are given back |
//! | [`token`] | secrets that open the service; only their digests are kept |
//! | [`range`] | the arithmetic of `Range` |
//!
//! # Who may come in
//!
//! Where a token was ever made, every request needs one, with a role: `read`, `publish` or `admin`. Where none was,
//! the service listens on the loopback only and believes whoever connects there. [`FleetServer::bind`] refuses other
//! addresses then.
//!
//! # Clocks
//!
//! Nothing waits for the clock on the wall. Limits and leases go by the monotonic clock of each process; days and moments
//! go by the clock of the database, which all processes share, and the day of a version is never before that of the version
//! before.
//!
//! ```
//! use unskew_fleet_service::{FleetServer, ServiceSettings, routes};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let settings = ServiceSettings::in_folder(folder.path());
//! let server = FleetServer::bind(settings, "127.0.0.1:0".parse().unwrap()).unwrap();
//! assert!(server.address().ip().is_loopback());
//!
//! let elsewhere = "0.0.0.0:0".parse().unwrap();
//! let refused = FleetServer::bind(ServiceSettings::in_folder(folder.path()), elsewhere).err().unwrap();
//! assert!(refused.to_string().contains("token"), "{refused}");
//!
//! assert!(routes::all().any(|endpoint| endpoint.path == "/v1/models/{model}/decision"));
//! ```
#![forbid(unsafe_code)]

mod answer;
mod ask;
mod body;
pub mod call;
pub mod caller;
pub mod client;
pub mod clock;
pub mod endpoint;
mod housekeeping;
mod incoming;
mod metrics;
pub mod openapi;
mod pages;
pub mod pool;
pub mod problem;
pub mod range;
mod rate_limiter;
mod recent;
pub mod reference;
pub mod routes;
mod serve_error;
mod server;
mod service;
mod settings;
mod staging;
pub mod token;
pub mod verb;
mod worker;

pub use serve_error::ServiceError;
pub use server::FleetServer;
pub use service::Service;
pub use settings::{ServiceLimits, ServiceSettings};
