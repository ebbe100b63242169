//! An endpoint as data: where it is, who may ask, what it takes and gives. The router, the OpenAPI description and the
//! reference come from the same rows.

use std::future::Future;
use std::pin::Pin;

use axum::response::Response;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use unskew_fleet::store::TokenRole;

use crate::call::EndpointCall;
use crate::problem::{HttpProblem, ProblemKind};
use crate::verb::HttpMethod;

/// The answer to a call, while it is made.
pub type Answering = Pin<Box<dyn Future<Output = Result<Response, HttpProblem>> + Send>>;

/// The schema of a type, in the list of a description.
pub type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// The schema of `T`.
pub fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Where a parameter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterIn {
    /// In a segment of the path.
    Path,
    /// In the query string.
    Query,
    /// In a header field.
    Header,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterShape {
    /// A text of any content.
    Text,
    /// A number from 0.
    Number,
    /// A day in UTC, `2026-11-21`.
    Day,
    /// One of `true` and `false`.
    Flag,
    /// The digest of an artifact, `sha256:...`.
    Digest,
    /// A text; can be given several times.
    Texts,
}

/// A parameter of an endpoint.
#[derive(Clone, Copy, Debug)]
pub struct EndpointParameter {
    /// The name under which it is given.
    pub name: &'static str,
    /// Whether it stands in the path, the query or the header.
    pub place: ParameterIn,
    /// What it may be.
    pub shape: ParameterShape,
    /// What it means, in one sentence.
    pub about: &'static str,
    /// Whether nothing happens without it.
    pub required: bool,
}

impl EndpointParameter {
    /// One in the path.
    pub const fn path(name: &'static str, shape: ParameterShape, about: &'static str) -> Self {
        Self { name, place: ParameterIn::Path, shape, about, required: true }
    }

    /// One in the query.
    pub const fn query(name: &'static str, shape: ParameterShape, about: &'static str) -> Self {
        Self { name, place: ParameterIn::Query, shape, about, required: false }
    }

    /// One in the head.
    pub const fn header(name: &'static str, shape: ParameterShape, about: &'static str) -> Self {
        Self { name, place: ParameterIn::Header, shape, about, required: false }
    }

    /// The same, without which nothing happens.
    pub const fn needed(self) -> Self {
        Self { required: true, ..self }
    }
}

/// The body of a request.
#[derive(Clone, Copy)]
pub enum Takes {
    /// No body is read.
    Nothing,
    /// JSON of this type.
    Json(SchemaOf),
    /// Bytes, up to the limit for pieces.
    Bytes,
}

/// An answer that can be expected.
#[derive(Clone, Copy)]
pub struct Gives {
    /// The HTTP status code.
    pub status: u16,
    /// When it is given, in one sentence.
    pub about: &'static str,
    /// The media type of its body; none if it has none.
    pub media: Option<&'static str>,
    /// The type of its body, if that is JSON.
    pub schema: Option<SchemaOf>,
}

impl Gives {
    /// An answer with a body of JSON.
    pub const fn json(status: u16, about: &'static str, schema: SchemaOf) -> Self {
        Self { status, about, media: Some("application/json"), schema: Some(schema) }
    }

    /// An answer with a body of this media type.
    pub const fn media(status: u16, about: &'static str, media: &'static str) -> Self {
        Self { status, about, media: Some(media), schema: None }
    }

    /// An answer without a body.
    pub const fn nothing(status: u16, about: &'static str) -> Self {
        Self { status, about, media: None, schema: None }
    }
}

/// How long an answer may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// As long as a request may.
    Short,
    /// As long as bytes flow, or as the endpoint says itself.
    Own,
}

/// An endpoint: what can be asked, and what answers.
#[derive(Clone, Copy)]
pub struct Endpoint {
    /// The method of HTTP.
    pub verb: HttpMethod,
    /// The path, with names in braces.
    pub path: &'static str,
    /// Its name, as metrics, logs and the description have it.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// What the caller has to be; none if anybody may ask.
    pub role: Option<TokenRole>,
    /// Its parameters, those of the path first.
    pub parameters: &'static [EndpointParameter],
    /// The body of its requests.
    pub takes: Takes,
    /// Its answers, if nothing goes wrong.
    pub gives: &'static [Gives],
    /// What goes wrong besides what may everywhere.
    pub refuses: &'static [ProblemKind],
    /// How long it may take.
    pub time: Time,
    /// The function that answers a call.
    pub run: fn(EndpointCall) -> Answering,
}

impl Endpoint {
    /// One that takes no body and can be read by whoever may read.
    pub const fn new(
        verb: HttpMethod,
        path: &'static str,
        name: &'static str,
        about: &'static str,
        run: fn(EndpointCall) -> Answering,
    ) -> Self {
        Self {
            verb,
            path,
            name,
            about,
            role: Some(TokenRole::Read),
            parameters: &[],
            takes: Takes::Nothing,
            gives: &[],
            refuses: &[],
            time: Time::Short,
            run,
        }
    }

    /// The same for others.
    pub const fn role(self, role: Option<TokenRole>) -> Self {
        Self { role, ..self }
    }

    /// The same with parameters.
    pub const fn parameters(self, parameters: &'static [EndpointParameter]) -> Self {
        Self { parameters, ..self }
    }

    /// The same with a body.
    pub const fn takes(self, takes: Takes) -> Self {
        Self { takes, ..self }
    }

    /// The same with answers.
    pub const fn gives(self, gives: &'static [Gives]) -> Self {
        Self { gives, ..self }
    }

    /// The same with what can go wrong.
    pub const fn refuses(self, refuses: &'static [ProblemKind]) -> Self {
        Self { refuses, ..self }
    }

    /// The same, which sees to its time itself.
    pub const fn own_time(self) -> Self {
        Self { time: Time::Own, ..self }
    }

    /// Everything that can go wrong with it.
    pub fn problems(&self) -> Vec<ProblemKind> {
        let mut all = vec![
            ProblemKind::Malformed,
            ProblemKind::RateLimited,
            ProblemKind::Fault,
            ProblemKind::Unavailable,
        ];
        if self.role.is_some() {
            all.extend([ProblemKind::Unauthenticated, ProblemKind::Forbidden]);
        }
        if !self.verb.is_safe() {
            all.extend([ProblemKind::CrossSite, ProblemKind::NoRoom]);
        }
        if !matches!(self.takes, Takes::Nothing) {
            all.extend([ProblemKind::TooLarge, ProblemKind::Slow]);
        }
        if matches!(self.takes, Takes::Json(_)) {
            all.push(ProblemKind::MediaType);
        }
        if self.time == Time::Short {
            all.push(ProblemKind::Late);
        }
        if self.parameters.iter().any(|one| one.place == ParameterIn::Path) {
            all.push(ProblemKind::NotThere);
        }
        all.extend(self.refuses);
        all.sort();
        all.dedup();
        all
    }
}
