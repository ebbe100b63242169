//! IFRT: the versions of its serialization and of its proxy protocol, and who agrees on what.
//!
//! JAX can run on a device in another process through the IFRT proxy. Two numbers decide whether a
//! client and a server get on:
//!
//! * the **proxy protocol** ([`proxy_history`]): each end announces a range, the highest common version
//!   is taken;
//! * the **SerDes version** ([`serdes_history`]): one global, dated number for the format of every
//!   serialized value, since 2025-06-25 negotiated along with the protocol.
//!
//! The document *IFRT SerDes Version Management* describes the second. What it does not say is that a
//! part of a session may have a floor of its own: an HloProgram is not written below the four-week-old
//! version, so the ranges of two ends may meet where no program can be sent. An [`End`] therefore
//! offers its range together with that floor, and [`unskew_core::negotiate`] takes both into account.
//!
//! A JAX release is a client and a server in one. [`End::join`] adds both to the party of a release,
//! so that `check` of two releases judges each as the client of the other.
//!
//! ```
//! use unskew_core::{Context, Date, Party, Role, Version, VersionRange, check};
//! use unskew_ifrt::End;
//!
//! let end = |name: &str, protocols: (i64, i64), serdes: (i64, i64), program: i64| {
//!     let range = |(low, high)| VersionRange::between(Version::number(low), Version::number(high));
//!     let end = End {
//!         protocols: range(protocols),
//!         serdes: Some(range(serdes)),
//!         program_floor: Some(Version::number(program)),
//!     };
//!     end.join(Party::new(name, Role::Host, "JAX release"))
//! };
//! let client = end("jax 0.10.2", (16, 25), (0, 3), 3);
//! let server = end("server", (16, 25), (0, 2), 2);
//! let verdict = check(&client, &server, &Context::on(Date::constant(2026, 11, 1)));
//! // It connects, and then every jit fails.
//! assert_eq!(verdict.findings[0].rule.code, "IF002");
//! ```
#![forbid(unsafe_code)]

mod end;
mod history;
pub mod rules;

pub use end::End;
pub use history::{policy, proxy_history, proxy_server_history, serdes_history};
