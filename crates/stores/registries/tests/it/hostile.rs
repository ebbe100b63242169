//! A registry that answers more than anybody asked for, or something else.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use unskew_registries::Registry;

/// Answers every request for `path` with the status and the head that are given, and then with zeros for as long as somebody
/// takes them; everything else with an empty object. Counts what it sent.
fn endless(path: &'static str, head: &'static str) -> (String, Arc<AtomicU64>) {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    let sent = Arc::new(AtomicU64::new(0));
    let count = sent.clone();
    std::thread::spawn(move || {
        for stream in server.incoming().flatten() {
            let count = count.clone();
            std::thread::spawn(move || answer(stream, path, head, &count));
        }
    });
    (address, sent)
}

fn answer(mut stream: TcpStream, path: &str, head: &str, sent: &AtomicU64) {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
        request.push(byte[0]);
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    if !request.starts_with(&format!("GET {path}")) {
        let _ = stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
        return;
    }
    let head = format!("HTTP/1.1 {head}Content-Length: 1000000000000\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(head.as_bytes());
    while stream.write_all(&[b' '; 65536]).is_ok() {
        sent.fetch_add(65536, Ordering::Relaxed);
    }
}

fn asked(path: &'static str, head: &'static str, uri: &str) -> (String, u64) {
    let (address, sent) = endless(path, head);
    let uri = uri.replace("HOST", &address);
    let error = Registry::parse(&uri).unwrap().unwrap().entries().err().unwrap();
    (error.to_string(), sent.load(Ordering::Relaxed))
}

#[test]
fn a_manifest_or_a_list_without_an_end_is_refused_and_not_kept() {
    let head = "200 OK\r\nContent-Type: application/vnd.oci.image.manifest.v1+json\r\n";
    let (said, sent) = asked("/v2/models/net/manifests/1", head, "oci://HOST/models/net:1");
    assert!(said.contains("more than 4194304 bytes"), "{said}");
    assert!(sent < 64 << 20, "{sent}");
    let head = "200 OK\r\nContent-Type: application/json\r\n";
    let (said, sent) = asked("/v2/models/net/tags/list", head, "oci://HOST/models/net");
    assert!(said.contains("more than 33554432 bytes"), "{said}");
    assert!(sent < 128 << 20, "{sent}");
}

#[test]
fn a_manifest_of_another_digest_is_refused() {
    let (address, _) = endless("/never", "");
    let digest = format!("sha256:{}", "0".repeat(64));
    let uri = format!("oci://{address}/models/net@{digest}");
    let error = Registry::parse(&uri).unwrap().unwrap().entries().err().unwrap();
    assert!(error.to_string().contains("another manifest came"), "{error}");
}
