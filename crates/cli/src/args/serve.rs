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
    /// The port to listen on; 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 8470)]
    pub port: u16,
    /// Listen on this address, where others may connect who nobody checks and everybody overhears
    #[arg(long, value_name = "ADDR")]
    pub insecure_bind: Option<IpAddr>,
    /// An option of the client, which the plug-in defines
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = client_option)]
    pub client_options: Vec<(String, String)>,
    /// How many connections there may be; a new one takes the place of one on which nothing is asked
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    pub connections: u32,
    /// How many clients may have a session at once
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub sessions: usize,
    /// How many requests of one client may be unanswered; more wait
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub requests: u32,
    /// How much memory the arrays of one client may have, such as 512MiB
    #[arg(long, value_name = "SIZE", default_value = "16GiB", value_parser = bytes)]
    pub session_bytes: u64,
    /// How much memory the arrays of all clients may have together
    #[arg(long, value_name = "SIZE", default_value = "64GiB", value_parser = bytes)]
    pub server_bytes: u64,
    /// How many seconds requests have to be answered when the server is told to stop
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub grace: u64,
    /// What is logged on the standard error: debug has every request that failed
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub log: LogLevel,
    /// How it is logged
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub log_format: LogFormat,
    /// Print how a release of JAX connects, and serve nothing: jax@0.6.2
    #[arg(long, value_name = "RELEASE", conflicts_with = "plugin")]
    pub client: Option<String>,
    /// For the child process: the file in which it notes what it does
    #[arg(long, value_name = "FILE", hide = true)]
    pub watched: Option<PathBuf>,
}

impl Serve {
    /// The options of the plug-in's client.
    pub fn options(&self) -> Vec<Attribute> {
        attributes(&self.client_options)
    }

    /// What clients may use.
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
