//! A small plug-in under hosts of several ages.
#![allow(unsafe_code, reason = "the tests call the table as C hosts do")]

use std::ffi::c_void;
use std::ptr::NonNull;

use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_pjrt::layout::{self, Function};
use unskew_pjrt::sys::bindings::*;
use unskew_pjrt::sys::{CallError, Record};
use unskew_pjrt::{ExecuteOptions, PjrtProgram as Code, Plugin};
use unskew_pjrt_sdk::{ErrorCode, Exports, OlderHosts, presented_minor};

use crate::toy::{self, api, table, toys};

toys! {
    Toy29 29 OlderHosts::Serve;
    Toy40 40 OlderHosts::Serve;
    Toy54 54 OlderHosts::Serve;
    Toy76 76 OlderHosts::Serve;
    Toy81 81 OlderHosts::Serve;
    Toy105 105 OlderHosts::Serve;
    Toy107 107 OlderHosts::Serve;
    Toy115 115 OlderHosts::Serve;
    Choosy 115 OlderHosts::RefuseBelow(61);
    Choosier 115 OlderHosts::RefuseBelow(76);
}

/// What a host does: devices, buffers, a program, results.
fn a_host_works_with<P: Exports>() {
    // SAFETY: as above.
    let plugin = unsafe { Plugin::from_table(table::<P>()) }.unwrap().unwrap();
    assert_eq!(plugin.version().to_string(), format!("0.{}", presented_minor::<P>()));
    assert_eq!(plugin.stablehlo_version().unwrap().unwrap().to_string(), "1.9.0");
    let client = plugin.create_client(&[]).unwrap();
    assert_eq!(client.platform_name().unwrap(), "toy");
    let devices = client.addressable_devices().unwrap();
    assert_eq!(devices.len(), 2);
    assert_eq!(devices[1].description().unwrap().kind().unwrap(), "abacus");
    assert_eq!(devices[0].attributes().unwrap()[0].name, "beads");
    let memory = devices[1].default_memory().unwrap();
    assert_eq!(memory.kind().unwrap(), "device");
    assert_eq!(memory.devices().unwrap()[0].id().unwrap(), 1);

    let a = client.buffer_of(&[1.0_f32, 2.0, 3.0], &[3], &devices[0]).unwrap();
    let b = client.buffer_of(&[10.0_f32, 20.0, 30.0], &[3], &devices[0]).unwrap();
    let options = CompileOptions::default().write();
    let sum = client.compile(Code::mlir("sum"), &options).unwrap();
    let results = sum.execute(&[&a, &b], &ExecuteOptions::default()).unwrap();
    results[0].ready().unwrap().wait().unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [11.0, 22.0, 33.0]);
    assert_eq!(results[0].dimensions().unwrap(), [3]);
    let executable = sum.executable().unwrap();
    assert_eq!(executable.name().unwrap(), "sum");
    assert_eq!(sum.fingerprint().unwrap(), "sum of three");
    let again = client.deserialize(&executable.serialize().unwrap(), None).unwrap();
    let results = again.execute(&[&a], &ExecuteOptions::default()).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0]);
    a.delete().unwrap();
    assert!(a.is_deleted().unwrap());
    let error = sum.execute(&[&a], &ExecuteOptions::default()).unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::INVALID_ARGUMENT));
}

#[test]
fn one_plug_in_works_presented_at_eight_ages() {
    a_host_works_with::<Toy29>();
    a_host_works_with::<Toy40>();
    a_host_works_with::<Toy54>();
    a_host_works_with::<Toy76>();
    a_host_works_with::<Toy81>();
    a_host_works_with::<Toy105>();
    a_host_works_with::<Toy107>();
    a_host_works_with::<Toy115>();
}

#[test]
fn every_slot_of_the_presented_version_is_filled_and_the_table_ends_there() {
    let api = api::<Toy54>();
    assert_eq!((api.minor(), api.announced_size()), (54, 808));
    for function in Function::ALL {
        assert_eq!(api.has(function), function.since() <= 54, "{function}");
    }
}

#[test]
fn what_is_not_implemented_says_so_by_name() {
    let api = api::<Toy115>();
    let mut arguments = api.record::<PJRT_Client_DmaMap_Args>();
    // SAFETY: the function looks at nothing.
    let error = unsafe { api.call(&mut arguments) }.unwrap_err();
    assert_eq!(error.code(), ErrorCode::UNIMPLEMENTED);
    assert!(error.to_string().contains("toy: PJRT_Client_DmaMap is not implemented"), "{error}");
}

#[test]
fn errors_carry_their_payloads_and_panics_are_errors() {
    // SAFETY: this is a table of the SDK.
    let plugin = unsafe { Plugin::from_table(table::<Toy115>()) }.unwrap().unwrap();
    let client = plugin.create_client(&[]).unwrap();
    let device = &client.addressable_devices().unwrap()[0];
    let sum = client.compile(Code::mlir("sum"), &CompileOptions::default().write()).unwrap();
    let short = client.buffer_of(&[1.0_f32], &[1], device).unwrap();
    let error = sum.execute(&[&short], &ExecuteOptions::default()).unwrap_err();
    let unskew_pjrt::host::Error::Call(CallError::Plugin { payloads, .. }) = &error else {
        panic!("{error}")
    };
    assert_eq!(payloads, &[("wanted".to_owned(), b"f32[3]".to_vec())]);
    let empty = client.buffer_of::<f32>(&[], &[0], device).unwrap();
    let error = sum.execute(&[&empty], &ExecuteOptions::default()).unwrap_err();
    assert!(error.to_string().contains("the plug-in panicked: no elements"), "{error}");
    assert!(client.compile(Code::mlir("product"), &CompileOptions::default().write()).is_err());
}

#[test]
fn a_host_that_is_surely_too_old_is_refused_if_the_author_wants_that() {
    let api = api::<Choosy>();
    let create = |announced: usize| {
        let mut arguments = PJRT_Client_Create_Args::zeroed();
        arguments.struct_size = announced;
        // SAFETY: the arguments are as large as any version, and no client is used afterwards.
        unsafe { api.call(&mut arguments) }.map(|()| arguments.client)
    };
    assert!(!create(88).unwrap().is_null());
    let error = create(72).unwrap_err();
    assert_eq!(error.code(), ErrorCode::FAILED_PRECONDITION);
    assert!(error.to_string().contains("of PJRT 0.61 or later; this one is of 0.60"), "{error}");
}

/// The arguments of `PJRT_Client_Create` say nothing between 0.61 and today; the options of an execution do.
#[test]
fn a_host_that_gets_a_client_may_be_refused_when_it_executes() {
    let plugin = toy::plugin::<Choosier>().unwrap();
    let client = plugin.create_client(&[]).unwrap();
    let sum = client.compile(Code::mlir("sum"), &CompileOptions::default().write()).unwrap();
    let api = api::<Choosier>();
    let execute = |announced: usize| {
        let mut options = PJRT_ExecuteOptions::zeroed();
        options.struct_size = announced;
        let mut buffer: *mut PJRT_Buffer = std::ptr::null_mut();
        let (given, results) = ([std::ptr::null()], [&raw mut buffer]);
        let mut arguments = PJRT_LoadedExecutable_Execute_Args::zeroed();
        arguments.struct_size = size_of::<PJRT_LoadedExecutable_Execute_Args>();
        arguments.executable = sum.address().cast();
        arguments.options = &raw mut options;
        arguments.num_devices = 1;
        arguments.argument_lists = given.as_ptr();
        arguments.output_lists = results.as_ptr();
        // SAFETY: the arguments are right, and no result is used afterwards.
        unsafe { api.call(&mut arguments) }
    };
    execute(88).unwrap();
    let error = execute(80).unwrap_err();
    assert_eq!(error.code(), ErrorCode::FAILED_PRECONDITION);
    assert!(error.to_string().contains("of PJRT 0.76 or later; this one is of 0.75"), "{error}");
}

/// Hosts of 0.38 to 0.71 announce 24 bytes for these arguments, and have 32.
#[test]
fn headers_that_announced_too_little_get_all_their_outputs() {
    let api = api::<Toy115>();
    let mut arguments = PJRT_Plugin_Attributes_Args::zeroed();
    arguments.struct_size = 24;
    // SAFETY: 32 bytes are there.
    unsafe { api.call(&mut arguments) }.unwrap();
    assert_eq!((arguments.struct_size, arguments.num_attributes), (24, 1));
}

#[test]
fn what_is_too_small_for_any_version_is_refused_with_both_sizes() {
    let api = api::<Toy115>();
    for function in Function::ALL {
        let Some(address) = api.function(function) else { continue };
        let skipped = [
            Function::PJRT_Error_Destroy,
            Function::PJRT_Error_Message,
            Function::PJRT_Error_GetCode,
            // It needs nothing of its arguments.
            Function::PJRT_Plugin_Initialize,
        ];
        if skipped.contains(&function) || function == Function::PJRT_Error_ForEachPayload {
            continue;
        }
        // SAFETY: every other slot is a function that takes its arguments and returns an error.
        let ask: unsafe extern "C" fn(*mut c_void) -> *mut PJRT_Error =
            unsafe { std::mem::transmute(address) };
        let mut arguments = [8_usize, 0, 0, 0, 0, 0, 0, 0];
        // SAFETY: the size says that there is nothing but the size.
        let error = NonNull::new(unsafe { ask(arguments.as_mut_ptr().cast()) });
        // SAFETY: it is an error of this plug-in.
        let error = unsafe { api.take_error(function.name(), error.unwrap()) };
        let history = layout::find_struct(&format!("{function}_Args")).unwrap();
        let expected =
            |size: usize| format!("Unexpected {} size: expected {size}, got 8.", history.name);
        let wanted: Vec<String> = history.sizes.iter().map(|s| expected(s.declared)).collect();
        let said = error.to_string();
        let refused = wanted.iter().any(|wanted| said.contains(wanted));
        assert!(refused || said.contains("is not implemented"), "{said}");
        assert_eq!(arguments[1..], [0; 7], "{function}");
    }
}

/// Whatever size a host announces, nothing behind it is touched.
#[test]
fn nothing_behind_the_announced_size_is_written() {
    let api = api::<Toy115>();
    let function = api.function(Function::PJRT_Plugin_Attributes).unwrap();
    // SAFETY: the slot is a function that takes its arguments and returns an error.
    let ask: unsafe extern "C" fn(*mut c_void) -> *mut PJRT_Error =
        unsafe { std::mem::transmute(function) };
    for announced in 0..64_usize {
        let mut arguments = [0xaa_u8; 72];
        arguments[..8].copy_from_slice(&announced.to_ne_bytes());
        // SAFETY: 72 bytes are there, more than any size that is announced.
        let error = unsafe { ask(arguments.as_mut_ptr().cast()) };
        if let Some(error) = NonNull::new(error) {
            // SAFETY: it is an error of this plug-in.
            drop(unsafe { api.take_error("PJRT_Plugin_Attributes", error) });
        }
        // 24 is what headers announced that had 32.
        let end = if announced == 24 { 32 } else { announced.clamp(8, 32) };
        assert!(arguments[end..].iter().all(|byte| *byte == 0xaa), "{announced}");
    }
}
