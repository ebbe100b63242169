//! A registry that a URI names, and the models in it, of whatever kind it is.

use std::collections::BTreeMap;
use std::fmt;

use crate::mlflow::{MlFlow, MlFlowPlace, ModelVersion};
use crate::oci::{Manifest, Oci, OciPlace};
use crate::{RegistryError, RegistryFile};

/// A registry, or a part of it.
pub struct Registry(RegistryKind);

enum RegistryKind {
    MlFlow(MlFlow, MlFlowPlace),
    Oci(Oci, OciPlace),
}

/// A model in a registry: a version in MLflow, a manifest in an OCI registry.
pub struct RegisteredModel(One);

enum One {
    MlFlow(MlFlow, ModelVersion),
    Oci(Oci, Box<Manifest>),
}

/// What is written back to a registry.
#[derive(Clone, Debug)]
pub struct VerdictAnnotation<'s> {
    /// A short text for each runtime, by its name: `torch@2.1`, `compatible`.
    pub verdicts: &'s [(String, String)],
    /// The day of the question, as `2026-11-21`.
    pub as_of: &'s str,
    /// The program that judged, with its version.
    pub by: &'s str,
    /// The report of the verdicts, as JSON.
    pub report: &'s [u8],
}

impl Registry {
    /// What a URI names; nothing if it is of no registry.
    ///
    /// # Errors
    /// If it is of a registry and names nothing in it.
    pub fn parse(uri: &str) -> Option<Result<Self, RegistryError>> {
        if let Some(place) = MlFlowPlace::parse(uri) {
            let made = place
                .and_then(|place| Ok(RegistryKind::MlFlow(MlFlow::new(&place.server)?, place)));
            return Some(made.map(Self));
        }
        let place = OciPlace::parse(uri)?;
        Some(place.map(|place| Self(RegistryKind::Oci(Oci::for_place(&place), place))))
    }

    /// The models in it.
    ///
    /// # Errors
    /// If the registry does not say, or nothing is there.
    pub fn entries(&self) -> Result<Vec<RegisteredModel>, RegistryError> {
        Ok(match &self.0 {
            RegistryKind::MlFlow(mlflow, place) => {
                let of = |version| RegisteredModel(One::MlFlow(mlflow.clone(), version));
                mlflow.versions(place)?.into_iter().map(of).collect()
            }
            RegistryKind::Oci(oci, place) => {
                let of = |manifest| RegisteredModel(One::Oci(oci.clone(), Box::new(manifest)));
                oci.manifests(place)?.into_iter().map(of).collect()
            }
        })
    }
}

impl fmt::Display for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            RegistryKind::MlFlow(_, place) => write!(f, "MLflow {}", place.server),
            RegistryKind::Oci(_, place) => write!(f, "OCI registry {}", place.host()),
        }
    }
}

impl RegisteredModel {
    /// Its URI, which names this one only.
    pub fn uri(&self) -> String {
        match &self.0 {
            One::MlFlow(mlflow, version) => mlflow.uri(version),
            One::Oci(_, manifest) => manifest.uri(),
        }
    }

    /// What it belongs to: the model in MLflow, the repository in an OCI registry.
    pub fn collection(&self) -> String {
        match &self.0 {
            One::MlFlow(_, version) => version.name.clone(),
            One::Oci(_, manifest) => manifest.repository(),
        }
    }

    /// Which one of that it is: the version, the digest of the manifest.
    pub fn revision(&self) -> String {
        match &self.0 {
            One::MlFlow(_, version) => version.version.clone(),
            One::Oci(_, manifest) => manifest.digest().to_owned(),
        }
    }

    /// The digest of all that is in it, if the registry knows one.
    pub fn digest(&self) -> Option<&str> {
        match &self.0 {
            One::MlFlow(..) => None,
            One::Oci(_, manifest) => Some(manifest.digest()),
        }
    }

    /// Its files. Compressed layers are fetched, everything else is read when it is asked for.
    ///
    /// # Errors
    /// If the registry does not say, or they are of a form that is not read.
    pub fn files(&self) -> Result<Vec<RegistryFile>, RegistryError> {
        match &self.0 {
            One::MlFlow(mlflow, version) => mlflow.files(version),
            One::Oci(oci, manifest) => oci.files(manifest),
        }
    }

    /// Writes verdicts back: as tags `unskew/RUNTIME` with `unskew/as_of` and `unskew/by` in MLflow (where a
    /// key has `/` for `@`), as a report that refers to the manifest in an OCI registry.
    ///
    /// # Errors
    /// If the registry does not take them.
    pub fn report(&self, said: &VerdictAnnotation<'_>) -> Result<(), RegistryError> {
        match &self.0 {
            One::MlFlow(mlflow, version) => {
                for (runtime, verdict) in said.verdicts {
                    mlflow.set_tag(version, &key(runtime), verdict)?;
                }
                mlflow.set_tag(version, "unskew/as_of", said.as_of)?;
                mlflow.set_tag(version, "unskew/by", said.by)
            }
            One::Oci(oci, manifest) => {
                let mut annotations: BTreeMap<String, String> = said
                    .verdicts
                    .iter()
                    .map(|(runtime, verdict)| (format!("unskew.{runtime}"), verdict.clone()))
                    .collect();
                annotations.insert("unskew.as_of".to_owned(), said.as_of.to_owned());
                annotations.insert("unskew.by".to_owned(), said.by.to_owned());
                oci.attach(manifest, said.report, annotations).map(drop)
            }
        }
    }
}

/// A runtime's name as MLflow takes it in keys.
fn key(runtime: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_-. :/".contains(c);
    let name: String = runtime
        .chars()
        .map(|c| match c {
            '@' => '/',
            c if allowed(c) => c,
            _ => '_',
        })
        .collect();
    format!("unskew/{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_only_what_mlflow_takes() {
        assert_eq!(key("torch@2.1"), "unskew/torch/2.1");
        assert_eq!(key("phones@1+x"), "unskew/phones/1_x");
    }
}
