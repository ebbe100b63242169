//! Launches: what a host wants compiled and run, and on which devices.

use unskew_pjrt::convert::compile_options::{CompileOptions, DeviceAssignment};

use crate::{Error, Event, Shape, SharedStorage};

/// The devices that a program runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// How many replicas: each runs the whole program with arguments of its own.
    pub replicas: usize,
    /// How many partitions a replica has: together they run one program.
    pub partitions: usize,
    /// The places of the devices among [`Platform::devices`](crate::Platform::devices): those of the
    /// partitions of the first replica, then those of the second.
    pub devices: Vec<usize>,
}

impl Assignment {
    /// An assignment to one device, with one replica and one partition.
    pub fn one(device: usize) -> Self {
        Self { replicas: 1, partitions: 1, devices: vec![device] }
    }
}

/// What a host wants compiled.
#[derive(Clone, Copy, Debug)]
pub struct Compile<'a> {
    /// The program. In the format `mlir` that is text, or bytecode, which begins with `ML\xefR`. JAX sends
    /// StableHLO portable artifacts; the crate `unskew-stablehlo` reads them.
    pub code: &'a [u8],
    /// The format of the code: `mlir`, `hlo`, `hlo_with_config`.
    pub format: &'a str,
    /// The options, a serialized `CompileOptionsProto`.
    pub options: &'a [u8],
    /// Where it will run.
    pub assignment: &'a Assignment,
}

impl Compile<'_> {
    /// The options as a type, as far as they are known; what a host sends besides is left alone.
    ///
    /// # Errors
    /// If they are no `CompileOptionsProto`.
    pub fn compile_options(&self) -> Result<CompileOptions, Error> {
        Ok(CompileOptions::read(self.options)?)
    }
}

/// A run of a program on one of its devices.
#[derive(Clone)]
pub struct Launch<'a> {
    /// The place of the device.
    pub device: usize,
    /// Which replica this is.
    pub replica: usize,
    /// Which partition of it.
    pub partition: usize,
    /// The arguments; their contents are there.
    pub arguments: Vec<(&'a Shape, &'a SharedStorage)>,
}

/// What a launch yields.
pub struct Launched {
    /// The results, whose contents may come later.
    pub results: Vec<SharedStorage>,
    /// When their contents are there. [`Storage::to_host`](crate::Storage::to_host) is not called earlier,
    /// and not at all if it fails.
    pub done: Event,
}

impl Launched {
    /// Results that are there.
    pub fn now(results: Vec<SharedStorage>) -> Self {
        Self { results, done: Event::done() }
    }
}

/// How much memory a program takes on each of its devices, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// The bytes of the program's code.
    pub code: i64,
    /// The bytes of the arguments.
    pub arguments: i64,
    /// The bytes of the results.
    pub outputs: i64,
    /// What results take over from arguments.
    pub aliased: i64,
    /// What it needs while it runs.
    pub temporary: i64,
}

impl Assignment {
    /// The devices as a `DeviceAssignmentProto`, which is what hosts read: `id` gives the number of a place.
    pub(crate) fn serialize(&self, id: impl Fn(usize) -> i32) -> Vec<u8> {
        let of = |partition: usize| {
            let places = self.devices.iter().skip(partition).step_by(self.partitions.max(1));
            places.map(|place| i64::from(id(*place))).collect()
        };
        DeviceAssignment::from_devices((0..self.partitions).map(of).collect()).write()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_is_written_partition_by_partition() {
        let assignment = Assignment { replicas: 2, partitions: 2, devices: vec![0, 1, 2, 3] };
        let written = assignment.serialize(|place| 100 * i32::try_from(place).unwrap_or(0));
        let (first, second) = ([26, 5, 10, 3, 0, 200, 1], [26, 5, 10, 3, 100, 172, 2]);
        assert_eq!(written, [&[8, 2, 16, 2][..], &first, &second].concat());
    }
}
