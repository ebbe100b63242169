//! Processes on one database whose clocks are off by a month: real ones, whose clock on the wall is another one.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use unskew_core::Date;
use unskew_peers::root;
use unskew_test_servers::PostgreSql;

use super::served::{Served, add_runtime, begin, command, example, piece, until};

const MONTH: i64 = 30 * 24 * 3600;

/// A library that makes a clock for a process; none, said aloud, where nobody compiles it.
fn clock(folder: &Path) -> Option<PathBuf> {
    let (source, library) =
        (root().join("crates/cli/tests/files/clock.c"), folder.join("clock.so"));
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source);
    match compiler.output() {
        Ok(output) if output.status.success() && cfg!(target_os = "linux") => Some(library),
        other => {
            eprintln!("SKIPPED: no C compiler for a clock: {other:?}");
            None
        }
    }
}

/// Whether two days are one, or two between which midnight came.
fn about_one(later: &Value, earlier: &Value) -> bool {
    let day = |value: &Value| value.as_str().unwrap().parse::<Date>().unwrap();
    [day(earlier), day(earlier).tomorrow().unwrap()].contains(&day(later))
}

#[test]
fn clocks_that_differ_lose_nothing_and_do_nothing_twice() {
    let store = tempfile::tempdir().unwrap();
    let Some(postgres) = PostgreSql::shared() else { return };
    let Some(library) = clock(store.path()) else { return };
    let database = postgres.database();
    let on_the_database = |ahead: i64| {
        let mut command = command(store.path());
        command.env("UNSKEW_FLEET_DATABASE", &database);
        if ahead != 0 {
            command.env("LD_PRELOAD", &library).env("CLOCK_AHEAD", ahead.to_string());
        }
        command
    };
    let serve = |ahead: i64, jobs: &str| {
        let mut command = on_the_database(ahead);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "error", "--lease", "1"]);
        command.args(["--jobs", jobs]);
        Served::of(command)
    };
    // Whoever makes it lives in the past, where it ends before today begins.
    let made = on_the_database(-MONTH)
        .args(["token", "create", "ops", "--role", "admin", "--days", "2"])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let token = String::from_utf8(made.stdout).unwrap().trim().to_owned();

    let right = serve(0, "0");
    let mut now = right.client().with_token(&token);
    let model = example("examples/gelu-2.15.0.pt");
    let open = begin(&mut now, "gelu", "gelu.pt", &model);
    assert_eq!(piece(&mut now, &open, 0, &model[..100]).status, 204);

    // In the future everything is old. It sweeps when it begins, before it takes a job.
    let future = serve(MONTH, "1");
    let mut later = future.client().with_token(&token);
    assert_eq!(later.get("/v1/tokens").unwrap().status, 200, "the token is still good");
    add_runtime(&mut later, "phones", "torch@1.10", 5);
    let job = json!({ "kind": "decision", "model": "none", "runtime": "phones" });
    assert_eq!(later.send_json("POST", "/v1/jobs", &job).unwrap().status, 404);
    let far = now.send("HEAD", &open, &[], b"").unwrap();
    assert_eq!(
        (far.status, far.header("upload-offset")),
        (200, Some("100")),
        "it is not swept away"
    );
    assert_eq!(piece(&mut later, &open, 100, &model[100..]).status, 204);
    let done = later.send("POST", &format!("{open}/finish"), &[], b"").unwrap();
    assert_eq!(done.status, 200, "{}", done.text());

    // What is published there is there for those of today, and for those of the past, who compute it once.
    let past = serve(-MONTH, "1");
    let mut before = past.client().with_token(&token);
    let versions = now.get("/v1/models/gelu/versions").unwrap().json();
    assert_eq!(versions.as_array().unwrap().len(), 1);
    let asked = [("prefer", "respond-async")];
    let begun = before.send("GET", "/v1/models/gelu/plan", &asked, b"").unwrap();
    assert_eq!(begun.status, 202, "{}", begun.text());
    let job = begun.header("location").unwrap().to_owned();
    let job = until("the job is done", || {
        let job = now.get(&job).unwrap().json();
        (job["state"] == "done").then_some(job)
    });
    assert_eq!(job["attempts"], 1, "nobody took it from whoever had it: {job}");
    for client in [&mut before, &mut now, &mut later] {
        let decision = client.get("/v1/models/gelu/decision?runtime=phones").unwrap();
        assert_eq!(decision.status, 200, "{}", decision.text());
        let decision = decision.json();
        assert_eq!(decision["decision"], "converted", "{decision}");
        assert!(about_one(&decision["as_of"], &versions[0]["published"]), "one day for all");
    }
    // A command of the future adds nothing to days that have not come.
    let mut add = on_the_database(MONTH);
    add.args(["model", "add", "late"]).arg(root().join("examples/gelu-2.15.0.pt"));
    let added = add.output().unwrap();
    assert!(added.status.success(), "{added:?}");
    let late = now.get("/v1/models/late/versions").unwrap().json();
    assert!(about_one(&late[0]["published"], &versions[0]["published"]), "{late}");

    let log = now.get("/v1/audit").unwrap().json();
    let published = |row: &&Value| row["act"] == "model.publish";
    assert_eq!(log.as_array().unwrap().iter().filter(published).count(), 1, "{log}");
}
