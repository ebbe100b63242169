//! The programs are what JAX 0.4.20 and 0.4.28 hand to a plug-in for a few lines of `jax.numpy`: slices
//! and a padding, indexing, `at[].set`, a convolution, a sum over windows.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::EncodingKind;

const PROGRAMS: [&str; 10] = [
    "jax-0.4.20-conv",
    "jax-0.4.20-gather",
    "jax-0.4.20-scatter",
    "jax-0.4.20-slice",
    "jax-0.4.20-window",
    "jax-0.4.28-conv",
    "jax-0.4.28-gather",
    "jax-0.4.28-scatter",
    "jax-0.4.28-slice",
    "jax-0.4.28-window",
];

fn data(file: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file)).unwrap()
}

fn program(name: &str) -> Vec<u8> {
    data(&format!("{name}.mlirbc"))
}

/// The operations with their attributes of the table: name, attribute, and whether it is an array with
/// this many elements.
fn attributes(bytes: &[u8]) -> Vec<(String, String, Option<u64>)> {
    let source = BytesSource::new("p", bytes);
    let mut cursor = Cursor::new(&source, Span { start: 0, end: source.size() });
    cursor.skip(4).unwrap();
    let version = cursor.varint().unwrap();
    cursor.terminated(PRODUCER).unwrap();
    let mut parts = std::collections::HashMap::new();
    while cursor.left() > 0 {
        let (id, _, span) = aligned_section(&mut cursor).unwrap();
        parts.insert(id, span);
    }
    let strings = Strings::read(&source, parts[&section::STRINGS]).unwrap();
    let mut names = Cursor::new(&source, parts[&section::DIALECTS]);
    let (dialects, order, _) = dialects::read(&mut names, version, &strings).unwrap();
    let mut sizes = Cursor::new(&source, parts[&section::KIND_SIZES]);
    let values = parts[&section::KINDS];
    let entries = Entries::read(&mut sizes, &source, values, &dialects, &strings).unwrap();
    let mut found = Vec::new();
    let mut program = Cursor::new(&source, parts[&section::PROGRAM]);
    operations::walk(&mut program, &mut |operation, dictionary, _| {
        let (dialect, operation) = order[operation as usize];
        let dialect = &dialects[dialect];
        let rule = table::rule(&dialect.name, &dialect.operations[operation]);
        let Some(rule) = rule else { return Ok(()) };
        for (name, value) in entries.dictionary(dictionary)?.unwrap() {
            let name = entries.text(name)?.unwrap();
            if rule.attributes.iter().any(|(attribute, _)| *attribute == name) {
                let array = entries
                    .attribute(value, crate::bytecode::entries::builtin::attribute::ARRAY)?;
                let length = array.map(|mut array| {
                    array.varint().unwrap();
                    array.varint().unwrap()
                });
                found.push((rule.operation.to_owned(), name, length));
            }
        }
        Ok(())
    })
    .unwrap();
    found
}

#[test]
fn every_attribute_of_the_table_is_an_array_afterwards_and_nothing_else_changed() {
    for name in PROGRAMS {
        let old = program(name);
        let new = upgrade_native(&old).unwrap();
        let (before, after) = (attributes(&old), attributes(&new));
        assert!(before.iter().any(|(.., array)| array.is_none()), "{name}: {before:?}");
        assert!(after.iter().all(|(.., array)| array.is_some()), "{name}: {after:?}");
        assert_eq!(before.len(), after.len(), "{name}");
        // An array is an attribute of another kind than elements.
        let read = |bytes: &[u8]| {
            let mut read = Bytecode::read(&BytesSource::new("p", bytes)).unwrap();
            read.kinds.retain(|kind| !matches!(kind, EncodingKind::Builtin(_)));
            read
        };
        assert_eq!(read(&old), read(&new), "{name}");
    }
}

#[test]
fn a_program_is_rewritten_once() {
    for name in PROGRAMS {
        let new = upgrade_native(&program(name)).unwrap().into_owned();
        assert!(matches!(upgrade_native(&new).unwrap(), Cow::Borrowed(_)), "{name}");
    }
}

#[test]
fn one_stride_for_all_dimensions_becomes_one_for_each() {
    let old = program("jax-0.4.20-conv");
    let new = upgrade_native(&old).unwrap();
    let expected = ["lhs_dilation", "rhs_dilation", "window_reversal", "window_strides"]
        .map(|name| ("stablehlo.convolution".to_owned(), name.to_owned(), Some(2)));
    assert_eq!(attributes(&new), expected);
}

#[test]
fn dimension_numbers_of_gather_and_scatter_get_two_lists() {
    // Offset dimensions [1], collapsed [0], then the new ones, start indices [0], index vector 1.
    let old = [0x0f, 3, 5, 3, 1, 3, 1, 5];
    let new = [0x0f, 3, 5, 3, 1, 1, 1, 3, 1, 5];
    for (name, code) in [("gather", 0x0f), ("scatter", 0x17)] {
        let bytes = program(&format!("jax-0.4.28-{name}"));
        let upgraded = upgrade_native(&bytes).unwrap();
        let contains = |bytes: &[u8], part: &[u8]| {
            let part: Vec<u8> = [&[code], &part[1..]].concat();
            bytes.windows(part.len()).any(|window| window == part)
        };
        assert!(contains(&bytes, &old) && !contains(&bytes, &new), "{name}");
        assert!(contains(&upgraded, &new) && !contains(&upgraded, &old), "{name}");
    }
}

#[test]
fn what_needs_nothing_comes_back_as_it_was() {
    for file in ["tanh-1.10.0.stablehlo", "add-0.9.0.stablehlo", "plain.mlir", "plain.mlirbc"] {
        let bytes = data(file);
        assert!(
            matches!(upgrade_native(&bytes).unwrap(), Cow::Borrowed(b) if b == bytes),
            "{file}"
        );
    }
    assert!(matches!(upgrade_native(b"").unwrap(), Cow::Borrowed(b"")));
}

#[test]
fn an_attribute_that_no_array_can_hold_is_named() {
    // The 2 in the type of the strides, `tensor<2xi64>`, becomes a dimension that is not known.
    let bytes = program("jax-0.4.20-conv");
    let at = bytes.windows(4).position(|window| window == [0x1b, 3, 9, 3]).unwrap();
    let mut broken = bytes.clone();
    broken[at + 2] = 0x0b;
    let error = upgrade_native(&broken).unwrap_err().to_string();
    assert!(
        error.starts_with("the attribute lhs_dilation of stablehlo.convolution has"),
        "{error}"
    );
    assert!(matches!(upgrade_native(&bytes[..200]), Err(UpgradeError::Read(_))));
}

proptest! {
    #[test]
    fn a_damaged_program_is_rewritten_or_refused(
        name in 0..PROGRAMS.len(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = program(PROGRAMS[name]);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(Cow::Owned(new)) = upgrade_native(&bytes) {
            prop_assert!(new.len() < bytes.len() * 64 + (1 << 20));
            let _ = upgrade_native(&new);
        }
    }

    #[test]
    fn any_bytes_are_rewritten_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = upgrade_native(&bytes);
        let _ = upgrade_native(&[&MAGIC[..], &[3, 0], &bytes].concat());
    }

    #[test]
    fn numbers_are_written_as_they_are_read(value in any::<u64>(), shift in 0..64u32) {
        let value = value >> shift;
        let mut bytes = Vec::new();
        numbers::varint(&mut bytes, value);
        let source = BytesSource::new("v", &*bytes);
        let mut cursor = Cursor::new(&source, Span { start: 0, end: source.size() });
        prop_assert_eq!(cursor.varint().unwrap(), value);
        prop_assert_eq!(cursor.left(), 0);
    }
}
