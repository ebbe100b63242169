//! The arguments of `serve`.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use unskew_ifrt_proxy::Limits;
use unskew_pjrt::Attribute;

use super::run::{attributes, client_option};

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

/// From which weight on events are logged.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub enum LogLevel {
    /// Nothing
    Off,
    /// What should not happen
    Error,
    /// What is refused
    Warn,
    /// Sessions that come and go
    #[default]
    Info,
    /// Requests that fail
    Debug,
}

/// How events are logged.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub enum LogFormat {
    /// For people
    #[default]
    Text,
    /// An object a line
    Json,
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

/// A number of bytes, with or without a unit.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return Err("a number and KiB, MiB, GiB or TiB, such as 512MiB".to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| "a number, such as 512MiB".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("17"), Ok(17));
        assert_eq!(bytes("512MiB"), Ok(512 << 20));
        assert_eq!(bytes("0B"), Ok(0));
        for wrong in ["", "MiB", "-1", "1.5GiB", "1 GiB", "99999999999TiB", "1GB"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
