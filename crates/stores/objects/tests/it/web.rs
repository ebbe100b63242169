//! A real web server: one file of it is read by range.

use std::fs;

use unskew_objects::{ObjectErrorCause, ObjectPlace, Objects, StoreSettings};
use unskew_source::{Source as _, SourceExt as _};
use unskew_test_servers::WebServer;

fn objects(uri: &str) -> Objects {
    Objects::at(&ObjectPlace::parse(uri).unwrap(), &StoreSettings::none()).unwrap()
}

/// Bytes that differ everywhere.
fn numbered(len: u64) -> Vec<u8> {
    (0..len.div_ceil(8)).flat_map(u64::to_le_bytes).take(len as usize).collect()
}

#[test]
fn a_file_of_a_web_server_is_read_by_range() {
    if !WebServer::there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("models")).unwrap();
    let bytes = numbered(20 << 20);
    fs::write(folder.path().join("models/a b.pt"), &bytes).unwrap();
    let server = WebServer::start(folder.path()).unwrap();
    let net = objects(&format!("{}/models/a%20b.pt", server.endpoint()));
    assert_eq!(net.stat("").unwrap().unwrap().size, 20 << 20);
    let object = net.object("").unwrap();
    assert_eq!(object.size(), 20 << 20);
    for at in [0, 7, 10 << 20, (20 << 20) - 9] {
        assert_eq!(object.bytes(at, 9).unwrap(), bytes[at as usize..][..9], "{at}");
    }
    assert!(net.traffic().bytes < 2 << 20, "{:?}", net.traffic());
    let missing = objects(&format!("{}/models/none.pt", server.endpoint()));
    assert!(missing.stat("").unwrap().is_none());
    assert!(missing.object("").unwrap_err().is_missing());
}

#[test]
fn a_file_that_changes_while_it_is_read_is_noticed() {
    if !WebServer::there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.pt");
    fs::write(&file, numbered(4 << 20)).unwrap();
    let server = WebServer::start(folder.path()).unwrap();
    let object = objects(&format!("{}/net.pt", server.endpoint())).object("").unwrap();
    object.bytes(0, 9).unwrap();
    fs::write(&file, numbered(5 << 20)).unwrap();
    let error = object.bytes(3 << 20, 9).unwrap_err();
    assert!(error.to_string().contains("changed"), "{error}");
}

#[test]
fn a_server_without_ranges_is_told_so_and_nothing_is_fetched_whole() {
    if !WebServer::there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("net.pt"), numbered(1 << 20)).unwrap();
    let server = WebServer::start_without_ranges(folder.path()).unwrap();
    let net = objects(&format!("{}/net.pt", server.endpoint()));
    let error = net.object("").unwrap_err();
    assert!(matches!(error.cause, ObjectErrorCause::Unsupported(_)), "{error}");
    assert!(error.to_string().contains("does not answer ranges"), "{error}");
}
