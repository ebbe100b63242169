//! Layout of each struct in each release of TensorFlow, and what a host demands of it.
//!
//! The interface has called itself 0.0.1 in every release, and fields were inserted, removed and made
//! required all the same. So a plug-in that is to work with several releases has to know how old its
//! host is, and what tells it are the sizes of the structs that the host hands out ([`releases_of`]).
//!
//! ```
//! use unskew_abi::contract::InterfaceVersion;
//! use unskew_stream_executor::layout::{Structure, contract, releases_of};
//!
//! let sizes = [(Structure::SP_Platform, 34), (Structure::SP_StreamExecutor, 264)];
//! let hosts = releases_of(&sizes).unwrap();
//! assert_eq!((hosts.first.minor, hosts.last.minor), (5, 6));
//!
//! let old = contract(Structure::SP_Platform, InterfaceVersion::new(2, 4)).unwrap();
//! assert_eq!(old.size(), 41);
//! assert!(old.field("use_bfc_allocator").is_none());
//! ```

use unskew_abi::contract::{FieldContract, InterfaceVersion, StructContract, Zero};

include!(concat!(env!("OUT_DIR"), "/layouts.rs"));

/// The first release that loads pluggable devices.
pub const FIRST: InterfaceVersion = InterfaceVersion::new(2, 5);

/// The newest release that the data were held against. Newer ones are taken to be like it until they
/// say otherwise.
pub const NEWEST: InterfaceVersion = InterfaceVersion::new(2, 21);

/// How a struct looked in some releases.
#[derive(Debug)]
pub struct StructLayout {
    /// The first of them.
    pub since: InterfaceVersion,
    /// The last of them.
    pub until: InterfaceVersion,
    /// Its fields, and where they lay.
    pub contract: StructContract,
}

/// A field that a host wants to be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequiredField {
    /// The struct that has it.
    pub structure: Structure,
    /// The name of the field in C.
    pub field: &'static str,
    /// The first release that wants it.
    pub since: InterfaceVersion,
    /// The last release that wants it.
    pub until: InterfaceVersion,
    /// What happens if it is not.
    pub otherwise: NullFieldEffect,
}

/// What a host does with a plug-in that leaves a field null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullFieldEffect {
    /// It refuses to register the plug-in, which ends the process.
    Refused,
    /// It calls the field without looking: a crash when it is needed.
    Crash,
}

/// Releases of TensorFlow that cannot be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleaseGroup {
    /// The first of them.
    pub first: InterfaceVersion,
    /// The last of them that is known.
    pub last: InterfaceVersion,
}

impl Structure {
    /// Its name in C.
    pub fn name(self) -> &'static str {
        self.history().first().map_or("", |layout| layout.contract.name)
    }

    /// Every layout that it has had, the oldest first.
    pub fn history(self) -> &'static [StructLayout] {
        HISTORIES[self as usize]
    }
}

/// The fields of a struct in a release, and where they lie; none if the release does not have it.
pub fn contract(
    structure: Structure,
    release: InterfaceVersion,
) -> Option<&'static StructContract> {
    let release = release.min(NEWEST);
    let mut layouts = structure.history().iter();
    let found = layouts.find(|layout| (layout.since..=layout.until).contains(&release));
    found.map(|layout| &layout.contract)
}

/// The fields of a struct that a release wants to be set.
pub fn demands(
    structure: Structure,
    release: InterfaceVersion,
) -> impl Iterator<Item = &'static RequiredField> {
    let release = release.min(NEWEST);
    DEMANDS.iter().filter(move |demand| {
        demand.structure == structure && (demand.since..=demand.until).contains(&release)
    })
}

/// Which releases hand out structs of these sizes. A size that is larger than any known one counts as the
/// newest: fields are appended there, if the rules are kept. None if no release has all of them.
pub fn releases_of(sizes: &[(Structure, usize)]) -> Option<ReleaseGroup> {
    let fits = |minor: &u32| {
        let release = InterfaceVersion::new(2, *minor);
        sizes.iter().all(|(structure, size)| {
            let known = contract(*structure, release).map(StructContract::size);
            known == Some(*size) || (release == NEWEST && known.is_some_and(|known| known < *size))
        })
    };
    let mut minors = (4..=NEWEST.minor).filter(fits);
    let first = minors.next()?;
    let last = minors.next_back().unwrap_or(first);
    Some(ReleaseGroup {
        first: InterfaceVersion::new(2, first),
        last: InterfaceVersion::new(2, last),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(structure: Structure, minor: u32) -> usize {
        contract(structure, InterfaceVersion::new(2, minor)).map_or(0, StructContract::size)
    }

    #[test]
    fn sizes_are_those_that_real_hosts_announce() {
        let sizes = |structure| [4, 5, 6, 7, 8, 9, 21].map(|minor| size(structure, minor));
        assert_eq!(sizes(Structure::SP_Platform), [41, 34, 34, 34, 34, 35, 35]);
        assert_eq!(sizes(Structure::SP_PlatformFns), [80, 88, 88, 88, 88, 88, 88]);
        assert_eq!(sizes(Structure::SP_StreamExecutor), [264, 264, 264, 288, 288, 288, 288]);
        for (structure, bytes) in [
            (Structure::SE_PlatformRegistrationParams, 64),
            (Structure::SP_Device, 56),
            (Structure::SP_DeviceFns, 40),
            (Structure::SP_TimerFns, 24),
            (Structure::SP_AllocatorStats, 96),
            (Structure::SP_DeviceMemoryBase, 40),
            (Structure::SE_CreateDeviceParams, 32),
            (Structure::SE_CreateDeviceFnsParams, 24),
            (Structure::SE_CreateStreamExecutorParams, 24),
        ] {
            assert_eq!(sizes(structure), [bytes; 7], "{}", structure.name());
        }
    }

    #[test]
    fn bindings_are_the_newest_layout() {
        use crate::bindings as c;
        for (structure, bytes) in [
            (Structure::SP_Platform, size_of::<c::SP_Platform>()),
            (Structure::SP_StreamExecutor, size_of::<c::SP_StreamExecutor>()),
            (Structure::SP_AllocatorStats, size_of::<c::SP_AllocatorStats>()),
            (Structure::TP_OptimizerConfigs, size_of::<c::TP_OptimizerConfigs>()),
        ] {
            assert_eq!(size(structure, 21).next_multiple_of(8), bytes, "{}", structure.name());
        }
    }

    #[test]
    fn demands_change_with_the_release() {
        let wanted = |structure, minor| -> Vec<&str> {
            demands(structure, InterfaceVersion::new(2, minor)).map(|d| d.field).collect()
        };
        assert!(!wanted(Structure::SP_StreamExecutor, 6).contains(&"mem_zero"));
        assert!(wanted(Structure::SP_StreamExecutor, 7).contains(&"mem_zero"));
        assert!(wanted(Structure::SP_PlatformFns, 13).contains(&"create_timer_fns"));
        assert!(!wanted(Structure::SP_PlatformFns, 14).contains(&"create_timer_fns"));
    }

    #[test]
    fn the_age_of_a_host_shows_in_its_sizes() {
        use Structure::{SP_Platform, SP_PlatformFns, SP_StreamExecutor};
        let of = |sizes: &[(Structure, usize)]| {
            releases_of(sizes).map(|found| (found.first.minor, found.last.minor))
        };
        assert_eq!(of(&[(SP_Platform, 41), (SP_PlatformFns, 80)]), Some((4, 4)));
        assert_eq!(of(&[(SP_Platform, 34), (SP_PlatformFns, 88)]), Some((5, 8)));
        assert_eq!(of(&[(SP_Platform, 34), (SP_StreamExecutor, 288)]), Some((7, 8)));
        assert_eq!(of(&[(SP_Platform, 35)]), Some((9, 21)));
        assert_eq!(of(&[(SP_Platform, 48)]), Some((21, 21)));
        assert_eq!(of(&[(SP_Platform, 34), (SP_StreamExecutor, 264), (SP_PlatformFns, 80)]), None);
    }
}
