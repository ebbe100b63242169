//! Profilers that no CPU plug-in has: short tables, empty slots, errors, a place of their own.
#![allow(unsafe_code, reason = "made functions are foreign code")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::table::Table;
use unskew_pjrt::sys::bindings::*;
use unskew_pjrt::{ErrorCode, Plugin};

use crate::corpus;

type Failure = *mut PLUGIN_Profiler_Error;

/// How many made profilers and errors are alive.
static ALIVE: AtomicUsize = AtomicUsize::new(0);
/// How often a recording was ended.
static STOPS: AtomicUsize = AtomicUsize::new(0);
/// Whether data are handed out in a place of the plug-in's own.
static OWN_PLACE: AtomicBool = AtomicBool::new(false);

static DATA: [u8; 5] = *b"space";
const OK: Failure = std::ptr::null_mut();

fn made<T>() -> *mut T {
    ALIVE.fetch_add(1, Ordering::SeqCst);
    (&raw const ALIVE).cast_mut().cast()
}

unsafe extern "C" fn error_destroy(_: *mut PLUGIN_Profiler_Error_Destroy_Args) {
    ALIVE.fetch_sub(1, Ordering::SeqCst);
}

unsafe extern "C" fn error_message(a: *mut PLUGIN_Profiler_Error_Message_Args) {
    let text = "no such option";
    // SAFETY: the arguments of a host; so in all that follow.
    unsafe {
        (*a).message = text.as_ptr();
        (*a).message_size = text.len();
    }
}

unsafe extern "C" fn error_code(a: *mut PLUGIN_Profiler_Error_GetCode_Args) -> Failure {
    // SAFETY: as above.
    unsafe { (*a).code = ErrorCode::INVALID_ARGUMENT.0 };
    OK
}

unsafe extern "C" fn create(a: *mut PLUGIN_Profiler_Create_Args) -> Failure {
    // SAFETY: as above.
    unsafe {
        assert_eq!((*a).struct_size, size_of::<PLUGIN_Profiler_Create_Args>());
        if (*a).options_size != 0 {
            return made();
        }
        (*a).profiler = made();
    }
    OK
}

unsafe extern "C" fn destroy(_: *mut PLUGIN_Profiler_Destroy_Args) -> Failure {
    ALIVE.fetch_sub(1, Ordering::SeqCst);
    OK
}

unsafe extern "C" fn start(_: *mut PLUGIN_Profiler_Start_Args) -> Failure {
    OK
}

unsafe extern "C" fn stop(_: *mut PLUGIN_Profiler_Stop_Args) -> Failure {
    STOPS.fetch_add(1, Ordering::SeqCst);
    OK
}

unsafe extern "C" fn collect(a: *mut PLUGIN_Profiler_CollectData_Args) -> Failure {
    // SAFETY: as above.
    unsafe {
        (*a).buffer_size_in_bytes = DATA.len();
        if OWN_PLACE.load(Ordering::SeqCst) {
            (*a).buffer = DATA.as_ptr().cast_mut();
        } else if !(*a).buffer.is_null() {
            (*a).buffer.copy_from_nonoverlapping(DATA.as_ptr(), DATA.len());
        }
    }
    OK
}

fn whole() -> [*const c_void; 8] {
    [
        error_destroy as *const c_void,
        error_message as *const c_void,
        error_code as *const c_void,
        create as *const c_void,
        destroy as *const c_void,
        start as *const c_void,
        stop as *const c_void,
        collect as *const c_void,
    ]
}

fn words(words: Vec<u64>) -> u64 {
    Box::leak(words.into_boxed_slice()).as_ptr().expose_provenance() as u64
}

/// The newest plug-in of the corpus, with a profiler of these functions.
fn with_profiler(functions: &[*const c_void]) -> Option<Plugin> {
    let real = corpus::plugins().pop()?;
    let mut table = vec![16 + 8 * functions.len() as u64, 0];
    table.extend(functions.iter().map(|function| function.expose_provenance() as u64));
    with_extension(real, vec![40, 1, 0, words(table), 0])
}

fn with_extension(real: Plugin, extension: Vec<u64>) -> Option<Plugin> {
    let first = words(extension);
    let first = std::ptr::with_exposed_provenance(usize::try_from(first).unwrap());
    Some(Table::of(real).extensions(first).load().unwrap())
}

#[test]
fn profilers_are_called_as_they_are_laid_out_and_nothing_leaks() {
    let Some(plugin) = with_profiler(&whole()) else { return };
    let profiler = plugin.profiler().unwrap();
    for own_place in [false, true] {
        OWN_PLACE.store(own_place, Ordering::SeqCst);
        let mut profile = profiler.create(b"").unwrap();
        profile.start().unwrap();
        profile.stop().unwrap();
        assert_eq!(profile.collect().unwrap(), DATA);
    }
    let before = STOPS.load(Ordering::SeqCst);
    profiler.create(b"").unwrap().start().unwrap();
    assert_eq!(STOPS.load(Ordering::SeqCst), before + 1, "a recording ends when it is dropped");
    let refused = profiler.create(b"x").unwrap_err();
    assert_eq!(refused.code(), Some(ErrorCode::INVALID_ARGUMENT));
    assert!(refused.to_string().contains("no such option"), "{refused}");
    assert_eq!(ALIVE.load(Ordering::SeqCst), 0);
    short_tables();
}

/// Part of the one test of this file, because what is counted is counted for the process.
fn short_tables() {
    let mut empty = whole();
    empty[6] = std::ptr::null();
    let mut profile = with_profiler(&empty).unwrap().profiler().unwrap().create(b"").unwrap();
    profile.start().unwrap();
    assert!(profile.stop().unwrap_err().is_unimplemented());
    drop(profile);
    let none = with_profiler(&whole()[..3]).unwrap().profiler().unwrap().create(b"").unwrap_err();
    assert!(none.is_unimplemented(), "{none}");
    assert_eq!(ALIVE.load(Ordering::SeqCst), 0);
    let real = corpus::plugins().pop().unwrap();
    // An extension that ends before its slot, a null table, a table of a size that cannot be true.
    for extension in [vec![24, 1, 0, 8], vec![40, 1, 0, 0, 0], vec![40, 1, 0, words(vec![8, 0]), 0]]
    {
        assert!(with_extension(real, extension).unwrap().profiler().is_none());
    }
}
