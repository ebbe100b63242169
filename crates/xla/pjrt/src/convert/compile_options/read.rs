//! Reading the fields that others need.

use unskew_source::wire::{MessageField, WireMessage};
use unskew_source::{BytesSource, ReadError};

use super::super::wire;
use super::{CompileOptions, DeviceAssignment, LARGEST, field};

pub(super) fn source(bytes: &[u8]) -> Result<BytesSource, ReadError> {
    wire::source("compile options", bytes, LARGEST)
}

impl CompileOptions {
    /// Reads a serialized `CompileOptionsProto`. Where a field stands twice, the later one counts,
    /// as in every protobuf reader; unknown fields are skipped.
    ///
    /// # Errors
    /// If the bytes are no such message, or more than [`LARGEST`].
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let source = source(bytes)?;
        let mut options = Self::new(0, 0);
        let mut message = WireMessage::whole(&source);
        while let Some(found) = message.next()? {
            match found.number {
                field::PORTABLE => options.portable = signed(&found, &message)? != 0,
                field::BUILD_OPTIONS => message.enter(&found, |build| options.build(build))?,
                _ => {}
            }
        }
        Ok(options)
    }

    fn build(&mut self, message: &mut WireMessage<'_>) -> Result<(), ReadError> {
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
    fn read(&mut self, message: &mut WireMessage<'_>) -> Result<(), ReadError> {
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
fn devices(message: &mut WireMessage<'_>) -> Result<Vec<i64>, ReadError> {
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
        for id in wire::packed(&packed) {
            let id = id.map(u64::cast_signed);
            ids.push(id.ok_or_else(|| message.malformed(found.offset, "a cut device id"))?);
        }
    }
    Ok(ids)
}

fn signed(found: &MessageField, message: &WireMessage<'_>) -> Result<i64, ReadError> {
    let number = found.varint().map(u64::cast_signed);
    number.ok_or_else(|| {
        message.malformed(found.offset, &format!("field {} is not a number", found.number))
    })
}
