//! Entries with anything wrong end as damage or as other entries, never in a panic or without end.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use unskew_compilation_cache::{CacheEntry, Damage};
use unskew_source::{Budget, BytesSource, Source};

fn entry(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let files = folder.read_dir().unwrap().map(|file| file.unwrap().path());
    let file = files.into_iter().find(|file| !file.to_string_lossy().ends_with("-atime"));
    std::fs::read(file.unwrap()).unwrap()
}

fn read(bytes: Vec<u8>) -> Result<CacheEntry, Damage> {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("entry", bytes));
    CacheEntry::read(&source, &Budget::for_size(source.size()))
}

#[test]
fn a_cut_is_always_seen() {
    for name in ["0.4.30", "0.6.2-zstandard", "0.12.0"] {
        let whole = entry(name);
        assert!(read(whole.clone()).is_ok());
        for end in 0..whole.len() {
            assert!(read(whole[..end].to_vec()).is_err_and(Damage::is_certain), "{name}, {end}");
        }
    }
}

#[test]
fn bytes_behind_the_end_are_passed_over() {
    for name in ["0.4.30", "0.12.0"] {
        let mut longer = entry(name);
        longer.extend(b"more");
        assert!(read(longer).is_ok(), "{name}");
    }
}

#[test]
fn what_is_no_entry_says_so() {
    assert_eq!(read(Vec::new()).unwrap_err(), Damage::Empty);
    assert_eq!(read(b"no entry\n".to_vec()).unwrap_err(), Damage::Unknown);
    assert_eq!(read(vec![0; 100]).unwrap_err(), Damage::Unknown);
    // zlib with four bytes in it: the time, and nothing behind it.
    let time = vec![0x78, 0x9c, 0x63, 0x60, 0x60, 0x60, 0, 0, 0, 4, 0, 1];
    assert_eq!(read(time).unwrap_err(), Damage::Executable);
}

proptest! {
    #[test]
    fn bytes_changed_at_random(name in 0..3_usize, edits in prop::collection::vec((any::<usize>(), any::<u8>()), 1..8)) {
        let mut bytes = entry(["0.4.30", "0.6.2-zstandard", "0.12.0"][name]);
        for (at, byte) in edits {
            let len = bytes.len();
            bytes[at % len] = byte;
        }
        let _ = read(bytes);
    }
}
