//! The arguments of `fleet serve` and `fleet token`.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Subcommand;
use unskew_fleet::Allowance;
use unskew_fleet::store::TokenRole;
use unskew_fleet_service::ServiceLimits;

use super::service::bytes;
use super::{FleetFormat, LogFormat, LogLevel};

#[derive(Debug, clap::Args)]
pub struct FleetServe {
    /// The address and port to listen on; port 0 picks a free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8471")]
    pub listen: SocketAddr,
    #[command(flatten)]
    pub limits: FleetLimits,
    /// Log level (to standard error): info has every request
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub log: LogLevel,
    /// Log format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub log_format: LogFormat,
}

// Resource limits of the service.
#[derive(Debug, clap::Args)]
pub struct FleetLimits {
    /// Number of worker threads for jobs and decisions; 0 leaves the work to other processes [default: cores]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Maximum number of queued and running jobs
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_jobs: u64,
    /// Maximum number of open uploads
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_uploads: u64,
    /// Maximum size of an artifact
    #[arg(long, value_name = "SIZE", default_value = "64GiB", value_parser = bytes)]
    max_artifact: u64,
    /// Maximum size of one chunk of an upload
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = bytes)]
    max_piece: u64,
    /// Maximum size of any other request body
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = bytes)]
    max_body: u64,
    /// Rate limit: requests per second for each token, or each address without one
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// Maximum number of connections. When it is reached, a new one replaces an idle one
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = number)]
    connections: usize,
    /// Maximum number of connections from one address [default: half of --connections]
    #[arg(long, value_name = "N", value_parser = number)]
    connections_per_address: Option<usize>,
    /// Maximum number of connections from one address without a valid token. When it is reached, a new one replaces the oldest
    /// [default: 256, or --connections-per-address if that is less]
    #[arg(long, value_name = "N", value_parser = number)]
    connections_without_token: Option<usize>,
    /// Timeout for the first request on a new connection, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    first_request: u64,
    /// Timeout for idle connections and for responses that the client does not read, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    idle: u64,
    /// Timeout of a request, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    timeout: u64,
    /// Timeout of a decision that a client waits for, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    compute: u64,
    /// Memory limit of a process that reads artifacts
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = bytes)]
    inspect_memory: u64,
    /// CPU time limit of that process for one artifact and one runtime, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    inspect_time: u64,
    /// Drop an upload after this many seconds without a new chunk
    #[arg(long, value_name = "SECONDS", default_value_t = 24 * 3600)]
    upload_age: u64,
    /// Lease of a job, in seconds: without a heartbeat, another process takes the job over
    #[arg(long, value_name = "SECONDS", default_value_t = 15)]
    lease: u64,
    /// Grace period for requests and jobs at shutdown, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    grace: u64,
}

impl FleetLimits {
    /// Limits of the child processes that read artifacts.
    pub fn allowance(&self) -> Allowance {
        Allowance { memory: self.inspect_memory, seconds: self.inspect_time }
    }

    fn connections(&self) -> unskew_connections::ConnectionLimits {
        let half = self.connections.div_ceil(2);
        let idle = Duration::from_secs(self.idle);
        let defaults = unskew_connections::ConnectionLimits::default();
        let per_address = self.connections_per_address.unwrap_or(half);
        let usual = defaults.unauthenticated.min(per_address);
        unskew_connections::ConnectionLimits {
            all: self.connections,
            per_address,
            unauthenticated: self.connections_without_token.unwrap_or(usual),
            first: Duration::from_secs(self.first_request),
            idle,
            stall: idle,
            ..defaults
        }
    }

    /// The same limits in the type of `unskew_fleet_service`.
    pub fn limits(&self) -> ServiceLimits {
        let defaults = ServiceLimits::default();
        let seconds = Duration::from_secs;
        ServiceLimits {
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

/// A value parser for numbers of at least 1.
fn number(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| "expected a number of at least 1".to_owned())
}

#[derive(Debug, clap::Args)]
pub struct FleetToken {
    #[command(subcommand)]
    pub task: TokenTask,
}

// The subcommands of `unskew fleet token`.
#[derive(Debug, Subcommand)]
pub enum TokenTask {
    /// Create a token. It is printed once and cannot be shown again
    Create {
        /// A name for people, shown in lists
        name: String,
        /// The role: read, publish or admin
        #[arg(long)]
        role: TokenRole,
        /// Valid for this many days [default: until revoked]
        #[arg(long, value_name = "N")]
        days: Option<u32>,
    },
    /// List all tokens ever created, without their secrets
    List {
        /// Output format
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: FleetFormat,
    },
    /// Revoke a token
    Revoke {
        /// The id of the token, as `token list` shows it
        id: String,
    },
}
