//! What real clients sent is read, and written again to the same bytes for the version that they announced.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::fmt::Debug;

use unskew_ifrt::types::*;
use unskew_serdes::proto::{Message, decode, encode};

struct Captured {
    release: &'static str,
    announced: i64,
    message: &'static str,
    bytes: Vec<u8>,
}

fn captured() -> Vec<Captured> {
    let line = |line: &'static str| {
        let [release, announced, message, hex] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let byte = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
        let bytes = (0..hex.len() / 2).map(byte).collect();
        // Clients that announce none speak as version 0 does.
        let announced = announced.parse().unwrap_or(0);
        Captured { release, announced, message, bytes }
    };
    let text = include_str!("captured.tsv");
    text.lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

fn round_trip<M: Message<Ifrt> + Debug>(captured: &Captured) {
    let Captured { release, announced, message, bytes } = captured;
    let value: M = decode(bytes).unwrap_or_else(|error| panic!("{release} {message}: {error}"));
    let again = encode(&value, any_version().get(*announced).unwrap()).unwrap();
    assert_eq!(&again, bytes, "{release} {message}: {value:?}");
}

#[test]
fn what_real_clients_sent_is_written_to_the_same_bytes() {
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for captured in captured() {
        match captured.message {
            "DTypeProto" => round_trip::<DType>(&captured),
            "ShapeProto" => round_trip::<Shape>(&captured),
            "ShardingProto" => round_trip::<Sharding>(&captured),
            "Serialized" => round_trip::<Serialized>(&captured),
            "ExecuteOptionsProto" => round_trip::<ExecuteOptions>(&captured),
            "XlaCompileOptionsProto" => round_trip::<XlaCompileOptions>(&captured),
            "HloProgram" => round_trip::<HloProgram>(&captured),
            other => panic!("{other}"),
        }
        *seen.entry((captured.release, captured.message)).or_default() += 1;
    }
    // Five releases; the oldest sends execute options of another type.
    let releases: Vec<&str> = seen.keys().map(|(release, _)| *release).collect();
    assert_eq!(seen.len(), 7 * 4 + 6, "{releases:?}");
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
    assert_eq!(options.non_donatable_input_indices, []);
}
