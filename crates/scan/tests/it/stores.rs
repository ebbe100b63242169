//! A store and a cache give what the folder gives.

use std::fs;
use std::path::Path;

use unskew_objects::{ObjectPlace, Objects};
use unskew_scan::{ArtifactJudge, ScanSettings, VerdictTable, inventory_of, scan};
use unskew_test_servers::{HubServer, S3Server};

use crate::table;

const MODELS: [&str; 4] = ["gelu-2.15.0.pt", "add-1.1.0.pt", "add-cast.pb", "div-2.4.1.pt2"];

#[test]
fn a_prefix_of_an_s3_server_is_scanned_into_a_table_on_the_same_server() {
    if !S3Server::there() {
        return;
    }
    let server = S3Server::start().unwrap();
    server.make_bucket("models").unwrap();
    let settings = server.settings();
    let settings = settings
        .iter()
        .fold(unskew_objects::StoreSettings::none(), |all, (name, value)| all.with(name, value));
    let at = |uri: &str| Objects::at(&ObjectPlace::parse(uri).unwrap(), &settings).unwrap();
    let models = at("s3://models/in");
    for name in MODELS {
        models.put(name, fs::read(table::examples().join(name)).unwrap()).unwrap();
    }
    // A SavedModel is one artifact here as well, and a large object costs what its structure costs.
    let graph = b"\x08\x01".to_vec();
    models.put("saved/saved_model.pb", graph).unwrap();
    let mut large =
        b"\x40\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}"
            .to_vec();
    large.resize(8 + 64, b' ');
    large.resize(24 << 20, 0);
    models.put("large.safetensors", large).unwrap();

    let question = table::question();
    let judge = ArtifactJudge::new(&question).unwrap();
    let result = at("s3://models/table");
    let run = || {
        let table = VerdictTable::at(at("s3://models/table"), &question).unwrap();
        let source = models.clone();
        scan(&[inventory_of(source)], &judge, &table, &ScanSettings::default(), &|_| {}).unwrap()
    };
    let before = models.traffic().bytes;
    let first = run();
    assert_eq!((first.artifacts, first.done_before), (6, 0), "{first:?}");
    assert!(models.traffic().bytes - before < 2 << 20, "{:?}", models.traffic());
    let again = run();
    assert_eq!((again.artifacts, again.done_before), (0, 6));

    let folder = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    for name in MODELS {
        fs::copy(table::examples().join(name), folder.path().join(name)).unwrap();
    }
    table::run(folder.path(), out.path(), &ScanSettings::default());
    let keys: Vec<String> = result.list("").map(|one| one.unwrap().key).collect();
    let part = keys.iter().find(|key| key.ends_with(".parquet")).unwrap();
    let mut there = table::verdicts(&table::of_part(result.get(part).unwrap()));
    there.remove("saved");
    there.remove("large.safetensors");
    there.values_mut().for_each(|rows| rows.sort());
    assert_eq!(there, table::verdicts(&table::lines(out.path())));
}

/// A file of a snapshot: a link to its blob.
#[cfg(unix)]
fn link(model: &Path, commit: &str, name: &str, target: &str) {
    let file = model.join("snapshots").join(commit).join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, file).unwrap();
}

#[cfg(unix)]
#[test]
fn a_cache_of_the_hub_is_scanned_by_repository_and_commit() {
    let cache = tempfile::tempdir().unwrap();
    let model = cache.path().join("models--org--net");
    fs::create_dir_all(model.join("blobs")).unwrap();
    let (large, small) = ("ab".repeat(32), "cd".repeat(20));
    let copy = |name: &str, blob: &str| {
        fs::copy(table::examples().join(name), model.join("blobs").join(blob))
    };
    copy("gelu-2.15.0.pt", &large).unwrap();
    copy("add-cast.pb", &small).unwrap();
    link(&model, "c1", "net.pt", &format!("../../blobs/{large}"));
    link(&model, "c2", "deep/net.pt", &format!("../../../blobs/{large}"));
    link(&model, "c2", "graph.pb", &format!("../../blobs/{small}"));
    link(&model, "c2", "gone.pt", "../../blobs/none");
    link(&model, "c2", "out.pt", table::examples().join("add-1.1.0.pt").to_str().unwrap());
    let out = tempfile::tempdir().unwrap();
    let summary = table::run(cache.path(), out.path(), &ScanSettings::default());
    assert_eq!((summary.artifacts, summary.unread), (5, 2), "{summary:?}");
    let lines = table::lines(out.path());
    assert!(lines.iter().all(|line| line.collection.as_deref() == Some("org/net")));
    let of = |name: &str| lines.iter().find(|line| line.uri.ends_with(name)).unwrap();
    assert_eq!(of("c1/net.pt").revision.as_deref(), Some("c1"));
    assert_eq!(of("c1/net.pt").sha256.as_ref(), Some(&large));
    assert_eq!(of("c2/deep/net.pt").verdict, of("c1/net.pt").verdict);
    assert_eq!(
        (of("graph.pb").sha256.clone(), of("graph.pb").verdict.as_str() != "error"),
        (None, true)
    );
    assert!(of("gone.pt").error.as_deref().unwrap().contains("not there"));
    assert!(of("out.pt").error.as_deref().unwrap().contains("out of its repository"));
}

#[test]
fn a_repository_of_the_hub_is_scanned_as_its_folder_is() {
    if !HubServer::there() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let commit = root.path().join("org/nets/commits/abc");
    fs::create_dir_all(&commit).unwrap();
    fs::write(root.path().join("org/nets/main"), "abc").unwrap();
    for name in MODELS {
        fs::copy(table::examples().join(name), commit.join(name)).unwrap();
    }
    let server = HubServer::start(root.path(), None).unwrap();
    let settings = unskew_objects::StoreSettings::none().with("HF_ENDPOINT", &server.endpoint());
    let place = ObjectPlace::parse("hf://org/nets").unwrap();
    let nets = Objects::at(&place, &settings).unwrap();

    let question = table::question();
    let judge = ArtifactJudge::new(&question).unwrap();
    let (out, same) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let result = VerdictTable::open(out.path().to_str().unwrap(), &question).unwrap();
    let found =
        scan(&[inventory_of(nets)], &judge, &result, &ScanSettings::default(), &|_| {}).unwrap();
    assert_eq!(found.artifacts, MODELS.len(), "{found:?}");
    table::run(&commit, same.path(), &ScanSettings::default());
    let verdicts = |folder: &tempfile::TempDir| table::verdicts(&table::lines(folder.path()));
    assert_eq!(verdicts(&out), verdicts(&same));
}
