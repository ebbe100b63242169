//! MLflow's model registry, over its REST interface, version 2.0.
//!
//! ```text
//! mlflow+http://host:5000                  every version of every model
//! mlflow+http://host:5000/MODEL            every version of one
//! mlflow+http://host:5000/MODEL/3          one version
//! models:/MODEL/3, models:/MODEL@alias     the same, on the server that MLFLOW_TRACKING_URI names
//! ```
//!
//! A version names a folder of files: in the server's own store (`mlflow-artifacts:`), in an object store, in a run
//! (`runs:/`) or in a logged model (`models:/m-...`). All of them are found by asking the server, and read by range.
//!
//! Credentials are those of MLflow's own clients: `MLFLOW_TRACKING_TOKEN`, or `MLFLOW_TRACKING_USERNAME` and
//! `MLFLOW_TRACKING_PASSWORD`.

mod files;
mod mlflow_place;

use serde::Deserialize;
use serde_json::json;

pub use mlflow_place::MlFlowPlace;

use crate::error::{RegistryError, RegistryErrorCause};
use crate::http::{Auth, Http};
use crate::{RegistryFile, encoded};

/// How many versions are asked for at a time.
const PAGE: usize = 200;
/// How many versions are listed at most.
const VERSIONS: usize = 1_000_000;
/// The longest value of a tag that MLflow keeps.
const TAG: usize = 5000;

const FIX: &str =
    "set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD";

/// A model registry of MLflow.
#[derive(Clone)]
pub struct MlFlow {
    http: Http,
    /// The tracking server, without a slash at its end.
    server: String,
}

/// A version of a registered model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ModelVersion {
    /// The name of the registered model.
    pub name: String,
    /// The version, a number.
    pub version: String,
    /// Where its files are, as it was registered.
    #[serde(default)]
    pub source: String,
    /// `READY`, if the files are all there.
    #[serde(default)]
    pub status: String,
    /// Its tags, keys and values.
    #[serde(default)]
    pub tags: Vec<Tag>,
}

/// A tag of a model version.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Tag {
    /// The key of the tag.
    pub key: String,
    /// The value of the tag.
    #[serde(default)]
    pub value: String,
}

#[derive(Deserialize)]
struct VersionPage {
    #[serde(default)]
    model_versions: Vec<ModelVersion>,
    #[serde(default)]
    next_page_token: String,
}

#[derive(Deserialize)]
struct One {
    model_version: ModelVersion,
}

impl MlFlow {
    /// The registry of a tracking server, `http://host:5000`, with the credentials of the environment.
    ///
    /// # Errors
    /// If there is no TLS.
    pub fn new(server: &str) -> Result<Self, RegistryError> {
        let said = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
        let user = said("MLFLOW_TRACKING_USERNAME").zip(said("MLFLOW_TRACKING_PASSWORD"));
        let auth = match (said("MLFLOW_TRACKING_TOKEN"), user) {
            (Some(token), _) => Auth::Bearer(token),
            (None, Some((user, password))) => Auth::Basic(user, password),
            (None, None) => Auth::Nobody,
        };
        let http = Http::new(auth, FIX)?;
        Ok(Self { http, server: server.trim_end_matches('/').to_owned() })
    }

    /// Everything that a place names, by model and version.
    ///
    /// # Errors
    /// If the server does not say, or there is no such model, version or alias.
    pub fn versions(&self, place: &MlFlowPlace) -> Result<Vec<ModelVersion>, RegistryError> {
        let name = |model: &str| format!("name={}", encoded(model));
        let one = |what: String| {
            let found: One = self.http.get(&self.rest(&what))?;
            Ok(vec![found.model_version])
        };
        match (&place.model, &place.version, &place.alias) {
            (Some(model), _, Some(alias)) => {
                one(format!("registered-models/alias?{}&alias={}", name(model), encoded(alias)))
            }
            (Some(model), Some(version), None) => {
                one(format!("model-versions/get?{}&version={}", name(model), encoded(version)))
            }
            (Some(model), None, None) => {
                // The search finds nothing for a model that is not there, and says nothing either.
                let asked = self.rest(&format!("registered-models/get?{}", name(model)));
                self.http.get::<serde_json::Value>(&asked)?;
                self.search(Some(model))
            }
            (None, ..) => self.search(None),
        }
    }

    fn search(&self, model: Option<&str>) -> Result<Vec<ModelVersion>, RegistryError> {
        let filter = model.map(|model| format!("name='{}'", model.replace('\'', "''")));
        let filter = filter.map_or_else(String::new, |it| format!("&filter={}", encoded(&it)));
        let (mut all, mut token) = (Vec::new(), String::new());
        loop {
            let page = match token.as_str() {
                "" => String::new(),
                token => format!("&page_token={}", encoded(token)),
            };
            let asked =
                self.rest(&format!("model-versions/search?max_results={PAGE}{filter}{page}"));
            let found: VersionPage = self.http.get(&asked)?;
            let none = found.model_versions.is_empty();
            all.extend(found.model_versions);
            if found.next_page_token.is_empty() || found.next_page_token == token || none {
                break;
            }
            if all.len() > VERSIONS {
                let said = format!("more than {VERSIONS} versions; name a model");
                return Err(RegistryError::new(
                    &self.server,
                    RegistryErrorCause::Unsupported(said),
                ));
            }
            token = found.next_page_token;
        }
        all.sort_by_cached_key(|one| (one.name.clone(), one.version.parse::<u64>().ok()));
        Ok(all)
    }

    /// The URI of a version, as [`MlFlowPlace`] reads it.
    pub fn uri(&self, version: &ModelVersion) -> String {
        format!("mlflow+{}/{}/{}", self.server, encoded(&version.name), encoded(&version.version))
    }

    /// The files of a version, by path. None is read.
    ///
    /// # Errors
    /// If the server does not say where they are, or they cannot be listed.
    pub fn files(&self, version: &ModelVersion) -> Result<Vec<RegistryFile>, RegistryError> {
        files::files_of_version(self, version)
    }

    /// Writes a tag on a version; one of the same key is replaced. MLflow takes letters, digits and `_-. :/` in
    /// keys, and values of up to 5,000 bytes: a longer one is cut.
    ///
    /// # Errors
    /// If the server does not take it.
    pub fn set_tag(
        &self,
        version: &ModelVersion,
        key: &str,
        value: &str,
    ) -> Result<(), RegistryError> {
        let value = match value.len() <= TAG {
            true => value.to_owned(),
            false => {
                let end = (0..=TAG - 3).rev().find(|at| value.is_char_boundary(*at));
                format!("{}...", &value[..end.unwrap_or(0)])
            }
        };
        let (name, number) = (&version.name, &version.version);
        let tag = json!({ "name": name, "version": number, "key": key, "value": value });
        self.http.post(&self.rest("model-versions/set-tag"), &tag)
    }

    fn rest(&self, what: &str) -> String {
        format!("{}/api/2.0/mlflow/{what}", self.server)
    }
}
