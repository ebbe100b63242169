//! An IFRT proxy server: JAX clients since 0.4.31 on PJRT plug-ins, over the network.
//!
//! Every jaxlib has a client of the IFRT proxy, and none has a server. This one speaks the protocol
//! versions 3 to 25 and the SerDes versions 0 to 5, which is every client since jax 0.4.31, and runs what
//! they ask for on a PJRT plug-in through `unskew_pjrt`, which is every plug-in since 0.29.
//!
//! ```no_run
//! use std::net::TcpListener;
//! use unskew_ifrt_proxy::{ServerLimits, Server};
//! use unskew_pjrt::Plugin;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Plugin::load("pjrt_c_api_cpu_plugin.so")?.create_client(&[])?;
//! let server = Server::new(client, ServerLimits::default())?;
//! server.serve(TcpListener::bind("127.0.0.1:8470")?, std::future::pending())?;
//! # Ok(())
//! # }
//! ```
//!
//! # The way of a request
//!
//! ```text
//! client -- GetVersion --------> negotiate                       versions that both speak, or a refusal
//!        -- IfrtSession -------> service -> session (a thread) -> platform (the plug-in's client)
//!        <- responses ---------- reply   <-      | handles: arrays, programs, futures, errors
//!        -- HostBufferStore ---> host_buffers <--+ bytes on their way, which may come late
//!        <- HostBufferLookup --- host_buffers <--+
//! ```
//!
//! A session does its requests in their order on a thread of its own; programs are compiled beside it. What waits for a device
//! is answered when the device is done, and holds up nothing. Where a request fails that was to make an
//! array, the array's handle stands for the error from then on: clients send on without
//! waiting for answers.
//!
//! Large arrays are not copied on their way where that can be helped. What a client sends is put together where the
//! plug-in can use it as it is, in memory that was used before; what a client fetches goes to the network from
//! where a plug-in for CPUs has it. Answers that no client waits for go together, up to a millisecond later.
//!
//! Values that have SerDes versions are [messages] within messages, read and written by `unskew_ifrt` at
//! the session's version. XLA's own, which have none, stay bytes: compile options are edited by field
//! number where an old client's would hurt a newer plug-in, and all else in them reaches the plug-in as
//! it came.
//!
//! # Worker processes
//!
//! [`Server::serve`] has the plug-in in its own process. [`Front`] has it in worker processes, one for each client: a
//! program on which the plug-in crashes then ends the sessions of that client. How that works stands at the head of
//! `src/workers/mod.rs`.
//!
//! # What is refused
//!
//! A client's bytes are checked, never believed: unknown handles, devices that are not there, shapes that
//! do not fit their data, negative versions, assignments that would end the plug-in's process are error
//! statuses. So are, as UNIMPLEMENTED and by their names: callbacks that are sent with a program
//! (public clients do not run them; those of `unskew_jax` go another way), programs of several (IFRT IR, MPMD), programs of texts (arrays
//! of them are kept in the server's memory), arrays in tiles made of host data, resharding where the client does
//! not say how an array is cut, and the text of a compiled program where the plug-in has no program.
//! [`ServerLimits`] bounds sessions, requests, handles and bytes. A program that the plug-in is too old for is
//! refused with a finding.

mod aligned;
mod array;
mod array_quota;
mod chunks;
mod connection;
mod contents;
mod counts;
mod element;
mod finding;
mod handles;
mod host_buffers;
mod in_process;
mod limits;
mod memory;
mod memory_quota;
mod mesh;
pub mod messages;
mod metadata;
mod metrics;
mod negotiate;
mod network;
mod pages;
mod pieces;
mod platform;
mod program;
mod recipe;
mod replay;
mod reply;
mod server;
mod service;
mod session;
mod session_journal;
mod session_status;
mod sessions;
mod settings;
mod sharding;
mod shared;
mod shares;
pub mod status;
mod stream;
mod strides;
mod view;
#[cfg(target_os = "linux")]
mod workers;
mod xla;

pub use in_process::play;
pub use limits::ServerLimits;
pub use memory_quota::{MemoryKind, MemoryQuota};
pub use metadata::{SESSION, STORE};
pub use negotiate::{HIGHEST, LOWEST, SessionVersions, negotiate};
pub use platform::ServedPlatform;
pub use recipe::{RecipeError, recipe};
pub use server::{ServeError, Server};
pub use session_journal::SessionJournal;
#[cfg(target_os = "linux")]
pub use workers::{Front, FrontError, Start, WorkerFailure};
