//! Decisions, plans, and jobs that compute them.

use serde_json::json;
use unskew_fleet_service::client::ServiceClient;

use super::served::{Served, add_runtime, code, example, printed, publish, until};

/// A fleet of three runtimes and a model of one version.
fn filled(client: &mut ServiceClient) {
    add_runtime(client, "phones", "torch@1.10", 400);
    add_runtime(client, "servers", "torch@2.15", 900);
    add_runtime(client, "other", "tensorflow@2.15", 5);
    publish(client, "gelu", "gelu-2.15.0.pt", &example("examples/gelu-2.15.0.pt"));
}

const ASYNC: [(&str, &str); 1] = [("prefer", "respond-async")];

#[test]
fn a_decision_over_http_is_that_of_the_command() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &[]);
    let mut client = served.client();
    filled(&mut client);
    let place = "/v1/models/gelu/decision?runtime=phones&as_of=2999-01-01";
    let first = client.get(place).unwrap();
    assert_eq!(first.status, 200, "{}", first.text());
    let again = client.get(place).unwrap();
    assert_eq!(first.body, again.body, "byte for byte");
    assert_eq!(first.header("x-answer"), Some("computed"));
    assert_eq!(again.header("x-answer"), None);
    let decision = first.json();
    assert_eq!(decision["decision"], "converted");
    let args =
        ["decide", "gelu", "--runtime", "phones", "--as-of", "2999-01-01", "--format", "json"];
    let command: serde_json::Value = serde_json::from_str(&printed(store.path(), &args)).unwrap();
    assert_eq!(command["deliver"], decision["deliver"]);

    let artifact = decision["deliver"]["artifact"].as_str().unwrap();
    let described = client.get(&format!("/v1/artifacts/{artifact}")).unwrap().json();
    assert_eq!(described["made_from"], decision["deliver"]["made_from"]);
    assert_eq!(described["size"], decision["deliver"]["size"]);

    let profile = json!({ "fleet_runtime": 1, "name": "cut", "release": "torch@2.1", "without": ["aten::gelu"] });
    let cut = client.send_json("POST", "/v1/models/gelu/decision", &profile).unwrap();
    assert_eq!((cut.status, cut.json()["decision"].as_str()), (200, Some("nothing")));
    let before = client.get("/v1/models/gelu/decision?runtime=phones&as_of=2020-01-01").unwrap();
    assert_ne!(before.json()["decision"], "converted", "nothing was published by then");
    for (path, status) in [
        ("/v1/models/gelu/decision", 400),
        ("/v1/models/gelu/decision?runtime=fones", 404),
        ("/v1/models/glue/decision?runtime=phones", 404),
        ("/v1/models/gelu/decision?runtime=phones&as_of=yesterday", 400),
        ("/v1/models/gelu/decision?runtime=phones&deny=all", 400),
        ("/v1/models/gelu/decision?runtime=phones&asof=2026-01-01", 400),
        ("/v1/models/gelu/decision?runtime=phones&accept_unjudged=perhaps", 400),
        ("/v1/models/gelu/plan?what_if=fly=x", 400),
        ("/v1/models/gelu/plan?what_if=window=torch.file_format,3", 400),
        ("/v1/models/gelu/plan?what_if=window=no.such.axis,1,2", 422),
    ] {
        let refused = client.get(path).unwrap();
        assert_eq!(refused.status, status, "{path}");
        code(&refused);
    }
}

#[test]
fn a_window_that_moves_and_a_loss_that_is_accepted_change_the_answer() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &[]);
    let mut client = served.client();
    add_runtime(&mut client, "servers", "torch@2.15", 90);
    publish(&mut client, "gelu", "gelu.pt", &example("examples/gelu-2.15.0.pt"));
    for (query, way) in [("", "as is"), ("?what_if=window=torch.file_format,3,9", "converted")] {
        let plan = client.get(&format!("/v1/models/gelu/plan{query}")).unwrap();
        assert_eq!(plan.status, 200, "{}", plan.text());
        let plan = plan.json();
        let served = plan["runtimes"][0]["served_by"].as_u64().unwrap() as usize;
        assert_eq!(plan["candidates"][served]["way"], way, "{query}");
    }
    add_runtime(&mut client, "old", "tensorflow@2.4", 5);
    let product = example("examples/matmul-gradient.pbtxt");
    publish(&mut client, "product", "product.pbtxt", &product);
    for (query, decision) in [("", "nothing"), ("&accept_lossy=true", "converted")] {
        let place = format!("/v1/models/product/decision?runtime=old{query}");
        let decided = client.get(&place).unwrap().json();
        assert_eq!(decided["decision"], decision, "{decided}");
        assert_eq!(decided["policy"]["accept_lossy"], !query.is_empty());
    }
}

#[test]
fn a_job_computes_what_nobody_waits_for() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &[]);
    let mut client = served.client();
    filled(&mut client);
    let place = "/v1/models/gelu/plan?what_if=drop=other&max=2";
    let begun = client.send("GET", place, &ASYNC, b"").unwrap();
    assert_eq!(begun.status, 202, "{}", begun.text());
    assert_eq!(begun.header("preference-applied"), Some("respond-async"));
    let job = begun.header("location").unwrap().to_owned();
    let done = until("the job is done", || {
        let job = client.send("GET", &job, &[("prefer", "wait=5")], b"").unwrap().json();
        assert_ne!(job["state"], "failed", "{job}");
        (job["state"] == "done").then_some(job)
    });
    assert_eq!((&done["done"], &done["total"]), (&json!(3), &json!(3)));
    let plan = client.get(done["answer"].as_str().unwrap()).unwrap();
    assert_eq!((plan.status, plan.json()["servable"].as_u64()), (200, Some(1300)));
    let over = client.send("DELETE", &job, &[], b"").unwrap();
    assert_eq!((over.status, code(&over).as_str()), (409, "FL007"));

    let known = client.send("GET", "/v1/models/gelu/decision?runtime=phones", &ASYNC, b"").unwrap();
    assert_eq!(known.status, 200, "the plan has asked it already");
    let asked = json!({ "kind": "decision", "model": "gelu", "runtime": "nobody" });
    assert_eq!(client.send_json("POST", "/v1/jobs", &asked).unwrap().status, 404);
    assert_eq!(
        client.send_json("POST", "/v1/jobs", &json!({ "kind": "party" })).unwrap().status,
        400
    );
}

#[test]
fn a_job_waits_for_a_process_that_computes_and_survives_one_that_dies() {
    let store = tempfile::tempdir().unwrap();
    let idle = Served::start(store.path(), &["--jobs", "0"]);
    let mut client = idle.client();
    filled(&mut client);
    let begun = client.get("/v1/models/gelu/decision?runtime=phones").unwrap();
    assert_eq!(begun.status, 202, "this process computes nothing: {}", begun.text());
    let same = client.get("/v1/models/gelu/decision?runtime=phones").unwrap();
    assert_eq!(begun.header("location"), same.header("location"), "one job for the same");
    let job = begun.header("location").unwrap().to_owned();

    // As if a process had claimed it and was killed.
    let mut store_of_dead =
        unskew_fleet::store::Store::open(&store.path().join("fleet.db").display().to_string())
            .unwrap();
    let claimed = store_of_dead.claim_job("dead", &[], "2026-01-01T00:00:00Z").unwrap().unwrap();
    assert_eq!(claimed.attempts, 1);
    assert_eq!(client.get(&job).unwrap().json()["state"], "running");
    let worker = Served::start(store.path(), &["--lease", "1"]);
    let done = until("the job is taken over and done", || {
        let job = client.get(&job).unwrap().json();
        (job["state"] == "done").then_some(job)
    });
    assert_eq!(done["attempts"], 2);
    assert!(
        !store_of_dead
            .end_job(claimed.number, "dead", unskew_fleet::store::JobState::Failed, None, "x")
            .unwrap()
    );
    let known = client.get("/v1/models/gelu/decision?runtime=phones").unwrap();
    assert_eq!(known.status, 200, "what one process computed, all know");
    drop(worker);
}
