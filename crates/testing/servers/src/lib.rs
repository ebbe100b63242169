//! The real servers that tests talk to, each started on a free port of the loopback and stopped when it is dropped.
//!
//! * [`S3Server`]: an S3 server, moto, from its environment in the corpus (`python/environments/moto-5.2.5.txt`, made by
//!   `cargo xtask corpus`); it keeps objects in memory.
//!
//! * [`MlFlowServer`]: MLflow's tracking server and model registry, from its environment in the corpus, over a folder of its own;
//!
//! * [`DockerRegistry`]: an OCI registry, `docker-registry` of the system's packages, over a folder of its own;
//!
//! * [`HubServer`]: the API of the Hugging Face hub, as far as it is read, over a folder, from the environment of MLflow;
//!
//! * [`WebServer`]: a web server over http or TLS, with ranges or without, from the environment of MLflow;
//!
//! * [`Pages`]: a web server in this process, with pages that a test makes, for what needs no real one;
//!
//! * [`PostgreSql`]: a PostgreSQL server from the system's packages, with a folder of its own that goes with it.
//!
//! A server that a test leaves behind, because the test is killed, ends by itself: it ends with its standard input.
//!
//! ```no_run
//! let server = unskew_test_servers::S3Server::start().unwrap();
//! server.make_bucket("models").unwrap();
//! for (name, value) in server.settings() {
//!     println!("{name}={value}");
//! }
//! ```
#![forbid(unsafe_code)]

mod child_guard;
mod docker_registry;
mod http;
mod hub;
mod mlflow;
mod pages;
mod postgresql;
mod python;
mod s3;
mod web;

pub use docker_registry::DockerRegistry;
pub use hub::HubServer;
pub use mlflow::MlFlowServer;
pub use pages::Pages;
pub use postgresql::PostgreSql;
pub use s3::S3Server;
pub use web::WebServer;

/// Why a server did not start or answer.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Its environment is not there, or real releases are not run.
    #[error("needs {0}; `cargo xtask test --real` runs it")]
    Missing(&'static str),
    /// It could not be started or reached.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It ended before it said where it listens.
    #[error("ended before it said where it listens; it said:\n{0}")]
    Ended(String),
    /// It answered something else than what was asked for.
    #[error("answered: {0}")]
    Answer(String),
}
