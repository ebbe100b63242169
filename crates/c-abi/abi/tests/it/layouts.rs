//! Structs that had other layouts in other releases: filled in by name.
#![allow(unsafe_code, reason = "the tests hand out structs as C hosts do")]

use std::ptr::NonNull;

use unskew_abi::contract::{
    FieldContract, InterfaceVersion, StructContract, StructReader, StructWriter, Zero,
};

const fn field(name: &'static str, offset: usize, bytes: usize) -> FieldContract {
    FieldContract {
        name,
        doc: "",
        type_name: "",
        offset,
        bytes,
        since: InterfaceVersion::new(1, 0),
        zero: Zero::Value,
        deprecated: None,
        replaces: None,
    }
}

/// The old layout: `count` and `flag`.
const OLD: &StructContract = &StructContract {
    name: "Toy",
    doc: "",
    fields: &[field("struct_size", 0, 8), field("count", 8, 8), field("flag", 16, 1)],
    deprecated: None,
};

/// The new one: `extra` was inserted, `count` is gone, and `flag` moved.
const NEW: &StructContract = &StructContract {
    name: "Toy",
    doc: "",
    fields: &[
        field("struct_size", 0, 8),
        field("extra", 8, 8),
        field("flag", 16, 1),
        field("more", 24, 8),
    ],
    deprecated: None,
};

#[test]
fn a_struct_of_one_layout_fills_in_one_of_another_field_by_field() {
    let mut theirs: [u64; 4] = [17, 5, 0xaaaa_aaaa_aaaa_aa00, 0xaaaa_aaaa_aaaa_aaaa];
    let mut ours: [u64; 4] = [32, 7, 1, 9];
    // SAFETY: both are structs that announce their sizes, and live as long as they are used.
    let (mut writer, reader) = unsafe {
        let ours = StructReader::new(NonNull::from(&mut ours).cast(), NEW).unwrap();
        (StructWriter::new(NonNull::from(&mut theirs).cast(), OLD).unwrap(), ours)
    };
    writer.fill_from(&reader);
    // The size and what only one of them has stay, and so does what lies behind the announced size.
    assert_eq!(theirs, [17, 5, 0xaaaa_aaaa_aaaa_aa01, 0xaaaa_aaaa_aaaa_aaaa]);
}

#[test]
fn a_field_by_name_is_passed_over_where_the_layout_has_none() {
    let mut theirs: [u64; 3] = [17, 5, 0];
    // SAFETY: as above.
    let mut writer = unsafe { StructWriter::new(NonNull::from(&mut theirs).cast(), OLD) }.unwrap();
    assert_eq!(writer.set_named("count", 6_u64), Ok(true));
    assert_eq!(writer.set_named("extra", 8_u64), Ok(false));
    assert_eq!(writer.reader().get_named::<u64>("count"), Some(6));
    assert_eq!(writer.reader().get_named::<u64>("extra"), None);
    assert_eq!(theirs, [17, 6, 0]);
    // A host of that layout whose struct ends before the field: there was something to say.
    theirs[0] = 8;
    // SAFETY: as above.
    let mut writer = unsafe { StructWriter::new(NonNull::from(&mut theirs).cast(), OLD) }.unwrap();
    assert!(writer.set_named("count", 7_u64).is_err());
    assert_eq!(theirs, [8, 6, 0]);
}
