//! Extensions that no CPU plug-in has, played by made functions in front of a real plug-in.
#![allow(unsafe_code, reason = "made functions are foreign code")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::corpus::{add, plugins, ramp};
use crate::table::{self, Table};
use unskew_pjrt::sys::bindings::*;
use unskew_pjrt::{ErrorCode, Plugin};

/// How many made objects are alive.
static ALIVE: AtomicUsize = AtomicUsize::new(0);

fn made<T>() -> *mut T {
    ALIVE.fetch_add(1, Ordering::SeqCst);
    (&raw const ALIVE).cast_mut().cast()
}

unsafe extern "C" fn freed(_object: *mut c_void) -> *mut PJRT_Error {
    ALIVE.fetch_sub(1, Ordering::SeqCst);
    std::ptr::null_mut()
}

const OK: *mut PJRT_Error = std::ptr::null_mut();

unsafe extern "C" fn get_compiler(a: *mut PJRT_PhaseCompile_Get_Compiler_Args) -> *mut PJRT_Error {
    // SAFETY: the arguments of a host; so in all that follow.
    unsafe { (*a).phase_compiler = made() };
    OK
}

static NAMES: [&str; 2] = ["first", "second"];
static SIZES: [usize; 2] = [5, 6];

/// The starts of the names; freed as the interface says.
fn starts() -> *mut *const u8 {
    ALIVE.fetch_add(1, Ordering::SeqCst);
    Box::leak(Box::new(NAMES.map(str::as_ptr))).as_mut_ptr()
}

unsafe extern "C" fn names(a: *mut PJRT_PhaseCompile_Get_PhaseNames_Args) -> *mut PJRT_Error {
    // SAFETY: as above.
    unsafe {
        (*a).phase_names = starts();
        (*a).phase_names_sizes = SIZES.as_ptr();
        (*a).num_phase_names = 2;
    }
    OK
}

/// Yields the names, and refuses unless the one program is "in" and the one phase "first".
unsafe extern "C" fn run_phase(a: *mut PJRT_PhaseCompile_Run_Phase_Args) -> *mut PJRT_Error {
    // SAFETY: as above.
    unsafe {
        let text = |start: *mut *const u8, sizes: *const usize| {
            String::from_utf8_lossy(std::slice::from_raw_parts(*start, *sizes)).into_owned()
        };
        let program = text((*a).input_programs, (*a).input_programs_sizes);
        let phase = text((*a).phases_to_run, (*a).phases_to_run_sizes);
        if (program.as_str(), phase.as_str(), (*a).num_phases_to_run) != ("in", "first", 1) {
            return table::error(ErrorCode::INVALID_ARGUMENT, format!("no phase {phase}"));
        }
        (*a).output_programs = starts();
        (*a).output_programs_sizes = SIZES.as_ptr();
        (*a).num_output_programs = 2;
    }
    OK
}

unsafe extern "C" fn runtime(a: *mut PJRT_Client_RuntimeAbiVersion_Args) -> *mut PJRT_Error {
    // SAFETY: as above.
    unsafe { (*a).abi_version = made() };
    OK
}

unsafe extern "C" fn needs(a: *mut PJRT_Executable_GetAbiVersion_Args) -> *mut PJRT_Error {
    // SAFETY: as above.
    unsafe { (*a).abi_version = made() };
    OK
}

unsafe extern "C" fn fits(_: *mut c_void) -> *mut PJRT_Error {
    OK
}

unsafe extern "C" fn fits_not(_: *mut c_void) -> *mut PJRT_Error {
    table::error(ErrorCode::FAILED_PRECONDITION, "built for another runtime".to_owned())
}

unsafe extern "C" fn to_proto(a: *mut PJRT_RuntimeAbiVersion_ToProto_Args) -> *mut PJRT_Error {
    unsafe extern "C" fn delete(_: *mut PJRT_SerializedProto) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
    // SAFETY: as above.
    unsafe {
        (*a).serialized_proto = b"proto".as_ptr();
        (*a).serialized_proto_size = 5;
        (*a).serialized_proto_holder = made();
        (*a).serialized_proto_deleter = Some(delete);
    }
    OK
}

unsafe extern "C" fn platform(a: *mut PJRT_RuntimeAbiVersion_PlatformId_Args) -> *mut PJRT_Error {
    // SAFETY: as above.
    unsafe { (*a).platform_id = 77 };
    OK
}

unsafe extern "C" fn from_proto(a: *mut PJRT_RuntimeAbiVersion_FromProto_Args) -> *mut PJRT_Error {
    // SAFETY: as above.
    unsafe {
        let bytes = std::slice::from_raw_parts((*a).serialized_proto, (*a).serialized_proto_size);
        if bytes != b"proto" {
            return table::error(ErrorCode::INVALID_ARGUMENT, "no proto".to_owned());
        }
        (*a).abi_version = made();
    }
    OK
}

unsafe extern "C" fn metadata(
    a: *mut PJRT_ExecutableMetadata_GetExecutableMetadata_Args,
) -> *mut PJRT_Error {
    ALIVE.fetch_add(1, Ordering::SeqCst);
    let made = PJRT_ExecutableMetadata {
        serialized_metadata: b"vendor".as_ptr(),
        serialized_metadata_size: 6,
    };
    // SAFETY: as above.
    unsafe { (*a).metadata = Box::into_raw(Box::new(made)) };
    OK
}

unsafe extern "C" fn free_metadata(a: *mut PJRT_ExecutableMetadata_DestroySerializedMetadata_Args) {
    ALIVE.fetch_sub(1, Ordering::SeqCst);
    // SAFETY: as above; `metadata` made it.
    drop(unsafe { Box::from_raw((*a).metadata) });
}

unsafe extern "C" fn stream(
    a: *mut PJRT_Get_Stream_For_External_Ready_Events_Args,
) -> *mut PJRT_Error {
    // SAFETY: as above.
    unsafe { (*a).stream = 4711 };
    OK
}

unsafe extern "C" fn wait(a: *mut PJRT_Wait_Until_Buffer_Ready_On_Stream_Args) -> *mut PJRT_Error {
    // SAFETY: as above.
    match unsafe { (*a).stream } {
        4711 => OK,
        other => table::error(ErrorCode::INVALID_ARGUMENT, format!("stream {other}")),
    }
}

/// An extension of these functions, in front of the others.
fn extension(kind: u64, slots: &[*const c_void], next: u64) -> u64 {
    let size = 24 + 8 * slots.len() as u64;
    let mut words = vec![size, kind, next];
    words.extend(slots.iter().map(|slot| slot.expose_provenance() as u64));
    Box::leak(words.into_boxed_slice()).as_ptr().expose_provenance() as u64
}

/// The newest plug-in of the corpus, with extensions that it has not.
fn rich() -> Option<Plugin> {
    let real = plugins().pop()?;
    let table = Table::of(real).errors(real);
    let (free, fits, fits_not) =
        (freed as *const c_void, fits as *const c_void, fits_not as *const c_void);
    let phases = [
        get_compiler as *const c_void,
        free,
        run_phase as *const c_void,
        names as *const c_void,
        free,
    ];
    let versions = [
        runtime as *const c_void,
        needs as *const c_void,
        free,
        fits,
        fits_not,
        to_proto as *const c_void,
        platform as *const c_void,
        free,
        to_proto as *const c_void,
        platform as *const c_void,
        from_proto as *const c_void,
        // The extension ends before its last slot.
    ];
    let mut next = extension(9, &phases, table.first_extension());
    next = extension(20, &versions, next);
    next = extension(13, &[metadata as *const c_void, free_metadata as *const c_void], next);
    next = extension(3, &[stream as *const c_void, wait as *const c_void], next);
    let first = std::ptr::with_exposed_provenance(usize::try_from(next).unwrap());
    Some(table.extensions(first).load().unwrap())
}

#[test]
fn extensions_of_other_platforms_are_called_as_they_are_laid_out_and_nothing_leaks() {
    let Some(plugin) = rich() else { return };
    let client = plugin.create_client(&[]).unwrap();
    let topology = client.topology().unwrap();
    let executable = add(&client).executable().unwrap();
    let compiler = plugin.phase_compiler().unwrap();
    assert_eq!(compiler.phases().unwrap(), ["first", "second"]);
    let yields = compiler.run(&["first"], &[b"in"], b"", &topology).unwrap();
    assert_eq!(yields, [b"first".to_vec(), b"second".to_vec()]);
    let refused = compiler.run(&["third"], &[b"in"], b"", &topology).unwrap_err();
    assert!(refused.to_string().contains("no phase third"), "{refused}");
    drop(compiler);
    assert_eq!(ALIVE.load(Ordering::SeqCst), 0);

    let (runtime, needs) = (client.abi_version().unwrap(), executable.abi_version().unwrap());
    runtime.fits_runtime(&runtime).unwrap();
    let misfit = runtime.fits(&needs).unwrap_err();
    assert!(misfit.to_string().contains("built for another runtime"), "{misfit}");
    assert_eq!((runtime.platform_id().unwrap(), needs.platform_id().unwrap()), (77, 77));
    assert_eq!(
        (runtime.serialize().unwrap(), needs.serialize().unwrap()),
        (b"proto".into(), b"proto".into())
    );
    let again = plugin.runtime_abi_version_of(b"proto").unwrap();
    assert!(plugin.runtime_abi_version_of(b"other").is_err());
    let beyond = plugin.executable_abi_version_of(b"proto").unwrap_err();
    assert!(beyond.is_unimplemented(), "{beyond}");
    assert_eq!(ALIVE.load(Ordering::SeqCst), 3);
    drop((runtime, needs, again));
    assert_eq!(ALIVE.load(Ordering::SeqCst), 0);

    assert_eq!(executable.vendor_metadata().unwrap(), b"vendor");
    assert_eq!(ALIVE.load(Ordering::SeqCst), 0);

    let device = &client.addressable_devices().unwrap()[0];
    assert_eq!(device.stream().unwrap(), 4711);
    device.wait_for(&ramp(&client, 1.0)).unwrap();
    // Those that the plug-in has itself come after.
    assert_eq!(ramp(&client, 1.0).layout().unwrap().text(), "{1,0}");
}
