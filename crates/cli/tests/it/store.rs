//! The verbs on artifacts in a real S3 server.

use std::path::Path;
use std::process::{Command, Output};

use unskew_test_servers::{S3Server, WebServer};

fn examples() -> &'static Path {
    Path::new(concat!(env!("UNSKEW_ROOT"), "/examples"))
}

fn unskew(server: &S3Server, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.args(arguments).args(["--as-of", "2026-11-01"]).envs(server.settings());
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn artifacts_in_a_bucket_are_judged_as_files_are() {
    if !S3Server::there() {
        return;
    }
    let server = S3Server::start().unwrap();
    server.make_bucket("bucket").unwrap();
    for name in ["gelu-2.15.0.pt", "add-cast.pb"] {
        server
            .put(&format!("/bucket/models/{name}"), &std::fs::read(examples().join(name)).unwrap())
            .unwrap();
    }
    let uri = "s3://bucket/models/gelu-2.15.0.pt";
    let there = unskew(&server, &["inspect", uri]);
    let file = examples().join("gelu-2.15.0.pt");
    let here = unskew(&server, &["inspect", file.to_str().unwrap()]);
    assert_eq!(there.status.code(), Some(0), "{}", said(&there));
    assert_eq!(
        said(&there).replace(uri, "FILE"),
        said(&here).replace(file.to_str().unwrap(), "FILE")
    );
    let verdict = unskew(&server, &["check", uri, "--with", "torch@1.10", "--format", "concise"]);
    assert_eq!(verdict.status.code(), Some(1), "{}", said(&verdict));
    let folder = unskew(
        &server,
        &["matrix", "s3://bucket/models", "--with", "torch@2.15", "tensorflow@2.15"],
    );
    assert!(said(&folder).contains("add-cast.pb"), "{}", said(&folder));
    let missing = unskew(&server, &["inspect", "s3://bucket/none.pt"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(said(&missing).contains("s3://bucket/none.pt: no such object"), "{}", said(&missing));

    let scan = ["scan", "s3://bucket/models", "--with", "torch@2.15", "-o", "s3://bucket/table"];
    let first = unskew(&server, &scan);
    assert!(said(&first).starts_with("2 artifacts judged; "), "{}", said(&first));
    let again = unskew(&server, &scan);
    assert!(
        said(&again).starts_with("0 artifacts judged, 2 were in the table"),
        "{}",
        said(&again)
    );
    asked(&server);
}

/// The table is asked where the command can, and says what to do where it cannot.
fn asked(server: &S3Server) {
    let sql =
        "select runtime, verdict, count(*) as n from scan where runtime is not null group by 1, 2";
    let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
    command.args(["scan", "query", sql, "s3://bucket/table", "--format", "json"]);
    let answer = command.envs(server.settings()).output().unwrap();
    if cfg!(feature = "query") {
        let expected = "{\"runtime\":\"torch@2.15.0\",\"verdict\":\"compatible\",\"n\":1}\n";
        assert_eq!(said(&answer), expected);
    } else {
        assert_eq!(answer.status.code(), Some(2));
        assert!(said(&answer).contains("--features query"), "{}", said(&answer));
    }
}

#[test]
fn a_file_of_a_web_server_is_scanned_over_tls_if_its_certificate_is_trusted() {
    if !WebServer::there() {
        return;
    }
    let table = tempfile::tempdir().unwrap();
    let server = WebServer::start_secret(examples()).unwrap();
    let uri = format!("{}/gelu-2.15.0.pt", server.endpoint());
    let run = |certificate: Option<std::path::PathBuf>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unskew"));
        command.args(["scan", &uri, "--with", "torch@2.15", "-o"]).arg(table.path());
        command.args(["--as-of", "2026-11-01"]).env_remove("SSL_CERT_DIR");
        command.envs(certificate.map(|file| ("SSL_CERT_FILE", file))).output().unwrap()
    };
    let refused = run(None);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(said(&refused).contains("certificate"), "{}", said(&refused));
    let scanned = run(Some(server.certificate()));
    assert!(said(&scanned).starts_with("1 artifacts judged; "), "{}", said(&scanned));
}
