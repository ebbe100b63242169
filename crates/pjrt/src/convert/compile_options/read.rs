//! Reading the fields that others need.

use unskew_source::wire::{Field, Message};
use unskew_source::{BytesSource, Problem, ReadError};

use super::{CompileOptions, DeviceAssignment, LARGEST, field};

/// What errors call the message.
pub(super) const NAME: &str = "compile options";

/// The message as a source, if it is not larger than a real one could be.
pub(super) fn source(bytes: &[u8]) -> Result<BytesSource, ReadError> {
    if bytes.len() > LARGEST {
        let (size, limit) = (bytes.len() as u64, LARGEST as u64);
        let problem = Problem::TooLarge { what: "the message".to_owned(), size, limit };
        return Err(ReadError::new(NAME, problem));
    }
    Ok(BytesSource::new(NAME, bytes))
}

impl CompileOptions {
    /// Reads a serialized `CompileOptionsProto`. Where a field stands twice, the later one counts,
    /// as in every protobuf reader; unknown fields are skipped.
    ///
    /// # Errors
    /// If the bytes are no such message, or more than [`LARGEST`].
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let source = source(bytes)?;
        let mut options = Self::of(0, 0);
        let mut message = Message::whole(&source);
        while let Some(found) = message.next()? {
            match found.number {
                field::PORTABLE => options.portable = signed(&found, &message)? != 0,
                field::BUILD_OPTIONS => message.enter(&found, |build| options.build(build))?,
                _ => {}
            }
        }
        Ok(options)
    }

    fn build(&mut self, message: &mut Message<'_>) -> Result<(), ReadError> {
        use field::build::*;
        while let Some(found) = message.next()? {
            match found.number {
                DEVICE_ORDINAL => self.device_ordinal = signed(&found, message)?,
                NUM_REPLICAS => self.num_replicas = signed(&found, message)?,
                NUM_PARTITIONS => self.num_partitions = signed(&found, message)?,
                SPMD => self.spmd = signed(&found, message)? != 0,
                DEVICE_ASSIGNMENT => {
                    let assignment = self.device_assignment.get_or_insert_default();
                    message.enter(&found, |message| assignment.read(message))?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl DeviceAssignment {
    fn read(&mut self, message: &mut Message<'_>) -> Result<(), ReadError> {
        use field::assignment::*;
        while let Some(found) = message.next()? {
            match found.number {
                REPLICAS => self.replicas = signed(&found, message)?,
                COMPUTATIONS => self.computations = signed(&found, message)?,
                DEVICES => self.devices.push(message.enter(&found, devices)?),
                _ => {}
            }
        }
        Ok(())
    }
}

/// The devices of one computation: packed, as writers of today have it, or one by one.
fn devices(message: &mut Message<'_>) -> Result<Vec<i64>, ReadError> {
    let mut ids = Vec::new();
    while let Some(found) = message.next()? {
        if found.number != field::assignment::DEVICE_IDS {
            continue;
        }
        if found.span().is_none() {
            ids.push(signed(&found, message)?);
            continue;
        }
        let packed = message.bytes(&found)?;
        let mut rest = packed.as_slice();
        while !rest.is_empty() {
            let id = varint(&mut rest);
            ids.push(id.ok_or_else(|| message.malformed(found.offset, "a cut device id"))?);
        }
    }
    Ok(ids)
}

/// One number of a packed list.
fn varint(bytes: &mut &[u8]) -> Option<i64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if *first < 0x80 {
            return Some(value.cast_signed());
        }
    }
    None
}

fn signed(found: &Field, message: &Message<'_>) -> Result<i64, ReadError> {
    let number = found.varint().map(u64::cast_signed);
    number.ok_or_else(|| {
        message.malformed(found.offset, &format!("field {} is not a number", found.number))
    })
}
