//! Messages that others defined: what a real client sent is read, and written again to the same bytes.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use proptest::prelude::*;
use unskew_serdes::proto::{Fields, Message, ProtoWriter, decode, encode};
use unskew_serdes::{ReadError, ReadProblem, Version, WriteError, WriteProblem, family};

family!(Specs = "tests/specs.history.toml", current = 1);

fn at(number: i64) -> Version<Specs> {
    Specs::access().any().get(number).unwrap()
}

/// Devices by their numbers.
#[derive(Debug, Default, PartialEq)]
struct Devices {
    ids: Vec<i32>,
}

impl Message<Specs> for Devices {
    const NAME: &'static str = "Devices";

    fn write(&self, to: &mut ProtoWriter<'_, Specs>) -> Result<(), WriteError> {
        to.ints(1, self.ids.iter().map(|id| i64::from(*id)));
        Ok(())
    }

    fn read(mut from: Fields<'_, Specs>) -> Result<Self, ReadError> {
        let mut devices = Self::default();
        while let Some(field) = from.next_field()? {
            match field.number {
                1 => field.int32s(&mut devices.ids)?,
                _ => return Err(field.unknown()),
            }
        }
        Ok(devices)
    }
}

/// A sharding: field 5 came with version 1, and field 4 records the format.
#[derive(Debug, Default, PartialEq)]
struct Sharding {
    devices: Devices,
    opaque: Vec<u8>,
    memory_kind: Option<String>,
    unreduced: Vec<i64>,
}

impl Message<Specs> for Sharding {
    const NAME: &'static str = "Sharding";

    fn write(&self, to: &mut ProtoWriter<'_, Specs>) -> Result<(), WriteError> {
        let format = i64::from(!self.unreduced.is_empty());
        if format > 0 {
            to.needs(1).map_err(|error| error.in_field("unreduced"))?;
        }
        to.message(1, &self.devices)?;
        to.present_bytes(2, &self.opaque);
        to.optional_text(3, self.memory_kind.as_deref());
        to.int(4, format);
        to.ints(5, self.unreduced.iter().copied());
        Ok(())
    }

    fn read(mut from: Fields<'_, Specs>) -> Result<Self, ReadError> {
        let (mut devices, mut opaque, mut kind, mut format) = (None, None, None, None);
        let mut unreduced = Vec::new();
        while let Some(field) = from.next_field()? {
            match field.number {
                1 => field.once(&mut devices, field.message()?)?,
                2 => field.once(&mut opaque, field.bytes()?.to_vec())?,
                3 => field.once(&mut kind, field.text()?.to_owned())?,
                4 => field.once(&mut format, field.int()?)?,
                5 => field.ints(&mut unreduced)?,
                _ => return Err(field.unknown()),
            }
        }
        from.format(&[0, 1], format.unwrap_or(0))?;
        let (devices, opaque) = (devices.unwrap_or_default(), opaque.unwrap_or_default());
        Ok(Self { devices, opaque, memory_kind: kind, unreduced })
    }
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
    assert!(matches!(error.problem(), WriteProblem::TooYoung { requested: 0, since: 1, .. }));
    let bytes = encode(&sharding, at(1)).unwrap();
    assert_eq!(decode::<Specs, Sharding>(&bytes).unwrap(), sharding);
}

#[test]
fn what_is_not_known_is_an_error_with_its_place() {
    let problem = |bytes: &[u8]| {
        let error = decode::<Specs, Sharding>(bytes).unwrap_err();
        (error.offset(), error.problem().clone())
    };
    let unknown = ReadProblem::UnknownField { message: "Sharding", field: 9 };
    assert_eq!(problem(b"\x48\x01"), (2, unknown));
    let twice = ReadProblem::FieldTwice { message: "Sharding", field: 2 };
    assert_eq!(problem(b"\x12\x00\x12\x00"), (4, twice));
    assert!(matches!(problem(b"\x20\x02").1, ReadProblem::TooNew { found: 2, .. }));
    let negative = b"\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    assert!(matches!(problem(negative).1, ReadProblem::TooNew { .. }));
    assert!(matches!(problem(b"\x0a\x05\x0a").1, ReadProblem::Truncated { .. }));
    let kind = ReadProblem::OtherKind { message: "Sharding", field: 2 };
    assert_eq!(problem(b"\x10\x01").1, kind);
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
