//! A server whose plug-in runs in worker processes: a program on which the plug-in crashes ends the sessions of one
//! client, and not those of others.
//!
//! ```text
//!                 front (no plug-in)                               worker (a process)
//! client -------> accepts, sees whose it is
//!                 pages, metrics, health: answers
//!                 a client, a session: hands the socket over --> session -> plug-in
//! client <==================== the same connection ============> worker
//! ```
//!
//! * The front accepts connections and reads the [first request](route) of each, without an answer. It hands the socket
//!   to a worker, with what it has read: a new one for a client without a session, or that of the session that is named.
//!   From then on the client and the worker have the connection to themselves, so isolation costs nothing for each
//!   request and each byte.
//! * A worker has loaded the plug-in before it gets a connection: one more than there are clients waits for the next.
//!   When its sessions are over the worker ends, and with it all that they left behind. If none began on its connection
//!   (somebody asked for versions), it waits for the next.
//! * The [channel] of a worker is a Unix socket, its standard input: connections go one way, what it did comes back.
//!   When the front is gone the channel ends, and the worker stops as a server does.
//! * Limits are those of the server, not of a process: workers share a [folder](crate::shares).
//!
//! When a worker ends otherwise the front says how, and what its sessions were doing, which it reads in the file that the
//! worker [noted](crate::SessionJournal) it in. Its client sees that the connection is lost.

mod callbacks;
mod channel;
mod front;
mod pool;
mod process;
mod refusal;
mod route;
mod work;

pub use front::{Front, FrontError};
pub use pool::WorkerFailure;
pub use process::Start;
