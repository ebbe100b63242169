//! The arguments of `fleet serve` and `fleet token`.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Subcommand;
use unskew_fleet::Allowance;
use unskew_fleet::store::Role;
use unskew_fleet_service::Limits;

use super::service::bytes;
use super::{FleetFormat, LogFormat, LogLevel};

#[derive(Debug, clap::Args)]
pub struct FleetServe {
    /// The address and the port to listen on; port 0 for any that is free
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8471")]
    pub listen: SocketAddr,
    #[command(flatten)]
    pub limits: FleetLimits,
    /// What is logged on the standard error: info has every request
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub log: LogLevel,
    /// How it is logged
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub log_format: LogFormat,
}

/// What everybody may use.
#[derive(Debug, clap::Args)]
pub struct FleetLimits {
    /// How many jobs and decisions are computed at once; 0 leaves that to other processes [default: cores]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// How many jobs may wait or run
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_jobs: u64,
    /// How many uploads may be open
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_uploads: u64,
    /// The largest artifact
    #[arg(long, value_name = "SIZE", default_value = "64GiB", value_parser = bytes)]
    max_artifact: u64,
    /// The largest piece of an upload
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = bytes)]
    max_piece: u64,
    /// The largest body of any other request
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = bytes)]
    max_body: u64,
    /// How many requests a second a token or an address may send
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// How many connections there may be; a new one takes the place of one on which nothing is asked
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = number)]
    connections: usize,
    /// How many of them one address may have [default: half of them]
    #[arg(long, value_name = "N", value_parser = number)]
    connections_per_address: Option<usize>,
    /// How many seconds a new connection has until its first request has come
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    first_request: u64,
    /// After how many seconds without a request a connection is closed, or with an answer that is not taken
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    idle: u64,
    /// How many seconds a request may take
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    timeout: u64,
    /// How many seconds a decision may be computed while somebody waits for it
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    compute: u64,
    /// How much memory a process may take that reads artifacts
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = bytes)]
    inspect_memory: u64,
    /// How many seconds of processor time it may take for one artifact and one runtime
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    inspect_time: u64,
    /// After how many seconds without a new piece an upload is dropped
    #[arg(long, value_name = "SECONDS", default_value_t = 24 * 3600)]
    upload_age: u64,
    /// After how many seconds without a sign of life the jobs of another process are taken over
    #[arg(long, value_name = "SECONDS", default_value_t = 15)]
    lease: u64,
    /// How many seconds requests and jobs have to end when the service is told to stop
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    grace: u64,
}

impl FleetLimits {
    /// What a process may use that reads artifacts.
    pub fn allowance(&self) -> Allowance {
        Allowance { memory: self.inspect_memory, seconds: self.inspect_time }
    }

    fn connections(&self) -> unskew_connections::Limits {
        let half = self.connections.div_ceil(2);
        let idle = Duration::from_secs(self.idle);
        unskew_connections::Limits {
            all: self.connections,
            per_address: self.connections_per_address.unwrap_or(half),
            first: Duration::from_secs(self.first_request),
            idle,
            stall: idle,
            ..unskew_connections::Limits::default()
        }
    }

    /// The limits as the service takes them.
    pub fn limits(&self) -> Limits {
        let defaults = Limits::default();
        let seconds = Duration::from_secs;
        Limits {
            jobs: self.jobs.unwrap_or(defaults.jobs),
            pending_jobs: self.max_jobs,
            uploads: self.max_uploads,
            artifact: self.max_artifact,
            piece: self.max_piece,
            body: usize::try_from(self.max_body).unwrap_or(usize::MAX),
            requests: self.rate,
            connections: self.connections(),
            request_time: seconds(self.timeout),
            compute_time: seconds(self.compute),
            upload_age: seconds(self.upload_age),
            lease: seconds(self.lease),
            grace: seconds(self.grace),
            ..defaults
        }
    }
}

/// A number from 1.
fn number(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "a number from 1".to_owned())
}

#[derive(Debug, clap::Args)]
pub struct FleetToken {
    #[command(subcommand)]
    pub task: TokenTask,
}

/// What is done with tokens.
#[derive(Debug, Subcommand)]
pub enum TokenTask {
    /// Make a token, which is printed once and kept nowhere
    Create {
        /// What people call it
        name: String,
        /// What its bearer may do: read, publish or admin
        #[arg(long)]
        role: Role,
        /// For how many days it is good [default: until it is revoked]
        #[arg(long, value_name = "N")]
        days: Option<u32>,
    },
    /// List the tokens that were ever made, without their secrets
    List {
        /// How to print
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: FleetFormat,
    },
    /// Make a token worth nothing
    Revoke {
        /// The id of the token, as the list has it
        id: String,
    },
}
