//! The description against the service: every endpoint in it answers, and every answer is as it says.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use unskew_fleet::Digest;
use unskew_fleet_service::client::{ServiceClient, ServiceResponse};

use super::schema;
use super::served::{Served, add_runtime, begin, example, piece, publish};

/// What the tests of this file have seen of a description.
struct Held {
    description: Value,
    seen: BTreeSet<String>,
}

impl Held {
    /// Sends a request to an endpoint and holds the answer against the description.
    fn ask(
        &mut self,
        client: &mut ServiceClient,
        (method, template, path): (&str, &str, &str),
        headers: &[(&str, &str)],
        body: &[u8],
        status: u16,
    ) -> ServiceResponse {
        let answer = client.send(&method.to_uppercase(), path, headers, body).unwrap();
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
        let operation = &self.description["paths"][template][method];
        assert!(operation.is_object(), "{method} {template} is not described");
        self.seen.insert(operation["operationId"].as_str().unwrap().to_owned());
        let response = &operation["responses"][status.to_string()];
        assert!(response.is_object(), "{method} {template}: {status} is not described");
        let media = answer.header("content-type").unwrap_or_default();
        match response["content"].as_object() {
            None => assert!(answer.body.is_empty(), "{method} {template} {status}: a body"),
            Some(content) => {
                let described = content.get(media);
                let described =
                    described.unwrap_or_else(|| panic!("{template}: {media} in {content:?}"));
                if let Some(schema) = described.get("schema") {
                    self.valid(schema, &answer.json(), template);
                }
            }
        }
        answer
    }

    fn valid(&self, schema: &Value, value: &Value, what: &str) {
        let mut errors = Vec::new();
        schema::hold(&self.description, schema, value, "", &mut errors);
        assert!(errors.is_empty(), "{what}: {errors:?}\n{value}");
    }
}

#[test]
fn every_endpoint_answers_as_it_is_described() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &[]);
    let mut client = served.client();
    let description = client.get("/v1/openapi.json").unwrap().json();
    let mut held = Held { description, seen: BTreeSet::new() };
    let json = [("content-type", "application/json")];
    let same = |path: &'static str| ("get", path, path);
    for path in ["/health", "/ready", "/metrics", "/v1/openapi.json", "/v1/problems"] {
        held.ask(&mut client, same(path), &[], b"", 200);
    }
    let one = ("put", "/v1/runtimes/{runtime}", "/v1/runtimes/phones");
    let profile = json!({
        "fleet_runtime": 1, "name": "phones", "devices": 4, "release": "torch@1.10",
        "without": ["aten::relu"], "versions": { "torch.file_format": [1, 6] },
    });
    let text = profile.to_string();
    held.ask(&mut client, one, &json, text.as_bytes(), 201);
    held.ask(&mut client, one, &json, text.as_bytes(), 200);
    held.ask(&mut client, one, &json, b"{}", 422);
    held.ask(&mut client, ("get", one.1, one.2), &[], b"", 200);
    held.ask(&mut client, ("get", one.1, "/v1/runtimes/nobody"), &[], b"", 404);
    held.ask(&mut client, same("/v1/runtimes"), &[], b"", 200);

    uploads(&mut held, &mut client, &json);
    let bytes = example("examples/gelu-2.15.0.pt");
    publish(&mut client, "gelu", "gelu.pt", &bytes);
    held.ask(&mut client, same("/v1/models"), &[], b"", 200);
    models(&mut held, &mut client, &json, &text);
    artifacts(&mut held, &mut client, &Digest::sha256(&bytes));
    rest(&mut held, &mut client, &json);
    held.ask(&mut client, ("delete", one.1, one.2), &[], b"", 204);
    held.ask(&mut client, ("delete", one.1, one.2), &[], b"", 404);

    let all: BTreeSet<String> = held.description["paths"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|path| path.as_object().unwrap().values())
        .map(|operation| operation["operationId"].as_str().unwrap().to_owned())
        .collect();
    let missed: Vec<_> = all.difference(&held.seen).collect();
    assert!(missed.is_empty(), "nobody asked {missed:?}");
}

fn uploads(held: &mut Held, client: &mut ServiceClient, json: &[(&str, &str)]) {
    let new = json!({ "model": "m", "file": "m.pt", "size": 4, "digest": Digest::sha256("text") });
    let keyed = [json[0], ("idempotency-key", "k")];
    let at = ("post", "/v1/uploads", "/v1/uploads");
    held.ask(client, at, &keyed, new.to_string().as_bytes(), 201);
    held.ask(client, at, &keyed, new.to_string().as_bytes(), 200);
    held.ask(client, at, json, b"{}", 400);
    held.ask(client, ("get", at.1, at.2), &[], b"", 200);
    let place = begin(client, "m", "m.pt", b"text");
    let one = "/v1/uploads/{upload}";
    held.ask(client, ("get", one, &place), &[], b"", 200);
    held.ask(client, ("patch", one, &place), &[("upload-offset", "0")], b"text", 204);
    held.ask(client, ("patch", one, &place), &[("upload-offset", "0")], b"text", 409);
    let finish = format!("{place}/finish");
    held.ask(client, ("post", "/v1/uploads/{upload}/finish", &finish), &[], b"", 422);
    let place = begin(client, "m", "m.pt", b"text");
    held.ask(client, ("delete", one, &place), &[], b"", 204);
    let bytes = example("examples/gelu-2.15.0.pt");
    let place = begin(client, "m", "m.pt", &bytes);
    assert_eq!(piece(client, &place, 0, &bytes).status, 204);
    let finish = format!("{place}/finish");
    held.ask(client, ("post", "/v1/uploads/{upload}/finish", &finish), &[], b"", 200);
}

fn models(held: &mut Held, client: &mut ServiceClient, json: &[(&str, &str)], profile: &str) {
    let later = [("prefer", "respond-async")];
    let versions = ("get", "/v1/models/{model}/versions", "/v1/models/gelu/versions");
    held.ask(client, versions, &[], b"", 200);
    let decision = "/v1/models/{model}/decision";
    let asked = ("get", decision, "/v1/models/gelu/decision?runtime=phones");
    held.ask(client, asked, &later, b"", 202);
    held.ask(client, asked, &[], b"", 200);
    held.ask(client, ("get", decision, "/v1/models/no/decision?runtime=phones"), &[], b"", 404);
    let posted = ("post", decision, "/v1/models/gelu/decision");
    held.ask(client, posted, json, profile.as_bytes(), 200);
    add_runtime(client, "servers", "torch@2.15", 90);
    let plan = "/v1/models/{model}/plan";
    let path = "/v1/models/gelu/plan?max=2&what_if=without=aten::gelu,servers&any_version=true";
    held.ask(client, ("get", plan, path), &later, b"", 202);
    held.ask(client, ("get", plan, path), &[], b"", 200);
}

fn artifacts(held: &mut Held, client: &mut ServiceClient, digest: &Digest) {
    let about = format!("/v1/artifacts/{digest}");
    held.ask(client, ("get", "/v1/artifacts/{digest}", &about), &[], b"", 200);
    let (template, content) = ("/v1/artifacts/{digest}/content", format!("{about}/content"));
    held.ask(client, ("get", template, &content), &[], b"", 200);
    held.ask(client, ("get", template, &content), &[("range", "bytes=1-2")], b"", 206);
    held.ask(client, ("get", template, &content), &[("range", "bytes=1-2,5-6")], b"", 416);
    let etag = format!("\"{digest}\"");
    held.ask(client, ("get", template, &content), &[("if-none-match", &etag)], b"", 304);
    let (template, file) = ("/v1/artifacts/{digest}/files/{path}", format!("{about}/files/x"));
    held.ask(client, ("get", template, &file), &[], b"", 404);
}

fn rest(held: &mut Held, client: &mut ServiceClient, json: &[(&str, &str)]) {
    let asked = json!({ "kind": "decision", "model": "gelu", "runtime": "servers" }).to_string();
    let begun = held.ask(client, ("post", "/v1/jobs", "/v1/jobs"), json, asked.as_bytes(), 202);
    let job = begun.header("location").unwrap().to_owned();
    held.ask(client, ("get", "/v1/jobs/{job}", &job), &[], b"", 200);
    held.ask(client, ("get", "/v1/jobs/{job}", "/v1/jobs/999999"), &[], b"", 404);
    held.ask(client, ("delete", "/v1/jobs/{job}", "/v1/jobs/999999"), &[], b"", 404);
    held.ask(client, ("get", "/v1/jobs", "/v1/jobs"), &[], b"", 200);
    held.ask(client, ("get", "/v1/audit", "/v1/audit"), &[], b"", 200);
    held.ask(client, ("get", "/v1/tokens", "/v1/tokens"), &[], b"", 200);
    let new = json!({ "name": "ops", "role": "admin" }).to_string();
    let made = held.ask(client, ("post", "/v1/tokens", "/v1/tokens"), json, new.as_bytes(), 201);
    let token = made.json()["token"].as_str().unwrap().to_owned();
    held.ask(client, ("get", "/v1/tokens", "/v1/tokens"), &[], b"", 401);
    *client = ServiceClient::new(client.address()).with_token(&token);
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let other = json!({ "name": "other", "role": "read", "days": 3 }).to_string();
    let other = client.send("POST", "/v1/tokens", json, other.as_bytes()).unwrap().json();
    let place = format!("/v1/tokens/{}", other["id"].as_str().unwrap());
    held.ask(client, ("delete", "/v1/tokens/{token}", &place), &[], b"", 204);
    held.ask(client, ("delete", "/v1/tokens/{token}", &place), &[], b"", 404);
    assert!(client.get("/v1/tokens").unwrap().text().contains(&id));
}
