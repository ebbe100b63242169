//! Release groups: releases whose hosts do the same.

use unskew_abi::contract::InterfaceVersion;

use super::PluginEntry;
use crate::layout::{FIRST, NEWEST, ReleaseGroup, Structure, contract, demands};

/// The structs by which hosts of graph optimizers differ.
const GRAPH: [Structure; 3] = [
    Structure::TP_OptimizerRegistrationParams,
    Structure::TP_OptimizerConfigs,
    Structure::TP_Optimizer,
];

/// The structs by which hosts of profilers differ.
const PROFILER: [Structure; 3] =
    [Structure::TF_ProfilerRegistrationParams, Structure::TP_Profiler, Structure::TP_ProfilerFns];

/// The structs by which hosts of pluggable devices differ; those of graph optimizers and profilers are no
/// part of the registration of a device.
const STRUCTURES: [Structure; 9] = [
    Structure::SE_PlatformRegistrationParams,
    Structure::SP_Platform,
    Structure::SP_PlatformFns,
    Structure::SP_StreamExecutor,
    Structure::SP_Device,
    Structure::SP_DeviceFns,
    Structure::SP_TimerFns,
    Structure::SE_CreateDeviceParams,
    Structure::SE_CreateStreamExecutorParams,
];

/// The eras of TensorFlow's host, the oldest first: within one, every release has the same structs and
/// demands the same of them. The first, 2.4, has the interface and loads no plug-in.
///
/// ```
/// let eras = unskew_stream_executor::preflight::eras();
/// let minors: Vec<_> = eras.iter().map(|era| (era.first.minor, era.last.minor)).collect();
/// assert_eq!(minors, [(4, 4), (5, 6), (7, 8), (9, 13), (14, 21)]);
/// ```
pub fn eras() -> Vec<ReleaseGroup> {
    split(4, &STRUCTURES)
}

/// The eras of the hosts that go through an entry; kernels are registered for the platform, so by its eras.
pub(crate) fn eras_of(entry: PluginEntry) -> Vec<ReleaseGroup> {
    match entry {
        PluginEntry::Device => eras(),
        PluginEntry::Kernels => split(FIRST.minor, &STRUCTURES),
        PluginEntry::Graph => split(FIRST.minor, &GRAPH),
        PluginEntry::Profiler => split(FIRST.minor, &PROFILER),
    }
}

fn split(first: u32, structures: &[Structure]) -> Vec<ReleaseGroup> {
    let mut eras: Vec<ReleaseGroup> = Vec::new();
    for minor in first..=NEWEST.minor {
        let release = InterfaceVersion::new(2, minor);
        if structures.iter().any(|structure| contract(*structure, release).is_none()) {
            continue;
        }
        match eras.last_mut() {
            Some(era) if same(era.first, release, structures) => era.last = release,
            _ => eras.push(ReleaseGroup { first: release, last: release }),
        }
    }
    eras
}

fn same(a: InterfaceVersion, b: InterfaceVersion, structures: &[Structure]) -> bool {
    structures.iter().copied().all(|structure| {
        // A field that is older in one of them is another layout, though it lies in the same place.
        let fields = |release| contract(structure, release).map(|contract| contract.fields);
        fields(a) == fields(b) && demands(structure, a).eq(demands(structure, b))
    })
}

/// The era of a release for an entry; a newer one than is known counts as the newest.
pub(crate) fn era_of(minor: u32, entry: PluginEntry) -> Option<ReleaseGroup> {
    let release = InterfaceVersion::new(2, minor.min(NEWEST.minor));
    eras_of(entry).into_iter().find(|era| (era.first..=era.last).contains(&release))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_graph_optimizers_changed_on_other_days_than_those_of_devices() {
        let minors = |entry| -> Vec<(u32, u32)> {
            eras_of(entry).iter().map(|era| (era.first.minor, era.last.minor)).collect()
        };
        assert_eq!(minors(PluginEntry::Graph), [(5, 5), (6, 9), (10, 21)]);
        assert_eq!(minors(PluginEntry::Profiler), [(7, 21)]);
        assert_eq!(minors(PluginEntry::Kernels), [(5, 6), (7, 8), (9, 13), (14, 21)]);
    }
}
