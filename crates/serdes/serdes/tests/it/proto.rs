//! Messages that others defined: what a real client sent is read, and written again to the same bytes.

use proptest::prelude::*;
use unskew_serdes::guard::{Goldens, GuardError, SchemaLock};
use unskew_serdes::proto::{Enumeration, Message, MessageDescription, decode, encode};
use unskew_serdes::{DecodeProblem, EncodeProblem, FamilyVersion, family};

family!(Specs = "tests/specs.history.toml", current = 1);

fn at(number: i64) -> FamilyVersion<Specs> {
    Specs::access().any().get(number).unwrap()
}

/// Devices by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Message)]
#[message(family = Specs, name = "specs.Devices", type_name = "specs::Devices")]
struct Devices {
    #[field(1, repeated, int32)]
    ids: Vec<i32>,
}

/// A sharding: field 5 came with version 1, and field 4 records the format.
#[derive(Clone, Debug, Default, PartialEq, Message)]
#[message(family = Specs, name = "specs.Sharding", version = 4)]
struct Sharding {
    #[field(1, message)]
    devices: Devices,
    #[field(2, opaque = "specs.Opaque")]
    opaque: Vec<u8>,
    #[field(3, optional, string, name = "kind")]
    memory_kind: Option<String>,
    #[field(5, repeated, int64, since = 1)]
    unreduced: Vec<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Enumeration)]
#[enumeration(name = "specs.Kind", prefix = "KIND_", unspecified = "KIND_NONE")]
enum Kind {
    #[value(1)]
    F32,
    #[value(7, silent_since = 1)]
    S1,
}

#[derive(Clone, Debug, PartialEq, Message)]
#[message(family = Specs, name = "specs.Value")]
enum Either {
    #[field(1, bytes, oneof = "value", name = "text")]
    Text(Vec<u8>),
    #[field(2, message, oneof = "value", name = "array")]
    Array(Box<Array>),
}

#[derive(Clone, Debug, PartialEq, Message)]
#[message(
    family = Specs, name = "specs.Array", type_name = "specs::Array",
    version = 9, as_requested, also = 3, check = checked
)]
struct Array {
    #[field(1, enumeration)]
    kind: Kind,
    #[field(2, message, optional)]
    inner: Option<Box<Either>>,
    #[field(3, bool, silent_since = 1)]
    late: bool,
    #[field(4, bool, since = 1)]
    later: bool,
    #[field(6, repeated, bool)]
    flags: Vec<bool>,
}

fn checked(array: &Array) -> Result<(), &'static str> {
    if array.flags.len() > 3 { Err("too many flags") } else { Ok(()) }
}

#[derive(Clone, Debug, PartialEq, Message)]
#[message(family = Specs, name = "specs.Any", serialized(1, "any"))]
enum AnyOf {
    Devices(Devices),
    Array(Array),
}

/// What the client of jaxlib 0.10.2 sends for an array on device 0.
const SENT: &[u8] = b"\x0a\x03\x0a\x01\x00\x12\x00\x1a\x06device";

#[test]
fn what_a_real_client_sent_is_written_to_the_same_bytes() {
    let sharding: Sharding = decode(SENT).unwrap();
    assert_eq!(sharding.devices.ids, [0]);
    assert_eq!(sharding.memory_kind.as_deref(), Some("device"));
    assert_eq!(encode(&sharding, at(0)).unwrap(), SENT);
}

#[test]
fn a_value_that_the_requested_version_cannot_hold_is_refused_with_its_path() {
    let sharding = Sharding { unreduced: vec![2], ..Sharding::default() };
    let error = encode(&sharding, at(0)).unwrap_err();
    assert_eq!(error.path().to_string(), "unreduced");
    assert!(matches!(error.problem(), EncodeProblem::TooYoung { requested: 0, since: 1, .. }));
    let bytes = encode(&sharding, at(1)).unwrap();
    assert_eq!(decode::<Specs, Sharding>(&bytes).unwrap(), sharding);
}

#[test]
fn what_is_not_known_is_an_error_with_its_place() {
    let problem = |bytes: &[u8]| {
        let error = decode::<Specs, Sharding>(bytes).unwrap_err();
        (error.offset(), error.problem().clone())
    };
    let unknown = DecodeProblem::UnknownField { message: "Sharding", field: 9 };
    assert_eq!(problem(b"\x48\x01"), (2, unknown));
    let twice = DecodeProblem::FieldTwice { message: "Sharding", field: 2 };
    assert_eq!(problem(b"\x12\x00\x12\x00"), (4, twice));
    assert!(matches!(problem(b"\x20\x02").1, DecodeProblem::TooNew { found: 2, .. }));
    let negative = b"\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    let below = DecodeProblem::Negative { type_name: "Sharding", found: -1 };
    assert_eq!(problem(negative), (11, below));
    let missing = DecodeProblem::FieldMissing { message: "Sharding", field: "devices" };
    assert_eq!(problem(b""), (0, missing));
    // Field 5 came with format 1, and this says that it is of format 0.
    let early = DecodeProblem::UnknownField { message: "Sharding", field: 5 };
    assert_eq!(problem(b"\x0a\x00\x12\x00\x2a\x01\x01").1, early);
    assert!(matches!(problem(b"\x0a\x05\x0a").1, DecodeProblem::Truncated { .. }));
    // What is kept as bytes is a message all the same.
    assert!(matches!(problem(b"\x12\x02\x0a\x05").1, DecodeProblem::Truncated { .. }));
    let kind = DecodeProblem::OtherKind { message: "Sharding", field: 2 };
    assert_eq!(problem(b"\x10\x01").1, kind);
}

fn array() -> Array {
    Array { kind: Kind::F32, inner: None, late: false, later: false, flags: vec![true, false] }
}

#[test]
fn one_of_several_types_is_read_by_its_name() {
    let value = AnyOf::Array(array());
    let bytes = encode(&value, at(0)).unwrap();
    assert_eq!(bytes, b"\x0a\x16\x0a\x0cspecs::Array\x12\x06\x08\x01\x32\x02\x01\x00");
    assert_eq!(decode::<Specs, AnyOf>(&bytes).unwrap(), value);
    // What is empty is not written, and read again.
    let empty = AnyOf::Devices(Devices::default());
    let bytes = encode(&empty, at(0)).unwrap();
    assert_eq!(bytes, b"\x0a\x10\x0a\x0especs::Devices");
    assert_eq!(decode::<Specs, AnyOf>(&bytes).unwrap(), empty);
    let error = decode::<Specs, AnyOf>(b"\x0a\x05\x0a\x03foo").unwrap_err();
    assert_eq!((error.offset(), error.problem()), (7, &DecodeProblem::UnknownType("foo".into())));
}

#[test]
fn what_came_without_a_number_is_kept_from_older_readers_all_the_same() {
    let young = Array { kind: Kind::S1, ..array() };
    let error = encode(&young, at(0)).unwrap_err();
    assert_eq!(error.path().to_string(), "kind");
    let error = encode(&Array { late: true, ..array() }, at(0)).unwrap_err();
    assert_eq!(error.path().to_string(), "late");
    // Nothing in the bytes says so: they are read whatever their number is.
    let bytes = encode(&young, at(1)).unwrap();
    assert_eq!(bytes, b"\x08\x07\x32\x02\x01\x00\x48\x01");
    assert_eq!(decode::<Specs, Array>(&bytes[..6]).unwrap(), young);
}

#[test]
fn the_number_that_is_recorded_is_the_lowest_or_as_requested_as_the_type_says() {
    assert_eq!(*encode(&array(), at(1)).unwrap().last().unwrap(), 1);
    let sharding: Sharding = decode(SENT).unwrap();
    assert_eq!(encode(&sharding, at(1)).unwrap(), SENT);
    // Another writer recorded 3, and meant 1.
    assert!(decode::<Specs, Array>(b"\x08\x01\x20\x01\x48\x03").unwrap().later);
    assert!(decode::<Specs, Array>(b"\x08\x01\x48\x02").is_err());
}

#[test]
fn choices_enumerations_and_checks_are_held() {
    let problem = |bytes: &[u8]| decode::<Specs, Array>(bytes).unwrap_err().problem().clone();
    let none = DecodeProblem::FieldMissing { message: "Array", field: "kind" };
    assert_eq!(problem(b""), none);
    assert_eq!(problem(b"\x08\x02"), DecodeProblem::UnknownValue { type_name: "Kind", found: 2 });
    let flags = b"\x08\x01\x32\x04\x00\x00\x00\x00";
    assert_eq!(problem(flags), DecodeProblem::Refused("too many flags".into()));
    let choice = DecodeProblem::Ambiguous { message: "Either", choice: "value" };
    assert_eq!(problem(b"\x08\x01\x12\x06\x0a\x00\x12\x02\x08\x01"), choice);
    let missing = DecodeProblem::FieldMissing { message: "Either", field: "value" };
    assert_eq!(problem(b"\x08\x01\x12\x00"), missing);
}

#[test]
fn values_nested_too_deep_are_refused_by_both_sides() {
    let mut value = array();
    for _ in 0..40 {
        value = Array { inner: Some(Box::new(Either::Array(Box::new(value)))), ..array() };
    }
    assert_eq!(encode(&value, at(0)).unwrap_err().problem(), &EncodeProblem::TooDeep);
    let mut bytes = vec![8, 1];
    let long = |bytes: &[u8]| match bytes.len() {
        short @ 0..0x80 => vec![short as u8],
        length => vec![(length & 0x7f) as u8 | 0x80, (length >> 7) as u8],
    };
    for depth in 0..100 {
        let deep = decode::<Specs, Array>(&bytes).err();
        let deep = deep.map(|error| error.problem().clone());
        assert_eq!(deep, (depth > 32).then_some(DecodeProblem::TooDeep), "{depth}");
        bytes = [&[0x12], &long(&bytes)[..], &bytes].concat();
        bytes = [&[8, 1, 0x12], &long(&bytes)[..], &bytes].concat();
    }
}

#[test]
fn a_list_takes_the_room_of_its_numbers() {
    let block = vec![0; 100_000];
    let devices: Devices = decode(&[b"\x0a\xa0\x8d\x06", &block[..]].concat()).unwrap();
    assert_eq!((devices.ids.len(), devices.ids.capacity()), (100_000, 100_000));
    let error = decode::<Specs, Devices>(b"\x0a\x06\x01\x80\x80\x80\x80\x10").unwrap_err();
    assert_eq!((error.offset(), error.problem()), (8, &DecodeProblem::BadNumber));
}

#[test]
fn golden_bytes_and_locks_of_messages_are_held() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("golden.txt");
    let check = |value: &Array| Goldens::<Specs>::new().with("array", value).check(&file);
    assert!(matches!(check(&array()), Err(GuardError::OtherMessage { version: 0, .. })));
    std::fs::write(&file, "array 0 080132020100\narray 1 0801320201004801\n").unwrap();
    check(&array()).unwrap();
    let other = Array { flags: vec![], ..array() };
    assert!(check(&other).unwrap_err().to_string().contains("reads as another value"));
    std::fs::write(&file, "array 0 080132020100\narray 1 080132020100\n").unwrap();
    assert!(check(&array()).unwrap_err().to_string().contains("written in another way"));
}

#[test]
fn a_golden_message_that_no_version_holds_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let value = Array { flags: vec![true; 4], ..array() };
    let goldens = Goldens::<Specs>::new().with("array", &value);
    let error = goldens.check(folder.path().join("golden.txt")).unwrap_err();
    assert!(matches!(error, GuardError::NothingHolds { .. }), "{error}");
    assert!(error.to_string().contains("too many flags"), "{error}");
}

mod before {
    use unskew_serdes::proto::{Enumeration, Message};

    #[derive(Clone, Copy, Enumeration)]
    #[enumeration(name = "specs.Kind", prefix = "KIND_", unspecified = "KIND_NONE")]
    pub enum Kind {
        #[value(1)]
        F32,
    }

    #[derive(Message)]
    #[message(family = super::Specs, name = "specs.Spec", version = 2)]
    pub struct Spec {
        #[field(1, enumeration)]
        pub kind: Kind,
    }
}

/// A kind was added without a version: in IFRT such a change reached readers as "invalid".
mod after {
    use unskew_serdes::proto::{Enumeration, Message};

    #[derive(Clone, Copy, Enumeration)]
    #[enumeration(name = "specs.Kind", prefix = "KIND_", unspecified = "KIND_NONE")]
    pub enum Kind {
        #[value(1)]
        F32,
        #[value(2)]
        S1,
    }

    #[derive(Message)]
    #[message(family = super::Specs, name = "specs.Spec", version = 2)]
    pub struct Spec {
        #[field(1, enumeration)]
        pub kind: Kind,
    }
}

#[test]
fn a_message_that_changes_without_a_version_is_found_with_the_edit_to_make() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("specs.lock");
    let kind = "enum { 1 KIND_F32 { }, }";
    let spec = "message { 2 version_number: format, 1 kind: Kind, }";
    let both = |version| format!("Kind {version} {kind}\nSpec {version} {spec}\n");
    std::fs::write(&file, format!("{}{}", both(0), both(1))).unwrap();
    SchemaLock::<Specs>::new().with_message::<before::Spec>().check(&file).unwrap();
    let error = SchemaLock::<Specs>::new().with_message::<after::Spec>().check(&file).unwrap_err();
    let GuardError::Changed { type_name, version: 0, .. } = &error else { panic!("{error}") };
    assert_eq!(type_name, "Kind");
    assert!(error.to_string().contains("Add version 2"), "{error}");
}

#[test]
fn a_description_names_every_message() {
    let mut names = Vec::new();
    let all: &'static MessageDescription = AnyOf::DESCRIPTION;
    all.walk(&mut |message| names.push(message.rust));
    assert_eq!(names, ["AnyOf", "Devices", "Array", "Either"]);
}

proptest! {
    #[test]
    fn any_bytes_are_a_message_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        if let Ok(sharding) = decode::<Specs, Sharding>(&bytes) {
            let again = encode(&sharding, at(1)).unwrap();
            prop_assert_eq!(decode::<Specs, Sharding>(&again).unwrap(), sharding);
        }
    }
}
