//! Tokens and the audit log, for admins.

use axum::response::Response;
use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unskew_fleet::store::{AuditEntry, KeptToken, TokenRole};

use crate::call::{EndpointCall, empty, json};
use crate::endpoint::{Endpoint, EndpointParameter, Gives, ParameterShape, Takes, schema};
use crate::problem::{HttpProblem, ProblemKind};
use crate::token;
use crate::verb::HttpMethod;

/// How many rows of the log an answer has at most.
const MOST: u32 = 1000;

/// The longest name of a token.
const LONGEST: usize = 128;

const ADMIN: Option<TokenRole> = Some(TokenRole::Admin);

pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::new(
        HttpMethod::Get,
        "/v1/tokens",
        "tokens.list",
        "All tokens that were ever made, without their secrets",
        |call| Box::pin(list(call)),
    )
    .role(ADMIN)
    .gives(&[Gives::json(200, "the tokens", schema::<Vec<TokenRow>>)]),
    Endpoint::new(
        HttpMethod::Post,
        "/v1/tokens",
        "tokens.post",
        "Makes a token; its secret is in the answer and nowhere else. The first one ends access without any",
        |call| Box::pin(post(call)),
    )
    .role(ADMIN)
    .takes(Takes::Json(schema::<NewToken>))
    .gives(&[Gives::json(201, "the token", schema::<MadeToken>)]),
    Endpoint::new(
        HttpMethod::Delete,
        "/v1/tokens/{token}",
        "tokens.delete",
        "Makes a token worth nothing",
        |call| Box::pin(revoke(call)),
    )
    .role(ADMIN)
    .parameters(&[EndpointParameter::path("token", ParameterShape::Text, "the id of the token")])
    .gives(&[Gives::nothing(204, "it is worth nothing")]),
    Endpoint::new(
        HttpMethod::Get,
        "/v1/audit",
        "audit",
        "Who changed what, newest first, at most 1000 rows",
        |call| Box::pin(audit(call)),
    )
    .role(ADMIN)
    .parameters(&[EndpointParameter::query("below", ParameterShape::Number, "only rows with a lower number")])
    .gives(&[Gives::json(200, "the rows", schema::<Vec<AuditRow>>)]),
];

/// A token in a list.
#[derive(Serialize, JsonSchema)]
pub struct TokenRow {
    /// The part of it that is no secret.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What its bearer may do.
    pub role: TokenRole,
    /// When it was made.
    pub created: String,
    /// From which moment on it is worth nothing.
    pub expires: Option<String>,
    /// When it was revoked.
    pub revoked: Option<String>,
}

/// What is asked of a token.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// What people call it.
    pub name: String,
    /// What its bearer may do.
    pub role: TokenRole,
    /// For how many days it is good; until it is revoked if it is left out.
    #[serde(default)]
    pub days: Option<u32>,
}

/// A token that was made.
#[derive(Serialize, JsonSchema)]
pub struct MadeToken {
    /// What is sent as `Authorization: Bearer`.
    pub token: String,
    /// What is kept of it.
    #[serde(flatten)]
    pub row: TokenRow,
}

/// A row of the audit log.
#[derive(Serialize, JsonSchema)]
pub struct AuditRow {
    /// Its number; later rows have higher ones.
    pub number: i64,
    /// When it was done, in UTC: `2026-11-21T20:15:00Z`.
    pub moment: String,
    /// The name of the token that did it.
    pub who: String,
    /// The request, as logs name it.
    pub request: String,
    /// What was done, in a word.
    pub act: String,
    /// The name of what it was done to.
    pub subject: String,
    /// What came of it, or why it was refused.
    pub result: String,
}

impl From<KeptToken> for TokenRow {
    fn from(kept: KeptToken) -> Self {
        let KeptToken { id, name, role, created, expires, revoked, .. } = kept;
        Self { id, name, role, created, expires, revoked }
    }
}

impl From<AuditEntry> for AuditRow {
    fn from(entry: AuditEntry) -> Self {
        let AuditEntry { number, signature, act, subject, result } = entry;
        let (moment, who, request) = (signature.moment, signature.who, signature.request);
        Self { number, moment, who, request, act, subject, result }
    }
}

async fn list(call: EndpointCall) -> Result<Response, HttpProblem> {
    let tokens = call.fleet(|fleet| Ok(fleet.store().tokens()?)).await?;
    let rows: Vec<TokenRow> = tokens.into_iter().map(TokenRow::from).collect();
    Ok(json(StatusCode::OK, &rows))
}

async fn post(mut call: EndpointCall) -> Result<Response, HttpProblem> {
    let NewToken { name, role, days } = call.json().await?;
    if name.is_empty() || name.len() > LONGEST || name.chars().any(char::is_control) {
        let detail =
            format!("the name of a token has 1 to {LONGEST} bytes and no control characters");
        return Err(HttpProblem::new(ProblemKind::Malformed, detail));
    }
    let made = token::make(&name, role, days, call.service.clock());
    let (token, kept) =
        made.map_err(|error| HttpProblem::new(ProblemKind::Fault, error.to_string()))?;
    let row = TokenRow::from(kept.clone());
    call.change(move |fleet| Ok(fleet.store().put_token(&kept)?)).await?;
    Ok(json(StatusCode::CREATED, &MadeToken { token, row }))
}

async fn revoke(call: EndpointCall) -> Result<Response, HttpProblem> {
    let id = call.path("token").to_owned();
    let (shown, now) = (id.clone(), call.service.clock().now());
    let revoke =
        move |fleet: &mut unskew_fleet::Fleet| Ok(fleet.store().revoke_token(&id, &now)?);
    match call.change(revoke).await? {
        true => Ok(empty(StatusCode::NO_CONTENT)),
        false => Err(HttpProblem::not_there("token that is still good", &shown)),
    }
}

async fn audit(call: EndpointCall) -> Result<Response, HttpProblem> {
    let below = call.parsed("below")?;
    let rows = call.fleet(move |fleet| Ok(fleet.store().audit(below, MOST)?)).await?;
    let rows: Vec<AuditRow> = rows.into_iter().map(AuditRow::from).collect();
    Ok(json(StatusCode::OK, &rows))
}
