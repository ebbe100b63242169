//! Any bytes are a file, something else, or an error; counts that lie end with the file.

use proptest::prelude::*;
use unskew_gguf::{BrokenRule, GgufFile, party};

use crate::written::{Written, source};

/// The head of version 3 with these counts.
fn head(tensors: u64, keys: u64) -> Vec<u8> {
    [&b"GGUF\x03\0\0\0"[..], &tensors.to_le_bytes(), &keys.to_le_bytes()].concat()
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for start in [b"GGUF".to_vec(), head(1, 2), head(3, 0)] {
            let _ = party(&source("a", [start, bytes.clone()].concat()));
        }
    }

    #[test]
    fn a_file_that_is_cut_is_an_error_or_says_so(cut in 1_usize..400) {
        let whole = Written::new()
            .word("general.architecture", "llama")
            .number("llama.context_length", 32)
            .tensor("a", &[32, 4], 0, 0)
            .with_data(512);
        let bytes = whole.bytes();
        let cut = cut.min(bytes.len() - 4);
        let read = GgufFile::read(&source("a", bytes[..bytes.len() - cut].to_vec()));
        prop_assert!(read.is_err() || read.unwrap().unwrap().beyond.count() == 1);
    }
}

#[test]
fn counts_that_lie_are_errors() {
    let text_that_lies = [head(0, 1), u64::MAX.to_le_bytes().to_vec()].concat();
    let array = |element: u32, count: u64| {
        let mut value = Written::new().u32(9);
        value.extend(element.to_le_bytes());
        value.extend(count.to_le_bytes());
        Written::new().raw("a", value).bytes()
    };
    for bytes in [
        head(u64::MAX, 0),
        head(0, u64::MAX),
        head(5, 0),
        head(0, 5),
        text_that_lies,
        array(8, u64::MAX),
        array(8, 1 << 40),
        array(4, u64::MAX),
        array(77, 1),
    ] {
        assert!(party(&source("a", bytes)).is_err());
    }
}

#[test]
fn arrays_nest_to_a_depth() {
    let nested = |depth: usize| {
        let mut value = Written::new().u32(9);
        for _ in 1..depth {
            value.extend([&9_u32.to_le_bytes()[..], &1_u64.to_le_bytes()].concat());
        }
        value.extend([&0_u32.to_le_bytes()[..], &1_u64.to_le_bytes(), &[7]].concat());
        GgufFile::read(&Written::new().raw("a", value).source())
    };
    assert!(nested(1).unwrap().unwrap().broken.is_empty());
    assert_eq!(nested(2).unwrap().unwrap().broken, [BrokenRule::NestedArray("a".to_owned())]);
    assert!(nested(8).is_ok());
    assert!(nested(1000).unwrap_err().to_string().contains("nests deeper"), "too deep");
}

#[test]
fn a_long_text_is_passed_over_and_names_show_no_control_signs() {
    let file = Written::new()
        .word("tokenizer.chat_template", &"x".repeat(100_000))
        .word("general.architecture", "lla\u{1b}[31mma");
    let party = party(&file.source()).unwrap().unwrap();
    let fact =
        |label: &str| party.facts.iter().find(|one| one.label == label).unwrap().value.clone();
    assert_eq!(fact("architecture"), "lla[31mma");
    assert_eq!(fact("chat template"), "in the file");
}

#[test]
fn tensors_over_each_other_or_twice_are_named() {
    let file = Written::new()
        .tensor("a", &[8], 0, 0)
        .tensor("b", &[8], 0, 16)
        .tensor("a", &[8], 0, 48)
        .with_data(256);
    let read = GgufFile::read(&file.source()).unwrap().unwrap();
    let offset = |tensor: &str, offset, expected| BrokenRule::Offset {
        tensor: tensor.to_owned(),
        offset,
        expected,
    };
    assert_eq!(
        read.broken,
        [BrokenRule::DuplicateTensor("a".to_owned()), offset("b", 16, 32), offset("a", 48, 64)]
    );
}

#[test]
fn every_version_and_order_of_bytes_is_read() {
    for (version, is_big_endian) in [(1, false), (2, false), (3, false), (3, true)] {
        let empty = Written { version, is_big_endian, ..Written::new() };
        let file =
            empty.word("general.architecture", "llama").tensor("a", &[32], 2, 0).with_data(32);
        let read = GgufFile::read(&file.source()).unwrap().unwrap();
        assert_eq!((read.version, read.is_big_endian), (version, is_big_endian));
        assert_eq!(read.architecture(), Some("llama"));
        assert_eq!(read.types_in_words(), "Q4_0 1");
        assert!(read.beyond.is_empty() && read.broken.is_empty());
    }
}
