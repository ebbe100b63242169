//! A small plug-in under hosts of several ages, some of them broken: what is written, and what is answered.
//!
//! The functions of TensorFlow that a plug-in imports for statuses are played here.
#![allow(unsafe_code, reason = "the tests call the entries as C hosts do")]

use std::ffi::{CStr, c_char, c_int};
use std::ptr::null_mut;

use unskew_abi::contract::InterfaceVersion;
use unskew_stream_executor::bindings as c;
use unskew_stream_executor::layout::{Structure, contract, demands};
use unskew_stream_executor_sdk::{Exports, init_plugin};

use crate::toy::{Small, Toy};

/// A status: code and text.
#[derive(Default)]
struct Status(c_int, String);

#[unsafe(no_mangle)]
unsafe extern "C" fn TF_SetStatus(status: *mut c::TF_Status, code: c_int, text: *const c_char) {
    // SAFETY: the tests hand out statuses of this type, and the text ends with a zero.
    unsafe {
        *status.cast::<Status>() = Status(code, CStr::from_ptr(text).to_string_lossy().into());
    }
}

/// What a host hands out: a struct with guard bytes behind it.
struct Guarded(Box<[u64; 64]>, usize);

impl Guarded {
    /// A struct of so many bytes, announcing `announced`.
    fn new(bytes: usize, announced: usize) -> Self {
        let mut words = Box::new([0xaaaa_aaaa_aaaa_aaaa_u64; 64]);
        // SAFETY: the memory has 512 bytes.
        unsafe { words.as_mut_ptr().cast::<u8>().write_bytes(0, bytes) };
        words[0] = announced as u64;
        Self(words, bytes)
    }

    fn at<T>(&mut self) -> *mut T {
        self.0.as_mut_ptr().cast()
    }

    fn byte(&self, at: usize) -> u8 {
        self.0[at / 8].to_ne_bytes()[at % 8]
    }

    fn word(&self, at: usize) -> usize {
        usize::from_ne_bytes(std::array::from_fn(|i| self.byte(at + i)))
    }

    fn untouched_behind(&self) -> bool {
        (self.1..512).all(|at| self.byte(at) == 0xaa)
    }
}

/// A host of TensorFlow 2.`minor` that announces a major version; what the plug-in did.
struct Host {
    platform: Guarded,
    fns: Guarded,
    params: Guarded,
    status: Status,
}

fn size(structure: Structure, minor: u32) -> usize {
    contract(structure, InterfaceVersion::new(2, minor)).unwrap().size()
}

fn register<E: Exports>(minor: u32, change: impl FnOnce(&mut Host)) -> Host {
    let guarded = |structure| Guarded::new(size(structure, minor), size(structure, minor));
    let mut host = Host {
        platform: guarded(Structure::SP_Platform),
        fns: guarded(Structure::SP_PlatformFns),
        params: guarded(Structure::SE_PlatformRegistrationParams),
        status: Status::default(),
    };
    let params: *mut c::SE_PlatformRegistrationParams = host.params.at();
    // SAFETY: the memory has the struct's size.
    unsafe {
        (*params).patch_version = 1;
        (*params).platform = host.platform.at();
        (*params).platform_fns = host.fns.at();
    }
    change(&mut host);
    // SAFETY: this is what a host hands out.
    unsafe { init_plugin::<E>(params, (&raw mut host.status).cast()) };
    host
}

#[test]
fn a_host_of_every_age_gets_all_that_it_demands_and_nothing_behind_its_structs() {
    for minor in 5..=21 {
        let host = register::<Toy>(minor, |_| ());
        assert_eq!(host.status.0, 0, "2.{minor}: {}", host.status.1);
        for (structure, memory) in [
            (Structure::SP_Platform, &host.platform),
            (Structure::SP_PlatformFns, &host.fns),
            (Structure::SE_PlatformRegistrationParams, &host.params),
        ] {
            assert!(memory.untouched_behind(), "2.{minor} {}", structure.name());
            assert_eq!(memory.word(0), size(structure, minor), "the size stays");
            let release = InterfaceVersion::new(2, minor);
            for demand in demands(structure, release) {
                let (_, field) = contract(structure, release).unwrap().field(demand.field).unwrap();
                assert_ne!(memory.word(field.offset), 0, "2.{minor} {}", demand.field);
            }
        }
    }
}

#[test]
fn the_streams_of_a_host_are_filled_in_by_its_own_layout() {
    for minor in 5..=21 {
        let mut host = register::<Toy>(minor, |_| ());
        let bytes = size(Structure::SP_StreamExecutor, minor);
        let (mut executor, mut params) = (Guarded::new(bytes, bytes), Guarded::new(24, 24));
        params.0[2] = executor.at::<u8>() as u64;
        let fns: *const c::SP_PlatformFns = host.fns.at();
        // SAFETY: the plug-in filled in the functions, and this is what a host hands out.
        unsafe {
            let status = (&raw mut host.status).cast();
            let create = (*fns).create_stream_executor.unwrap();
            create(host.platform.at(), params.at(), status);
        }
        assert_eq!(host.status.0, 0, "2.{minor}: {}", host.status.1);
        assert!(executor.untouched_behind(), "2.{minor}");
        let release = InterfaceVersion::new(2, minor);
        for demand in demands(Structure::SP_StreamExecutor, release) {
            let layout = contract(Structure::SP_StreamExecutor, release).unwrap();
            let offset = layout.field(demand.field).unwrap().1.offset;
            assert_ne!(executor.word(offset), 0, "2.{minor} {}", demand.field);
        }
    }
}

/// What a plug-in answers to a host that is not right; nothing behind its structs may be touched.
fn refused<E: Exports>(change: impl FnOnce(&mut Host)) -> (c_int, String) {
    let host = register::<E>(15, change);
    assert_ne!(host.status.0, 0);
    for memory in [&host.platform, &host.fns, &host.params] {
        assert!(memory.untouched_behind());
    }
    assert_eq!(host.fns.word(24), 0, "nothing is registered");
    (host.status.0, host.status.1)
}

#[test]
fn a_host_of_another_major_version_is_refused_with_both_versions() {
    let (code, text) = refused::<Toy>(|host| {
        // SAFETY: the memory has the struct's size.
        unsafe { (*host.params.at::<c::SE_PlatformRegistrationParams>()).major_version = 7 }
    });
    assert_eq!(code, 9);
    assert!(text.contains("unsupported major version, theirs: 7, ours: 0"), "{text}");
}

#[test]
fn sizes_that_no_release_has_are_refused() {
    for announced in [0, 1, 9, 33, 1 << 40, usize::MAX] {
        let (_, text) = refused::<Toy>(|host| host.platform.0[0] = announced as u64);
        assert!(text.contains("SP_Platform"), "{announced}: {text}");
        let (_, text) = refused::<Toy>(|host| host.fns.0[0] = announced as u64);
        assert!(text.contains("SP_PlatformFns"), "{announced}: {text}");
    }
    for announced in [0, 1 << 40] {
        let (_, text) = refused::<Toy>(|host| host.params.0[0] = announced);
        assert!(text.contains("SE_PlatformRegistrationParams"), "{text}");
    }
}

#[test]
fn what_a_host_does_not_hand_out_is_an_error_and_no_crash() {
    let (_, text) = refused::<Toy>(|host| {
        // SAFETY: the memory has the struct's size.
        unsafe { (*host.params.at::<c::SE_PlatformRegistrationParams>()).platform = null_mut() }
    });
    assert!(text.contains("no SP_Platform"), "{text}");
    let mut status = Status::default();
    // SAFETY: null is what this tests.
    unsafe { init_plugin::<Toy>(null_mut(), (&raw mut status).cast()) };
    assert!(status.1.contains("no SE_PlatformRegistrationParams"), "{}", status.1);
    // SAFETY: as above; the text goes to the error stream.
    unsafe { init_plugin::<Toy>(null_mut(), null_mut()) };
}

#[test]
fn names_that_tensorflow_would_end_over_are_refused_by_name() {
    let (_, text) = refused::<Small>(|_| ());
    assert!(text.contains("capital letters and underscores only: toy"), "{text}");
}

#[test]
fn a_panic_of_the_author_is_a_status() {
    let mut host = register::<Toy>(15, |_| ());
    let mut count = 0;
    let fns: *const c::SP_PlatformFns = host.fns.at();
    // SAFETY: the plug-in filled in the functions.
    unsafe {
        let status = (&raw mut host.status).cast();
        (*fns).get_device_count.unwrap()(host.platform.at(), &raw mut count, status);
    }
    assert_eq!(host.status.0, 13);
    let wanted = "get_device_count: the plug-in panicked: no beads";
    assert!(host.status.1.contains(wanted), "{}", host.status.1);
}
