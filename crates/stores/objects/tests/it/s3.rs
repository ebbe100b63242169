//! A real S3 server: what is written is read, listed and removed, and what changes is noticed.

use std::io::Write as _;
use std::sync::LazyLock;

use unskew_objects::{ObjectErrorCause, ObjectPlace, Objects, StoreSettings};
use unskew_source::{Source, SourceExt as _};
use unskew_test_servers::S3Server;

/// The server of these tests, which ends with this process.
fn server() -> &'static S3Server {
    static SERVER: LazyLock<S3Server> = LazyLock::new(|| S3Server::start().unwrap());
    &SERVER
}

/// What lies below `models/` in a bucket of its own.
fn bucket(name: &str) -> Objects {
    server().make_bucket(name).unwrap();
    objects(&format!("s3://{name}/models"))
}

fn objects(uri: &str) -> Objects {
    let settings: StoreSettings = server().settings().into_iter().collect();
    Objects::at(&ObjectPlace::parse(uri).unwrap(), &settings).unwrap()
}

/// Bytes that differ everywhere.
fn numbered(len: u64) -> Vec<u8> {
    (0..len.div_ceil(8)).flat_map(u64::to_le_bytes).take(len as usize).collect()
}

#[test]
fn what_is_written_is_found_under_its_key_and_nothing_else_is() {
    if !S3Server::there() {
        return;
    }
    let models = bucket("keys");
    models.put("a b/100%.pt", b"one".to_vec()).unwrap();
    models.put("net.pt", b"three".to_vec()).unwrap();
    objects("s3://keys").put("models-old/net.pt", b"no".to_vec()).unwrap();
    let found: Vec<_> = models.list("").collect::<Result<_, _>>().unwrap();
    let keys: Vec<_> = found.iter().map(|one| (one.key.as_str(), one.size)).collect();
    assert_eq!(keys, [("a b/100%.pt", 3), ("net.pt", 5)]);
    assert!(found[0].etag.is_some() && found[0].modified > 0);
    assert_eq!(models.get("a b/100%.pt").unwrap(), b"one");
    assert_eq!(models.stat("net.pt").unwrap().unwrap().etag, found[1].etag);
    let itself = objects("s3://keys/models/net.pt");
    assert_eq!(itself.get("").unwrap(), b"three");
    models.delete("net.pt").unwrap();
    models.delete("net.pt").unwrap();
    assert!(models.object("net.pt").unwrap_err().is_missing());
    assert_eq!(models.list("").count(), 1);
}

#[test]
fn an_object_listed_without_the_quotes_of_its_etag_is_read_and_its_change_noticed() {
    if !S3Server::there() {
        return;
    }
    let models = bucket("quotes");
    models.put("net.pt", b"three".to_vec()).unwrap();
    let mut listed = models.list("").next().unwrap().unwrap();
    let plain = listed.etag.as_deref().unwrap().trim_matches('"').to_owned();
    // As Azure lists it.
    listed.etag = Some(plain);
    assert_eq!(models.listed_object(&listed).bytes(0, 5).unwrap(), b"three");
    models.put("net.pt", b"four!".to_vec()).unwrap();
    let error = models.listed_object(&listed).bytes(0, 5).unwrap_err();
    assert!(error.to_string().contains("changed"), "{error}");
}

#[test]
fn a_listing_of_several_pages_is_whole() {
    if !S3Server::there() {
        return;
    }
    let models = bucket("pages");
    let keys: Vec<String> = (0..1200).map(|i| format!("n{i:05}")).collect();
    keys.iter().for_each(|key| models.put(key, b"x".to_vec()).unwrap());
    let found: Vec<String> = models.list("").map(|one| one.unwrap().key).collect();
    assert_eq!(found, keys);
}

#[test]
fn a_large_object_goes_up_in_parts_and_costs_what_is_read_of_it() {
    if !S3Server::there() {
        return;
    }
    let models = bucket("parts");
    let size = 40 << 20;
    let whole = numbered(size);
    let mut upload = models.upload("large.bin").unwrap();
    whole.chunks(1_000_003).for_each(|chunk| upload.write_all(chunk).unwrap());
    assert!(models.stat("large.bin").unwrap().is_none(), "there before it was finished");
    assert_eq!(upload.finish().unwrap(), size);

    let object = models.object("large.bin").unwrap();
    assert_eq!(object.size(), size);
    let end = object.bytes(size - 22, 22).unwrap();
    assert_eq!(end, whole[whole.len() - 22..]);
    assert_eq!(object.bytes(20 << 20, 100).unwrap(), whole[20 << 20..(20 << 20) + 100]);
    object.bytes(size - 100_000, 5000).unwrap();
    let traffic = models.traffic();
    assert_eq!(traffic.reads, 3, "{traffic:?}");
    assert!(traffic.bytes <= 256 << 10, "{traffic:?}");
    let part = object.bytes(1 << 20, 3 << 20).unwrap();
    assert_eq!(part, whole[1 << 20..4 << 20]);
}

#[test]
fn an_upload_that_is_dropped_leaves_nothing() {
    if !S3Server::there() {
        return;
    }
    let models = bucket("half");
    let mut upload = models.upload("half.bin").unwrap();
    upload.write_all(&numbered(20 << 20)).unwrap();
    drop(upload);
    assert!(models.stat("half.bin").unwrap().is_none());
    models.upload("empty.bin").unwrap().finish().unwrap();
    let empty = models.object("empty.bin").unwrap();
    assert_eq!((empty.size(), empty.all().unwrap()), (0, Vec::new()));
}

#[test]
fn an_object_that_changes_while_it_is_read_is_an_error() {
    if !S3Server::there() {
        return;
    }
    let models = bucket("changes");
    models.put("net.pt", numbered(1 << 20)).unwrap();
    let listed = models.list("").next().unwrap().unwrap();
    let object = models.object("net.pt").unwrap();
    models.put("net.pt", vec![7; 1 << 20]).unwrap();
    for object in [object, models.listed_object(&listed)] {
        let error = object.bytes(700_000, 10).unwrap_err();
        assert!(error.to_string().contains("changed while it was read"), "{error}");
    }
    let gone = models.object("net.pt").unwrap();
    models.delete("net.pt").unwrap();
    let error = gone.bytes(700_000, 10).unwrap_err();
    assert!(error.to_string().contains("changed while it was read"), "{error}");
}

#[test]
fn of_two_that_write_a_new_object_one_does() {
    if !S3Server::there() {
        return;
    }
    let models = bucket("new");
    assert!(models.put_new("part-0", b"first".to_vec()).unwrap());
    assert!(!models.put_new("part-0", b"second".to_vec()).unwrap());
    assert_eq!(models.get("part-0").unwrap(), b"first");
    models.copy("part-0", "part-1").unwrap();
    assert_eq!(models.get("part-1").unwrap(), b"first");
}

#[test]
fn a_bucket_that_is_not_there_is_missing_and_named() {
    if !S3Server::there() {
        return;
    }
    let other = objects("s3://other/net.pt");
    let error = other.object("").unwrap_err();
    assert!(matches!(error.cause, ObjectErrorCause::Missing), "{error}");
    assert_eq!(error.to_string(), "s3://other/net.pt: no such object");
}
