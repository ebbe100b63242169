//! The reference of the service for people, from the same table as the description.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use serde_json::Value;

use crate::endpoint::{Endpoint, ParameterIn, ParameterShape, Takes};
use crate::openapi;
use crate::problem::KINDS;
use crate::routes;

const HEAD: &str = "\
<!-- made by `cargo xtask docs` from the table of endpoints -->

# The HTTP API of a fleet

What `unskew fleet serve` answers. `GET /v1/openapi.json` describes the same for programs, with the types of all bodies.

Names in a path are escaped: the model `vision/net` is `/v1/models/vision%2Fnet`. A token is sent as
`Authorization: Bearer TOKEN`, or as the password of `Basic`; whoever has a role may do what lower ones may: `read`,
`publish`, `admin`. Every answer has an `X-Request-Id`, which stands in the log and in the audit log; a plain word that the
client sends there is kept.

Whatever goes wrong is `application/problem+json` (RFC 9457):

```json
{ \"type\": \"/v1/problems#FL004\", \"title\": \"not there\", \"status\": 404,
  \"detail\": \"the fleet has no such runtime (it has phones): fones\", \"code\": \"FL004\",
  \"fix\": \"list what is there\", \"request\": \"5f1c09aa-9\" }
```

";

/// The reference as Markdown, made from the table of endpoints.
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    let types = openapi::description(routes::all());
    page.push_str("| endpoint | role | |\n| --- | --- | --- |\n");
    for endpoint in routes::all() {
        let (verb, path) = (endpoint.verb.as_str().to_uppercase(), endpoint.path);
        let _ = writeln!(page, "| `{verb} {path}` | {} | {} |", role(endpoint), endpoint.about);
    }
    for endpoint in routes::all() {
        section(&mut page, endpoint, &types);
    }
    page.push_str(
        "\n## Problems\n\n| code | status | what | what helps |\n| --- | --- | --- | --- |\n",
    );
    for row in KINDS {
        let _ = writeln!(page, "| {} | {} | {} | {} |", row.code, row.status, row.title, row.fix);
    }
    page
}

fn role(endpoint: &Endpoint) -> &'static str {
    endpoint.role.map_or("anybody", |role| role.as_str())
}

fn section(page: &mut String, endpoint: &Endpoint, types: &Value) {
    let (verb, path) = (endpoint.verb.as_str(), endpoint.path);
    let described = &types["paths"][path][verb];
    let _ = write!(page, "\n## {} {path}\n\n{}.\n\n", verb.to_uppercase(), endpoint.about);
    if !endpoint.parameters.is_empty() {
        page.push_str("| parameter | in | value | |\n| --- | --- | --- | --- |\n");
    }
    for one in endpoint.parameters {
        let place = match one.place {
            ParameterIn::Path => "path",
            ParameterIn::Query => "query",
            ParameterIn::Header => "head",
        };
        let shape = match one.shape {
            ParameterShape::Text => "text",
            ParameterShape::Number => "number",
            ParameterShape::Day => "day",
            ParameterShape::Flag => "`true` or `false`",
            ParameterShape::Digest => "digest",
            ParameterShape::Texts => "text, several times",
        };
        let needed = if one.required { "" } else { ", optional" };
        let _ = writeln!(page, "| `{}` | {place} | {shape}{needed} | {} |", one.name, one.about);
    }
    if !endpoint.parameters.is_empty() {
        page.push('\n');
    }
    match endpoint.takes {
        Takes::Nothing => {}
        Takes::Bytes => page.push_str("The body is bytes.\n\n"),
        Takes::Json(_) => {
            let body = &described["requestBody"]["content"]["application/json"]["schema"];
            let _ = write!(page, "The body is JSON: {}.\n\n", name(body));
        }
    }
    page.push_str("| status | | body |\n| --- | --- | --- |\n");
    for gives in endpoint.gives {
        let status = gives.status;
        let content = &described["responses"][status.to_string()]["content"];
        let body = match (gives.media, gives.schema) {
            (Some(media), Some(_)) => name(&content[media]["schema"]),
            (Some(media), None) => media.to_owned(),
            (None, _) => "none".to_owned(),
        };
        let _ = writeln!(page, "| {status} | {} | {body} |", gives.about);
    }
    let problems: Vec<&str> = endpoint.problems().iter().map(|kind| kind.about().code).collect();
    let _ = writeln!(page, "\nProblems: {}.", problems.join(", "));
}

/// The name of a type, as the description has it.
fn name(schema: &Value) -> String {
    let of = |reference: &Value| {
        let last = reference.as_str().and_then(|text| text.rsplit('/').next());
        last.map(|name| format!("`{name}`"))
    };
    match (of(&schema["$ref"]), of(&schema["items"]["$ref"])) {
        (Some(name), _) => name,
        (None, Some(name)) => format!("list of {name}"),
        (None, None) => "JSON".to_owned(),
    }
}
