//! Requests that no client of jaxlib sends, made of any bytes: for property tests and for a fuzzer.
//!
//! Bytes alone would rarely be a request. So they choose instead: a kind of request, and for each of its
//! fields nothing, a value that is right somewhere, one that is at an edge, or one that is none at all.

use bytes::Bytes;
use prost::Message as _;
use prost::encoding::{WireType, encode_key, encode_varint};
use unskew_ifrt::types::{
    ArraySpec, DType, DTypeKind, ExecuteOptions, Ifrt, Shape, Sharding, SingleDeviceSharding,
};
use unskew_serdes::FamilyVersion;
use unskew_serdes::proto::encode;

use crate::Adder;
use unskew_ifrt_proxy::messages::{ProxyVersion, Request};

/// The fields of each kind of request by its number in [`Request`]: `h` a handle, `H` handles, `n` a number,
/// `N` numbers, `b` bytes (a value or a message), `B` several of them; in the order of their own numbers, `-`
/// where there is none.
const KINDS: &[(u32, &str)] = &[
    (2, ""),
    (3, "h"),
    (4, "bbbhbhb"),
    (5, "bbHnnhb"),
    (6, "hhb"),
    (7, "hnnH"),
    (8, "H"),
    (9, "hH"),
    (10, "hbn"),
    (11, "h"),
    (12, "hH"),
    (13, "bbB"),
    (14, "h"),
    (15, "hHbNHh"),
    (16, "h"),
    (17, "h"),
    (18, "h"),
    (19, "hh"),
    (20, "hnh"),
    (21, "h"),
    (22, "h"),
    (23, "bHnH"),
    (24, "HNbnH"),
    (25, "BH"),
    (26, "bBH"),
    (27, "bNnbb"),
    (28, "h"),
    (29, "h"),
    (30, "h"),
    (31, "h"),
    (32, "h"),
    (33, "HBnH"),
    (34, "HBnH"),
];

/// The most requests that are made of bytes.
const MOST: usize = 64;

/// Values that are right somewhere.
#[derive(Debug)]
pub struct Hostile {
    values: Vec<Bytes>,
}

impl Hostile {
    /// With values of this version; none where they cannot be written at it.
    pub fn new(version: ProxyVersion) -> Self {
        let found = crate::program::at(version);
        Self { values: found.map(|at| values(version, at)).unwrap_or_default() }
    }

    /// The requests that these bytes choose.
    pub fn requests(&self, bytes: &[u8]) -> Vec<Request> {
        let mut choices = Choices(bytes);
        let mut requests = Vec::new();
        while !choices.0.is_empty() && requests.len() < MOST {
            // What is no message does not come as far as a session.
            requests.extend(Request::decode(self.request(&mut choices).as_slice()));
        }
        requests
    }

    fn request(&self, choices: &mut Choices<'_>) -> Vec<u8> {
        if choices.one_of(16) == 0 {
            return choices.some().to_vec();
        }
        let (kind, fields) = KINDS[choices.one_of(KINDS.len())];
        let mut ask = Vec::new();
        for (at, field) in fields.chars().enumerate() {
            let number = u32::try_from(at + 1).unwrap_or(1);
            let count = match field {
                _ if choices.one_of(8) == 0 => 0,
                'H' | 'N' | 'B' => choices.one_of(4),
                _ => 1,
            };
            for _ in 0..count {
                match field {
                    'h' | 'H' => {
                        encode_key(number, WireType::SixtyFourBit, &mut ask);
                        ask.extend_from_slice(&choices.handle().to_le_bytes());
                    }
                    'n' | 'N' => {
                        encode_key(number, WireType::Varint, &mut ask);
                        encode_varint(choices.number(), &mut ask);
                    }
                    _ => delimited(number, &self.value(choices), &mut ask),
                }
            }
        }
        let mut request = Vec::new();
        let op_id = u64::from(choices.byte());
        delimited(1, &[&[9][..], &op_id.to_le_bytes()].concat(), &mut request);
        delimited(kind, &ask, &mut request);
        request
    }

    fn value(&self, choices: &mut Choices<'_>) -> Vec<u8> {
        let known = || self.values.len().max(1);
        match choices.one_of(8) {
            0 => choices.some().to_vec(),
            1 => {
                let at = choices.one_of(known());
                let mut value = self.values.get(at).map(|value| value.to_vec()).unwrap_or_default();
                if !value.is_empty() {
                    let place = choices.number() as usize % value.len();
                    value[place] ^= choices.byte();
                }
                value
            }
            _ => {
                let at = choices.one_of(known());
                self.values.get(at).map(|value| value.to_vec()).unwrap_or_default()
            }
        }
    }
}

fn delimited(number: u32, bytes: &[u8], to: &mut Vec<u8>) {
    encode_key(number, WireType::LengthDelimited, to);
    encode_varint(bytes.len() as u64, to);
    to.extend_from_slice(bytes);
}

fn values(version: ProxyVersion, at: FamilyVersion<Ifrt>) -> Vec<Bytes> {
    let shape = |dims: &[i64]| Shape { dims: dims.to_vec() };
    let sharding =
        |device_id| Sharding::SingleDevice(SingleDeviceSharding { device_id, memory_kind: None });
    let spec = |dims: &[i64]| ArraySpec {
        dtype: DTypeKind::F32.into(),
        shape: shape(dims),
        sharding: sharding(0),
        layout: None,
    };
    let mut values: Vec<Option<Vec<u8>>> = Vec::new();
    for kind in [DTypeKind::F32, DTypeKind::S64, DTypeKind::Pred, DTypeKind::String] {
        values.push(encode(&DType::from(kind), at).ok());
    }
    for dims in [&[16384][..], &[], &[2, 2], &[0], &[-1], &[i64::MAX, i64::MAX], &[1 << 40]] {
        values.push(encode(&shape(dims), at).ok());
        values.push(encode(&spec(dims), at).ok());
    }
    values.extend([0, 1, -1, i32::MAX].map(|device| encode(&sharding(device), at).ok()));
    values.push(encode(&ExecuteOptions::default(), at).ok());
    // Strides, as a message of numbers, and a status.
    values.extend(
        [&[10, 1, 4][..], &[10, 1, 0], &[10, 2, 0xff, 1], &[8, 3, 18, 1, b'x']]
            .map(|bytes: &[u8]| Some(bytes.to_vec())),
    );
    let compile = Adder::request(version).unwrap_or_default();
    values.push(Some(compile.program.to_vec()));
    values.push(Some(compile.options.to_vec()));
    values.into_iter().flatten().map(Bytes::from).collect()
}

/// Bytes that choose; where there are no more, the first of everything.
struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn one_of(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count.max(1)
    }

    fn some(&mut self) -> &'a [u8] {
        let length = self.one_of(64).min(self.0.len());
        let (some, rest) = self.0.split_at(length);
        self.0 = rest;
        some
    }

    fn wide(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// Those of clients begin at 1, those of the server behind 1 << 62.
    fn handle(&mut self) -> u64 {
        match self.one_of(16) {
            0 => self.wide(),
            1 => u64::MAX,
            2..6 => (1 << 62) + self.one_of(4) as u64,
            _ => self.one_of(6) as u64,
        }
    }

    fn number(&mut self) -> u64 {
        match self.one_of(8) {
            0 => self.wide(),
            1 => i64::MIN.cast_unsigned(),
            2 => u64::MAX,
            3 => i32::MAX as u64,
            _ => self.one_of(4) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use unskew_ifrt_proxy::messages::RequestBody;

    #[test]
    fn bytes_make_requests_of_every_kind() {
        let hostile = Hostile::new(ProxyVersion { protocol: 25, serdes: 3 });
        let mut seen = BTreeSet::new();
        let mut state = 1_u32;
        for _ in 0..400 {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            };
            let bytes: Vec<u8> = (0..400).map(|_| next()).collect();
            let asks = hostile.requests(&bytes).into_iter().filter_map(|request| request.ask);
            seen.extend(asks.map(|ask| ask.name()));
        }
        let all: BTreeSet<&str> = RequestBody::NAMES.iter().copied().collect();
        assert_eq!(seen, all);
    }
}
