//! The runtimes in the field.

use axum::response::Response;
use http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use unskew_fleet::store::{KeptRuntime, TokenRole};
use unskew_fleet::{Digest, FleetError, RegistrationResult, RuntimeProfile};

use crate::call::{EndpointCall, empty, json};
use crate::endpoint::{Endpoint, EndpointParameter, Gives, ParameterShape, Takes, schema};
use crate::problem::{HttpProblem, ProblemKind};
use crate::verb::HttpMethod;

const NAME: EndpointParameter =
    EndpointParameter::path("runtime", ParameterShape::Text, "the name of the runtime");

pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint::new(
        HttpMethod::Get,
        "/v1/runtimes",
        "runtimes.list",
        "All runtimes, by name, without their profiles",
        |call| Box::pin(list(call)),
    )
    .gives(&[Gives::json(200, "the runtimes", schema::<Vec<RuntimeRow>>)]),
    Endpoint::new(
        HttpMethod::Get,
        "/v1/runtimes/{runtime}",
        "runtimes.get",
        "One runtime with its profile",
        |call| Box::pin(get(call)),
    )
    .parameters(&[NAME])
    .gives(&[Gives::json(200, "the runtime", schema::<RuntimeBody>)]),
    Endpoint::new(
        HttpMethod::Put,
        "/v1/runtimes/{runtime}",
        "runtimes.put",
        "Adds a runtime by its profile, or puts it in place of the one of this name",
        |call| Box::pin(put(call)),
    )
    .role(Some(TokenRole::Publish))
    .parameters(&[NAME])
    .takes(Takes::Json(schema::<RuntimeProfile>))
    .gives(&[
        Gives::json(200, "it was there, and is now like this", schema::<RuntimeBody>),
        Gives::json(201, "it is new", schema::<RuntimeBody>),
    ])
    .refuses(&[ProblemKind::Refused]),
    Endpoint::new(
        HttpMethod::Delete,
        "/v1/runtimes/{runtime}",
        "runtimes.delete",
        "Takes a runtime out",
        |call| Box::pin(delete(call)),
    )
    .role(Some(TokenRole::Publish))
    .parameters(&[NAME])
    .gives(&[Gives::nothing(204, "it is gone")]),
];

/// A runtime in a list.
#[derive(Serialize, JsonSchema)]
pub struct RuntimeRow {
    /// The name of the runtime.
    pub name: String,
    /// The digest of everything that a verdict on it can depend on.
    pub profile: Digest,
    /// How many devices have it.
    pub devices: u64,
    /// The day since when it is like this.
    pub since: String,
}

/// A runtime with its profile.
#[derive(Serialize, JsonSchema)]
pub struct RuntimeBody {
    /// The runtime as lists show it.
    #[serde(flatten)]
    pub row: RuntimeRow,
    /// Its profile, as `fleet-runtime.md` describes it.
    #[schemars(with = "RuntimeProfile")]
    pub runtime: Box<RawValue>,
}

impl From<&KeptRuntime> for RuntimeRow {
    fn from(kept: &KeptRuntime) -> Self {
        Self {
            name: kept.name.clone(),
            profile: kept.digest,
            devices: kept.devices,
            since: kept.since.clone(),
        }
    }
}

fn body(kept: &KeptRuntime) -> Result<RuntimeBody, HttpProblem> {
    let runtime = RawValue::from_string(kept.profile.trim_end().to_owned());
    let runtime =
        runtime.map_err(|error| HttpProblem::new(ProblemKind::Fault, error.to_string()))?;
    Ok(RuntimeBody { row: kept.into(), runtime })
}

async fn list(call: EndpointCall) -> Result<Response, HttpProblem> {
    let runtimes = call.fleet(|fleet| Ok(fleet.runtimes()?)).await?;
    let rows: Vec<RuntimeRow> = runtimes.iter().map(RuntimeRow::from).collect();
    Ok(json(StatusCode::OK, &rows))
}

async fn get(call: EndpointCall) -> Result<Response, HttpProblem> {
    let name = call.path("runtime").to_owned();
    let runtime = call.fleet(move |fleet| Ok(fleet.runtime(&name)?)).await?;
    Ok(json(StatusCode::OK, &body(&runtime)?))
}

async fn put(mut call: EndpointCall) -> Result<Response, HttpProblem> {
    let name = call.path("runtime").to_owned();
    let text = call.text().await?;
    let today = call.service.clock().today().to_string();
    let put = move |fleet: &mut unskew_fleet::Fleet| {
        let mut profile = RuntimeProfile::read(&text).map_err(FleetError::from)?;
        let unnamed = profile.is_release() && profile.name == profile.release.to_string();
        if !unnamed && profile.name != name {
            let detail =
                format!("the profile is that of {}, the address that of {name}", profile.name);
            return Err(HttpProblem::new(ProblemKind::Malformed, detail));
        }
        profile.name = name;
        let change = fleet.put_runtime(&profile, &today)?;
        Ok((change, fleet.runtime(&profile.name)?))
    };
    let (change, runtime) = call.change(put).await?;
    let status =
        if change == RegistrationResult::Added { StatusCode::CREATED } else { StatusCode::OK };
    Ok(json(status, &body(&runtime)?))
}

async fn delete(call: EndpointCall) -> Result<Response, HttpProblem> {
    let (name, today) = (call.path("runtime").to_owned(), call.service.clock().today().to_string());
    call.change(move |fleet| Ok(fleet.remove_runtime(&name, &today)?)).await?;
    Ok(empty(StatusCode::NO_CONTENT))
}
