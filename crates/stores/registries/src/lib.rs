//! Models in registries: what MLflow and OCI registries hold, read by range, and verdicts written back to where
//! people look.
//!
//! | URI | registry | verdicts go to |
//! | --- | --- | --- |
//! | `mlflow+http://host:5000/MODEL/VERSION`, `models:/MODEL/VERSION` | MLflow ([`mlflow`]) | tags of the version |
//! | `oci://host/repository:tag` | OCI ([`oci`]) | a report that refers to the manifest |
//!
//! A [`Registry`] is what a URI names. [`Registry::entries`] lists the models in it, and [`RegisteredModel::files`] the files of one,
//! each a [`Source`]: nothing is downloaded but what a reader asks for, unless the server answers
//! no ranges. [`RegisteredModel::report`] writes a verdict back.
//!
//! [`index`] lists the files of a package in an index of Python, each of which is read by its URL.
//!
//! What a registry says is foreign: names that lead elsewhere, files that change in size, lists without end and
//! places on this machine named by another one are refused, with the URI.
//!
//! ```
//! use unskew_registries::Registry;
//!
//! assert!(Registry::parse("models/net.pt").is_none());
//! let registry = Registry::parse("oci://registry.example/models/net:3").unwrap().unwrap();
//! assert_eq!(registry.to_string(), "OCI registry registry.example");
//! let error = Registry::parse("mlflow+ftp://host/net").unwrap().err().unwrap();
//! assert!(error.to_string().contains("over http or https"), "{error}");
//! ```
#![forbid(unsafe_code)]

mod error;
mod http;
pub mod index;
pub mod mlflow;
pub mod oci;
mod registered_model;
mod spool;

use std::sync::Arc;

use unskew_source::Source;

pub use error::{RegistryError, RegistryErrorCause};
pub use registered_model::{RegisteredModel, Registry, VerdictAnnotation};

/// A file in a registry.
#[derive(Clone)]
pub struct RegistryFile {
    /// Its path within the model, parts separated by `/`.
    pub name: String,
    /// Its bytes, read by range.
    pub source: Arc<dyn Source>,
}

fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// Whether a server, `http://host:port` or `host:port`, is on this machine, so that what is said to it crosses no
/// network.
fn is_loopback(server: &str) -> bool {
    let host = server.split_once("://").map_or(server, |(_, host)| host);
    let named = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    let host = named.map_or(host, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let address = host.parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn only_this_machine_is_on_the_loopback() {
        for here in [
            "localhost",
            "http://localhost:5000",
            "127.0.0.1:5000",
            "[::1]:5000",
            "http://127.0.0.2",
        ] {
            assert!(is_loopback(here), "{here}");
        }
        for there in ["registry.example", "http://10.0.0.1:5000", "localhost.example:5000"] {
            assert!(!is_loopback(there), "{there}");
        }
    }
}
