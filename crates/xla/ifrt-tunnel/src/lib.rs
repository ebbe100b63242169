//! A tunnel to an IFRT proxy server.
//!
//! The clients in jaxlib neither encrypt nor say who they are, outside of the networks of their makers. So the server
//! listens on the loopback of its machine, and a tunnel leads there from the loopback of another one:
//!
//! ```text
//! JAX ── plain, loopback ──▶ TunnelClient ── TLS 1.3, token ──▶ Gate ── plain, loopback ──▶ server
//! ```
//!
//! * [`Gate`] listens where other machines reach it. It has a certificate and a file of tokens, and lets nobody in who has
//!   none of them; what is inside is passed on byte for byte, whatever its protocol is.
//! * [`TunnelClient`] listens on the loopback of the client's machine. It checks the certificate of the gate, by the roots
//!   of the system or by a file, and has a token.
//!
//! The greeting inside of TLS is a line each way: `unskew-tunnel 1 TOKEN`, and `ok` or `no: WHY`. It has ten seconds,
//! together with the handshake, and no more than 64 greetings are under way at a time. A file of tokens has one in a
//! line, of 32 characters or more; it is read for every connection, so a token that is taken out is refused from then on.
//!
//! Whoever has an account on the client's machine can use the tunnel there, and whoever has one on the server's machine
//! the server itself: both ends trust their machines.
#![forbid(unsafe_code)]

mod client;
mod error;
mod gate;
mod handshake;
mod stream;
mod tls;
mod tokens;

pub use client::{ServerName, TunnelClient};
pub use error::TunnelError;
pub use gate::{Gate, GateFiles};
