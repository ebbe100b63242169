//! The arguments of `serve`.

use std::net::IpAddr;
use std::path::PathBuf;

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
    /// How many clients may be connected at once
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub sessions: usize,
    /// Print how a release of JAX connects, and serve nothing: jax@0.6.2
    #[arg(long, value_name = "RELEASE", conflicts_with = "plugin")]
    pub client: Option<String>,
}

impl Serve {
    /// The options of the plug-in's client.
    pub fn options(&self) -> Vec<Attribute> {
        attributes(&self.client_options)
    }
}
