//! Requests to a registry: JSON, and ranges of files.

use std::io::{self, Write};
use std::ops::Range;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, RANGE};
use reqwest::{RequestBuilder, Response, StatusCode};
use serde::de::DeserializeOwned;
use unskew_objects::{Ranges, run};

use crate::error::{RegistryError, RegistryErrorCause, chain, one_line};

/// The most that an answer of JSON may have: 32 MiB.
const ANSWER: usize = 32 << 20;
/// How long a server may be silent.
const SILENCE: Duration = Duration::from_secs(60);
/// How often a request that only reads is made, and how long is waited before the second time.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(200);

#[derive(Clone, Default)]
pub(crate) enum Auth {
    #[default]
    Nobody,
    /// A user with a password.
    Basic(String, String),
    /// Whoever has the token.
    Bearer(String),
}

/// A server that speaks HTTP.
#[derive(Clone)]
pub(crate) struct Http {
    client: reqwest::Client,
    auth: Auth,
    /// Where credentials come from, for messages.
    fix: &'static str,
}

impl Http {
    pub(crate) fn new(auth: Auth, fix: &'static str) -> Result<Self, RegistryError> {
        // Another one that is there already will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .user_agent(concat!("unskew/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(Duration::from_secs(20))
            .read_timeout(SILENCE)
            .build();
        let client = client.map_err(|error| RegistryError::failed("HTTP", chain(&error)))?;
        Ok(Self { client, auth, fix })
    }

    /// Asks, again if the server or the line fails, and gives the answer as JSON.
    pub(crate) fn get<T: DeserializeOwned>(&self, url: &str) -> Result<T, RegistryError> {
        json(url, &self.bytes(url, None, ANSWER)?)
    }

    /// Asks, again if the server or the line fails, for an answer of at most `limit` bytes, of the media types in
    /// `accept`.
    pub(crate) fn bytes(
        &self,
        url: &str,
        accept: Option<&str>,
        limit: usize,
    ) -> Result<Bytes, RegistryError> {
        let (http, asked) = (self.clone(), url.to_owned());
        let accept = accept.map(str::to_owned);
        waited(url, async move {
            let request = || {
                let request = http.client.get(&asked);
                http.request(accept.iter().fold(request, |all, types| all.header(ACCEPT, types)))
            };
            let answer = http.patient(request).await?;
            body(http.judged(answer).await?, limit).await
        })
    }

    pub(crate) fn post(&self, url: &str, text: &serde_json::Value) -> Result<(), RegistryError> {
        let (http, asked, text) = (self.clone(), url.to_owned(), text.to_string());
        waited(url, async move {
            let request = http.client.post(asked).header("content-type", "application/json");
            let sent = http.request(request.body(text)).send().await;
            http.judged(sent.map_err(|error| Fault::from_error(&error))?).await.map(drop)
        })
    }

    /// The bytes of a range, and whether the server answers ranges: else it began to send all of it.
    fn range(&self, url: &str, range: Range<u64>) -> Result<Option<Bytes>, RegistryError> {
        let (http, asked) = (self.clone(), url.to_owned());
        waited(url, async move {
            let wanted = format!("bytes={}-{}", range.start, range.end.saturating_sub(1));
            let limit = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
            let request = || {
                let request = http.client.get(&asked).header(RANGE, &wanted);
                http.request(request.header(ACCEPT_ENCODING, "identity"))
            };
            let answer = http.judged(http.patient(request).await?).await?;
            match answer.status() {
                StatusCode::PARTIAL_CONTENT => body(answer, limit).await.map(Some),
                _ => Ok(None),
            }
        })
    }

    pub(crate) fn fetch(&self, url: &str, out: &mut dyn Write) -> Result<(), RegistryError> {
        let (http, asked) = (self.clone(), url.to_owned());
        let mut answer = waited(url, async move {
            let request = || http.request(http.client.get(&asked));
            http.judged(http.patient(request).await?).await
        })?;
        loop {
            let (back, chunk) = waited(url, async move {
                let chunk = answer.chunk().await.map_err(|error| Fault::from_error(&error))?;
                Ok((answer, chunk))
            })?;
            let Some(chunk) = chunk else { return Ok(()) };
            out.write_all(&chunk).map_err(|error| RegistryError::failed(url, error))?;
            answer = back;
        }
    }

    fn request(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.auth {
            Auth::Nobody => request,
            Auth::Basic(user, password) => request.basic_auth(user, Some(password)),
            Auth::Bearer(token) => request.bearer_auth(token),
        }
    }

    /// Sends a request that may be sent again.
    async fn patient(&self, request: impl Fn() -> RequestBuilder) -> Result<Response, Fault> {
        let mut pause = PAUSE;
        for _ in 1..TRIES {
            match request().send().await {
                Ok(answer) if !passing(answer.status()) => return Ok(answer),
                Err(error) if error.is_builder() || error.is_redirect() => {
                    return Err(Fault::from_error(&error));
                }
                _ => {}
            }

            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        request().send().await.map_err(|error| Fault::from_error(&error))
    }

    /// What the server says, if it says no.
    async fn judged(&self, answer: Response) -> Result<Response, Fault> {
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let said = body(answer, ANSWER).await.unwrap_or_default();
        let said = format!("{status}: {}", message(&said));
        Err(Fault(match status {
            StatusCode::NOT_FOUND => RegistryErrorCause::Missing(said),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                RegistryErrorCause::Denied { said, fix: self.fix }
            }
            _ => RegistryErrorCause::Failed(said),
        }))
    }
}

pub(crate) struct RemoteFile {
    pub(crate) http: Http,
    pub(crate) url: String,
}

impl RemoteFile {
    /// Whether the server answers ranges of it.
    pub(crate) fn has_ranges(&self) -> Result<bool, RegistryError> {
        Ok(self.http.range(&self.url, 0..1)?.is_some())
    }
}

impl Ranges for RemoteFile {
    fn range(&self, range: Range<u64>) -> io::Result<Bytes> {
        let answer = self.http.range(&self.url, range)?;
        let none = || io::Error::new(io::ErrorKind::Unsupported, "the server sent no range");
        answer.ok_or_else(none)
    }
}

/// Why a request failed, without what was asked.
pub(crate) struct Fault(RegistryErrorCause);

impl Fault {
    fn from_error(error: &reqwest::Error) -> Self {
        Self(RegistryErrorCause::Failed(one_line(&chain(error))))
    }
}

fn waited<T: Send + 'static>(
    url: &str,
    future: impl Future<Output = Result<T, Fault>> + Send + 'static,
) -> Result<T, RegistryError> {
    match run(future) {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(Fault(cause))) => Err(RegistryError::new(url, cause)),
        Err(error) => Err(RegistryError::failed(url, error)),
    }
}

/// Whether it may be otherwise the next time.
fn passing(status: StatusCode) -> bool {
    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS
}

async fn body(answer: Response, limit: usize) -> Result<Bytes, Fault> {
    let mut all = Vec::new();
    let mut stream = answer.bytes_stream();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| Fault::from_error(&error))?;
        if all.len() + chunk.len() > limit {
            return Err(Fault(RegistryErrorCause::Failed(format!(
                "the answer has more than {limit} bytes"
            ))));
        }
        all.extend_from_slice(&chunk);
    }
    Ok(all.into())
}

fn json<T: DeserializeOwned>(url: &str, text: &[u8]) -> Result<T, RegistryError> {
    let wrong =
        |error| RegistryError::failed(url, format!("not the JSON that it should be: {error}"));
    serde_json::from_slice(text).map_err(wrong)
}

/// The message in an error of MLflow or of an OCI registry; else the text itself.
fn message(text: &[u8]) -> String {
    let said = serde_json::from_slice::<serde_json::Value>(text).ok();
    let first = |said: &serde_json::Value| said.get("errors")?.get(0).cloned();
    let said = said.map(|said| first(&said).unwrap_or(said));
    let said = said.as_ref().and_then(|said| said.get("message")?.as_str());
    one_line(said.unwrap_or(&String::from_utf8_lossy(text)))
}
