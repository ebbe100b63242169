//! Tables that no plug-in of the corpus has: of other versions, with holes, with lies, from the future.
#![allow(unsafe_code, reason = "made functions are foreign code")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::corpus::{SUM, add, plugins, ramp};
use crate::table::{self, Table};
use unskew_core::Version;
use unskew_pjrt::sys::TableError;
use unskew_pjrt::sys::bindings::*;
use unskew_pjrt::{ElementType, ErrorCode, ExecuteOptions, Plugin};

type Fallible = unsafe extern "C" fn(*mut c_void) -> *mut PJRT_Error;

/// The newest plug-in of the corpus.
fn newest() -> Option<Plugin> {
    plugins().pop()
}

fn function_of(address: &AtomicPtr<c_void>) -> Fallible {
    // SAFETY: what is stored is a function of the table.
    unsafe { std::mem::transmute::<*mut c_void, Fallible>(address.load(Ordering::SeqCst)) }
}

#[test]
fn tables_of_other_versions_are_refused_with_the_reason() {
    let Some(plugin) = newest() else { return };
    let other = Table::of(plugin).version(1, 2).load().unwrap_err();
    assert_eq!(other, TableError::OtherMajor { found: Version::pair(1, 2) });
    assert!(other.to_string().contains("1.2"), "{other}");
    let old = Table::of(plugin).version(0, 28).load().unwrap_err();
    assert_eq!(old, TableError::TooOld { found: Version::pair(0, 28) });
    let negative = Table::of(plugin).version(0, u32::MAX).load().unwrap_err();
    assert!(matches!(negative, TableError::TooOld { .. }));
    for size in [0, 8, 39, u64::MAX, 1 << 40] {
        let lies = Table::of(plugin).size(size).load().unwrap_err();
        assert!(matches!(lies, TableError::Implausible(_)), "{size}: {lies}");
    }
}

#[test]
fn a_hole_in_the_table_is_a_function_that_is_not_there() {
    let Some(plugin) = newest() else { return };
    let holes = [Function::PJRT_Buffer_Bitcast, Function::PJRT_Executable_Fingerprint];
    let table = Table::of(plugin)
        .function(holes[0], std::ptr::null())
        .function(holes[1], std::ptr::null())
        .function(Function::PJRT_Memory_Kind_Id, std::ptr::null());
    let holey = table.load().unwrap();
    let client = holey.create_client(&[]).unwrap();
    let buffer = ramp(&client, 1.0);
    let error = buffer.bitcast(ElementType::S32, &[2, 3]).unwrap_err();
    assert!(error.is_unimplemented() && error.to_string().contains("PJRT_Buffer_Bitcast"));
    // What has a replacement is replaced, or is the error of the replacement.
    buffer.memory().unwrap().kind_id().unwrap();
    let results = add(&client).execute(&[&buffer, &buffer], &ExecuteOptions::default()).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap()[5], 10.0);
    let none = Table::of(plugin).function(Function::PJRT_Client_Create, std::ptr::null());
    assert!(none.load().unwrap().create_client(&[]).unwrap_err().is_unimplemented());
}

#[test]
fn a_chain_of_extensions_that_bites_its_tail_is_walked_once() {
    let Some(plugin) = newest() else { return };
    let first = Box::leak(Box::new([24_u64, 5, 0]));
    let second = Box::leak(Box::new([24_u64, 4, 0]));
    first[2] = second.as_ptr().expose_provenance() as u64;
    second[2] = first.as_ptr().expose_provenance() as u64;
    let plugin = Table::of(plugin).extensions(first.as_ptr().cast()).load().unwrap();
    assert_eq!(plugin.extensions().len(), 2);
    assert!(plugin.api().extensions_broken().is_some());
    // Both end before their first slot, which is so not there.
    let ffi = plugin.ffi().unwrap();
    assert!(!ffi.takes_handlers());
    assert!(ffi.register_type::<u8>("cycle").unwrap_err().is_unimplemented());
    let client = plugin.create_client(&[]).unwrap();
    assert!(ramp(&client, 1.0).layout().unwrap_err().is_unimplemented());
    assert_eq!(client.platform_name().unwrap(), "cpu");
}

#[test]
fn a_real_plug_in_that_says_it_is_older_gets_the_sizes_that_it_asks_for() {
    let Some(plugin) = newest() else { return };
    // Its header then had options of 88 bytes, of which the plug-in behind wants more.
    let older = Table::of(plugin).version(0, 77).load().unwrap();
    assert_eq!(older.api().size_of::<PJRT_ExecuteOptions>(), 88);
    let client = older.create_client(&[]).unwrap();
    let (a, b) = (ramp(&client, 1.0), ramp(&client, 10.0));
    let program = add(&client);
    for _ in 0..2 {
        let results = program.execute(&[&a, &b], &ExecuteOptions::default()).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), SUM);
        assert!(older.api().size_of::<PJRT_ExecuteOptions>() > 88);
    }
}

static PLATFORM_NAME: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static EXECUTE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// What the made plug-in wants of both structs, in bytes.
const GROWN: usize = 512;

fn too_small(name: &str, size: usize) -> *mut PJRT_Error {
    let text = format!("Unexpected {name} size: expected {GROWN}, got {size}. Built later.");
    table::error(ErrorCode::INVALID_ARGUMENT, text)
}

/// Whether all bytes from `from` to [`GROWN`] are zero.
unsafe fn zero_tail(start: *const c_void, from: usize) -> bool {
    // SAFETY: the host has announced so many bytes.
    unsafe { std::slice::from_raw_parts(start.cast::<u8>().add(from), GROWN - from) }
        .iter()
        .all(|&byte| byte == 0)
}

unsafe extern "C" fn grown_name(arguments: *mut c_void) -> *mut PJRT_Error {
    ASKED.fetch_add(1, Ordering::SeqCst);
    // SAFETY: the arguments of a host; the first word is their size.
    unsafe {
        let size = arguments.cast::<usize>();
        if *size < GROWN {
            return too_small("PJRT_Client_PlatformName_Args", *size);
        }
        assert!(zero_tail(arguments, size_of::<PJRT_Client_PlatformName_Args>()));
        // A result that the host does not know.
        arguments.cast::<u8>().add(GROWN - 1).write(7);
        *size = size_of::<PJRT_Client_PlatformName_Args>();
        function_of(&PLATFORM_NAME)(arguments)
    }
}

unsafe extern "C" fn grown_execute(arguments: *mut c_void) -> *mut PJRT_Error {
    // SAFETY: the arguments of a host.
    unsafe {
        let options = (*arguments.cast::<PJRT_LoadedExecutable_Execute_Args>()).options;
        if (*options).struct_size < GROWN {
            return too_small("PJRT_ExecuteOptions", (*options).struct_size);
        }
        assert!(zero_tail(options.cast(), size_of::<PJRT_ExecuteOptions>()));
        (*options).struct_size = size_of::<PJRT_ExecuteOptions>();
        function_of(&EXECUTE)(arguments)
    }
}

#[test]
fn structs_of_the_future_are_sent_as_large_as_they_are_asked_for() {
    let Some(plugin) = newest() else { return };
    let (name, execute) =
        (Function::PJRT_Client_PlatformName, Function::PJRT_LoadedExecutable_Execute);
    PLATFORM_NAME.store(plugin.api().function(name).unwrap(), Ordering::SeqCst);
    EXECUTE.store(plugin.api().function(execute).unwrap(), Ordering::SeqCst);
    let future = Table::of(plugin)
        .version(0, 999)
        .errors(plugin)
        .function(name, grown_name as *const c_void)
        .function(execute, grown_execute as *const c_void)
        .load()
        .unwrap();
    let client = future.create_client(&[]).unwrap();
    assert_eq!(client.platform_name().unwrap(), "cpu");
    assert_eq!(ASKED.swap(0, Ordering::SeqCst), 2);
    assert_eq!(future.api().wanted_size::<PJRT_Client_PlatformName_Args>(), GROWN);
    assert_eq!(client.platform_name().unwrap(), "cpu");
    assert_eq!(ASKED.load(Ordering::SeqCst), 1, "what was learned is kept");
    let (a, b) = (ramp(&client, 1.0), ramp(&client, 10.0));
    let program = add(&client);
    for _ in 0..2 {
        let results = program.execute(&[&a, &b], &ExecuteOptions::default()).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), SUM);
    }
    assert_eq!(future.api().wanted_size::<PJRT_ExecuteOptions>(), GROWN);
}
