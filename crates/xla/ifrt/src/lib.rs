//! IFRT: serialized values between two builds, and the proxy through which a JAX client runs on a
//! server elsewhere.
//!
//! # Values
//!
//! The module [`types`] has the IFRT types: shapes, shardings, layouts, array specs, programs and
//! their options, written byte for byte as jaxlib writes them, for readers of SerDes versions 0 to 5.
//! A value that the requested version cannot hold is an error, and every value is read by the version
//! that it carries.
//!
//! ```
//! use unskew_ifrt::types::{ArraySpec, DTypeKind, Ifrt, Shape, Sharding, SingleDeviceSharding};
//! use unskew_serdes::default_version;
//! use unskew_serdes::proto::{decode, encode};
//!
//! let spec = ArraySpec {
//!     dtype: DTypeKind::F32.into(),
//!     shape: Shape { dims: vec![2, 3] },
//!     sharding: Sharding::SingleDevice(SingleDeviceSharding::default()),
//!     layout: None,
//! };
//! let bytes = encode(&spec, default_version::<Ifrt>()).unwrap();
//! assert_eq!(decode::<Ifrt, ArraySpec>(&bytes).unwrap(), spec);
//!
//! // Bytes of a later version say so.
//! let error = decode::<Ifrt, Shape>(&[0x0a, 2, 2, 3, 0x10, 9]).unwrap_err();
//! assert_eq!(error.offset(), 6);
//! assert!(error.to_string().contains("Shape is of ifrt.serdes version 9"));
//! ```
//!
//! [`party`] makes a party of a serialized value that has the name of its type, so that it can be
//! inspected and checked against releases.
//!
//! # Sessions
//!
//! Two numbers are agreed when a client connects: the protocol version of the proxy, and since
//! protocol 15 the SerDes version at which values are written. Both are one global, dated number per
//! build ([`proxy`], [`serdes`]). What the real negotiation does not say is that some values cannot
//! be written at every version that it accepts: programs are refused below `week_4_old`, so a session
//! is agreed in which every jit fails. [`IfrtRelease::judge`] negotiates with that floor, and with those
//! that the types declare.
//!
//! ```
//! use unskew_core::{Date, Phase, Version, VersionRange};
//! use unskew_ifrt::IfrtRelease;
//!
//! // A client of June 2026, and a server from before SerDes 3 landed in April.
//! let client = IfrtRelease::built("jax 0.10.2", Date::constant(2026, 6, 17));
//! let mut server = IfrtRelease::built("an older server", Date::constant(2026, 4, 10));
//! assert_eq!(server.serdes, Some(VersionRange::between(Version::number(0), Version::number(2))));
//!
//! let findings = client.judge(&server);
//! assert_eq!(findings[0].rule.code, "IF103");
//! assert_eq!(findings[0].phase, Some(Phase::FirstUse));
//! ```
//!
//! The makers type `week_4_old` by hand and forget it; [`week_4_old`] computes it from the history,
//! and [`staleness`] compares.
#![forbid(unsafe_code)]

mod history;
mod party;
mod release;
pub mod rules;
mod session;
pub mod types;
mod verdict;

pub use history::{
    Staleness, policy, proxy, serdes, server_minimum, staleness, typed_week_4_old, week_4_old,
};
pub use party::{SerializedValue, party};
pub use release::{IfrtRelease, PROXY_AXIS, SERDES_AXIS};
pub use session::program_floors;
