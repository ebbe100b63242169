//! Documents of a registry, up to a limit: manifests, tags, and what refers to a manifest.
//!
//! `oci-client` takes into memory whatever comes, so these are asked here. It still finds out who may ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use oci_client::manifest::{OciImageIndex, OciManifest};
use oci_client::secrets::RegistryAuth;
use oci_client::{Reference, RegistryOperation};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256, Sha512};

use super::client::{MANIFESTS, Manifest, Oci, uri, waited};
use crate::error::{RegistryError, RegistryErrorCause};
use crate::http::{Auth, Http};
use crate::is_loopback;

/// The most that a manifest may have: 4 MiB, which is what the distribution specification has registries take at least.
const MANIFEST: usize = 4 << 20;
/// The most that a list may have: 32 MiB.
const LIST: usize = 32 << 20;
/// How many tags are asked for at a time.
const PAGE: usize = 1000;

const FIX: &str = "log in with docker or oras, which write $DOCKER_CONFIG/config.json";

/// Who asks in which repository, as the registry said when it was asked first.
#[derive(Clone, Default)]
pub(super) struct Askers(Arc<Mutex<HashMap<String, Http>>>);

#[derive(Deserialize)]
struct Tags {
    /// Registries say null where there is none.
    tags: Option<Vec<String>>,
}

impl Oci {
    /// A manifest as it is, and its digest, which is the one of the reference if that has one.
    pub(super) fn manifest(&self, of: &Reference) -> Result<(Bytes, String), RegistryError> {
        let which = of.digest().or(of.tag()).unwrap_or("latest");
        let body = self.get(of, &format!("manifests/{which}"), MANIFEST)?;
        let digest = digest(&body, of.digest());
        match of.digest().filter(|wanted| *wanted != digest) {
            None => Ok((body, digest)),
            Some(_) => {
                let said = format!("another manifest came, with the digest {digest}");
                Err(RegistryError::failed(uri(of), said))
            }
        }
    }

    /// A page of tags after `last`, and whether it is full.
    pub(super) fn tags_after(
        &self,
        of: &Reference,
        last: Option<&str>,
    ) -> Result<(Vec<String>, bool), RegistryError> {
        let after = last.map(|last| utf8_percent_encode(last, NON_ALPHANUMERIC).to_string());
        let after = after.map_or(String::new(), |last| format!("&last={last}"));
        let body = self.get(of, &format!("tags/list?n={PAGE}{after}"), LIST)?;
        let tags = read::<Tags>(of, &body)?.tags.unwrap_or_default();
        let full = tags.len() >= PAGE;
        Ok((tags, full))
    }

    /// What refers to a manifest: from the registry, or where it knows no referrers, from the list under the tag that
    /// the specification names for that.
    pub(super) fn referrers(&self, of: &Manifest) -> Result<OciImageIndex, RegistryError> {
        let digest = of.digest();
        match self.get(&of.reference, &format!("referrers/{digest}"), LIST) {
            Ok(body) => return read(&of.reference, &body),
            Err(error) if error.is_missing() => {}
            Err(error) => return Err(error),
        }
        let tag = digest.replace(':', "-");
        match self.get(&of.reference, &format!("manifests/{tag}"), LIST) {
            Ok(body) => match read(&of.reference, &body)? {
                OciManifest::ImageIndex(index) => Ok(index),
                OciManifest::Image(_) => Ok(nothing()),
            },
            Err(error) if error.is_missing() => Ok(nothing()),
            Err(error) => Err(error),
        }
    }

    /// The answer to a question about a repository.
    fn get(&self, of: &Reference, what: &str, limit: usize) -> Result<Bytes, RegistryError> {
        let host = of.resolve_registry();
        let scheme = if is_loopback(of.registry()) { "http" } else { "https" };
        let url = format!("{scheme}://{host}/v2/{}/{what}", of.repository());
        let accept = MANIFESTS.join(", ");
        let ask = |http: Http| {
            let answer = http.bytes(&url, Some(&accept), limit);
            answer.map_err(|error| RegistryError::new(uri(of), error.cause))
        };
        let known = self.askers.known(of);
        match known.map(ask) {
            // What was given to ask with is good for some minutes only.
            None | Some(Err(RegistryError { cause: RegistryErrorCause::Denied { .. }, .. })) => {
                ask(self.asker(of)?)
            }
            Some(answer) => answer,
        }
    }

    fn asker(&self, of: &Reference) -> Result<Http, RegistryError> {
        let (client, auth, asked) = (self.client.clone(), self.auth.clone(), of.clone());
        let token =
            waited(of, async move { client.auth(&asked, &auth, RegistryOperation::Pull).await })?;
        let auth = match (token, &self.auth) {
            (Some(token), _) => Auth::Bearer(token),
            (None, RegistryAuth::Basic(user, password)) => {
                Auth::Basic(user.clone(), password.clone())
            }
            (None, _) => Auth::Nobody,
        };
        let http = Http::new(auth, FIX)?;
        self.askers.keep(of, &http);
        Ok(http)
    }
}

impl Askers {
    fn known(&self, of: &Reference) -> Option<Http> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(of.repository()).cloned()
    }

    fn keep(&self, of: &Reference, http: &Http) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(of.repository().to_owned(), http.clone());
    }
}

fn nothing() -> OciImageIndex {
    OciImageIndex {
        schema_version: 2,
        media_type: Some(MANIFESTS[1].to_owned()),
        manifests: Vec::new(),
        artifact_type: None,
        annotations: None,
    }
}

/// The digest of a manifest, of the kind that is wanted.
fn digest(body: &[u8], wanted: Option<&str>) -> String {
    let hex = |hash: &[u8]| hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match wanted.is_some_and(|wanted| wanted.starts_with("sha512:")) {
        true => format!("sha512:{}", hex(&Sha512::digest(body))),
        false => format!("sha256:{}", hex(&Sha256::digest(body))),
    }
}

fn read<T: DeserializeOwned>(of: &Reference, body: &[u8]) -> Result<T, RegistryError> {
    let wrong = |error| RegistryError::failed(uri(of), format!("not what was asked for: {error}"));
    serde_json::from_slice(body).map_err(wrong)
}
