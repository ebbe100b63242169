//! The description of the service, OpenAPI 3.1, from the table of endpoints.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::endpoint::{Endpoint, EndpointParameter, ParameterIn, ParameterShape, Takes};
use crate::problem::{ProblemBody, ProblemKind};
use crate::verb::HttpMethod;

/// The description of these endpoints.
pub fn description<'e>(endpoints: impl Iterator<Item = &'e Endpoint>) -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|s| s.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    let problem =
        serde_json::to_value(generator.subschema_for::<ProblemBody>()).unwrap_or_default();
    let mut paths = Map::new();
    for endpoint in endpoints {
        let operation = operation(endpoint, &mut generator, &problem);
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(endpoint.verb.as_str().to_owned(), operation);
        }
    }
    let schemas = generator.take_definitions(true);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Unskew fleet",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Which artifact for which runtime: models, runtimes, decisions and plans.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "password": { "type": "http", "scheme": "basic" }
            }
        }
    })
}

fn operation(endpoint: &Endpoint, generator: &mut SchemaGenerator, problem: &Value) -> Value {
    let mut operation = Map::new();
    operation.insert("operationId".into(), json!(endpoint.name));
    operation.insert("summary".into(), json!(endpoint.about));
    if let Some(role) = endpoint.role {
        operation.insert("x-role".into(), json!(role.as_str()));
        operation.insert("security".into(), json!([{ "token": [] }, { "password": [] }]));
    }
    if !endpoint.parameters.is_empty() {
        let all: Vec<Value> = endpoint.parameters.iter().map(parameter).collect();
        operation.insert("parameters".into(), json!(all));
    }
    let body = match endpoint.takes {
        Takes::Nothing => None,
        Takes::Json(schema) => Some(json!({ "application/json": { "schema": schema(generator) } })),
        Takes::Bytes => Some(json!({ "application/octet-stream": {} })),
    };
    if let Some(content) = body {
        operation.insert("requestBody".into(), json!({ "required": true, "content": content }));
    }
    operation.insert("responses".into(), responses(endpoint, generator, problem));
    Value::Object(operation)
}

fn parameter(one: &EndpointParameter) -> Value {
    let place = match one.place {
        ParameterIn::Path => "path",
        ParameterIn::Query => "query",
        ParameterIn::Header => "header",
    };
    let schema = match one.shape {
        ParameterShape::Text => json!({ "type": "string" }),
        ParameterShape::Number => json!({ "type": "integer", "minimum": 0 }),
        ParameterShape::Day => json!({ "type": "string", "format": "date" }),
        ParameterShape::Flag => json!({ "type": "boolean" }),
        ParameterShape::Digest => json!({ "type": "string", "pattern": "^sha256:[0-9a-f]{64}$" }),
        ParameterShape::Texts => json!({ "type": "array", "items": { "type": "string" } }),
    };
    json!({
        "name": one.name,
        "in": place,
        "required": one.required,
        "description": one.about,
        "schema": schema,
    })
}

fn responses(endpoint: &Endpoint, generator: &mut SchemaGenerator, problem: &Value) -> Value {
    let mut responses = Map::new();
    for gives in endpoint.gives {
        let mut response = json!({ "description": gives.about });
        let bodiless = endpoint.verb == HttpMethod::Head;
        if let Some(media) = gives.media.filter(|_| !bodiless) {
            let content = match gives.schema {
                Some(schema) => json!({ media: { "schema": schema(generator) } }),
                None => json!({ media: {} }),
            };
            response["content"] = content;
        }
        responses.insert(gives.status.to_string(), response);
    }
    for kind in endpoint.problems() {
        let about = kind.about();
        let status = about.status.to_string();
        let line = format!("{}: {}", about.code, about.title);
        match responses.get_mut(&status) {
            Some(known) => {
                let before = known["description"].as_str().unwrap_or_default().to_owned();
                known["description"] = json!(format!("{before}; {line}"));
            }
            None => {
                let content = json!({ "application/problem+json": { "schema": problem } });
                responses.insert(status, json!({ "description": line, "content": content }));
            }
        }
    }
    Value::Object(responses)
}

/// All kinds of problems, for people: code, status, what it is, what helps.
pub fn kinds() -> impl Iterator<Item = &'static crate::problem::About> {
    crate::problem::KINDS.iter().map(|row| ProblemKind::about(row.kind))
}
