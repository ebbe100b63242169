//! A request on its way to an endpoint: who asks, for what, and what to answer from.

use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, StatusCode, Uri, header};
use serde::Serialize;
use serde::de::DeserializeOwned;
use unskew_core::{Date, Severity};
use unskew_fleet::store::Signature;
use unskew_fleet::{AcceptUnjudged, DeliveryPolicy, Fleet};
use unskew_report::{Medium, escaped};

use crate::body;
use crate::caller::Caller;
use crate::problem::{HttpProblem, ProblemKind};
use crate::service::Service;

/// A request with its caller, as an endpoint gets it.
pub struct EndpointCall {
    /// The service that answers it.
    pub service: Arc<Service>,
    /// Who asks, by the token that was shown.
    pub caller: Caller,
    /// The other end of the connection.
    pub peer: SocketAddr,
    /// The address that was asked for.
    pub uri: Uri,
    /// The request, as logs name it.
    pub request: String,
    /// The names in the path, decoded.
    pub path: Vec<(String, String)>,
    /// The pairs of the query, decoded.
    pub query: Vec<(String, String)>,
    /// Whether only the head of the answer is wanted.
    pub head: bool,
    /// The header fields of the request.
    pub headers: HeaderMap,
    /// The body, of which nothing was read yet; locked, so that a call can be shared.
    pub body: Mutex<Body>,
}

impl EndpointCall {
    /// A name in the path.
    pub fn path(&self, name: &str) -> &str {
        let found = self.path.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value)
    }

    /// A value of the query.
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All values of the query that have this name.
    pub fn queries(&self, name: &str) -> impl Iterator<Item = &str> {
        self.query.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A value of the query as something else.
    ///
    /// # Errors
    /// [`ProblemKind::Malformed`] if it is none.
    pub fn parsed<T: FromStr>(&self, name: &str) -> Result<Option<T>, HttpProblem>
    where
        T::Err: std::fmt::Display,
    {
        let wrong = |text: &str, error: T::Err| {
            HttpProblem::new(ProblemKind::Malformed, format!("{name}: {error}: {text}"))
        };
        self.query(name).map(|text| text.parse().map_err(|error| wrong(text, error))).transpose()
    }

    /// A line of the head.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// A line of the head as a number.
    ///
    /// # Errors
    /// [`ProblemKind::Malformed`] if it is none.
    pub fn number(&self, name: &str) -> Result<Option<u64>, HttpProblem> {
        let wrong = |text: &str| {
            HttpProblem::new(ProblemKind::Malformed, format!("{name} is no number from 0: {text}"))
        };
        self.header(name).map(|text| text.parse().map_err(|_| wrong(text))).transpose()
    }

    /// What is good enough: `as_of`, `deny`, `accept_unjudged` and `accept_lossy` of the query.
    ///
    /// # Errors
    /// [`ProblemKind::Malformed`] if one of them is none.
    pub fn policy(&self) -> Result<DeliveryPolicy, HttpProblem> {
        let as_of = self.query("as_of").map_or_else(|| Ok(self.service.clock().today()), day)?;
        let accept_lossy = self.parsed("accept_lossy")?.unwrap_or_default();
        policy(as_of, self.query("deny"), self.query("accept_unjudged"), accept_lossy)
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// If it is another type, too large, too slow, or no such JSON; then with the place.
    pub async fn json<T: DeserializeOwned>(&mut self) -> Result<T, HttpProblem> {
        let text = self.text().await?;
        let mut json = serde_json::Deserializer::from_str(&text);
        let read = serde_path_to_error::deserialize(&mut json);
        let read = read.map_err(|error| {
            HttpProblem::new(ProblemKind::Malformed, format!("{}: {}", error.path(), error.inner()))
        })?;
        json.end().map_err(|error| HttpProblem::new(ProblemKind::Malformed, error.to_string()))?;
        Ok(read)
    }

    /// The body as the text of a JSON value.
    ///
    /// # Errors
    /// If it is another type, too large or too slow.
    pub async fn text(&mut self) -> Result<String, HttpProblem> {
        let media = self.header(header::CONTENT_TYPE.as_str()).unwrap_or_default();
        let essence = media.split(';').next().unwrap_or_default().trim();
        let json = essence.eq_ignore_ascii_case("application/json")
            || essence.to_ascii_lowercase().ends_with("+json");
        if !json {
            let detail = format!("the body has to be application/json: {media}");
            return Err(HttpProblem::new(ProblemKind::MediaType, detail));
        }
        let limits = self.service.settings().limits;
        let bytes = body::whole(self.take_body(), limits.body, limits.pause).await?;
        String::from_utf8(bytes)
            .map_err(|error| HttpProblem::new(ProblemKind::Malformed, format!("the body: {error}")))
    }

    /// The body, which is then empty.
    pub fn take_body(&mut self) -> Body {
        std::mem::take(self.body.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads something of the fleet.
    ///
    /// # Errors
    /// That of the work, or if the database is out of reach.
    pub fn fleet<T, W>(
        &self,
        work: W,
    ) -> impl Future<Output = Result<T, HttpProblem>> + Send + use<T, W>
    where
        T: Send + 'static,
        W: FnOnce(&mut Fleet) -> Result<T, HttpProblem> + Send + 'static,
    {
        let pool = Arc::clone(self.service.pool());
        async move { pool.with(work).await }
    }

    /// Changes something of the fleet, in the name of whoever asks.
    ///
    /// # Errors
    /// As [`EndpointCall::fleet`].
    pub fn change<T, W>(
        &self,
        work: W,
    ) -> impl Future<Output = Result<T, HttpProblem>> + Send + use<T, W>
    where
        T: Send + 'static,
        W: FnOnce(&mut Fleet) -> Result<T, HttpProblem> + Send + 'static,
    {
        let (pool, signature) = (Arc::clone(self.service.pool()), self.signature());
        let signed = move |fleet: &mut Fleet| {
            fleet.store().sign(Some(signature));
            let done = work(fleet);
            fleet.store().sign(None);
            done
        };
        async move { pool.with(signed).await }
    }

    /// In whose name something is changed.
    pub fn signature(&self) -> Signature {
        Signature {
            who: self.caller.name.clone(),
            request: self.request.clone(),
            moment: self.service.clock().now(),
        }
    }
}

/// The day as of which something is asked.
pub(crate) fn day(text: &str) -> Result<Date, HttpProblem> {
    let wrong = |error| HttpProblem::new(ProblemKind::Malformed, format!("as_of: {error}: {text}"));
    text.parse().map_err(wrong)
}

/// What is good enough, of a day and the words of a query.
pub(crate) fn policy(
    as_of: Date,
    deny: Option<&str>,
    accept_unjudged: Option<&str>,
    accept_lossy: bool,
) -> Result<DeliveryPolicy, HttpProblem> {
    let deny = match deny {
        None | Some("error") => Severity::Error,
        Some("warning") => Severity::Warning,
        Some("note") => Severity::Note,
        Some(other) => {
            let detail = format!("deny is error, warning or note: {other}");
            return Err(HttpProblem::new(ProblemKind::Malformed, detail));
        }
    };
    let unknown = |word| {
        let detail = format!("accept_unjudged is nothing, common or all: {word}");
        HttpProblem::new(ProblemKind::Malformed, detail)
    };
    let accept = |word| AcceptUnjudged::parse(word).ok_or_else(|| unknown(word));
    let accept_unjudged = accept_unjudged.map(accept).transpose()?.unwrap_or_default();
    Ok(DeliveryPolicy { as_of, deny, accept_unjudged, accept_lossy })
}

/// An answer of JSON.
pub fn json<T: Serialize>(status: StatusCode, value: &T) -> Response {
    json_text(status, serde_json::to_string(value).unwrap_or_default())
}

/// An answer of JSON that is written already. Whoever prints it on a terminal sees what hostile names have in them.
pub fn json_text(status: StatusCode, text: String) -> Response {
    let text = escaped(&text, Medium::Json).into_owned();
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// An answer without a body.
pub(crate) fn empty(status: StatusCode) -> Response {
    (status, Body::empty()).into_response()
}
