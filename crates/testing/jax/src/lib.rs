//! Runs real JAX releases on PJRT plug-ins, and says what worked.
//!
//! A *host* is a JAX release in an environment of the corpus (`cargo xtask corpus`). A *cell* is a host with
//! a plug-in, which may be the shared object of a vendor or one that `unskew adapt` made: to JAX, and here,
//! both are a path. Running a cell starts the environment's Python on `lab/xla/probes/jax_steps.py`, in a
//! process of its own with a time limit, since what a skewed host does with a plug-in is often to die. The
//! probe prints one line of JSON per step, which is all that is read of it.
//!
//! [`ProxyServer`] is the other way to a plug-in: a server of the IFRT proxy, which JAX releases connect to and run
//! `lab/xla/probes/proxy_steps.py` on.
//!
//! Only tests, `cargo lab jax` and `cargo lab ifrt` use this crate.
//!
//! ```
//! use unskew_peers::{ProcessEnd, ProbeOutcome};
//!
//! let printed = r#"
//! {"step": "import", "ok": true, "detail": "jax 0.7.2", "seconds": 1.9}
//! {"step": "jit_add", "ok": false, "detail": "INVALID_ARGUMENT: expected 112, got 88", "seconds": 0.1}
//! "#;
//! let outcome = ProbeOutcome::new(printed, "", ProcessEnd::Finished);
//! assert_eq!(outcome.passed(), 1);
//! assert_eq!(outcome.failure().unwrap().0, "jit_add");
//! ```
#![forbid(unsafe_code)]

mod cell;
mod host;
mod plugin;
mod proxy_server;
mod table;

pub use cell::{JaxCell, STEPS, run_all, run_each};
pub use host::JaxHost;
pub use plugin::{CorpusPlugin, PLUGINS};
pub use proxy_server::{PROXY_STEPS, ProxyServer, directly};
pub use table::{JaxTableRow, table};
