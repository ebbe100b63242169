//! A server that speaks the hub's API: a repository is listed, and its files are read by range.

use std::fs;
use std::path::Path;

use unskew_objects::{ObjectErrorCause, ObjectPlace, Objects, StoreSettings};
use unskew_source::{Source as _, SourceExt as _};
use unskew_test_servers::HubServer;

const FIRST: &str = "1111111111111111111111111111111111111111";
const SECOND: &str = "2222222222222222222222222222222222222222";

fn objects(server: &HubServer, uri: &str, token: &str) -> Objects {
    let settings =
        StoreSettings::none().with("HF_ENDPOINT", &server.endpoint()).with("HF_TOKEN", token);
    Objects::at(&ObjectPlace::parse(uri).unwrap(), &settings).unwrap()
}

fn commit(root: &Path, sha: &str, net: &[u8]) {
    let folder = root.join("org/net/commits").join(sha);
    fs::create_dir_all(folder.join("weights of it")).unwrap();
    fs::write(folder.join("config.json"), b"{}").unwrap();
    fs::write(folder.join("README.md"), b"a net").unwrap();
    fs::write(folder.join("weights of it/net.pt"), net).unwrap();
    fs::write(root.join("org/net/main"), sha).unwrap();
}

/// Bytes that differ everywhere.
fn numbered(len: u64) -> Vec<u8> {
    (0..len.div_ceil(8)).flat_map(u64::to_le_bytes).take(len as usize).collect()
}

#[test]
fn a_repository_is_listed_and_its_files_are_read_by_range() {
    if !HubServer::there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let bytes = numbered(8 << 20);
    commit(folder.path(), FIRST, &bytes);
    let server = HubServer::start(folder.path(), Some("hush")).unwrap();
    let net = objects(&server, "hf://org/net", "hush");
    let found: Vec<_> = net.list("").collect::<Result<_, _>>().unwrap();
    let keys: Vec<_> = found.iter().map(|one| (one.key.as_str(), one.size)).collect();
    assert_eq!(keys, [("README.md", 5), ("config.json", 2), ("weights of it/net.pt", 8 << 20)]);
    // 6 May 2024, 07:08:09, the day of the commit.
    assert_eq!(found[0].modified, 1_714_979_289_000);

    // Large files come from another host, which refuses the token.
    let object = net.object("weights of it/net.pt").unwrap();
    assert_eq!(object.name(), "hf://org/net/weights of it/net.pt");
    for at in [0, 4 << 20, (8 << 20) - 9] {
        assert_eq!(object.bytes(at, 9).unwrap(), bytes[at as usize..][..9], "{at}");
    }
    assert!(net.traffic().bytes < 2 << 20, "{:?}", net.traffic());
    assert_eq!(net.get("config.json").unwrap(), b"{}");
    assert!(net.object("none.pt").unwrap_err().is_missing());
    assert!(net.stat("none.pt").unwrap().is_none());
    let error = net.put("new.pt", b"x".to_vec()).unwrap_err();
    assert!(matches!(error.cause, ObjectErrorCause::Unsupported(_)), "{error}");
}

#[test]
fn what_was_opened_stays_at_its_commit() {
    if !HubServer::there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    commit(folder.path(), FIRST, b"first");
    let server = HubServer::start(folder.path(), None).unwrap();
    let net = objects(&server, "hf://org/net@main", "");
    assert_eq!(net.get("weights of it/net.pt").unwrap(), b"first");
    commit(folder.path(), SECOND, b"second");
    assert_eq!(net.get("weights of it/net.pt").unwrap(), b"first");
    assert_eq!(
        objects(&server, "hf://org/net", "").get("weights of it/net.pt").unwrap(),
        b"second"
    );
    let first = objects(&server, &format!("hf://org/net@{FIRST}/weights of it/net.pt"), "");
    assert_eq!(first.get("").unwrap(), b"first");
}

#[test]
fn what_is_not_there_says_why() {
    if !HubServer::there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    commit(folder.path(), FIRST, b"first");
    let server = HubServer::start(folder.path(), Some("hush")).unwrap();
    let refused = objects(&server, "hf://org/net", "").get("config.json").unwrap_err().to_string();
    assert!(refused.contains("no such repository, or it is private"), "{refused}");
    assert!(refused.contains("HF_TOKEN"), "{refused}");
    let gone = objects(&server, "hf://org/net@v9", "hush").stat("config.json").unwrap();
    assert!(gone.is_none());
    let offline = StoreSettings::none().with("HF_HUB_OFFLINE", "1");
    let error = Objects::at(&ObjectPlace::parse("hf://org/net").unwrap(), &offline).unwrap_err();
    assert!(error.to_string().contains("HF_HUB_OFFLINE"), "{error}");
}
