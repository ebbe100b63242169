//! Who may come in.

use serde_json::json;
use unskew_fleet_service::client::ServiceClient;

use super::served::{Served, add_runtime, code, command, printed};

#[test]
fn without_a_token_the_service_stays_on_the_loopback() {
    let store = tempfile::tempdir().unwrap();
    let refused = command(store.path()).args(["serve", "--listen", "0.0.0.0:0"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("unskew fleet token create"), "{said}");

    let served = Served::start(store.path(), &[]);
    let mut client = served.client();
    assert_eq!(client.get("/v1/runtimes").unwrap().status, 200);
    let get =
        |host: &str| format!("GET /v1/runtimes HTTP/1.1\r\nhost: {host}\r\n\r\n").into_bytes();
    let other = client.raw(&get("rebound.example"), false).unwrap();
    assert_eq!((other.status, code(&other).as_str()), (403, "FL016"), "a name that points here");
    let page = [("origin", "http://other.example"), ("content-type", "application/json")];
    let asked = client.send("PUT", "/v1/runtimes/x", &page, b"{}").unwrap();
    assert_eq!((asked.status, code(&asked).as_str()), (403, "FL016"), "a page of another site");
}

#[test]
fn a_role_allows_what_it_says_and_the_log_knows_the_rest() {
    let store = tempfile::tempdir().unwrap();
    let make = |name: &str, role: &str| {
        printed(store.path(), &["token", "create", name, "--role", role]).trim().to_owned()
    };
    let tokens = [make("reader", "read"), make("ci", "publish"), make("ops", "admin")];
    let served = Served::start(store.path(), &[]);
    let with = |token: &str| served.client().with_token(token);
    let [mut reader, mut ci, mut ops] = [&tokens[0], &tokens[1], &tokens[2]].map(|one| with(one));

    let mut nobody = served.client();
    for path in ["/v1/runtimes", "/v1/models", "/v1/audit", "/metrics", "/v1/jobs"] {
        let refused = nobody.get(path).unwrap();
        assert_eq!((refused.status, code(&refused).as_str()), (401, "FL002"), "{path}");
        assert!(refused.header("www-authenticate").unwrap().starts_with("Bearer"));
    }
    for path in ["/health", "/ready", "/v1/openapi.json", "/v1/problems"] {
        assert_eq!(nobody.get(path).unwrap().status, 200, "{path}");
    }
    let (id, secret) = tokens[2].rsplit_once('_').unwrap();
    let forged = format!("{id}_{}", secret.chars().rev().collect::<String>());
    assert_eq!(with(&forged).get("/v1/runtimes").unwrap().status, 401);
    assert_eq!(with("nonsense").get("/v1/runtimes").unwrap().status, 401);

    assert_eq!(reader.get("/v1/runtimes").unwrap().status, 200);
    let profile = json!({ "fleet_runtime": 1, "name": "r", "release": "torch@2.1" });
    let refused = reader.send_json("PUT", "/v1/runtimes/r", &profile).unwrap();
    assert_eq!((refused.status, code(&refused).as_str()), (403, "FL003"));
    add_runtime(&mut ci, "r", "torch@2.1", 7);
    assert_eq!(ci.get("/v1/audit").unwrap().status, 403);

    let log = ops.get("/v1/audit").unwrap().json();
    let row = |at: usize| {
        let text = |key: &str| log[at][key].as_str().unwrap().to_owned();
        (text("act"), text("result"), text("who"))
    };
    assert_eq!(row(0).0, "runtime.put");
    assert_eq!(row(0).1, "added");
    assert!(row(0).2.ends_with("(ci)"), "{log}");
    assert!(row(1).1.starts_with("refused, FL003") && row(1).2.ends_with("(reader)"), "{log}");
    assert_eq!(row(4).0, "token.create");

    let id = tokens[1].split('_').nth(1).unwrap();
    assert_eq!(ops.send("DELETE", &format!("/v1/tokens/{id}"), &[], b"").unwrap().status, 204);
    assert_eq!(ci.get("/v1/runtimes").unwrap().status, 401, "at once");
    let list = printed(store.path(), &["token", "list"]);
    assert!(list.contains("ops") && !list.contains(tokens[2].rsplit_once('_').unwrap().1));
}

#[test]
fn the_first_token_closes_the_door() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &[]);
    let mut open = served.client();
    let new = json!({ "name": "ops", "role": "admin", "days": 1 });
    let made = open.send_json("POST", "/v1/tokens", &new).unwrap();
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(open.get("/v1/runtimes").unwrap().status, 401);
    let token = made.json()["token"].as_str().unwrap().to_owned();
    let mut ops = ServiceClient::new(served.address).with_token(&token);
    assert_eq!(ops.get("/v1/tokens").unwrap().json()[0]["name"], "ops");
    let basic = format!("Basic {}", base64(&format!("anybody:{token}")));
    let asked = open.send("GET", "/v1/runtimes", &[("authorization", &basic)], b"").unwrap();
    assert_eq!(asked.status, 200, "browsers send a token as a password");
}

#[test]
fn who_asks_too_fast_is_told_when_to_come_back() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &["--rate", "1"]);
    let mut client = served.client();
    let refused = (0..100).find_map(|_| {
        let answer = client.get("/v1/runtimes").unwrap();
        (answer.status == 429).then_some(answer)
    });
    let refused = refused.expect("a hundred requests, and one is allowed in a second");
    assert_eq!(code(&refused), "FL014");
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
}

fn base64(text: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let value = chunk.iter().fold(0_u32, |held, byte| held << 8 | u32::from(*byte));
        let value = value << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            out.push(char::from(LETTERS[(value >> (18 - 6 * at) & 63) as usize]));
        }
    }
    out
}
