//! What is done to a seed: bytes of any file, and the structure of those formats that have one.

mod bytes;
mod pickle;
mod program;
mod protobuf;
mod splice;
mod text;
mod zip;

use splice::LARGEST;
use unskew_random::Random;

/// What a file is, as far as mutations care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Zip,
    Pickle,
    Protobuf,
    /// TorchScript, headers, formats, histories, JSON, YAML, TOML.
    Text,
    /// TorchScript alone, which can also be given calls.
    Script,
    Bytes,
}

impl Form {
    /// Tells by the name and the first bytes.
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let text = std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
        match ending {
            _ if bytes.starts_with(b"PK\x03\x04") => Self::Zip,
            "pkl" => Self::Pickle,
            "py" => Self::Script,
            "pb" | "binpb" | "meta" if !text => Self::Protobuf,
            _ if bytes.starts_with(&[0x80, 2]) => Self::Pickle,
            _ if text => Self::Text,
            _ => Self::Bytes,
        }
    }
}

/// The file, changed once or a few times.
pub fn file(name: &str, bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(3) {
        bytes = once(name, bytes, other, random);
        bytes.truncate(LARGEST);
    }
    bytes
}

fn once(name: &str, bytes: Vec<u8>, other: &[u8], random: &mut Random) -> Vec<u8> {
    let form = Form::of(name, &bytes);
    if form == Form::Bytes || random.below(4) == 0 {
        return bytes::mutated(bytes, other, random);
    }
    match form {
        Form::Zip => zip::mutated(&bytes, other, random).unwrap_or(bytes),
        Form::Pickle => pickle::mutated(bytes, random),
        Form::Protobuf => protobuf::mutated(bytes, random),
        Form::Script if random.below(2) == 0 => program::mutated(bytes, random),
        Form::Text | Form::Script => text::mutated(bytes, random),
        Form::Bytes => bytes,
    }
}
