//! The database is gone, the disk is full, and clients send nonsense.

use std::process::Command;

use serde_json::json;
use unskew_fleet::store::{Database as _, Sqlite};
use unskew_fleet_service::client::ServiceClient;
use unskew_test_servers::{PostgreSql, S3Server};

use super::served::{Served, add_runtime, begin, code, command, example, piece, publish, until};

#[test]
fn a_database_that_was_away_is_found_again() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &[]);
    let mut client = served.client();
    add_runtime(&mut client, "before", "torch@2.1", 1);
    // Somebody writes for longer than anybody waits.
    let mut other = Sqlite::open(&store.path().join("fleet.db")).unwrap();
    other.run_all("BEGIN IMMEDIATE").unwrap();
    let profile = json!({ "fleet_runtime": 1, "name": "x", "release": "torch@2.1" });
    let refused = client.send_json("PUT", "/v1/runtimes/x", &profile).unwrap();
    assert_eq!((refused.status, code(&refused).as_str()), (503, "FL018"), "{}", refused.text());
    assert!(refused.header("retry-after").is_some());
    assert_eq!(client.get("/health").unwrap().status, 200, "the process lives");
    assert_eq!(client.get("/v1/runtimes/before").unwrap().status, 200, "and others read");
    other.run_all("ROLLBACK").unwrap();
    let put = client.send_json("PUT", "/v1/runtimes/x", &profile).unwrap();
    assert_eq!(put.status, 201, "nothing of the first was kept: {}", put.text());
}

#[test]
fn a_database_server_and_an_object_store_that_were_away_are_found_again() {
    let Some(mut postgres) = PostgreSql::start(&[]) else { return };
    let objects = match S3Server::start() {
        Ok(objects) => objects,
        Err(error) => return eprintln!("SKIPPED: {error}"),
    };
    objects.make_bucket("away").unwrap();
    let (store, database) = (tempfile::tempdir().unwrap(), postgres.database());
    let mut command = command(store.path());
    let secret = database.replace("postgres@", "postgres:secret@");
    command.args(["serve", "--listen", "127.0.0.1:0", "--log", "off", "--database", &secret]);
    command.args(["--artifacts", "s3://away/fleet"]).envs(objects.settings());
    let served = Served::of(command);
    let mut client = served.client();
    add_runtime(&mut client, "phones", "torch@1.10", 5);
    let model = example("examples/gelu-2.15.0.pt");
    let published = publish(&mut client, "gelu", "gelu.pt", &model);
    let place = format!("/v1/artifacts/{}/content", published["artifact"].as_str().unwrap());
    assert_eq!(client.get(&place).unwrap().body, model);
    let open = begin(&mut client, "gelu", "gelu.pt", &model);
    assert_eq!(piece(&mut client, &open, 0, &model[..100]).status, 204);
    let decide = "/v1/models/gelu/decision?runtime=phones&as_of=2999-01-01";
    let decision = client.get(decide).unwrap();
    assert_eq!(decision.json()["decision"], "converted", "{}", decision.text());

    for crash in [false, true] {
        postgres.end(crash);
        for (method, path) in [("GET", decide), ("GET", "/v1/models"), ("GET", "/ready")] {
            let away = client.send(method, path, &[], b"").unwrap();
            assert_eq!((away.status, code(&away).as_str()), (503, "FL018"), "{path}");
            assert!(away.header("retry-after").is_some(), "{path}");
            let said = away.text();
            assert!(said.contains("does not answer") && !said.contains("secret"), "{said}");
        }
        let away = piece(&mut client, &open, 100, &model[100..]);
        assert_eq!((away.status, code(&away).as_str()), (503, "FL018"), "{}", away.text());
        assert_eq!(client.get("/health").unwrap().status, 200, "the process lives");
        postgres.begin();
        until("it is ready again", || (client.get("/ready").unwrap().status == 200).then_some(()));
        assert_eq!(client.get(decide).unwrap().text(), decision.text());
        let far = client.send("HEAD", &open, &[], b"").unwrap();
        assert_eq!(far.header("upload-offset"), Some("100"), "nothing came meanwhile");
    }
    assert_eq!(piece(&mut client, &open, 100, &model[100..]).status, 204);

    drop(objects);
    for (method, path) in [("GET", place.as_str()), ("POST", &format!("{open}/finish"))] {
        let away = client.send(method, path, &[], b"").unwrap();
        assert_eq!((away.status, code(&away).as_str()), (503, "FL018"), "{path}");
    }
    let far = client.send("HEAD", &open, &[], b"").unwrap();
    assert_eq!(far.header("upload-offset"), Some(&*model.len().to_string()), "it is kept");
    assert_eq!(client.get(decide).unwrap().text(), decision.text(), "what is known is answered");
}

/// The command on a disk of two megabytes of its own, where the system lets a user make one.
pub fn on_a_small_disk(store: &std::path::Path, args: &[&str]) -> Option<Command> {
    let mut probe = Command::new("unshare");
    let probe = probe.args(["-Urm", "mount", "-t", "tmpfs", "none"]).arg(store).output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        eprintln!(
            "SKIPPED: no disk of its own without `unshare -Urm` (util-linux, user namespaces)"
        );
        return None;
    }
    let served = command(store);
    let mut small = Command::new("unshare");
    let script = "mount -t tmpfs -o size=2m none \"$UNSKEW_FLEET\" && exec \"$0\" \"$@\"";
    small.args(["-Urm", "sh", "-c", script]).arg(served.get_program());
    small.args(["fleet", "serve", "--listen", "127.0.0.1:0", "--log", "warn"]).args(args);
    small.current_dir(unskew_peers::root()).env("UNSKEW_FLEET", store);
    Some(small)
}

#[test]
fn a_full_disk_loses_nothing() {
    let store = tempfile::tempdir().unwrap();
    let Some(command) = on_a_small_disk(store.path(), &[]) else { return };
    let served = Served::of(command);
    let mut client = served.client();
    let model = example("examples/gelu-2.15.0.pt");
    publish(&mut client, "gelu", "gelu.pt", &model);
    let large = vec![7; 4 << 20];
    let place = begin(&mut client, "large", "large.pt", &large);
    let full = piece(&mut client, &place, 0, &large);
    assert_eq!((full.status, code(&full).as_str()), (507, "FL020"), "{}", full.text());
    let far = client.send("HEAD", &place, &[], b"").unwrap();
    assert_eq!(far.header("upload-offset"), Some("0"), "nothing of it was kept");
    assert_eq!(client.get("/v1/models").unwrap().json()[0]["name"], "gelu");
    assert_eq!(client.send("DELETE", &place, &[], b"").unwrap().status, 204);
    publish(&mut client, "again", "gelu.pt", &model);
}

#[test]
fn nonsense_is_answered_with_what_is_wrong() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &["--max-body", "1KiB"]);
    let mut client = served.client();
    let json = [("content-type", "application/json")];
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(2000));
    for (method, path, headers, body, status, what) in [
        ("GET", "/nothing", &[][..], "", 404, "FL004"),
        ("DELETE", "/v1/models", &[], "", 405, "FL005"),
        ("PUT", "/v1/runtimes/x", &json, "{", 422, "FL012"),
        ("PUT", "/v1/runtimes/x", &[], "{}", 415, "FL010"),
        ("PUT", "/v1/runtimes/x", &json, &large, 413, "FL009"),
        (
            "PUT",
            "/v1/runtimes/x",
            &json,
            r#"{"fleet_runtime":1,"release":"torch@99"}"#,
            422,
            "FL012",
        ),
        ("POST", "/v1/uploads", &json, r#"{"model":"m"}"#, 400, "FL001"),
        ("POST", "/v1/jobs", &json, "[]", 400, "FL001"),
        ("GET", "/v1/jobs/first", &[], "", 404, "FL004"),
        ("GET", "/v1/runtimes?x=y", &[], "", 400, "FL001"),
        ("DELETE", "/v1/runtimes/x", &[], "", 404, "FL004"),
        ("PATCH", "/v1/uploads/x", &[], "x", 400, "FL001"),
    ] {
        let answer = client.send(method, path, headers, body.as_bytes()).unwrap();
        assert_eq!((answer.status, code(&answer).as_str()), (status, what), "{method} {path}");
    }
    let named = client.send("GET", "/nothing", &[("x-request-id", "mine-7")], b"").unwrap();
    assert_eq!(named.json()["request"], "mine-7");
    let odd = client.send("GET", "/nothing", &[("x-request-id", "a b\"c")], b"").unwrap();
    assert_ne!(odd.json()["request"], "a b\"c");
    let mut raw = ServiceClient::new(served.address);
    let answer = raw.raw(b"nonsense\r\n\r\n", false).unwrap();
    assert_eq!(answer.status, 400);
    assert_eq!(client.get("/health").unwrap().status, 200);
}
