//! A profiler that records nothing, for hosts that call one without asking whether the plug-in has it.
//!
//! JAX 0.4.19 to 0.10.0 takes the extension Profiler of every plug-in for granted in `jax.profiler.start_trace`: without
//! it the process ends. With this one the trace has what the host records itself, and nothing of the plug-in. No
//! function of it fails, so it makes no errors. JAX 0.4.18, which does not look for one, goes on as before.

use std::ffi::c_void;
use std::mem::size_of;
use std::ptr;

use unskew_pjrt::layout::{self, SIZED_EXTENSIONS};
use unskew_pjrt::sys::bindings::*;

use crate::ages::Ages;

/// The name of the extension.
pub const EXTENSION: &str = "Profiler";

struct Table(PLUGIN_Profiler_Api);
// SAFETY: it is constant; its only pointer that is not a function is null.
unsafe impl Sync for Table {}

static TABLE: Table = Table(PLUGIN_Profiler_Api {
    struct_size: size_of::<PLUGIN_Profiler_Api>(),
    r#priv: ptr::null_mut(),
    error_destroy: Some(error_destroy),
    error_message: Some(error_message),
    error_get_code: Some(error_get_code),
    create: Some(create),
    destroy: Some(nothing),
    start: Some(nothing),
    stop: Some(nothing),
    collect_data: Some(collect_data),
});

/// What hosts hold as a profiler: they only ask whether it is null.
static RECORDS_NOTHING: u8 = 0;

/// The chain with the extension in front of it, which lives as long as the process. A host from 0.45 on and a table from
/// before it disagree about the layout of the chain, and get no extension at all.
pub fn before(chain: *mut c_void, ages: &Ages) -> *mut c_void {
    let sized = ages.present >= SIZED_EXTENSIONS;
    let agree = sized == (ages.host >= SIZED_EXTENSIONS);
    let Some(known) = layout::extension(EXTENSION).filter(|_| agree) else { return chain };
    let table = (&raw const TABLE.0).expose_provenance();
    let (kind, next) = (known.kind.unsigned_abs() as usize, chain.expose_provenance());
    // The slot behind the table is `traceme_context_id`, which only arguments use.
    let words = if sized {
        vec![size_of::<[usize; 5]>(), kind, next, table, 0]
    } else {
        vec![kind, next, table]
    };
    Box::leak(words.into_boxed_slice()).as_mut_ptr().cast()
}

unsafe extern "C" fn create(
    arguments: *mut PLUGIN_Profiler_Create_Args,
) -> *mut PLUGIN_Profiler_Error {
    // SAFETY: the host passes the arguments of this function, which have not changed since there is one.
    unsafe { (*arguments).profiler = (&raw const RECORDS_NOTHING).cast_mut().cast() };
    ptr::null_mut()
}

/// What starting, stopping and freeing a profiler does.
unsafe extern "C" fn nothing<T>(_: *mut T) -> *mut PLUGIN_Profiler_Error {
    ptr::null_mut()
}

/// Says that no bytes are there: a serialized `XSpace` without planes.
unsafe extern "C" fn collect_data(
    arguments: *mut PLUGIN_Profiler_CollectData_Args,
) -> *mut PLUGIN_Profiler_Error {
    // SAFETY: as in `create`.
    unsafe { (*arguments).buffer_size_in_bytes = 0 };
    ptr::null_mut()
}

unsafe extern "C" fn error_destroy(_: *mut PLUGIN_Profiler_Error_Destroy_Args) {}

unsafe extern "C" fn error_message(arguments: *mut PLUGIN_Profiler_Error_Message_Args) {
    // SAFETY: as in `create`.
    unsafe {
        (*arguments).message = c"".as_ptr().cast();
        (*arguments).message_size = 0;
    }
}

unsafe extern "C" fn error_get_code(
    arguments: *mut PLUGIN_Profiler_Error_GetCode_Args,
) -> *mut PLUGIN_Profiler_Error {
    // SAFETY: as in `create`.
    unsafe { (*arguments).code = PJRT_Error_Code::UNKNOWN.0 };
    ptr::null_mut()
}
