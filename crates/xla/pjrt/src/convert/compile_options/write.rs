//! Writing the options of a compilation.

use super::super::wire::{message, number, varint};
use super::{CompileOptions, DeviceAssignment, field};

impl CompileOptions {
    /// The options as a serialized `CompileOptionsProto`, with no field that is not needed.
    pub fn write(&self) -> Vec<u8> {
        use field::build::*;
        let mut build = Vec::new();
        if self.device_ordinal != 0 {
            number(&mut build, DEVICE_ORDINAL, self.device_ordinal.cast_unsigned());
        }
        number(&mut build, NUM_REPLICAS, self.num_replicas.cast_unsigned());
        number(&mut build, NUM_PARTITIONS, self.num_partitions.cast_unsigned());
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
    /// The assignment as a serialized `DeviceAssignmentProto`.
    pub fn write(&self) -> Vec<u8> {
        use field::assignment::*;
        let mut assignment = Vec::new();
        number(&mut assignment, REPLICAS, self.replicas.cast_unsigned());
        number(&mut assignment, COMPUTATIONS, self.computations.cast_unsigned());
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
