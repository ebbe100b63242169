//! Releases whose hosts do the same.

use unskew_abi::contract::InterfaceVersion;

use crate::layout::{NEWEST, Releases, Structure, contract, demands};

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
pub fn eras() -> Vec<Releases> {
    let mut eras: Vec<Releases> = Vec::new();
    for minor in 4..=NEWEST.minor {
        let release = InterfaceVersion::new(2, minor);
        match eras.last_mut() {
            Some(era) if same(era.first, release) => era.last = release,
            _ => eras.push(Releases { first: release, last: release }),
        }
    }
    eras
}

fn same(a: InterfaceVersion, b: InterfaceVersion) -> bool {
    STRUCTURES.into_iter().all(|structure| {
        // A field that is older in one of them is another layout, though it lies in the same place.
        let fields = |release| contract(structure, release).map(|contract| contract.fields);
        fields(a) == fields(b) && demands(structure, a).eq(demands(structure, b))
    })
}

/// The era of a release; a newer one than is known counts as the newest.
pub(crate) fn era_of(minor: u32) -> Option<Releases> {
    let release = InterfaceVersion::new(2, minor.min(NEWEST.minor));
    eras().into_iter().find(|era| (era.first..=era.last).contains(&release))
}
