//! Errors of starting a service, and of its end.

use std::io;
use std::net::SocketAddr;

use unskew_fleet::FleetError;

/// Why a server cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The fleet cannot be opened.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// Another machine could connect, and nobody would ask who that is.
    #[error(
        "no token was ever made, so the service listens on the loopback only; \
         `unskew fleet token create NAME --role admin` makes one: {0}"
    )]
    NoToken(SocketAddr),
    /// The address cannot be had.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address on which it was to listen.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The system has no threads or no randomness.
    #[error("cannot serve: {0}")]
    System(String),
}
