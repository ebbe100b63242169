//! The connections of a server: how many there may be, whose they are, and for how long they may be silent.
//!
//! A server that waits for whoever connects can be locked up by clients that connect and send nothing. So a connection
//! here is a place that can be lost:
//!
//! * A connection on which no request began has a short time for its first one ([`ConnectionLimits::first`]); one whose requests are
//!   answered has some more for its next ([`ConnectionLimits::idle`]); one that does not take its answer is closed too
//!   ([`ConnectionLimits::stall`]). Bytes by themselves win no time: only the head of a request does, and taking an answer.
//! * When all places are taken, or all that one address may have ([`ConnectionLimits::per_address`]), the new connection gets the
//!   place of another on which nothing is asked: first the oldest on which nobody is known, which is one that never asked
//!   anything, then the one that is silent for the longest time.
//! * Where a server knows its clients by tokens, a connection that has shown none is worth less than any that has
//!   ([`Activity::begin_unauthenticated`]): it can be replaced also while a body comes or an answer is taken, and one
//!   address may have only so many of them ([`ConnectionLimits::unauthenticated`]).
//! * Where every connection is busy, a few more are taken ([`ConnectionLimits::reserve`]) and marked, so that a server can still
//!   say how it is ([`Activity::is_reserve`]).
//!
//! [`Connections::admit`] gives a place, [`Watched`] is a stream that has one, and ends by itself when its place is lost.
//! A server notes with [`Activity::begin`] that it works on a request of the connection. All this holds for any
//! protocol.
//!
//! ```
//! use std::net::IpAddr;
//! use unskew_connections::{Connections, ConnectionLimits};
//!
//! let limits = ConnectionLimits { all: 2, per_address: 2, reserve: 1, ..ConnectionLimits::default() };
//! let connections = Connections::new(limits);
//! let peer: IpAddr = "192.0.2.7".parse().unwrap();
//! let (first, second) = (connections.admit(peer).unwrap(), connections.admit(peer).unwrap());
//! let busy = second.activity().begin();
//! let third = connections.admit(peer).unwrap();
//! assert!(first.is_lost() && !second.is_lost() && !third.is_lost());
//! # drop(busy);
//! ```
#![forbid(unsafe_code)]

mod activity;
mod address;
mod body;
mod interrupted;
mod sockets;
mod table;
mod watched;

pub use activity::{Activity, Authentication, RequestGuard};
pub use address::client;
pub use body::GuardedBody;
pub use interrupted::interrupted;
pub use sockets::{open_files, queue};
pub use table::{ConnectionLimits, ConnectionPlace, Connections};
pub use watched::Watched;
