//! The arguments of `serve`.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use unskew_ifrt_proxy::Limits;
use unskew_pjrt::Attribute;

use super::run::{attributes, client_option};
use super::service::{LogFormat, LogLevel, bytes};

#[derive(Debug, clap::Args)]
pub struct Serve {
    /// The plug-in, a shared object
    #[arg(value_name = "PLUGIN", required_unless_present = "client")]
    pub plugin: Option<PathBuf>,
    /// The port to listen on; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 8470)]
    pub port: u16,
    /// Listen on this address. Connections are unauthenticated and unencrypted
    #[arg(long, value_name = "ADDR")]
    pub insecure_bind: Option<IpAddr>,
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
}

impl Serve {
    /// `--option`, with their types inferred.
    pub fn options(&self) -> Vec<Attribute> {
        attributes(&self.client_options)
    }

    /// The resource limits in the type of `unskew_ifrt_proxy`.
    pub fn limits(&self) -> Limits {
        Limits {
            connections: self.connections as usize,
            sessions: self.sessions,
            requests: self.requests,
            session_bytes: self.session_bytes,
            server_bytes: self.server_bytes,
            grace: Duration::from_secs(self.grace),
            ..Limits::default()
        }
    }
}
