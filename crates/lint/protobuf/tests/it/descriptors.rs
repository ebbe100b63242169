//! Sets of descriptors: read without a panic wherever they are cut, and one with the text that they were made of.

use unskew_kinds::{CompareOptions, InterfaceKind};
use unskew_protobuf::Protobuf;
use unskew_source::Files;

/// Compares bytes with others under a name that the kind takes for its own.
fn compare(name: &str, old: &[u8], new: &[u8]) {
    let side = |bytes: &[u8]| Files::from_iter([(name, bytes.to_vec())]);
    Protobuf.compare(&side(old), &side(new), &CompareOptions::default()).unwrap();
}

#[test]
fn descriptors_cut_anywhere_are_read_without_a_panic() {
    let whole = include_bytes!("../described/everything.binpb");
    for end in 0..whole.len() {
        let mut cut = whole.to_vec();
        cut.truncate(end);
        compare("a.binpb", whole, &cut);
        let mut flipped = whole.to_vec();
        flipped[end] ^= 0x55;
        compare("a.binpb", whole, &flipped);
    }
}

#[test]
fn a_text_and_the_descriptors_that_protoc_makes_of_it_say_the_same() {
    let described = include_bytes!("../described/everything.binpb");
    let written = include_bytes!("../described/everything.proto");
    let side = |name: &str, bytes: &[u8]| Files::from_iter([(name, bytes.to_vec())]);
    let (a, b) = (side("everything.binpb", described), side("everything.proto", written));
    for (old, new) in [(&a, &b), (&b, &a)] {
        let found = Protobuf.compare(old, new, &CompareOptions::default()).unwrap().changes;
        assert!(found.is_empty(), "{found:?}");
    }
    // That it compares at all: without a field there is a finding.
    let less = String::from_utf8_lossy(written).replace("  optional Kind kind = 10;\n", "");
    let less = side("everything.proto", less.as_bytes());
    assert_eq!(Protobuf.compare(&a, &less, &CompareOptions::default()).unwrap().changes.len(), 1);
}
