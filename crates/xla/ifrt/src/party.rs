//! A serialized value as a party.

use std::sync::Arc;

use unskew_core::{Party, Provision, Requirement, Role, Version};
use unskew_serdes::proto::{Message, MessageDescription, decode};
use unskew_source::{BytesSource, ReadError, Source, SourceExt, SourceProblem, limits, wire};

use crate::SERDES_AXIS;
use crate::types::{HloProgram, Ifrt, Serialized};
use crate::verdict::ValueRequirement;

/// What the name of every type begins with.
const NAMESPACE: &[u8] = b"xla::ifrt::";

/// How much of a file tells whether it is such a value: two keys with their lengths, and that.
const HEAD: u64 = 64;

/// A value in a field, as shardings and layouts are in other values.
#[derive(Debug, Message)]
#[message(family = Ifrt, name = "")]
struct Inside {
    #[field(1, message)]
    value: Serialized,
}

/// A value that says what it is.
#[derive(Clone, Debug, PartialEq)]
pub struct SerializedValue {
    /// The value, decoded by its type name.
    pub value: Serialized,
    /// The number that it records; none if its type has none of its own.
    pub format: Option<u32>,
}

/// The party in `source`; none if it is not a value with the name of an IFRT type.
///
/// Only such a value says what it is: a shape or an array spec on its own looks like any message. The
/// party has the [`SerializedValue`] as a capability.
///
/// # Errors
/// If it is one and cannot be read: its type is not known, it is of a version that is not read, it is
/// broken; with the byte.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(value) = SerializedValue::from_source(&**source)?.map(Arc::new) else {
        return Ok(None);
    };
    let name = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let (type_name, description) = value.value.type_of();
    let mut party = Party::new(name, Role::Artifact, format!("IFRT {}", description.rust))
        .fact("type", type_name);
    party = match value.format {
        Some(format) => {
            let version = Version::number(format.into());
            party.provide(Provision::version(SERDES_AXIS, version).at("version_number"))
        }
        None => party,
    };
    for (label, text) in value.value.facts() {
        party = party.fact(label, text);
    }
    let requirement = Requirement::matches(SERDES_AXIS, ValueRequirement(Arc::clone(&value)));
    Ok(Some(party.require(requirement).with_capability(value)))
}

impl SerializedValue {
    /// The program, if it is one: its StableHLO version is a matter of its own.
    pub fn program(&self) -> Option<&HloProgram> {
        match &self.value {
            Serialized::HloProgram(program) => Some(program),
            _ => None,
        }
    }

    /// The value in `source`; none if it is no value with the name of an IFRT type.
    ///
    /// # Errors
    /// As [`party`].
    pub fn from_source(source: &dyn Source) -> Result<Option<Self>, ReadError> {
        let Some(inside) = recognize(&source.head(HEAD)?) else { return Ok(None) };
        if source.size() > limits::RECORD {
            let problem = SourceProblem::TooLarge {
                what: "serialized value".to_owned(),
                size: source.size(),
                limit: limits::RECORD,
            };
            return Err(ReadError::new(source.name(), problem));
        }
        let bytes = source.all()?;
        let read = if inside {
            decode::<Ifrt, Inside>(&bytes).map(|inside| inside.value)
        } else {
            decode::<Ifrt, Serialized>(&bytes)
        };
        let value = read.map_err(|error| {
            ReadError::malformed(source.name(), error.problem().to_string())
                .at(error.offset() as u64)
        })?;
        let format = recorded(bytes, inside, value.type_of().1)?;
        Ok(Some(Self { value, format }))
    }
}

/// Whether it is a value with a name, in a field or not; none if it is neither.
fn recognize(head: &[u8]) -> Option<bool> {
    let first = text(head)?;
    if first.starts_with(NAMESPACE) {
        return Some(false);
    }
    text(first).filter(|second| second.starts_with(NAMESPACE)).map(|_| true)
}

/// What is behind field 1 and its length.
fn text(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(&[0x0a])?;
    let end = rest.iter().take(10).position(|byte| *byte < 0x80)?;
    rest.get(end + 1..)
}

/// The number that a value records: its version field, as it was read already.
fn recorded(
    bytes: Vec<u8>,
    inside: bool,
    description: &MessageDescription,
) -> Result<Option<u32>, ReadError> {
    fn data(message: &mut wire::WireMessage<'_>, version: u32) -> Result<u64, ReadError> {
        while let Some(field) = message.next()? {
            if field.number == 2 {
                return message.enter(&field, |data| {
                    while let Some(field) = data.next()? {
                        if field.number == version {
                            return Ok(field.varint().unwrap_or(0));
                        }
                    }
                    Ok(0)
                });
            }
        }
        Ok(0)
    }
    let Some(version) = description.version else { return Ok(None) };
    let source = BytesSource::new("value", bytes);
    let mut message = wire::WireMessage::whole(&source);
    let number = if inside {
        match message.next()? {
            Some(field) => message.enter(&field, |value| data(value, version))?,
            None => 0,
        }
    } else {
        data(&mut message, version)?
    };
    Ok(u32::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENT: &[u8] =
        b"\x0a\x16xla::ifrt::HloSharding\x12\x0f\x0a\x03\x0a\x01\x00\x12\x00\x1a\x06device";

    fn party_of(bytes: &[u8]) -> Result<Option<Party>, ReadError> {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("folder/value.bin", bytes));
        party(&source)
    }

    #[test]
    fn a_value_with_a_name_is_recognized_alone_and_in_a_field() {
        let wrapped = [&[0x0a, SENT.len() as u8], SENT].concat();
        for bytes in [SENT, &wrapped] {
            let party = party_of(bytes).unwrap().unwrap();
            assert_eq!(
                (party.name.as_str(), party.kind.as_str()),
                ("value.bin", "IFRT HloSharding")
            );
            let fact = |label: &str| {
                party.facts.iter().find(|fact| fact.label == label).map(|fact| fact.value.as_str())
            };
            assert_eq!(fact("devices"), Some("0"));
            assert_eq!(fact("memory kind"), Some("device"));
            assert_eq!(fact("sharding"), Some("replicated"));
        }
    }

    #[test]
    fn other_bytes_are_not_its_own_and_broken_ones_are_an_error_with_the_byte() {
        for other in [&b""[..], b"\x0a", b"\x0a\x03abc", b"ML\xefR", &SENT[..10]] {
            assert!(party_of(other).unwrap().is_none(), "{other:?}");
        }
        for length in 14..SENT.len() {
            let error = party_of(&SENT[..length]).unwrap_err();
            assert!(error.offset.is_some(), "{error}");
        }
        let mut other = SENT.to_vec();
        other[15] = b'X';
        let error = party_of(&other).unwrap_err().to_string();
        assert!(error.contains("no type of this name is known: xla::ifrt::HlXSharding"), "{error}");
    }
}
