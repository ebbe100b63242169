//! Any value reads back at any version that holds it; any bytes are a value or an error.

use std::collections::BTreeMap;

use proptest::prelude::*;
use unskew_serdes::{FamilyVersion, Format, family, read, read_into, view, write};

family!(Specs = "tests/specs.history.toml");

#[derive(Debug, PartialEq, Clone, Format)]
#[format(family = Specs, view)]
struct Inner {
    numbers: Vec<i32>,
    wide: Vec<u64>,
    bytes: Vec<u8>,
    text: Option<String>,
    #[format(since = 1)]
    extra: Vec<i16>,
}

#[derive(Debug, PartialEq, Clone, Format)]
#[format(family = Specs, view)]
struct Outer {
    inners: Vec<Inner>,
    signed: i64,
    #[format(since = 2, skippable)]
    hint: u32,
}

#[derive(Debug, PartialEq, Clone, Format)]
#[format(family = Specs)]
struct Mapped {
    map: BTreeMap<String, (u16, f64)>,
    tree: Option<Box<Mapped>>,
}

fn at(number: u32) -> FamilyVersion<Specs> {
    Specs::access().any().get(i64::from(number)).unwrap()
}

fn inner() -> impl Strategy<Value = Inner> {
    (
        proptest::collection::vec(any::<i32>(), 0..9),
        proptest::collection::vec(any::<u64>(), 0..3),
        proptest::collection::vec(any::<u8>(), 0..200),
        proptest::option::of(".{0,9}"),
        proptest::collection::vec(any::<i16>(), 0..3),
    )
        .prop_map(|(numbers, wide, bytes, text, extra)| Inner {
            numbers,
            wide,
            bytes,
            text,
            extra,
        })
}

fn outer() -> impl Strategy<Value = Outer> {
    (proptest::collection::vec(inner(), 0..4), any::<i64>(), any::<u32>())
        .prop_map(|(inners, signed, hint)| Outer { inners, signed, hint })
}

/// What stands behind texts of every length: ASCII is looked for in steps.
#[test]
fn a_text_is_utf8_wherever_it_is_not_ascii() {
    for length in 0..70 {
        let mut bytes = vec![];
        write(&"a".repeat(length), at(2), &mut bytes).unwrap();
        for place in 0..length {
            let mut bytes = bytes.clone();
            bytes[1 + place] = 0xff;
            assert!(read::<Specs, String>(&bytes).is_err(), "{place} of {length}");
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back(value in outer(), version in 0_u32..=2) {
        let mut bytes = vec![];
        let holds = version >= 1 || value.inners.iter().all(|inner| inner.extra.is_empty());
        let written = write(&value, at(version), &mut bytes);
        prop_assert_eq!(written.is_ok(), holds);
        if holds {
            prop_assert_eq!(&read::<Specs, Outer>(&bytes).unwrap(), &value);
            let seen = view::<Specs, Outer>(&bytes).unwrap();
            prop_assert_eq!(seen.signed, value.signed);
            prop_assert_eq!(seen.inners.len(), value.inners.len());
            for (seen, inner) in seen.inners.iter().zip(&value.inners) {
                prop_assert_eq!(seen.numbers.iter().collect::<Vec<_>>(), inner.numbers.clone());
                prop_assert_eq!(seen.wide.iter().collect::<Vec<_>>(), inner.wide.clone());
                prop_assert_eq!(seen.bytes, inner.bytes.as_slice());
                prop_assert_eq!(seen.text, inner.text.as_deref());
            }
        }
    }

    #[test]
    fn what_was_there_leaves_nothing_behind(value in outer(), mut kept in outer(), version in 1_u32..=2) {
        let mut bytes = vec![];
        write(&value, at(version), &mut bytes).unwrap();
        read_into::<Specs, Outer>(&bytes, &mut kept).unwrap();
        prop_assert_eq!(kept, value);
    }

    #[test]
    fn reading_over_a_value_says_what_reading_says(value in outer(), mut kept in outer(), at_byte in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = vec![];
        write(&value, at(2), &mut bytes).unwrap();
        let place = at_byte.index(bytes.len());
        bytes[place] = byte;
        let over = read_into::<Specs, Outer>(&bytes, &mut kept).map(|()| kept);
        prop_assert_eq!(over, read::<Specs, Outer>(&bytes));
    }

    #[test]
    fn a_view_and_a_value_agree_on_what_can_be_read(value in outer(), at_byte in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = vec![];
        write(&value, at(2), &mut bytes).unwrap();
        let place = at_byte.index(bytes.len());
        bytes[place] = byte;
        let owned = read::<Specs, Outer>(&bytes).map(|_| ());
        let seen = view::<Specs, Outer>(&bytes).map(|_| ());
        prop_assert_eq!(owned, seen);
    }

    #[test]
    fn any_bytes_are_a_value_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read::<Specs, Outer>(&bytes);
        let _ = read::<Specs, Mapped>(&bytes);
        let _ = view::<Specs, Outer>(&bytes);
    }

    #[test]
    fn every_beginning_of_a_value_is_truncated(value in outer(), cut in any::<prop::sample::Index>()) {
        let mut bytes = vec![];
        write(&value, at(2), &mut bytes).unwrap();
        let cut = cut.index(bytes.len());
        prop_assert!(read::<Specs, Outer>(&bytes[..cut]).is_err());
    }
}

#[test]
fn maps_are_canonical() {
    let entry = |name: &str| (name.to_owned(), (7, 0.5));
    let map = BTreeMap::from([entry("a"), entry("b")]);
    let value = Mapped { map: map.clone(), tree: Some(Box::new(Mapped { map, tree: None })) };
    let mut bytes = vec![];
    write(&value, at(2), &mut bytes).unwrap();
    assert_eq!(read::<Specs, Mapped>(&bytes).unwrap(), value);
    let second = bytes.iter().position(|byte| *byte == b'b').unwrap();
    bytes[second] = b'a';
    assert!(read::<Specs, Mapped>(&bytes).unwrap_err().to_string().contains("keys do not rise"));
    let mut kept = value.clone();
    assert!(read_into::<Specs, Mapped>(&bytes, &mut kept).is_err());
    kept = Mapped { map: BTreeMap::new(), tree: None };
    bytes[second] = b'b';
    read_into::<Specs, Mapped>(&bytes, &mut kept).unwrap();
    assert_eq!(kept, value);
}
