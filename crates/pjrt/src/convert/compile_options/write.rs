//! Writing the options of a compilation.

use super::{CompileOptions, DeviceAssignment, field};

impl CompileOptions {
    /// The options as a serialized `CompileOptionsProto`, with no field that is not needed.
    pub fn write(&self) -> Vec<u8> {
        use field::build::*;
        let mut build = Vec::new();
        if self.device_ordinal != 0 {
            number(&mut build, DEVICE_ORDINAL, self.device_ordinal);
        }
        number(&mut build, NUM_REPLICAS, self.num_replicas);
        number(&mut build, NUM_PARTITIONS, self.num_partitions);
        if self.spmd {
            number(&mut build, SPMD, 1);
        }
        if let Some(assignment) = &self.device_assignment {
            message(&mut build, DEVICE_ASSIGNMENT, &assignment.write());
        }
        let mut options = Vec::new();
        message(&mut options, field::BUILD_OPTIONS, &build);
        if self.portable {
            number(&mut options, field::PORTABLE, 1);
        }
        options
    }
}

impl DeviceAssignment {
    fn write(&self) -> Vec<u8> {
        use field::assignment::*;
        let mut assignment = Vec::new();
        number(&mut assignment, REPLICAS, self.replicas);
        number(&mut assignment, COMPUTATIONS, self.computations);
        for computation in &self.devices {
            let mut packed = Vec::new();
            computation.iter().for_each(|id| varint(&mut packed, id.cast_unsigned()));
            let mut devices = Vec::new();
            if !packed.is_empty() {
                message(&mut devices, DEVICE_IDS, &packed);
            }
            message(&mut assignment, DEVICES, &devices);
        }
        assignment
    }
}

/// A field that is a number.
pub(super) fn number(out: &mut Vec<u8>, field: u32, value: i64) {
    varint(out, u64::from(field) << 3);
    varint(out, value.cast_unsigned());
}

/// A field that is a message, or bytes.
pub(super) fn message(out: &mut Vec<u8>, field: u32, payload: &[u8]) {
    varint(out, u64::from(field) << 3 | 2);
    varint(out, payload.len() as u64);
    out.extend_from_slice(payload);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
