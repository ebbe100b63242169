//! How it ends.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use unskew_fleet::store::{JobState, Store};

use super::served::{Served, add_runtime, begin, example, publish, until};

#[test]
fn a_request_in_flight_is_answered_before_the_end() {
    let store = tempfile::tempdir().unwrap();
    let mut served = Served::start(store.path(), &[]);
    let place = begin(&mut served.client(), "m", "m.pt", b"something");
    let mut slow = TcpStream::connect(served.address).unwrap();
    let head = format!(
        "PATCH {place} HTTP/1.1\r\nhost: {}\r\nupload-offset: 0\r\ncontent-length: 9\r\n\
         expect: 100-continue\r\n\r\n",
        served.address
    );
    slow.write_all(head.as_bytes()).unwrap();
    let mut go_on = [0; 25];
    slow.read_exact(&mut go_on).unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n", "the body is waited for");
    slow.write_all(b"some").unwrap();
    served.terminate();
    until("no further connections", || TcpStream::connect(served.address).err());
    slow.write_all(b"thing").unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
    let status = until("it ends", || served.child.try_wait().unwrap());
    assert!(status.success());
}

#[test]
fn jobs_are_given_back() {
    let store = tempfile::tempdir().unwrap();
    let database = store.path().join("fleet.db").display().to_string();
    let mut served = Served::start(store.path(), &["--jobs", "1"]);
    let mut client = served.client();
    for (name, release) in [("a", "torch@1.10"), ("b", "torch@2.1"), ("c", "torch@2.4")] {
        add_runtime(&mut client, name, release, 1);
    }
    publish(&mut client, "gelu", "gelu.pt", &example("examples/gelu-2.15.0.pt"));
    for at in 0..20 {
        let place = format!("/v1/models/gelu/plan?what_if=add=torch@2.{},7", at % 10);
        let begun = client.send("GET", &place, &[("prefer", "respond-async")], b"").unwrap();
        assert_eq!(begun.status, 202);
    }
    served.terminate();
    let status = until("it ends", || served.child.try_wait().unwrap());
    assert!(status.success());
    let mut store = Store::open(&database).unwrap();
    let jobs = store.jobs(None, 100).unwrap();
    assert!(jobs.len() >= 10, "ten plans are asked for");
    assert!(jobs.iter().all(|job| job.state != JobState::Running), "{jobs:?}");
    assert!(jobs.iter().all(|job| job.state != JobState::Failed), "{jobs:?}");
}
