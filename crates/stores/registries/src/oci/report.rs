//! Reports that refer to a manifest.

use std::collections::BTreeMap;

use oci_client::Reference;
use oci_client::errors::OciDistributionError;
use oci_client::manifest::{ImageIndexEntry, OciDescriptor, OciImageManifest};
use reqwest::header::HeaderValue;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::client::{MANIFESTS, Manifest, Oci, uri, waited};
use crate::error::RegistryError;
use crate::spool::Bounded;

/// The artifact type of a report of Unskew: the JSON report of `unskew check`.
pub const REPORT: &str = "application/vnd.unskew.report.v1+json";

/// The most that a report may have to be read: 64 MiB.
const LARGEST: u64 = 64 << 20;

/// What OCI has for a descriptor of nothing.
const EMPTY: (&str, &[u8]) = ("application/vnd.oci.empty.v1+json", b"{}");

impl Oci {
    /// Attaches a report to a manifest, and says under which URI: a manifest of type [`REPORT`] with one layer, the
    /// report, and the manifest as its subject. The same report is the same manifest, and attached once.
    ///
    /// # Errors
    /// If the registry does not take it.
    pub fn attach(
        &self,
        to: &Manifest,
        report: &[u8],
        annotations: BTreeMap<String, String>,
    ) -> Result<String, RegistryError> {
        let layer = descriptor(REPORT, report);
        let config = descriptor(EMPTY.0, EMPTY.1);
        self.push(&to.reference, &config, EMPTY.1)?;
        self.push(&to.reference, &layer, report)?;
        let body = json!({
            "schemaVersion": 2,
            "mediaType": MANIFESTS[0],
            "artifactType": REPORT,
            "config": config,
            "layers": [layer],
            "subject": to.descriptor,
            "annotations": annotations,
        });
        let body = body.to_string().into_bytes();
        let own = descriptor(MANIFESTS[0], &body);
        let at = to.reference.clone_with_digest(own.digest.clone());
        self.put(&at, body, MANIFESTS[0])?;
        self.list(to, own, annotations)?;
        Ok(uri(&at))
    }

    /// The reports that are attached to a manifest, as they were written.
    ///
    /// # Errors
    /// If the registry does not say.
    pub fn reports(&self, of: &Manifest) -> Result<Vec<Vec<u8>>, RegistryError> {
        let mut reports = Vec::new();
        for entry in self.referrers(of)?.manifests {
            if entry.artifact_type.as_deref() != Some(REPORT) {
                continue;
            }
            let at = of.reference.clone_with_digest(entry.digest);
            let (body, _) = self.manifest(&at)?;
            let image: OciImageManifest = serde_json::from_slice(&body)
                .map_err(|error| RegistryError::failed(uri(&at), error))?;
            for layer in image.layers.iter().filter(|layer| layer.media_type == REPORT) {
                let mut report = Vec::new();
                let fetched =
                    self.fetch(&at, layer, &mut Bounded { to: &mut report, left: LARGEST });
                fetched.map_err(|error| RegistryError::failed(uri(&at), error))?;
                reports.push(report);
            }
        }
        Ok(reports)
    }

    /// Puts a manifest into the list of those that refer to another, where the registry does not do it itself.
    fn list(
        &self,
        to: &Manifest,
        own: OciDescriptor,
        annotations: BTreeMap<String, String>,
    ) -> Result<(), RegistryError> {
        let mut index = self.referrers(to)?;
        if index.manifests.iter().any(|entry| entry.digest == own.digest) {
            return Ok(());
        }
        index.manifests.push(ImageIndexEntry {
            media_type: own.media_type,
            digest: own.digest,
            size: own.size,
            platform: None,
            annotations: Some(annotations).filter(|all| !all.is_empty()),
            artifact_type: Some(REPORT.to_owned()),
        });
        index.schema_version = 2;
        index.media_type = Some(MANIFESTS[1].to_owned());
        let body = serde_json::to_vec(&index);
        let body = body.map_err(|error| RegistryError::failed(to.uri(), error))?;
        let (host, name) = (to.reference.registry(), to.reference.repository());
        let tag = to.descriptor.digest.replace(':', "-");
        self.put(&Reference::with_tag(host.to_owned(), name.to_owned(), tag), body, MANIFESTS[1])
    }

    fn push(
        &self,
        to: &Reference,
        layer: &OciDescriptor,
        bytes: &[u8],
    ) -> Result<(), RegistryError> {
        let (client, auth, asked) = (self.client.clone(), self.auth.clone(), to.clone());
        let (digest, bytes) = (layer.digest.clone(), bytes.to_vec());
        waited(to, async move {
            use oci_client::RegistryOperation::Push;
            client.auth(&asked, &auth, Push).await?;
            if !client.blob_exists(&asked, &digest).await? {
                client.push_blob(&asked, bytes, &digest).await?;
            }
            Ok(())
        })
    }

    fn put(
        &self,
        at: &Reference,
        body: Vec<u8>,
        media_type: &'static str,
    ) -> Result<(), RegistryError> {
        let (client, asked) = (self.client.clone(), at.clone());
        waited(at, async move {
            let media_type = HeaderValue::from_static(media_type);
            let put: Result<String, OciDistributionError> =
                client.push_manifest_raw(&asked, body, media_type).await;
            put.map(drop)
        })
    }

    /// Pushes files as one manifest, each a layer as it is, as ORAS does; says its URI. For tests and for who has no
    /// other tool at hand.
    ///
    /// # Errors
    /// If the registry does not take it, or the place names a digest.
    pub fn push_files(
        &self,
        at: &super::OciPlace,
        artifact_type: &str,
        files: &[(&str, &str, &[u8])],
    ) -> Result<String, RegistryError> {
        let mut layers = Vec::new();
        for (name, media_type, bytes) in files {
            let mut layer = descriptor(media_type, bytes);
            let title = ("org.opencontainers.image.title".to_owned(), (*name).to_owned());
            layer.annotations = Some(BTreeMap::from([title]));
            self.push(&at.reference, &layer, bytes)?;
            layers.push(layer);
        }
        let config = descriptor(EMPTY.0, EMPTY.1);
        self.push(&at.reference, &config, EMPTY.1)?;
        let image = OciImageManifest {
            media_type: Some(MANIFESTS[0].to_owned()),
            config,
            layers,
            artifact_type: Some(artifact_type.to_owned()),
            ..OciImageManifest::default()
        };
        let body = serde_json::to_vec(&image);
        let body = body.map_err(|error| RegistryError::failed(uri(&at.reference), error))?;
        self.put(&at.reference, body, MANIFESTS[0])?;
        Ok(uri(&at.reference))
    }
}

fn descriptor(media_type: &str, bytes: &[u8]) -> OciDescriptor {
    let hash = Sha256::digest(bytes);
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    OciDescriptor {
        media_type: media_type.to_owned(),
        digest: format!("sha256:{hex}"),
        size: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
        ..OciDescriptor::default()
    }
}
