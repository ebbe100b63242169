//! From a place and settings to the client of a store.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::{HttpBuilder, HttpStore};
use object_store::local::LocalFileSystem;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};

use reqwest::header::HeaderMap;

use crate::hub::Hub;
use crate::{ObjectError, ObjectPlace, Scheme, StoreSettings};

/// How often a request is repeated that failed for a while.
pub(crate) const RETRIES: usize = 5;
/// How long all repetitions may take.
const RETRY_TIME: Duration = Duration::from_secs(30);
/// How long a store may take to accept a connection.
pub(crate) const CONNECT_TIME: Duration = Duration::from_secs(10);
/// How long one request may take.
pub(crate) const REQUEST_TIME: Duration = Duration::from_secs(120);

/// The client of the store that `place` lies in.
pub(crate) fn client(
    place: &ObjectPlace,
    settings: &StoreSettings,
) -> Result<Arc<dyn ObjectStore>, ObjectError> {
    // TLS is wanted of whoever is installed for the process; another one that is there already will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let root = place.root();
    let made = match place.scheme() {
        Scheme::File => return Ok(Arc::new(LocalFileSystem::new())),
        Scheme::S3 => {
            let plain = ["aws_endpoint", "aws_endpoint_url", "aws_endpoint_url_s3"];
            let options = options(plain.iter().any(|name| is_plain(settings.get(name))));
            let builder = AmazonS3Builder::new().with_client_options(options).with_retry(retry());
            let builder = known(settings)
                .fold(builder, |builder, (key, value): (AmazonS3ConfigKey, _)| {
                    builder.with_config(key, value)
                });
            builder.with_url(root).build().map(|store| Arc::new(store) as Arc<dyn ObjectStore>)
        }
        Scheme::Gs => {
            let plain = is_plain(settings.get("google_base_url"));
            let builder = GoogleCloudStorageBuilder::new()
                .with_client_options(options(plain))
                .with_retry(retry());
            let builder = known(settings)
                .fold(builder, |builder, (key, value): (GoogleConfigKey, _)| {
                    builder.with_config(key, value)
                });
            builder.with_url(root).build().map(|store| Arc::new(store) as Arc<dyn ObjectStore>)
        }
        Scheme::Az => {
            let plain = ["azure_endpoint", "azure_storage_endpoint"];
            let options = options(plain.iter().any(|name| is_plain(settings.get(name))));
            let builder =
                MicrosoftAzureBuilder::new().with_client_options(options).with_retry(retry());
            let builder = known(settings)
                .fold(builder, |builder, (key, value): (AzureConfigKey, _)| {
                    builder.with_config(key, value)
                });
            builder.with_url(root).build().map(|store| Arc::new(store) as Arc<dyn ObjectStore>)
        }
        Scheme::Http => {
            web(root, HeaderMap::new()).map(|store| Arc::new(store) as Arc<dyn ObjectStore>)
        }
        Scheme::Hub => {
            Hub::new(root, settings).map(|store| Arc::new(store) as Arc<dyn ObjectStore>)
        }
    };
    made.map_err(|error| ObjectError::of_store(&place.to_string(), error))
}

/// A web server, which gets these headers with each request.
pub(crate) fn web(root: &str, headers: HeaderMap) -> object_store::Result<HttpStore> {
    let options = options(is_plain(Some(root))).with_default_headers(headers);
    HttpBuilder::new().with_client_options(options).with_retry(retry()).with_url(root).build()
}

/// The settings that a store knows; those of others are none of its business.
fn known<K: FromStr>(settings: &StoreSettings) -> impl Iterator<Item = (K, &str)> {
    settings.pairs().filter_map(|(name, value)| Some((name.parse().ok()?, value)))
}

/// Whether an endpoint is spoken to without TLS, which its owner said by writing `http:`.
fn is_plain(endpoint: Option<&str>) -> bool {
    endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"))
}

fn options(plain: bool) -> ClientOptions {
    ClientOptions::new()
        .with_allow_http(plain)
        .with_connect_timeout(CONNECT_TIME)
        .with_timeout(REQUEST_TIME)
}

fn retry() -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(5),
        base: 2.0,
    };
    RetryConfig { backoff, max_retries: RETRIES, retry_timeout: RETRY_TIME }
}
