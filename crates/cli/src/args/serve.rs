//! The arguments of `serve`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use unskew_ifrt_proxy::ServerLimits;
use unskew_ifrt_tunnel::{GateFiles, ServerName};
use unskew_pjrt::Attribute;

use super::client_options::{attributes, client_option};
use super::service::{LogFormat, LogLevel, bytes};

#[derive(Debug, clap::Args)]
pub struct Serve {
    /// The plug-in, a shared object
    #[arg(value_name = "PLUGIN", required_unless_present = "client")]
    pub plugin: Option<PathBuf>,
    /// The port to listen on; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 8470)]
    pub port: u16,
    /// Certificate of the TLS port, with its chain, in PEM format. Other machines reach that port with `unskew proxy`
    #[arg(long, value_name = "FILE", requires_all = ["tls_key", "token_file"])]
    pub tls_certificate: Option<PathBuf>,
    /// Private key of the certificate, in PEM format
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Tokens of the clients of the TLS port, a line each; read for every connection
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub token_file: Option<PathBuf>,
    /// Address and number of the TLS port
    #[arg(
        long,
        value_name = "ADDR:PORT",
        default_value = "0.0.0.0:8471",
        requires = "tls_certificate"
    )]
    pub tls_bind: SocketAddr,
    /// Listen on this address. Connections are unauthenticated and unencrypted
    #[arg(long, value_name = "ADDR")]
    pub insecure_bind: Option<IpAddr>,
    /// A Python with jaxlib, scipy and unskew_jax: its CPU handlers (LAPACK) are given to the plug-in
    #[arg(long, value_name = "PYTHON")]
    pub handlers: Option<PathBuf>,
    /// Where the plug-in runs
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub isolation: Isolation,
    /// For the child process: the library of that Python
    #[arg(long, value_name = "FILE", hide = true)]
    pub libpython: Option<PathBuf>,
    /// A client option that the plug-in defines (repeatable)
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = client_option)]
    pub client_options: Vec<(String, String)>,
    /// Maximum number of connections. When it is reached, a new one replaces an idle one
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    pub connections: u32,
    /// Maximum number of concurrent sessions
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub sessions: usize,
    /// Maximum number of pending requests per client; further requests wait
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub requests: u32,
    /// Memory limit for the arrays of one client, such as 512MiB
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = bytes)]
    pub session_bytes: u64,
    /// Memory limit for the arrays of all clients together
    #[arg(long, value_name = "SIZE", default_value = "64GiB", value_parser = bytes)]
    pub server_bytes: u64,
    /// Memory limit for the processes of all clients together, such as 8GiB. When it is reached, new sessions are refused
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
    /// Grace period for pending requests at shutdown, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub grace: u64,
    /// Log level (to standard error): debug has every failed request
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub log: LogLevel,
    /// Log format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub log_format: LogFormat,
    /// Print how this JAX release connects, and exit: jax@0.6.2
    #[arg(long, value_name = "RELEASE", conflicts_with = "plugin")]
    pub client: Option<String>,
    /// For the child process: the file in which it notes what it does
    #[arg(long, value_name = "FILE", hide = true)]
    pub watched: Option<PathBuf>,
    /// For a worker process: the folder that it shares with the others
    #[arg(long, value_name = "FOLDER", hide = true, requires = "slot")]
    pub worker: Option<PathBuf>,
    /// For a worker process: its number among them
    #[arg(long, value_name = "N", hide = true)]
    pub slot: Option<u64>,
}

/// Where the plug-in of a server runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Isolation {
    /// A process for each client: a program on which the plug-in crashes ends the sessions of its client
    #[cfg_attr(target_os = "linux", default)]
    Process,
    /// One process for all clients, which share the memory of the devices
    #[cfg_attr(not(target_os = "linux"), default)]
    None,
}

impl Serve {
    /// `--option`, with their types inferred.
    pub fn options(&self) -> Vec<Attribute> {
        attributes(&self.client_options)
    }

    /// The files of the TLS port, if one is wanted.
    pub fn gate(&self) -> Option<GateFiles> {
        Some(GateFiles {
            certificate: self.tls_certificate.clone()?,
            key: self.tls_key.clone()?,
            tokens: self.token_file.clone()?,
        })
    }

    /// The resource limits in the type of `unskew_ifrt_proxy`.
    pub fn limits(&self) -> ServerLimits {
        ServerLimits {
            connections: self.connections as usize,
            sessions: self.sessions,
            requests: self.requests,
            session_bytes: self.session_bytes,
            // Arrays are the larger part of what processes have.
            server_bytes: self.server_bytes.min(self.memory.unwrap_or(u64::MAX)),
            memory: self.memory,
            grace: Duration::from_secs(self.grace),
            ..ServerLimits::default()
        }
    }
}

#[derive(Debug, clap::Args)]
pub struct Proxy {
    /// The TLS port of `unskew serve`; the port is 8471 unless it is given
    #[arg(value_name = "HOST[:PORT]", value_parser = server_name)]
    pub server: ServerName,
    /// File with the token
    #[arg(long, value_name = "FILE")]
    pub token_file: PathBuf,
    /// Certificates in PEM format that the server's certificate is checked by, instead of those of the system
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// The port on the loopback that JAX connects to; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 8470)]
    pub port: u16,
}

/// A server, with the port that is usual where none is said.
fn server_name(text: &str) -> Result<ServerName, unskew_ifrt_tunnel::TunnelError> {
    let is_bare = !text.contains(':') || text.ends_with(']');
    if is_bare { format!("{text}:{TLS_PORT}").parse() } else { text.parse() }
}

/// The TLS port of `serve`.
const TLS_PORT: u16 = 8471;
