//! Uploads that go on where they stopped, and downloads by range.

use std::io::Write as _;
use std::net::TcpStream;

use serde_json::json;
use unskew_fleet::{Digest, list_digest};

use super::served::{Served, add_runtime, begin, code, example, piece, publish, until};

const MODEL: &str = "examples/gelu-2.15.0.pt";

#[test]
fn an_upload_goes_on_after_a_broken_connection_and_a_killed_server() {
    let store = tempfile::tempdir().unwrap();
    let bytes = example(MODEL);
    let served = Served::start(store.path(), &[]);
    let mut client = served.client();
    let place = begin(&mut client, "gelu", "gelu.pt", &bytes);
    assert_eq!(piece(&mut client, &place, 0, &bytes[..100]).status, 204);

    // Two hundred bytes are announced, fifty come.
    let mut broken = TcpStream::connect(served.address).unwrap();
    let head = format!(
        "PATCH {place} HTTP/1.1\r\nhost: {}\r\nupload-offset: 100\r\ncontent-length: 200\r\n\r\n",
        served.address
    );
    broken.write_all(head.as_bytes()).unwrap();
    broken.write_all(&bytes[100..150]).unwrap();
    broken.flush().unwrap();
    drop(broken);
    let far = |client: &mut unskew_fleet_service::client::ServiceClient| {
        let head = client.send("HEAD", &place, &[], b"").unwrap();
        assert_eq!(head.header("upload-length").unwrap(), bytes.len().to_string());
        head.header("upload-offset").unwrap().parse::<usize>().unwrap()
    };
    until("what had come is kept", || (far(&mut client) == 150).then_some(()));

    drop(served);
    let served = Served::start(store.path(), &[]);
    let mut client = served.client();
    assert_eq!(far(&mut client), 150);
    let wrong = piece(&mut client, &place, 100, &bytes[100..]);
    assert_eq!((wrong.status, code(&wrong).as_str()), (409, "FL007"));
    assert_eq!(wrong.header("upload-offset"), Some("150"));
    let early = client.send("POST", &format!("{place}/finish"), &[], b"").unwrap();
    assert_eq!(early.status, 409, "not all has come");
    assert_eq!(piece(&mut client, &place, 150, &bytes[150..]).status, 204);
    let more = piece(&mut client, &place, bytes.len(), b"x");
    assert_eq!((more.status, code(&more).as_str()), (413, "FL009"));
    for _ in 0..2 {
        let done = client.send("POST", &format!("{place}/finish"), &[], b"").unwrap();
        assert_eq!((done.status, done.json()["version"].as_i64()), (200, Some(1)));
    }
    assert_eq!(client.get("/v1/models").unwrap().json()[0]["versions"], 1);
    let left = std::fs::read_dir(store.path().join("artifacts/staging")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["coming"], "no pieces are left");
}

#[test]
fn the_same_key_is_the_same_upload() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &["--max-uploads", "1"]);
    let mut client = served.client();
    let mut post = |model: &str, key: &str| {
        let new =
            json!({ "model": model, "file": "m.pt", "size": 9, "digest": Digest::sha256("x") });
        let headers = [("content-type", "application/json"), ("idempotency-key", key)];
        client.send("POST", "/v1/uploads", &headers, new.to_string().as_bytes()).unwrap()
    };
    let (first, again) = (post("m", "k"), post("m", "k"));
    assert_eq!((first.status, again.status), (201, 200));
    assert_eq!(first.header("location"), again.header("location"));
    let other = post("n", "k");
    assert_eq!((other.status, code(&other).as_str()), (409, "FL007"));
    let full = post("m", "l");
    assert_eq!((full.status, code(&full).as_str()), (429, "FL015"), "one may be open");
}

#[test]
fn what_is_not_as_announced_or_not_readable_is_gone() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &[]);
    let mut client = served.client();
    let wrong = begin(&mut client, "m", "m.pt", b"as announced");
    assert_eq!(piece(&mut client, &wrong, 0, b"as it comes!").status, 204);
    let done = client.send("POST", &format!("{wrong}/finish"), &[], b"").unwrap();
    assert_eq!((done.status, code(&done).as_str()), (422, "FL013"));
    assert_eq!(client.get(&wrong).unwrap().status, 404);

    let mut zip = example(MODEL);
    zip.truncate(zip.len() / 2);
    let mut directory = example(MODEL);
    let end = directory.len() - 22;
    // A directory of four gigabytes, at the end of the file.
    directory[end + 12..end + 20].fill(0xfe);
    let mut program = example("examples/add.stablehlo");
    program.truncate(program.len() / 2);
    for (file, bytes) in [
        ("m.pt", zip.as_slice()),
        ("m.pt", &directory),
        ("m.pt", b"no model"),
        ("m.pb", b"\xff\xff"),
        // A node of four gigabytes.
        ("m.pb", b"\x0a\xff\xff\xff\xff\x0fx"),
        ("m.stablehlo", &program),
    ] {
        let place = begin(&mut client, "m", file, bytes);
        assert_eq!(piece(&mut client, &place, 0, bytes).status, 204);
        let done = client.send("POST", &format!("{place}/finish"), &[], b"").unwrap();
        assert_eq!((done.status, code(&done).as_str()), (422, "FL012"));
        assert!(done.json()["detail"].as_str().unwrap().contains(file), "{}", done.text());
        let digest = Digest::sha256(bytes);
        assert_eq!(client.get(&format!("/v1/artifacts/{digest}")).unwrap().status, 404);
    }
    assert_eq!(client.get("/v1/models").unwrap().json(), json!([]));
    let log = client.get("/v1/audit").unwrap().json();
    assert!(log.to_string().contains("refused, FL012"), "{log}");
}

#[test]
fn no_name_leads_anywhere() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &["--max-artifact", "1MiB"]);
    let mut client = served.client();
    let mut refused = |model: &str, file: &str, size: u64, status: u16| {
        let new =
            json!({ "model": model, "file": file, "size": size, "digest": Digest::sha256("x") });
        let answer = client.send_json("POST", "/v1/uploads", &new).unwrap();
        assert_eq!(answer.status, status, "{model} {file}: {}", answer.text());
        code(&answer);
    };
    for model in ["../m", "/m", "a/../b", "", "a\\b", "m\n"] {
        refused(model, "m.pt", 1, 400);
    }
    for file in ["../m.pt", "/etc/passwd", "a/b", "..", "", "a\u{0}b", "a\\b"] {
        refused("m", file, 1, 400);
    }
    refused("m", "m.pt", 2 << 20, 413);
    let member = json!({
        "model": "m", "file": "m", "size": 1, "digest": Digest::sha256("x"),
        "files": [{ "path": "../x", "size": 1, "digest": Digest::sha256("x") }],
    });
    assert_eq!(client.send_json("POST", "/v1/uploads", &member).unwrap().status, 400);
    for path in ["/v1/artifacts/..%2F..%2Ffleet.db", "/v1/artifacts/%2Fetc%2Fpasswd/content"] {
        assert_eq!(client.get(path).unwrap().status, 400, "{path}");
    }
    assert_eq!(client.get("/v1/models/..%2F..%2Fx/versions").unwrap().status, 404);
    assert_eq!(client.get("/../../etc/passwd").unwrap().status, 404);
}

#[test]
fn an_artifact_comes_by_ranges_under_its_digest() {
    let store = tempfile::tempdir().unwrap();
    let bytes = example(MODEL);
    let served = Served::start(store.path(), &[]);
    let mut client = served.client();
    let published = publish(&mut client, "gelu", "gel\u{fc}.pt", &bytes);
    let digest = published["artifact"].as_str().unwrap().to_owned();
    let place = format!("/v1/artifacts/{digest}/content");
    let whole = client.get(&place).unwrap();
    assert_eq!((whole.status, &whole.body), (200, &bytes));
    let etag = format!("\"{digest}\"");
    assert_eq!(whole.header("etag"), Some(etag.as_str()));
    assert!(whole.header("content-disposition").unwrap().ends_with("UTF-8''gel%C3%BC.pt"));

    let mut with = |headers: &[(&str, &str)]| client.send("GET", &place, headers, b"").unwrap();
    let part = with(&[("range", "bytes=10-19")]);
    assert_eq!((part.status, part.body.as_slice()), (206, &bytes[10..20]));
    let size = bytes.len();
    assert_eq!(part.header("content-range").unwrap(), format!("bytes 10-19/{size}"));
    assert_eq!(with(&[("range", "bytes=-5")]).body, bytes[size - 5..]);
    for range in ["bytes=0-1,4-5", &format!("bytes={size}-")] {
        let refused = with(&[("range", range)]);
        assert_eq!((refused.status, code(&refused).as_str()), (416, "FL011"), "{range}");
        assert_eq!(refused.header("content-range").unwrap(), format!("bytes */{size}"));
    }
    assert_eq!(with(&[("if-none-match", &etag)]).status, 304);
    assert_eq!(with(&[("if-none-match", "\"other\"")]).status, 200);
    assert_eq!(with(&[("range", "bytes=0-0"), ("if-range", &etag)]).status, 206);
    assert_eq!(with(&[("range", "bytes=0-0"), ("if-range", "\"other\"")]).status, 200);
    let head = client.send("HEAD", &place, &[], b"").unwrap();
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length").unwrap(), size.to_string());
}

#[test]
fn a_folder_comes_file_by_file() {
    let store = tempfile::tempdir().unwrap();
    let graph = example("examples/add-cast.pb");
    let served = Served::start(store.path(), &[]);
    let mut client = served.client();
    let files = [("graphs/one.pb", graph.as_slice()), ("readme.txt", b"hello".as_slice())];
    let mut rows: Vec<(String, Digest, u64)> = files
        .iter()
        .map(|(path, bytes)| ((*path).to_owned(), Digest::sha256(bytes), bytes.len() as u64))
        .collect();
    let digest = list_digest(&mut rows);
    let members: Vec<_> = files
        .iter()
        .map(|(path, bytes)| json!({ "path": path, "size": bytes.len(), "digest": Digest::sha256(bytes) }))
        .collect();
    let whole = [files[0].1, files[1].1].concat();
    let mut new = json!({
        "model": "graphs", "file": "graphs", "size": whole.len(), "digest": Digest::sha256("x"),
        "files": members,
    });
    let wrong = client.send_json("POST", "/v1/uploads", &new).unwrap();
    assert_eq!(
        (wrong.status, code(&wrong).as_str()),
        (422, "FL013"),
        "the list makes another digest"
    );
    new["digest"] = json!(digest);
    // As long as announced, and the bytes of one file are others.
    let begun = client.send_json("POST", "/v1/uploads", &new).unwrap();
    let place = begun.header("location").unwrap().to_owned();
    let other = [files[0].1, b"HELLO"].concat();
    assert_eq!(piece(&mut client, &place, 0, &other).status, 204);
    let done = client.send("POST", &format!("{place}/finish"), &[], b"").unwrap();
    assert_eq!((done.status, code(&done).as_str()), (422, "FL013"));
    assert!(done.json()["detail"].as_str().unwrap().contains("readme.txt"), "{}", done.text());
    assert_eq!(client.get(&format!("/v1/artifacts/{digest}")).unwrap().status, 404);
    let begun = client.send_json("POST", "/v1/uploads", &new).unwrap();
    assert_eq!(begun.status, 201, "{}", begun.text());
    let place = begun.header("location").unwrap().to_owned();
    assert_eq!(piece(&mut client, &place, 0, &whole).status, 204);
    let done = client.send("POST", &format!("{place}/finish"), &[], b"").unwrap();
    assert_eq!(done.status, 200, "{}", done.text());

    let described = client.get(&format!("/v1/artifacts/{digest}")).unwrap().json();
    assert_eq!(described["folder"], true);
    for ((path, bytes), row) in files.iter().zip(described["files"].as_array().unwrap()) {
        assert_eq!(row["path"], *path);
        assert_eq!(client.get(row["address"].as_str().unwrap()).unwrap().body, *bytes);
    }
    let whole = client.get(&format!("/v1/artifacts/{digest}/content")).unwrap();
    assert_eq!((whole.status, code(&whole).as_str()), (409, "FL007"));
    let out = client.get(&format!("/v1/artifacts/{digest}/files/..%2Freadme.txt")).unwrap();
    assert_eq!(out.status, 404);
    add_runtime(&mut client, "tf", "tensorflow@2.15", 1);
    let decision = client.get("/v1/models/graphs/decision?runtime=tf").unwrap();
    assert_eq!(decision.status, 200, "{}", decision.text());
}

#[test]
fn an_upload_that_nobody_goes_on_with_is_swept_away() {
    let store = tempfile::tempdir().unwrap();
    let served = Served::start(store.path(), &["--upload-age", "1"]);
    let mut client = served.client();
    let place = begin(&mut client, "m", "m.pt", b"something");
    assert_eq!(piece(&mut client, &place, 0, b"some").status, 204);
    until("it is swept away", || (client.get(&place).unwrap().status == 404).then_some(()));
    let staging = store.path().join("artifacts/staging");
    until("its pieces too", || {
        let left = std::fs::read_dir(&staging).unwrap().count();
        (left == 1).then_some(())
    });
}

#[test]
fn what_a_killed_server_was_receiving_is_gone_when_another_has_begun() {
    let store = tempfile::tempdir().unwrap();
    let coming = store.path().join("artifacts/staging/coming");
    let incoming = store.path().join("artifacts/incoming");
    let files = |folder: &std::path::Path| std::fs::read_dir(folder).map_or(0, Iterator::count);
    let mut served = Served::start(store.path(), &[]);
    let place = begin(&mut served.client(), "m", "m.pt", &[0; 8 << 20]);
    let mut half = TcpStream::connect(served.address).unwrap();
    let head = format!(
        "PATCH {place} HTTP/1.1\r\nhost: {}\r\nupload-offset: 0\r\ncontent-length: 8388608\r\n\r\n",
        served.address
    );
    half.write_all(head.as_bytes()).unwrap();
    half.write_all(&[0; 4 << 20]).unwrap();
    until("some of it has come", || (files(&coming) == 1).then_some(()));
    served.child.kill().unwrap();
    served.child.wait().unwrap();
    assert_eq!(files(&coming), 1, "nobody has cleaned up");
    // And what it was moving into the depot.
    let left = unskew_source::unfinished::UnfinishedFolder::begin(&incoming, 0o700).unwrap();
    std::fs::write(left.path().join("whole"), "half").unwrap();
    left.keep();
    let served = Served::start(store.path(), &[]);
    until("both are gone", || (files(&coming) + files(&incoming) == 0).then_some(()));
    let head = served.client().send("HEAD", &place, &[], b"").unwrap();
    assert_eq!(head.status, 200, "the upload itself goes on");
}
