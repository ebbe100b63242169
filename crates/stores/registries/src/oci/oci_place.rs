//! Place that a URI names in an OCI registry.

use oci_client::Reference;

use crate::error::{RegistryError, RegistryErrorCause};

/// A repository of an OCI registry, or a manifest in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OciPlace {
    pub(crate) reference: Reference,
    /// Whether a tag or a digest was given.
    pub(crate) one: bool,
}

impl OciPlace {
    /// Reads `oci://host/repository`, `oci://host/repository:tag` or `oci://host/repository@digest`; nothing if it is
    /// no URI of this form.
    ///
    /// # Errors
    /// If it names no repository.
    pub fn parse(uri: &str) -> Option<Result<Self, RegistryError>> {
        let rest = uri.strip_prefix("oci://")?;
        let invalid = |what: String| RegistryError::new(uri, RegistryErrorCause::Invalid(what));
        // Without a host, the name would be one of Docker's own registry.
        let Some((_, name)) = rest.split_once('/').filter(|(host, _)| !host.is_empty()) else {
            return Some(Err(invalid("names no repository: oci://host/repository:tag".to_owned())));
        };
        let host = rest.split('/').next().unwrap_or(rest);
        if !host.contains(['.', ':']) && host != "localhost" {
            return Some(Err(invalid(format!("names no registry; {host} is no host"))));
        }
        let one = name.contains(['@', ':']);
        Some(match rest.parse() {
            Ok(reference) => Ok(Self { reference, one }),
            Err(error) => Err(invalid(format!("not host/repository:tag: {error}"))),
        })
    }

    /// The registry: `registry.example`, `127.0.0.1:5000`.
    pub fn host(&self) -> &str {
        self.reference.registry()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_a_repository_or_a_manifest() {
        let read = |uri| OciPlace::parse(uri).unwrap();
        assert!(!read("oci://127.0.0.1:5000/models/net").unwrap().one);
        let tag = read("oci://127.0.0.1:5000/models/net:3").unwrap();
        assert_eq!(
            (tag.host(), tag.reference.repository(), tag.reference.tag()),
            ("127.0.0.1:5000", "models/net", Some("3"))
        );
        assert!(tag.one);
        for wrong in ["oci://net:3", "oci:///net", "oci://models/net", "oci://a.b/Up Per"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(OciPlace::parse("s3://bucket").is_none());
    }
}
