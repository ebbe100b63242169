//! Problems as the body `application/problem+json` of RFC 9457.
//!
//! ```json
//! { "type": "/v1/problems#FL004", "title": "not there", "status": 404,
//!   "detail": "the fleet has no such runtime (it has phones): fones", "code": "FL004", "request": "5f1c-9" }
//! ```
//!
//! The code says which kind it is and never changes its meaning; `detail` says what happened here. Everything that
//! goes wrong in this crate is a [`HttpProblem`].

use std::io;
use std::time::Duration;

use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unskew_artifact::OpenError;
use unskew_fleet::store::StoreError;
use unskew_fleet::{FleetError, InspectionError, chain};
use unskew_objects::ObjectError;

/// A kind of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemKind {
    /// The syntax of the request is wrong.
    Malformed,
    /// No valid token was sent.
    Unauthenticated,
    /// The role of the token does not permit this.
    Forbidden,
    /// The named resource does not exist.
    NotThere,
    /// The resource does not support this method.
    Method,
    /// The client did not send its request in time.
    Slow,
    /// The request conflicts with the present state.
    Conflict,
    /// A precondition (`If-Match`) does not hold.
    Condition,
    /// The body exceeds its limit.
    TooLarge,
    /// The content type of the body is not supported.
    MediaType,
    /// The requested range is not satisfiable.
    Range,
    /// The content is well-formed and invalid.
    Refused,
    /// The content does not match the announced digest.
    Digest,
    /// The token or address sent more requests than its rate limit.
    RateLimited,
    /// A quota (jobs, uploads) is used up.
    Full,
    /// A browser sent the request from a page of another site.
    CrossSite,
    /// An internal error of the service.
    Fault,
    /// The database or the artifact store does not answer, or the service is overloaded.
    Unavailable,
    /// The request timed out.
    Late,
    /// The disk is full.
    NoRoom,
}

/// What is known about a kind.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The kind that this is about.
    pub kind: ProblemKind,
    /// The stable code, such as `FL004`; `unskew explain` knows it.
    pub code: &'static str,
    /// The status of the answer.
    pub status: u16,
    /// The kind in words.
    pub title: &'static str,
    /// What the client can do about it.
    pub fix: &'static str,
}

const fn about(
    kind: ProblemKind,
    code: &'static str,
    status: u16,
    title: &'static str,
    fix: &'static str,
) -> About {
    About { kind, code, status, title, fix }
}

/// All kinds, by their codes.
pub const KINDS: [About; 20] = [
    about(
        ProblemKind::Malformed,
        "FL001",
        400,
        "not understood",
        "send what the description asks for",
    ),
    about(
        ProblemKind::Unauthenticated,
        "FL002",
        401,
        "no valid token",
        "send `Authorization: Bearer TOKEN`",
    ),
    about(
        ProblemKind::Forbidden,
        "FL003",
        403,
        "not allowed",
        "use a token with the role that is named",
    ),
    about(ProblemKind::NotThere, "FL004", 404, "not there", "list what is there"),
    about(ProblemKind::Method, "FL005", 405, "no such method here", "use one that `Allow` names"),
    about(
        ProblemKind::Slow,
        "FL006",
        408,
        "too slow",
        "send without long pauses; an upload goes on where it stopped",
    ),
    about(
        ProblemKind::Conflict,
        "FL007",
        409,
        "not as things are now",
        "ask how things are, and go on from there",
    ),
    about(
        ProblemKind::Condition,
        "FL008",
        412,
        "condition not met",
        "ask anew, without the condition",
    ),
    about(
        ProblemKind::TooLarge,
        "FL009",
        413,
        "too large",
        "send less at once, or ask the operator for a higher limit",
    ),
    about(
        ProblemKind::MediaType,
        "FL010",
        415,
        "other type of body",
        "send the type that the description names",
    ),
    about(
        ProblemKind::Range,
        "FL011",
        416,
        "no such range",
        "ask for one range inside the size that `Content-Range` tells",
    ),
    about(ProblemKind::Refused, "FL012", 422, "refused", "correct what the detail names"),
    about(
        ProblemKind::Digest,
        "FL013",
        422,
        "not what was announced",
        "compute the digest of the file anew, and upload it again",
    ),
    about(
        ProblemKind::RateLimited,
        "FL014",
        429,
        "too many requests",
        "wait as long as `Retry-After` says",
    ),
    about(
        ProblemKind::Full,
        "FL015",
        429,
        "too much at once",
        "finish or drop what is open, or wait",
    ),
    about(
        ProblemKind::CrossSite,
        "FL016",
        403,
        "asked by another site",
        "open the pages of the service itself",
    ),
    about(
        ProblemKind::Fault,
        "FL017",
        500,
        "a fault of the service",
        "tell the operator the number of the request; it stands in the log",
    ),
    about(
        ProblemKind::Unavailable,
        "FL018",
        503,
        "out of reach",
        "wait as long as `Retry-After` says, and ask again",
    ),
    about(
        ProblemKind::Late,
        "FL019",
        504,
        "took too long",
        "ask again with `Prefer: respond-async`",
    ),
    about(
        ProblemKind::NoRoom,
        "FL020",
        507,
        "no room",
        "the operator makes room on the disk; nothing was changed",
    ),
];

impl ProblemKind {
    /// What is known about it.
    pub fn about(self) -> &'static About {
        // Every kind stands in the table at its place; a test holds the two together.
        KINDS.get(self as usize).unwrap_or(&KINDS[Self::Fault as usize])
    }

    /// The status of the answer.
    pub fn status(self) -> StatusCode {
        StatusCode::from_u16(self.about().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// Something that went wrong. As a text it is what the client is told; [`HttpProblem::logged`] is for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpProblem {
    /// Which kind of problem it is.
    pub kind: ProblemKind,
    /// One sentence with the values in question. The client sees it, except that of a [`ProblemKind::Fault`].
    pub detail: String,
    /// What only the log has: what the system, the database or the store says, with its paths and addresses.
    pub cause: Option<String>,
    /// When asking again makes sense.
    pub retry_after: Option<Duration>,
    /// Further headers of the answer.
    pub headers: Vec<(&'static str, String)>,
}

/// The body of an answer that says what went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub struct ProblemBody {
    /// Where the kind is described.
    #[serde(rename = "type")]
    pub about: String,
    /// The kind in words.
    pub title: String,
    /// The status of the answer.
    pub status: u16,
    /// One sentence with the values in question.
    pub detail: String,
    /// The kind: `FL001` and so on.
    pub code: String,
    /// What the client can do about it. Earlier services called it `mend`.
    #[serde(alias = "mend")]
    pub fix: String,
    /// The request, as logs name it.
    pub request: String,
}

impl HttpProblem {
    /// A problem of a kind.
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        let (detail, cause) = (detail.into(), None);
        Self { kind, detail, cause, retry_after: None, headers: Vec::new() }
    }

    /// The same, of which the log says why.
    pub fn because(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The same, which may be gone after a while.
    pub fn after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The same with a header.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Something that is not there: `no such job: 7`.
    pub fn not_there(what: &str, name: &str) -> Self {
        Self::new(ProblemKind::NotThere, format!("no such {what}: {name}"))
    }

    /// What the client is told of it. A fault says nothing about the inside of the service, whatever its detail is.
    fn told(&self) -> &str {
        match self.kind {
            ProblemKind::Fault => {
                "the log of the service has the reason, under the number of the request"
            }
            _ => &self.detail,
        }
    }

    /// All that is known of it, for the log.
    pub fn logged(&self) -> String {
        let title = self.kind.about().title;
        let cause = self.cause.as_deref().map(|cause| format!(": {cause}")).unwrap_or_default();
        format!("{title}: {}{cause}", self.detail)
    }

    /// The body of the answer.
    pub fn body(&self, request: &str) -> ProblemBody {
        let About { code, status, title, fix, .. } = *self.kind.about();
        ProblemBody {
            about: format!("/v1/problems#{code}"),
            title: title.to_owned(),
            status,
            detail: self.told().to_owned(),
            code: code.to_owned(),
            fix: fix.to_owned(),
            request: request.to_owned(),
        }
    }
}

impl std::fmt::Display for HttpProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind.about().title, self.told())
    }
}

impl std::error::Error for HttpProblem {}

/// When to ask again for something that is away.
const AWAY: Duration = Duration::from_secs(5);

/// What clients are told of a disk, a store and a database. The errors of these have paths, addresses and SQL in them.
const DISK_FULL: &str = "the disk of the service is full";
const STORE_AWAY: &str = "the store of the artifacts does not answer";
const DATABASE_FULL: &str = "the database of the fleet has no room";
const DATABASE_AWAY: &str = "the database of the fleet does not answer";

/// A disk or a store that failed.
fn of_store(kind: io::ErrorKind, cause: String) -> HttpProblem {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            HttpProblem::new(ProblemKind::NoRoom, DISK_FULL).because(cause)
        }
        _ => HttpProblem::new(ProblemKind::Unavailable, STORE_AWAY).after(AWAY).because(cause),
    }
}

impl From<io::Error> for HttpProblem {
    fn from(error: io::Error) -> Self {
        of_store(error.kind(), error.to_string())
    }
}

impl From<ObjectError> for HttpProblem {
    fn from(error: ObjectError) -> Self {
        Self::new(ProblemKind::Unavailable, STORE_AWAY).after(AWAY).because(chain(&error))
    }
}

impl From<StoreError> for HttpProblem {
    fn from(error: StoreError) -> Self {
        let text = chain(&error);
        match error {
            StoreError::Full(_) => Self::new(ProblemKind::NoRoom, DATABASE_FULL).because(text),
            // A digest, which the client may add again.
            StoreError::Absent(_) => Self::new(ProblemKind::Unavailable, text).after(AWAY),
            StoreError::Away(_) | StoreError::Clash(_) => Self::database_away(text),
            _ => Self::new(ProblemKind::Fault, text),
        }
    }
}

impl HttpProblem {
    /// A database that does not answer now.
    pub(crate) fn database_away(cause: String) -> Self {
        Self::new(ProblemKind::Unavailable, DATABASE_AWAY).after(AWAY).because(cause)
    }
}

impl From<FleetError> for HttpProblem {
    fn from(error: FleetError) -> Self {
        let text = cut(chain(&error));
        match error {
            FleetError::Store(error) => error.into(),
            FleetError::Objects(error) | FleetError::Open(OpenError::Object(error)) => error.into(),
            FleetError::Io { source, .. } | FleetError::Open(OpenError::Io { source, .. }) => {
                of_store(source.kind(), text)
            }
            FleetError::Name(_) | FleetError::Path(_) | FleetError::WhatIf(_) => {
                Self::new(ProblemKind::Malformed, text)
            }
            FleetError::Profile(_)
            | FleetError::Open(_)
            | FleetError::Unreadable(_)
            | FleetError::Inspection(InspectionError::Ended { .. }) => {
                Self::new(ProblemKind::Refused, text)
            }
            FleetError::Inspection(InspectionError::NotStarted(_)) => {
                let detail = "the service starts no process to read artifacts in";
                Self::new(ProblemKind::Unavailable, detail).after(AWAY).because(text)
            }
            FleetError::NoModel { .. }
            | FleetError::NoVersion { .. }
            | FleetError::NoRuntime { .. } => Self::new(ProblemKind::NotThere, text),
            FleetError::Differs { .. } => Self::new(ProblemKind::Digest, text),
            FleetError::Damaged { .. } | FleetError::NotAsked => {
                Self::new(ProblemKind::Fault, text)
            }
        }
    }
}

/// The longest detail: what an artifact says about itself may be of any length.
const LONGEST: usize = 2000;

fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_stands_at_its_place_with_a_code_of_its_own() {
        for (at, row) in KINDS.iter().enumerate() {
            assert_eq!(row.kind as usize, at);
            assert_eq!(row.code, format!("FL{:03}", at + 1));
            assert_eq!(row.kind.status().as_u16(), row.status);
        }
    }

    #[test]
    fn a_full_disk_is_no_fault() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(HttpProblem::from(full).kind, ProblemKind::NoRoom);
        let gone = FleetError::Io { path: "x".into(), source: io::ErrorKind::NotFound.into() };
        assert_eq!(HttpProblem::from(gone).kind, ProblemKind::Unavailable);
    }

    #[test]
    fn no_client_sees_a_path_an_address_or_sql() {
        const SECRET: &str = "/srv/secret-fleet";
        let inside = |kind: io::ErrorKind| io::Error::new(kind, format!("at path {SECRET}"));
        let boxed = || inside(io::ErrorKind::Other).into();
        let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::NotFound, io::ErrorKind::Other];
        let mut problems: Vec<HttpProblem> = kinds.map(|kind| inside(kind).into()).into();
        for kind in kinds {
            let (path, source) = (SECRET.into(), inside(kind));
            problems.push(FleetError::Io { path, source }.into());
            let (path, source) = (SECRET.into(), inside(kind));
            problems.push(FleetError::Open(OpenError::Io { path, source }).into());
        }
        problems.extend([
            StoreError::Full(boxed()).into(),
            StoreError::Away(boxed()).into(),
            StoreError::Database(boxed()).into(),
            StoreError::Clash(SECRET.to_owned()).into(),
            StoreError::Url(SECRET.to_owned()).into(),
            StoreError::Versions(SECRET.to_owned()).into(),
            FleetError::Inspection(InspectionError::NotStarted(SECRET.to_owned())).into(),
            HttpProblem::new(ProblemKind::Fault, SECRET),
            HttpProblem::database_away(SECRET.to_owned()),
        ]);
        for problem in problems {
            let body = serde_json::to_string(&problem.body("r-1")).unwrap();
            assert!(!body.contains("secret") && !problem.to_string().contains("secret"), "{body}");
            assert!(problem.logged().contains(SECRET), "the log has it: {problem:?}");
        }
    }

    #[test]
    fn a_detail_is_short_whatever_an_artifact_says() {
        let long = FleetError::Unreadable("\u{fc}".repeat(LONGEST));
        let detail = HttpProblem::from(long).detail;
        assert!(detail.len() < LONGEST + 4 && detail.ends_with("..."));
    }
}
