//! What clients are told when things go wrong names nothing of the inside: no path, no statement of SQL, no program.

use std::path::{Path, PathBuf};

use serde_json::json;
use unskew_fleet::store::{Database as _, Sqlite};
use unskew_fleet_service::client::{ServiceClient, ServiceResponse};
use unskew_fleet_service::routes;
use unskew_fleet_service::verb::HttpMethod;

use super::served::{Served, add_runtime, begin, code, example, piece, publish};
use super::trouble::on_a_small_disk;

/// The name of the folder that has everything.
const SECRET: &str = "xyzzy-inside";

/// What no answer has.
const INSIDE: [&str; 9] = [
    SECRET,
    "fleet.db",
    "staging/",
    "/tmp",
    "SELECT ",
    "no such table",
    "sqlite",
    "__inspect",
    "os error",
];

/// A client that looks at everything that it is told.
struct Looking {
    client: ServiceClient,
    codes: Vec<String>,
}

impl Looking {
    fn at(served: &Served) -> Self {
        Self { client: served.client(), codes: Vec::new() }
    }

    fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> ServiceResponse {
        let answer = self.client.send(method, path, headers, body).unwrap();
        self.looked(method, path, answer)
    }

    fn looked(&mut self, method: &str, path: &str, answer: ServiceResponse) -> ServiceResponse {
        let text = answer.text();
        for inside in INSIDE {
            // What the client sent itself may come back.
            let told = text.contains(inside) && !path.contains(inside);
            let head = answer.headers.iter().any(|(_, value)| value.contains(inside));
            let at = text.find(inside).unwrap_or_default();
            let around = text.chars().skip(at.saturating_sub(200)).take(400).collect::<String>();
            assert!(
                !told && !head,
                "{method} {path} tells {inside}: {:?} {around}",
                answer.headers
            );
        }
        if answer.header("content-type") == Some("application/problem+json") {
            self.codes.push(code(&answer));
        }
        answer
    }

    /// Asks every endpoint for what is there, and sends nonsense to those that take something.
    fn ask_all(&mut self, model: &str, artifact: &str, upload: &str) {
        let json = [("content-type", "application/json")];
        for endpoint in routes::routed() {
            let path = endpoint
                .path
                .replace("{artifact}", artifact)
                .replace("{digest}", artifact)
                .replace("{model}", model)
                .replace("{upload}", upload)
                .replace("{*name}", model)
                .replace("{name}", model)
                .replace("{version}", "1")
                .replace("{runtime}", "phones")
                .replace("{job}", "1");
            let path = match endpoint.name {
                "page.decision" => format!("{path}?model={model}&runtime=phones"),
                name if name.contains("decision") => format!("{path}?runtime=phones"),
                _ => path,
            };
            let profile = json!({ "fleet_runtime": 1, "name": "phones", "release": "torch@1.10" });
            let body = profile.to_string();
            match endpoint.verb {
                HttpMethod::Get => _ = self.send("GET", &path, &[], b""),
                HttpMethod::Head => _ = self.send("HEAD", &path, &[], b""),
                HttpMethod::Put => _ = self.send("PUT", &path, &json, body.as_bytes()),
                HttpMethod::Patch => _ = self.send("PATCH", &path, &[("upload-offset", "0")], b"x"),
                HttpMethod::Delete => {}
                HttpMethod::Post => {
                    for body in ["{", "{}", r#"{"model":"m","runtime":"phones"}"#] {
                        self.send("POST", &path, &json, body.as_bytes());
                    }
                    let form = [("content-type", "multipart/form-data; boundary=XX")];
                    let file = "--XX\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nm\r\n--XX\r\n\
                                Content-Disposition: form-data; name=\"file\"; filename=\"m.pt\"\r\n\r\nno\r\n--XX--\r\n";
                    self.send("POST", &path, &form, file.as_bytes());
                }
            }
        }
    }

    fn saw(&self, wanted: &[&str]) {
        for code in wanted {
            assert!(
                self.codes.iter().any(|seen| seen == code),
                "{code} was not provoked: {:?}",
                self.codes
            );
        }
    }
}

/// A fleet with a model, a runtime and an open upload: its folder, the artifact, and the upload.
fn filled(folder: &Path) -> (PathBuf, String, String) {
    let store = folder.join(SECRET);
    std::fs::create_dir(&store).unwrap();
    let served = Served::start(&store, &[]);
    let mut client = served.client();
    let model = example("examples/gelu-2.15.0.pt");
    let published = publish(&mut client, "gelu", "gelu.pt", &model);
    add_runtime(&mut client, "phones", "torch@1.10", 1);
    let upload = begin(&mut client, "open", "open.pt", &model);
    assert_eq!(piece(&mut client, &upload, 0, &model).status, 204);
    let artifact = published["artifact"].as_str().unwrap().to_owned();
    (store, artifact, upload.rsplit('/').next().unwrap().to_owned())
}

#[test]
fn a_service_on_which_all_is_well_names_nothing_of_its_inside() {
    let folder = tempfile::tempdir().unwrap();
    let (store, artifact, upload) = filled(folder.path());
    let served = Served::start(&store, &[]);
    let mut looking = Looking::at(&served);
    looking.ask_all("gelu", &artifact, &upload);
    looking.ask_all("nothing", &artifact.replace('a', "b"), "nothing");
    // What is uploaded is refused under its own name.
    for bytes in [&b"not a model"[..], &example("examples/gelu-2.15.0.pt")[..1000]] {
        let upload = begin(&mut looking.client, "m", "broken.pt", bytes);
        let sent = piece(&mut looking.client, &upload, 0, bytes);
        looking.looked("PATCH", &upload, sent);
        let refused = looking.send("POST", &format!("{upload}/finish"), &[], b"");
        assert_eq!(refused.status, 422, "{}", refused.text());
    }
    looking.send("GET", "/v1/audit", &[], b"");
    looking.saw(&["FL001", "FL004", "FL010", "FL012"]);
}

#[test]
fn a_database_that_fails_tells_nothing_of_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (store, artifact, upload) = filled(folder.path());
    let served = Served::start(&store, &[]);
    let mut looking = Looking::at(&served);
    // Tables that are gone: no statement works, and each has its text.
    let mut other = Sqlite::open(&store.join("fleet.db")).unwrap();
    let tables = [
        "models",
        "versions",
        "runtimes",
        "artifacts",
        "uploads",
        "pieces",
        "jobs",
        "answers",
        "audit",
        "tokens",
    ];
    other.run_all("PRAGMA foreign_keys=OFF").unwrap();
    let gone = tables.iter().filter(|table| other.run_all(&format!("DROP TABLE {table}")).is_ok());
    let gone = gone.count();
    assert!(gone >= 3, "{gone}");
    looking.ask_all("gelu", &artifact, &upload);
    looking.saw(&["FL017"]);
}

#[test]
fn artifacts_that_are_gone_tell_nothing_of_where_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let (store, artifact, upload) = filled(folder.path());
    let served = Served::start(&store, &[]);
    let mut looking = Looking::at(&served);
    let artifacts = store.join("artifacts");
    let away = store.join("away");
    // The pieces of the upload, then everything, then a file where the folder was.
    std::fs::remove_dir_all(artifacts.join("staging").join(&upload)).unwrap();
    let lost = looking.send("POST", &format!("/v1/uploads/{upload}/finish"), &[], b"");
    assert_eq!((lost.status, code(&lost).as_str()), (409, "FL007"), "{}", lost.text());
    std::fs::rename(&artifacts, &away).unwrap();
    looking.ask_all("gelu", &artifact, &upload);
    let _ = std::fs::remove_dir_all(&artifacts);
    std::fs::write(&artifacts, "no folder").unwrap();
    looking.ask_all("gelu", &artifact, &upload);
    let next = begin(&mut looking.client, "next", "next.pt", &[7; 9]);
    let refused = piece(&mut looking.client, &next, 0, &[7; 9]);
    let refused = looking.looked("PATCH", &next, refused);
    assert_eq!((refused.status, code(&refused).as_str()), (503, "FL018"), "{}", refused.text());
    looking.saw(&["FL007", "FL017", "FL018"]);
}

#[test]
fn a_full_disk_does_not_tell_which_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join(SECRET);
    std::fs::create_dir(&store).unwrap();
    let Some(command) = on_a_small_disk(&store, &[]) else { return };
    let served = Served::of(command);
    let mut looking = Looking::at(&served);
    let model = example("examples/gelu-2.15.0.pt");
    let published = publish(&mut looking.client, "gelu", "gelu.pt", &model);
    let artifact = published["artifact"].as_str().unwrap().to_owned();
    let large = vec![7; 4 << 20];
    let upload = begin(&mut looking.client, "large", "large.pt", &large);
    let full = piece(&mut looking.client, &upload, 0, &large);
    let full = looking.looked("PATCH", &upload, full);
    assert_eq!((full.status, code(&full).as_str()), (507, "FL020"), "{}", full.text());
    let body = format!(
        "--XX\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nm\r\n--XX\r\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"m.pt\"\r\n\r\n{}\r\n--XX--\r\n",
        "x".repeat(4 << 20)
    );
    let form = [("content-type", "multipart/form-data; boundary=XX")];
    let page = looking.send("POST", "/publish", &form, body.as_bytes());
    assert_eq!(page.status, 507, "{}", page.text());
    // What is left of the disk goes too, until the database has no room.
    for number in 0..40 {
        let part = vec![number; 64 << 10];
        let upload = begin_or_full(&mut looking, &part);
        let Some(upload) = upload else { break };
        let sent = piece(&mut looking.client, &upload, 0, &part);
        looking.looked("PATCH", &upload, sent);
    }
    looking.ask_all("gelu", &artifact, upload.rsplit('/').next().unwrap());
    looking.saw(&["FL020"]);
}

/// An upload, unless the database has no room for it.
fn begin_or_full(looking: &mut Looking, bytes: &[u8]) -> Option<String> {
    let new = json!({
        "model": "m", "file": "m.pt", "size": bytes.len(), "digest": unskew_fleet::Digest::sha256(bytes),
    });
    let begun = looking.client.send_json("POST", "/v1/uploads", &new).unwrap();
    let begun = looking.looked("POST", "/v1/uploads", begun);
    begun.header("location").map(str::to_owned)
}
