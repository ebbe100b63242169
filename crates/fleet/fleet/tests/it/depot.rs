//! Artifacts on disk and in an object store: one suite, run on both.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use unskew_artifact::{ArtifactFile, Content};
use unskew_fleet::{BlobStore, Digest, FleetError};
use unskew_objects::{ObjectPlace, Objects, StoreSettings};
use unskew_source::{BytesSource, ConvertedArtifact, Source, SourceExt as _};
use unskew_test_servers::S3Server;

/// Changes a file of an artifact.
type Damage = Box<dyn Fn(&Digest, &str)>;

/// A depot of its own, and a way to damage what lies in it.
struct Shelf {
    depot: BlobStore,
    damage: Damage,
    /// How many things lie there, whole or not.
    count: Box<dyn Fn() -> usize>,
}

fn disk(folder: &Path) -> Shelf {
    let root = folder.join("artifacts");
    let depot = BlobStore::open(&root).unwrap();
    let own = depot.clone();
    let damage = move |digest: &Digest, path: &str| {
        let place = own.path(digest).unwrap();
        let place = if path.is_empty() { place } else { place.join(path) };
        let mut bytes = std::fs::read(&place).unwrap();
        bytes[0] ^= 1;
        std::fs::write(place, bytes).unwrap();
    };
    let count = move || files(&root);
    Shelf { depot, damage: Box::new(damage), count: Box::new(count) }
}

fn files(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries.map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { 1 }).sum()
}

fn objects(server: &S3Server, bucket: &str) -> Shelf {
    server.make_bucket(bucket).unwrap();
    let settings: StoreSettings = server.settings().into_iter().collect();
    let place = ObjectPlace::parse(&format!("s3://{bucket}/some/prefix")).unwrap();
    let objects = Objects::at(&place, &settings).unwrap();
    let (own, all) = (objects.clone(), objects.clone());
    let damage = move |digest: &Digest, path: &str| {
        let hex = digest.hex();
        let key = format!("{}/{hex}{}{path}", &hex[..2], if path.is_empty() { "" } else { "/" });
        let mut bytes = own.get(&key).unwrap();
        bytes[0] ^= 1;
        own.put(&key, bytes).unwrap();
    };
    let count = move || all.list("").count();
    Shelf { depot: BlobStore::over(objects), damage: Box::new(damage), count: Box::new(count) }
}

/// Runs a test on an empty depot of each kind.
fn on_both(name: &str, test: impl Fn(&Shelf)) {
    let folder = tempfile::tempdir().unwrap();
    test(&disk(folder.path()));
    match S3Server::start() {
        Ok(server) => test(&objects(&server, name)),
        Err(error) => println!("skipped on S3: {error}"),
    }
}

fn file(bytes: &[u8]) -> Content {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("in", bytes.to_vec()));
    Content::File(ArtifactFile { name: "in".into(), source, path: None, beside: None })
}

fn folder(files: &[(&str, &str)]) -> Content {
    let part = |(name, text): &(&str, &str)| ArtifactFile {
        name: (*name).to_owned(),
        source: Arc::new(BytesSource::new(*name, text.as_bytes().to_vec())),
        path: None,
        beside: None,
    };
    Content::Folder { name: "in".into(), parts: files.iter().map(part).collect() }
}

fn is_damaged<T>(result: Result<T, FleetError>) -> bool {
    matches!(result, Err(FleetError::Damaged { .. }))
}

#[test]
fn a_file_lies_once_under_the_digest_of_its_bytes() {
    on_both("files", |shelf| {
        let depot = &shelf.depot;
        let digest = Digest::sha256(b"weights");
        assert!(!depot.has(&digest).unwrap() && is_damaged(depot.content(&digest, "x")));
        let (a, b) = (depot.add(&file(b"weights")).unwrap(), depot.add(&file(b"weights")).unwrap());
        assert_eq!((a.new, b.new, a.size, a.digest, b.digest), (true, false, 7, digest, digest));
        assert_eq!((shelf.count)(), 1);
        assert!(depot.has(&digest).unwrap());
        let content = depot.content(&digest, "net.pt").unwrap();
        let source = &content.parts()[0].source;
        assert_eq!((source.name(), source.bytes(3, 2).unwrap()), ("net.pt", b"gh".to_vec()));
        depot.verify(&digest).unwrap();
        assert_eq!(depot.digests().unwrap(), [digest]);
        let empty = depot.add(&file(b"")).unwrap();
        assert_eq!((empty.digest, empty.size), (Digest::sha256(b""), 0));
        depot.verify(&empty.digest).unwrap();
    });
}

#[test]
fn a_folder_has_a_digest_of_its_paths_and_contents() {
    on_both("folders", |shelf| {
        let depot = &shelf.depot;
        let add = |path, text| depot.add(&folder(&[(path, text), ("z", "same")])).unwrap();
        let one = add("v/x", "1");
        assert_eq!((one.digest, one.size), (add("v/x", "1").digest, 5));
        assert_ne!(one.digest, add("v/y", "1").digest);
        assert_ne!(one.digest, add("v/x", "2").digest);
        depot.verify(&one.digest).unwrap();
        let content = depot.content(&one.digest, "saved").unwrap();
        let parts: Vec<(&str, &str)> =
            content.parts().iter().map(|part| (&*part.name, part.source.name())).collect();
        assert_eq!(parts, [("v/x", "saved/v/x"), ("z", "saved/z")]);
        assert_eq!(depot.digests().unwrap().len(), 3);
        (shelf.damage)(&one.digest, "v/x");
        assert!(is_damaged(depot.verify(&one.digest)) && is_damaged(depot.whole(&one.digest, "f")));
        for bad in ["../x", "/x", "a//b", ""] {
            assert!(matches!(depot.add(&folder(&[(bad, "1")])), Err(FleetError::Path(_))), "{bad}");
        }
    });
}

#[test]
fn what_was_damaged_is_not_read_as_a_whole() {
    on_both("damage", |shelf| {
        let depot = &shelf.depot;
        let digest = depot.add(&file(b"weights")).unwrap().digest;
        let whole =
            |depot: &BlobStore| depot.whole(&digest, "net.pt").unwrap().parts()[0].source.all();
        assert_eq!(whole(depot).unwrap(), b"weights");
        (shelf.damage)(&digest, "");
        assert!(is_damaged(depot.verify(&digest)));
        let error = whole(depot).unwrap_err().to_string();
        assert!(error.contains("no longer what it was"), "{error}");
        // Neither is a copy of it made.
        let target = tempfile::tempdir().unwrap();
        let content = depot.whole(&digest, "net.pt").unwrap();
        let assembly = unskew_source::Assembly::from_source(&content.parts()[0].source);
        let out = target.path().join("out.pt");
        assert!(ConvertedArtifact::File(Arc::new(assembly)).write(&out).is_err());
        assert!(!out.exists());
    });
}

#[test]
fn what_is_taken_away_is_gone_whole_and_can_come_back() {
    on_both("removal", |shelf| {
        let depot = &shelf.depot;
        for content in [file(b"weights"), folder(&[("a/b", "1"), ("c", "2")])] {
            let digest = depot.add(&content).unwrap().digest;
            depot.remove(&digest).unwrap();
            depot.remove(&digest).unwrap();
            assert!(!depot.has(&digest).unwrap() && depot.digests().unwrap().is_empty());
            assert_eq!((shelf.count)(), 0);
            assert!(depot.add(&content).unwrap().new);
            depot.verify(&digest).unwrap();
            depot.remove(&digest).unwrap();
        }
    });
}

#[test]
fn a_file_of_many_parts_arrives_whole() {
    on_both("parts", |shelf| {
        let bytes: Vec<u8> =
            (0..37_u32 << 20).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let stored = shelf.depot.add(&file(&bytes)).unwrap();
        assert_eq!((stored.digest, stored.size), (Digest::sha256(&bytes), 37 << 20));
        shelf.depot.verify(&stored.digest).unwrap();
        let content = shelf.depot.content(&stored.digest, "net.pt").unwrap();
        let end = content.parts()[0].source.bytes((37 << 20) - 5, 5).unwrap();
        assert_eq!(end, bytes[bytes.len() - 5..]);
    });
}

/// Bytes that fail after some reads, or change between two.
struct Unsteady {
    size: u64,
    reads: AtomicUsize,
    fails_at: usize,
    changes_at: usize,
}

impl Source for Unsteady {
    fn name(&self) -> &str {
        "unsteady"
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reads.fetch_add(1, Ordering::Relaxed);
        if read >= self.fails_at {
            return Err(io::Error::other("the cable was pulled"));
        }
        let n = buffer.len().min((self.size - offset) as usize);
        buffer[..n].fill(u8::from(read >= self.changes_at));
        Ok(n)
    }
}

#[test]
fn nothing_of_what_fails_or_changes_on_its_way_in_is_seen() {
    on_both("unsteady", |shelf| {
        let size = 20_u64 << 20;
        for at in [0, 1, 15, 25, 35] {
            for fails in [true, false] {
                let (fails_at, changes_at) =
                    if fails { (at, usize::MAX) } else { (usize::MAX, at) };
                let reads = AtomicUsize::new(0);
                let source = Arc::new(Unsteady { size, reads, fails_at, changes_at });
                let part = ArtifactFile { name: "in".into(), source, path: None, beside: None };
                match shelf.depot.add(&Content::File(part)) {
                    Ok(stored) => shelf.depot.verify(&stored.digest).unwrap(),
                    Err(error) => println!("{error}"),
                }
                for digest in shelf.depot.digests().unwrap() {
                    shelf.depot.verify(&digest).unwrap();
                    shelf.depot.remove(&digest).unwrap();
                }
                assert_eq!((shelf.count)(), 0, "fails {fails} at {at}");
            }
        }
    });
}

#[test]
fn what_is_not_what_was_announced_is_not_kept() {
    on_both("announced", |shelf| {
        let (right, wrong) = (Digest::sha256("weights"), Digest::sha256("other"));
        let refused = shelf.depot.add_announced(&file(b"weights"), &[wrong]).unwrap_err();
        assert!(matches!(refused, FleetError::Differs { .. }), "{refused}");
        assert_eq!((shelf.count)(), 0, "nothing is left");
        let stored = shelf.depot.add_announced(&file(b"weights"), &[right]).unwrap();
        assert_eq!((stored.digest, stored.new), (right, true));
        // What is there already does not stand for what was not brought.
        let refused = shelf.depot.add_announced(&file(b"wrong"), &[right]).unwrap_err();
        assert!(matches!(refused, FleetError::Differs { .. }), "{refused}");
        let again = shelf.depot.add_announced(&file(b"weights"), &[right]).unwrap();
        assert!(!again.new);
        shelf.depot.verify(&right).unwrap();
    });
}
