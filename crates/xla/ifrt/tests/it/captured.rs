//! What real clients sent is read, and written again to the same bytes for the version that they announced.

use std::collections::BTreeMap;
use std::fmt::Debug;

use unskew_ifrt::types::*;
use unskew_serdes::proto::{Message, decode, encode};

struct Captured {
    release: &'static str,
    agreed: i64,
    message: &'static str,
    bytes: Vec<u8>,
}

fn captured() -> Vec<Captured> {
    let line = |line: &'static str| {
        let [release, agreed, message, hex] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let byte = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
        let bytes = (0..hex.len() / 2).map(byte).collect();
        // Clients that announce none speak as version 0 does.
        let agreed = agreed.parse().unwrap_or(0);
        Captured { release, agreed, message, bytes }
    };
    let text = include_str!("../captured.tsv");
    text.lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

fn round_trip<M: Message<Ifrt> + Debug>(captured: &Captured) {
    let Captured { release, agreed, message, bytes } = captured;
    let value: M = decode(bytes).unwrap_or_else(|error| panic!("{release} {message}: {error}"));
    // What clients send at version 6 is what they send at 5.
    let version = any_version().get((*agreed).min(5)).unwrap();
    let again = encode(&value, version).unwrap();
    assert_eq!(&again, bytes, "{release} {message}: {value:?}");
}

#[test]
fn what_real_clients_sent_is_written_to_the_same_bytes() {
    let mut seen: BTreeMap<(&str, i64, &str), usize> = BTreeMap::new();
    for captured in captured() {
        match captured.message {
            "DTypeProto" => round_trip::<DType>(&captured),
            "ShapeProto" => round_trip::<Shape>(&captured),
            "ShardingProto" => round_trip::<Sharding>(&captured),
            "Serialized" => round_trip::<Serialized>(&captured),
            "ArraySpecProto" => round_trip::<ArraySpec>(&captured),
            "ExecuteOptionsProto" => round_trip::<ExecuteOptions>(&captured),
            "XlaCompileOptionsProto" => round_trip::<XlaCompileOptions>(&captured),
            "HloProgram" => round_trip::<HloProgram>(&captured),
            other => panic!("{other}"),
        }
        *seen.entry((captured.release, captured.agreed, captured.message)).or_default() += 1;
    }
    let of = |release: &str, agreed: i64| {
        let kinds = seen.iter().filter(|((r, a, _), _)| (*r, *a) == (release, agreed));
        kinds.map(|(_, count)| count).sum::<usize>()
    };
    for (release, agreed, least) in [
        ("0.4.31", 0, 10),
        ("0.5.3", 0, 10),
        ("0.6.2", 0, 40),
        ("0.9.2", 1, 20),
        ("0.10.2", 3, 20),
        ("0.11.2", 3, 15),
        ("0.11.2", 5, 15),
        ("0.11.2", 6, 15),
        ("0.12.0", 5, 25),
        ("0.12.0", 6, 25),
    ] {
        assert!(of(release, agreed) >= least, "{release} {agreed}: {}", of(release, agreed));
    }
    println!("{} values of {} kinds, the same bytes", seen.values().sum::<usize>(), seen.len());
}

#[test]
fn what_real_clients_sent_says_what_it_is() {
    let version = |release: &str| {
        let all = captured();
        let of = |c: &&Captured| c.release == release && c.message == "HloProgram";
        let program: HloProgram = decode(&all.iter().find(of).unwrap().bytes).unwrap();
        program.stablehlo().unwrap().to_owned()
    };
    assert_eq!(version("0.4.31"), "0.9.0");
    assert_eq!(version("0.6.2"), "1.9.6");
    assert_eq!(version("0.10.2"), "1.13.7");

    // A negative number of 32 bits takes ten bytes.
    let negative = captured().into_iter().find(|c| c.bytes.len() == 21).unwrap();
    let options: ExecuteOptions = decode(&negative.bytes).unwrap();
    assert_eq!(options.launch_id, -412_020_962);
    assert!(options.non_donatable_input_indices.is_empty());
}

/// Measured on clients of 0.11.2 and 0.12.0: 4 is recorded whenever 4 or later was agreed on, though no
/// output bundle is there.
#[test]
fn compile_options_record_4_from_4_on() {
    let mut seen = 0;
    for captured in captured().iter().filter(|c| c.message == "XlaCompileOptionsProto") {
        let options: XlaCompileOptions = decode(&captured.bytes).unwrap();
        assert!(options.outputs_bundle_slice_sizes.is_empty());
        assert_eq!(
            captured.bytes.ends_with(&[0x18, 4]),
            captured.agreed >= 4,
            "{}",
            captured.release
        );
        seen += usize::from(captured.agreed >= 4);
    }
    assert_eq!(seen, 4);
}
