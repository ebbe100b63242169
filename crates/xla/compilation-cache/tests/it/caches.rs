//! What entries of real releases say.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use unskew_compilation_cache::writers::writer;
use unskew_compilation_cache::{
    Cache, CacheFile, Damage, EntryStatus, entry_party, folder, folder_party,
};
use unskew_core::{Context, Outcome, Party, Role, Verdict, Version, check};
use unskew_source::{BytesSource, FileSource, Source};

const MADE_IN: &str = "/tmp/jax-cache";

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn files(name: &str) -> Vec<CacheFile> {
    let mut files: Vec<CacheFile> = data(name)
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| CacheFile::at(entry.file_name().into_string().unwrap(), &entry.path()))
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

fn cache(name: &str, path: &str) -> Cache {
    folder(Some(path.to_owned()), &files(name)).unwrap()
}

fn state(cache: &Cache, jax: Version) -> EntryStatus {
    let [item] = &cache.items[..] else { panic!("one entry") };
    item.state(jax, writer(jax).unwrap(), cache.folder.as_deref())
}

fn jax(version: Version) -> Party {
    let party = Party::new(format!("jax {version}"), Role::Host, "JAX release");
    unskew_compilation_cache::reader(party, version)
}

fn verdict(party: &Party, version: Version) -> Verdict {
    check(party, &jax(version), &Context::for_tests())
}

fn codes(verdict: &Verdict) -> Vec<&str> {
    verdict.findings.iter().map(|finding| finding.rule.code).collect()
}

const OLD: Version = Version::triple(0, 4, 30);
const MIDDLE: Version = Version::triple(0, 6, 2);
const NEW: Version = Version::triple(0, 12, 0);

#[test]
fn each_entry_is_of_the_release_that_wrote_it_and_stale_for_the_others() {
    let all = [
        ("0.4.30", OLD),
        ("0.5.0", Version::triple(0, 5, 0)),
        ("0.6.2", MIDDLE),
        ("0.6.2-zstandard", MIDDLE),
        ("0.10.2", Version::triple(0, 10, 2)),
        ("0.12.0", NEW),
    ];
    for (name, version) in all {
        let cache = cache(name, MADE_IN);
        assert!(cache.items[0].writers().unwrap().contains(&version), "{name}");
        for (_, other) in all {
            let expected =
                if other == version { EntryStatus::Candidate } else { EntryStatus::Stale };
            assert_eq!(state(&cache, other), expected, "{name} for {other}");
        }
    }
}

#[test]
fn a_patch_with_the_same_xla_is_named_beside_the_release() {
    let writers = cache("0.12.0", MADE_IN).items[0].writers().unwrap();
    assert_eq!(writers.len(), 2);
    assert!(writers.iter().all(|version| version.minor() == 12));
}

#[test]
fn a_cache_that_was_moved_is_found_where_the_path_is_not_in_the_key() {
    assert_eq!(state(&cache("0.6.2", "/elsewhere"), MIDDLE), EntryStatus::Moved);
    assert_eq!(state(&cache("0.12.0", "/elsewhere"), NEW), EntryStatus::Candidate);
    assert_eq!(state(&cache("0.6.2", "/tmp/jax-cache/"), MIDDLE), EntryStatus::Candidate);
    let party = folder_party("c", Some("/elsewhere".to_owned()), &files("0.6.2"), &[]).unwrap();
    assert_eq!(codes(&verdict(&party, MIDDLE)), ["JC003"]);
}

#[test]
fn what_nobody_asks_for_is_judged_and_what_may_be_asked_for_is_not() {
    let party = folder_party("c", None, &files("0.6.2"), &[]).unwrap();
    let stale = verdict(&party, NEW);
    assert_eq!((codes(&stale), stale.unjudged.len()), (vec!["JC001", "JC006"], 0));
    assert_eq!(stale.consequence(), Some("every program is compiled again"));
    let own = verdict(&party, MIDDLE);
    assert!(own.findings.is_empty() && own.consequence().is_none());
    assert_eq!(own.outcome, Outcome::Unjudged);
    assert!(own.unjudged[0].reason.contains("XLA_FLAGS"), "{own:?}");
    let unknown = verdict(&party, Version::triple(9, 0, 0));
    assert_eq!(unknown.outcome, Outcome::Unjudged);
}

#[test]
fn access_times_and_processors_are_read() {
    let cache = cache("0.5.0", MADE_IN);
    let item = &cache.items[0];
    assert!(item.has_access_time && cache.leftovers.is_empty());
    assert!(item.used.unwrap().as_second() > 1_700_000_000);
    let target = self::cache("0.12.0", MADE_IN).items[0].entry.as_ref().unwrap().target().cloned();
    assert_eq!(target.unwrap().triple, "x86_64-unknown-linux-gnu");
}

#[test]
fn one_entry_without_an_access_time_keeps_a_limited_cache_from_growing() {
    let mut all = files("0.5.0");
    all.extend(files("0.6.2"));
    let party = folder_party("c", None, &all, &[]).unwrap();
    assert!(codes(&verdict(&party, MIDDLE)).contains(&"JC004"));
    assert!(!codes(&verdict(&party, Version::triple(0, 11, 2))).contains(&"JC004"));
    let without = folder_party("c", None, &files("0.6.2"), &[]).unwrap();
    assert!(!codes(&verdict(&without, MIDDLE)).contains(&"JC004"));
}

#[test]
fn an_entry_alone_is_a_cache_and_another_file_is_none() {
    let path = data("0.6.2").read_dir().unwrap().next().unwrap().unwrap().path();
    let source: Arc<dyn Source> = Arc::new(FileSource::open(&path).unwrap());
    assert_eq!(entry_party(&source).unwrap().unwrap().kind, "JAX compilation cache");
    let other = |name: &str, bytes: &[u8]| {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new(name, bytes.to_vec()));
        entry_party(&source).unwrap()
    };
    assert!(other("model.onnx", b"x\x9c").is_none());
    // A store of blobs has such names too; what is in this one is nothing that JAX writes.
    assert!(other(&format!("layer-{}", "0".repeat(64)), b"PK\x03\x04").is_none());
    assert!(other(&format!("jit_f-{}-cache", "0".repeat(64)), b"").is_some());
}

#[test]
fn an_entry_that_unpacks_to_more_than_its_budget_is_not_looked_at() {
    let mut bomb = ZlibEncoder::new(Vec::new(), Compression::fast());
    bomb.write_all(&vec![0; 2 << 20]).unwrap();
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("bomb", bomb.finish().unwrap()));
    let budget = unskew_source::Budget::for_size(0);
    budget.bytes(budget.left(unskew_source::Resource::Bytes) - (1 << 20)).unwrap();
    let read = unskew_compilation_cache::CacheEntry::read(&source, &budget);
    assert_eq!(read.unwrap_err(), Damage::TooLarge);
}
