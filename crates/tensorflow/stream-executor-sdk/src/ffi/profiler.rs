//! `TF_InitProfiler`.

use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::OnceLock;

use unskew_stream_executor::bindings::{self as c, TF_Status};
use unskew_stream_executor::layout::{NEWEST, Structure};

use super::register::{absent, handshake};
use super::status::{self, answer};
use super::{structs, text};
use crate::{Error, Profiler};

/// A profiler of this library: made by [`export_profiler!`](crate::export_profiler).
pub trait ProfilerExports: 'static {
    /// The author's profiler, made when it is first asked for.
    fn exported() -> &'static dyn Profiler;
}

/// What `TF_InitProfiler` does.
///
/// # Safety
/// The arguments are what a host hands out: a struct that announces its size, and a status.
pub unsafe fn init_profiler<E: ProfilerExports>(
    params: *mut c::TF_ProfilerRegistrationParams,
    status: *mut TF_Status,
) {
    // SAFETY: the caller says so.
    answer("TF_InitProfiler", status, || unsafe { register::<E>(params) });
}

unsafe fn register<E: ProfilerExports>(
    params: *mut c::TF_ProfilerRegistrationParams,
) -> Result<(), Error> {
    static DEVICE_TYPE: OnceLock<CString> = OnceLock::new();
    let made = status::caught("the profiler", || Ok(E::exported()))?;
    let kind = Structure::TF_ProfilerRegistrationParams;
    // SAFETY: the caller says that this is what a host hands out.
    let mut writer = unsafe { structs::writer(params, kind, NEWEST) }?;
    handshake(&writer.reader(), made.device_type())?;
    let device_type = DEVICE_TYPE.get_or_init(|| text(made.device_type()));
    let profiler = c::TP_Profiler {
        struct_size: structs::size_of_newest(Structure::TP_Profiler),
        ext: null_mut(),
        device_type: device_type.as_ptr().cast(),
    };
    let fns = c::TP_ProfilerFns {
        struct_size: structs::size_of_newest(Structure::TP_ProfilerFns),
        ext: null_mut(),
        start: Some(start::<E>),
        stop: Some(stop::<E>),
        collect_data_xspace: Some(collect::<E>),
    };
    let given = writer.reader();
    let (at, fns_at) = (given.get_named("profiler"), given.get_named("profiler_fns"));
    // SAFETY: the host hands out both structs to be filled in.
    unsafe {
        structs::fill(at.unwrap_or(null_mut()), &profiler, Structure::TP_Profiler, NEWEST)?;
        structs::fill(fns_at.unwrap_or(null_mut()), &fns, Structure::TP_ProfilerFns, NEWEST)?;
    }
    let destroy: Option<unsafe extern "C" fn(*mut c::TP_Profiler)> = Some(destroy);
    let destroy_fns: Option<unsafe extern "C" fn(*mut c::TP_ProfilerFns)> = Some(destroy_fns);
    writer.set_named("destroy_profiler", destroy).map_err(absent)?;
    writer.set_named("destroy_profiler_fns", destroy_fns).map_err(absent)?;
    Ok(())
}

unsafe extern "C" fn destroy(_: *mut c::TP_Profiler) {}

unsafe extern "C" fn destroy_fns(_: *mut c::TP_ProfilerFns) {}

unsafe extern "C" fn start<E: ProfilerExports>(_: *const c::TP_Profiler, status: *mut TF_Status) {
    answer("start", status, || E::exported().start());
}

unsafe extern "C" fn stop<E: ProfilerExports>(_: *const c::TP_Profiler, status: *mut TF_Status) {
    answer("stop", status, || E::exported().stop());
}

unsafe extern "C" fn collect<E: ProfilerExports>(
    _: *const c::TP_Profiler,
    buffer: *mut u8,
    size: *mut usize,
    status: *mut TF_Status,
) {
    answer("collect_data_xspace", status, || {
        let measured = E::exported().collect()?;
        // SAFETY: the host hands out a place for the size, and a buffer of as many bytes the second time.
        unsafe {
            if buffer.is_null() {
                *size = measured.len();
                return Ok(());
            }
            if *size < measured.len() {
                let room = *size;
                let message = format!("{} bytes do not fit into {room}", measured.len());
                return Err(Error::precondition(message));
            }
            std::ptr::copy_nonoverlapping(measured.as_ptr(), buffer, measured.len());
            *size = measured.len();
        }
        Ok(())
    });
}
