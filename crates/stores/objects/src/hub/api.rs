//! The requests: the commit of a revision, the files of a commit, a file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Utc};
use object_store::path::Path;
use object_store::{Error, ObjectMeta, ObjectStore, Result};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, LINK};
use reqwest::{Response, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::STORE;
use super::hub_repository::Repository;
use crate::StoreSettings;
use crate::store::{self, CONNECT_TIME, REQUEST_TIME, RETRIES};

/// Where the hub is, if `HF_ENDPOINT` does not say.
const HUB: &str = "https://huggingface.co";

/// The values of `HF_HUB_OFFLINE` that mean so.
const OFFLINE: [&str; 4] = ["1", "on", "yes", "true"];

/// The most files of a repository, and the most bytes of one answer.
const FILES: usize = 100_000;
const ANSWER: usize = 32 << 20;

/// How long is waited before a request is made again; twice as long each time.
const PAUSE: Duration = Duration::from_millis(200);

pub(super) struct Api {
    client: reqwest::Client,
    endpoint: String,
    headers: HeaderMap,
}

#[derive(Deserialize)]
pub(super) struct Commit {
    pub(super) sha: String,
    #[serde(rename = "lastModified")]
    modified: Option<DateTime<Utc>>,
}

/// A file or a folder of a commit.
#[derive(Deserialize)]
struct TreeEntry {
    #[serde(rename = "type")]
    kind: String,
    path: String,
    #[serde(default)]
    size: u64,
    #[serde(default)]
    oid: String,
}

impl Api {
    pub(super) fn new(settings: &StoreSettings) -> Result<Self> {
        if settings
            .get("hf_hub_offline")
            .is_some_and(|said| OFFLINE.contains(&&*said.to_lowercase()))
        {
            return Err(failed("HF_HUB_OFFLINE is set, so the hub is not asked"));
        }
        let endpoint = settings.get("hf_endpoint").unwrap_or(HUB).trim_end_matches('/').to_owned();
        let mut headers = HeaderMap::new();
        if let Some(token) = token(settings) {
            let value = HeaderValue::from_str(&format!("Bearer {token}"));
            let mut value = value.map_err(|_| failed("the token has characters that none has"))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let client = reqwest::Client::builder()
            .user_agent(concat!("unskew/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers.clone())
            .connect_timeout(CONNECT_TIME)
            .timeout(REQUEST_TIME)
            .build();
        Ok(Self { client: client.map_err(failed)?, endpoint, headers })
    }

    /// The commit that the revision means now.
    pub(super) async fn commit(&self, repository: &Repository) -> Result<Commit> {
        let (path, revision) = (repository.api(), repository.revision());
        let url = format!("{}/api/{path}/revision/{revision}", self.endpoint);
        let commit: Commit = json(self.get(&url, repository).await?).await?;
        // It becomes a part of addresses.
        match commit.sha.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !commit.sha.is_empty()
        {
            true => Ok(commit),
            false => Err(failed("the commit is no number")),
        }
    }

    pub(super) async fn tree(
        &self,
        repository: &Repository,
        commit: &Commit,
    ) -> Result<BTreeMap<Path, ObjectMeta>> {
        let (path, sha) = (repository.api(), &commit.sha);
        let mut files = BTreeMap::new();
        let first = format!("{}/api/{path}/tree/{sha}?recursive=true", self.endpoint);
        let mut next = Some(first);
        while let Some(url) = next {
            let answer = self.get(&url, repository).await?;
            next = self.next_page(&answer);
            for entry in
                json::<Vec<TreeEntry>>(answer).await?.into_iter().filter(|it| it.kind == "file")
            {
                let location = Path::parse(&entry.path)?;
                let meta = ObjectMeta {
                    location: location.clone(),
                    last_modified: commit.modified.unwrap_or_default(),
                    size: entry.size,
                    e_tag: Some(format!("\"{}\"", entry.oid)),
                    version: Some(sha.clone()),
                };
                files.insert(location, meta);
                if files.len() > FILES {
                    return Err(failed(format!("{repository} has more than {FILES} files")));
                }
            }
        }
        Ok(files)
    }

    /// The files of a commit as a store. It sends a client on to another host for large ones; the token stays here.
    pub(super) fn files(&self, repository: &Repository, sha: &str) -> Result<Box<dyn ObjectStore>> {
        let root = format!("{}/{}/resolve/{sha}", self.endpoint, repository.path());
        Ok(Box::new(store::web(&root, self.headers.clone())?))
    }

    /// Asks; again if the server fails or says that it is too often.
    async fn get(&self, url: &str, repository: &Repository) -> Result<Response> {
        let mut pause = PAUSE;
        for _ in 1..RETRIES {
            match self.client.get(url).send().await {
                Ok(answer) if is_passing(answer.status()) => {}
                Ok(answer) => return judged(answer, url, repository),
                Err(error) if error.is_builder() || error.is_redirect() => {
                    return Err(failed(error));
                }
                Err(_) => {}
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        judged(self.client.get(url).send().await.map_err(failed)?, url, repository)
    }

    /// The page after this one, which stands in a header; on this server only.
    fn next_page(&self, answer: &Response) -> Option<String> {
        let link = answer.headers().get(LINK)?.to_str().ok()?;
        let next = link.split(',').find(|one| one.contains("rel=\"next\""))?;
        let (_, rest) = next.split_once('<')?;
        let (url, _) = rest.split_once('>')?;
        url.starts_with(&format!("{}/", self.endpoint)).then(|| url.to_owned())
    }
}

/// The token: `HF_TOKEN`, or what `hf auth login` wrote into a file.
fn token(settings: &StoreSettings) -> Option<String> {
    let written = || {
        let path = settings.get("hf_token_path").map(PathBuf::from)?;
        std::fs::read_to_string(path).ok()
    };
    let token = settings.get("hf_token").map(str::to_owned).or_else(written)?;
    Some(token.trim().to_owned()).filter(|token| !token.is_empty())
}

fn is_passing(status: StatusCode) -> bool {
    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS
}

/// The answer, if it is one. The hub says 401 of what is not there to whoever has no token.
fn judged(answer: Response, url: &str, repository: &Repository) -> Result<Response> {
    let status = answer.status();
    if status.is_success() {
        return Ok(answer);
    }
    let code = answer.headers().get("x-error-code").and_then(|code| code.to_str().ok());
    let said = match code {
        Some("RepoNotFound") => "no such repository, or it is private".to_owned(),
        Some("RevisionNotFound") => "no such revision".to_owned(),
        Some("GatedRepo") => "its owner wants you to accept conditions first".to_owned(),
        Some(code) => format!("{status}, {code}"),
        None => status.to_string(),
    };
    let (path, source) = (url.to_owned(), format!("{repository}: {said}").into());
    Err(match status {
        StatusCode::NOT_FOUND => Error::NotFound { path, source },
        StatusCode::UNAUTHORIZED => Error::Unauthenticated { path, source },
        StatusCode::FORBIDDEN => Error::PermissionDenied { path, source },
        _ => failed(format!("{repository}: {said}")),
    })
}

/// An answer as JSON, which has a limit.
async fn json<T: DeserializeOwned>(mut answer: Response) -> Result<T> {
    let mut bytes = Vec::new();
    while let Some(part) = answer.chunk().await.map_err(failed)? {
        bytes.extend_from_slice(&part);
        if bytes.len() > ANSWER {
            return Err(failed(format!("an answer of more than {ANSWER} bytes")));
        }
    }
    serde_json::from_slice(&bytes)
        .map_err(|error| failed(format!("an answer that is none: {error}")))
}

fn failed(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Generic { store: STORE, source: source.into() }
}
