//! Any bytes are a model, something else, or an error; and none takes much time.

use std::sync::Arc;

use proptest::prelude::*;
use unskew_boosters::party;
use unskew_source::{BytesSource, Source};

fn read(bytes: Vec<u8>) -> bool {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("a.ubj", bytes));
    party(&source).is_ok()
}

proptest! {
    #[test]
    fn any_bytes_behind_a_beginning(which in 0..5_usize, rest in prop::collection::vec(any::<u8>(), 0..400)) {
        let beginnings: [&[u8]; 5] =
            [b"{L\0\0\0\0\0\0\0\x07learner", b"{\"learner\":", b"tree\nversion=", b"CBM1", b"{\"model_info\":"];
        read([beginnings[which], &rest].concat());
    }
}

#[test]
fn lying_counts_and_deep_nests_are_errors() {
    let learner = b"{L\0\0\0\0\0\0\0\x07learner";
    let with = |rest: &[u8]| [learner.as_slice(), rest].concat();
    // A list of numbers, a text and an object that are longer than the file; a negative count; a type that is none.
    assert!(!read(with(b"[$L#L\x7f\xff\xff\xff\xff\xff\xff\xff")));
    assert!(!read(with(b"SL\x00\xff\xff\xff\xff\xff\xff\xff")));
    assert!(!read(with(b"{#L\x00\xff\xff\xff\xff\xff\xff\xff")));
    assert!(!read(with(b"[#L\xff\xff\xff\xff\xff\xff\xff\xff")));
    assert!(!read(with(b"x")));
    assert!(!read(with(&[b'['; 100_000])));
    let nested = format!("{{\"learner\":{}", "[".repeat(100_000));
    assert!(!read(nested.into_bytes()));
    assert!(!read(b"CBM1\xff\xff\xff\xff".to_vec()));
}

#[test]
fn values_without_bytes_are_not_counted_one_by_one() {
    let mut bytes = b"{L\0\0\0\0\0\0\0\x07learner[$Z#L".to_vec();
    bytes.extend((1_u64 << 60).to_be_bytes());
    bytes.push(b'}');
    assert!(read(bytes));
    let mut bytes = b"{L\0\0\0\0\0\0\0\x07learner{$Z#L".to_vec();
    bytes.extend((1_u64 << 60).to_be_bytes());
    assert!(!read(bytes));
}
