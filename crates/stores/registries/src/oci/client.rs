//! A registry that is asked.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use oci_client::client::{BlobResponse, ClientConfig, ClientProtocol};
use oci_client::errors::OciDistributionError;
use oci_client::manifest::{OciDescriptor, OciImageManifest, OciManifest};
use oci_client::secrets::RegistryAuth;
use oci_client::{Client, Reference};
use unskew_objects::{Ranges, run};

use super::pull::Askers;
use super::{OciPlace, credentials, layers};
use crate::error::{RegistryError, RegistryErrorCause, chain, one_line};
use crate::{RegistryFile, is_loopback};

/// How many tags are listed at most.
const TAGS: usize = 100_000;
/// How deep an index may hold another.
const DEPTH: usize = 4;

const FIX: &str = "log in with docker or oras, which write $DOCKER_CONFIG/config.json";

/// The media types of manifests that are read.
pub(super) const MANIFESTS: [&str; 4] = [
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
];

/// A client of one OCI registry.
#[derive(Clone)]
pub struct Oci {
    pub(super) client: Client,
    pub(super) auth: RegistryAuth,
    pub(super) askers: Askers,
}

/// A manifest, by its digest.
#[derive(Clone, Debug)]
pub struct Manifest {
    pub(super) reference: Reference,
    pub(super) descriptor: OciDescriptor,
    image: Arc<OciImageManifest>,
}

impl Manifest {
    /// The artifact by its digest: `oci://host/repository@sha256:...`.
    pub fn uri(&self) -> String {
        format!("oci://{}", self.reference)
    }

    /// Host and repository, without tag or digest: `host/name`.
    pub fn repository(&self) -> String {
        format!("{}/{}", self.reference.registry(), self.reference.repository())
    }

    /// The digest of its manifest: `sha256:...`.
    pub fn digest(&self) -> &str {
        &self.descriptor.digest
    }

    /// What it says that it is, if it does.
    pub fn artifact_type(&self) -> Option<&str> {
        self.image.artifact_type.as_deref()
    }
}

impl Oci {
    /// The registry of a place, with the credentials that Docker's configuration has for it.
    pub fn for_place(place: &OciPlace) -> Self {
        // Another one that is there already will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let host = place.host();
        let protocol = match is_loopback(host) {
            true => ClientProtocol::Http,
            false => ClientProtocol::Https,
        };
        let config = ClientConfig {
            protocol,
            read_timeout: Some(Duration::from_secs(60)),
            connect_timeout: Some(Duration::from_secs(20)),
            user_agent: concat!("unskew/", env!("CARGO_PKG_VERSION")),
            ..ClientConfig::default()
        };
        let askers = Askers::default();
        Self { client: Client::new(config), auth: credentials::credentials_of(host), askers }
    }

    /// The manifests that a place names: one, or those of all tags, each once. What refers to another one, such as a
    /// signature or a report, is left out.
    ///
    /// # Errors
    /// If the registry does not say, or there is no such manifest.
    pub fn manifests(&self, place: &OciPlace) -> Result<Vec<Manifest>, RegistryError> {
        let mut found = Vec::new();
        match place.one {
            true => self.collect(&place.reference, 0, &mut found)?,
            false => {
                for tag in self.tags(&place.reference)? {
                    let (host, name) = (place.reference.registry(), place.reference.repository());
                    let tagged = Reference::with_tag(host.to_owned(), name.to_owned(), tag);
                    self.collect(&tagged, 0, &mut found)?;
                }
                found.retain(|one| one.image.subject.is_none());
            }
        }
        found.sort_by(|a, b| a.descriptor.digest.cmp(&b.descriptor.digest));
        found.dedup_by(|a, b| a.descriptor.digest == b.descriptor.digest);
        Ok(found)
    }

    /// The files of a manifest. None is read, but for those of compressed layers.
    ///
    /// # Errors
    /// If a layer cannot be read.
    pub fn files(&self, manifest: &Manifest) -> Result<Vec<RegistryFile>, RegistryError> {
        layers::files(self, manifest, &manifest.image.layers)
    }

    fn tags(&self, of: &Reference) -> Result<Vec<String>, RegistryError> {
        let mut all: Vec<String> = Vec::new();
        loop {
            let (tags, full) = self.tags_after(of, all.last().map(String::as_str))?;
            // A registry without pages says the same again.
            let known = all.last() == tags.last();
            if tags.is_empty() || known {
                break;
            }
            all.extend(tags);
            if all.len() > TAGS {
                let said = format!("has more than {TAGS} tags; name one");
                return Err(RegistryError::new(uri(of), RegistryErrorCause::Unsupported(said)));
            }
            if !full {
                break;
            }
        }
        Ok(all)
    }

    /// A manifest, and if it is an index, those in it.
    fn collect(
        &self,
        reference: &Reference,
        depth: usize,
        found: &mut Vec<Manifest>,
    ) -> Result<(), RegistryError> {
        let (body, digest) = self.manifest(reference)?;
        let read = serde_json::from_slice(&body);
        let read = read.map_err(|error| {
            RegistryError::failed(uri(reference), format!("not a manifest: {error}"))
        })?;
        let exact = reference.clone_with_digest(digest.clone());
        match read {
            OciManifest::Image(image) => {
                let media_type =
                    image.media_type.clone().unwrap_or_else(|| MANIFESTS[0].to_owned());
                let size = i64::try_from(body.len()).unwrap_or(i64::MAX);
                let descriptor =
                    OciDescriptor { media_type, digest, size, ..OciDescriptor::default() };
                found.push(Manifest { reference: exact, descriptor, image: Arc::new(image) });
            }
            OciManifest::ImageIndex(index) if depth < DEPTH => {
                for entry in index.manifests {
                    let below = reference.clone_with_digest(entry.digest);
                    self.collect(&below, depth + 1, found)?;
                }
            }
            OciManifest::ImageIndex(_) => {
                let said = format!("an index in an index, {DEPTH} deep");
                return Err(RegistryError::new(
                    uri(reference),
                    RegistryErrorCause::Unsupported(said),
                ));
            }
        }
        Ok(())
    }

    /// Writes all of a blob, held against its digest.
    pub(super) fn fetch(
        &self,
        reference: &Reference,
        layer: &OciDescriptor,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let (client, asked, layer) = (self.client.clone(), reference.clone(), layer.clone());
        let mut blob =
            waited(reference, async move { client.pull_blob_stream(&asked, &layer).await })?;
        loop {
            let (back, chunk) = run(async move {
                let chunk = blob.next().await.transpose();
                (blob, chunk)
            })?;
            let Some(chunk) = chunk? else { return Ok(()) };
            out.write_all(&chunk)?;
            blob = back;
        }
    }
}

/// A blob of a registry, by range.
pub(super) struct Blob {
    pub(super) oci: Oci,
    pub(super) reference: Reference,
    pub(super) layer: OciDescriptor,
}

impl Blob {
    /// The bytes of a range; none if the registry answers no ranges.
    pub(super) fn partial(&self, range: Range<u64>) -> io::Result<Option<Bytes>> {
        let (client, asked) = (self.oci.client.clone(), self.reference.clone());
        let layer = self.layer.clone();
        let (start, len) = (range.start, range.end - range.start);
        let answer = waited(&self.reference, async move {
            client.pull_blob_stream_partial(&asked, &layer, start, Some(len)).await
        })?;
        let BlobResponse::Partial(mut blob) = answer else { return Ok(None) };
        run(async move {
            let mut all = Vec::new();
            while let Some(chunk) = blob.next().await {
                let chunk = chunk?;
                if (all.len() + chunk.len()) as u64 > len {
                    return Err(io::Error::other("more bytes came than were asked for"));
                }
                all.extend_from_slice(&chunk);
            }
            Ok(Some(all.into()))
        })?
    }
}

impl Ranges for Blob {
    fn range(&self, range: Range<u64>) -> io::Result<Bytes> {
        let none = || io::Error::new(io::ErrorKind::Unsupported, "the registry sent no range");
        self.partial(range)?.ok_or_else(none)
    }
}

pub(super) fn uri(reference: &Reference) -> String {
    format!("oci://{reference}")
}

pub(super) fn waited<T: Send + 'static>(
    reference: &Reference,
    future: impl Future<Output = Result<T, OciDistributionError>> + Send + 'static,
) -> Result<T, RegistryError> {
    match run(future) {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(RegistryError::new(uri(reference), cause(&error))),
        Err(error) => Err(RegistryError::failed(uri(reference), error)),
    }
}

fn cause(error: &OciDistributionError) -> RegistryErrorCause {
    let said = one_line(&chain(error));
    match error {
        OciDistributionError::ImageManifestNotFoundError(_) => RegistryErrorCause::Missing(said),
        OciDistributionError::RegistryError { envelope, .. } => {
            use oci_client::errors::OciErrorCode as Code;
            match envelope.errors.first().map(|first| &first.code) {
                Some(
                    Code::ManifestUnknown | Code::NameUnknown | Code::BlobUnknown | Code::NotFound,
                ) => RegistryErrorCause::Missing(said),
                Some(Code::Denied | Code::Unauthorized) => {
                    RegistryErrorCause::Denied { said, fix: FIX }
                }
                _ => RegistryErrorCause::Failed(said),
            }
        }
        OciDistributionError::AuthenticationFailure(_)
        | OciDistributionError::UnauthorizedError { .. } => {
            RegistryErrorCause::Denied { said, fix: FIX }
        }
        OciDistributionError::ServerError { code: 404, .. } => RegistryErrorCause::Missing(said),
        _ => RegistryErrorCause::Failed(said),
    }
}
