//! The functions of a platform.

use std::ffi::c_int;
use std::ptr::null_mut;

use unskew_stream_executor::bindings as c;
use unskew_stream_executor::layout::{NEWEST, ReleaseGroup, Structure, releases_of};

use super::device::{self, DeviceState};
use super::status::{answer, answer_or};
use super::{stream, structs};
use crate::{Device, Error, Host, Platform, Timer};

/// What `SP_Platform.ext` points to.
pub(super) struct PlatformState<P: 'static> {
    pub(super) platform: &'static P,
    pub(super) host: Host,
}

pub(super) fn functions<P: Platform>() -> c::SP_PlatformFns {
    c::SP_PlatformFns {
        struct_size: structs::size_of_newest(Structure::SP_PlatformFns),
        ext: null_mut(),
        get_device_count: Some(get_device_count::<P>),
        create_device: Some(create_device::<P>),
        destroy_device: Some(destroy_device::<P>),
        create_device_fns: Some(create_device_fns::<P>),
        destroy_device_fns: Some(destroy_device_fns),
        create_stream_executor: Some(create_stream_executor::<P>),
        destroy_stream_executor: Some(destroy_stream_executor),
        create_timer_fns: Some(create_timer_fns::<P>),
        destroy_timer_fns: Some(destroy_timer_fns),
    }
}

/// # Safety
/// `platform` is one that this plug-in filled in.
unsafe fn state<'a, P: Platform>(
    platform: *const c::SP_Platform,
) -> Result<&'a PlatformState<P>, Error> {
    // The field is the first after the size, in every release.
    // SAFETY: the caller says so.
    let reader = unsafe { structs::reader(platform, Structure::SP_Platform, NEWEST) }?;
    let state: *mut PlatformState<P> = reader.get_named("ext").unwrap_or(null_mut());
    // SAFETY: what this plug-in put there is null or alive until the platform is destroyed.
    unsafe { state.as_ref() }
        .ok_or_else(|| Error::precondition("the host has lost SP_Platform.ext"))
}

unsafe extern "C" fn get_device_count<P: Platform>(
    platform: *const c::SP_Platform,
    count: *mut c_int,
    status: *mut c::TF_Status,
) {
    answer("get_device_count", status, || {
        // SAFETY: the host hands out the platform that was filled in, and a place for the count.
        unsafe {
            let found = state::<P>(platform)?.platform.device_count()?;
            *count = c_int::try_from(found).unwrap_or(c_int::MAX);
        }
        Ok(())
    });
}

unsafe extern "C" fn create_device<P: Platform>(
    platform: *const c::SP_Platform,
    params: *mut c::SE_CreateDeviceParams,
    status: *mut c::TF_Status,
) {
    answer("create_device", status, || {
        // SAFETY: the host hands out the platform that was filled in.
        let state = unsafe { state::<P>(platform) }?;
        let release = state.host.releases.first;
        let kind = Structure::SE_CreateDeviceParams;
        // SAFETY: the host hands out its arguments.
        let params = unsafe { structs::reader(params, kind, release) }?;
        let ordinal: i32 = params.get_named("ordinal").unwrap_or(0);
        let target: *mut c::SP_Device = params.get_named("device").unwrap_or(null_mut());
        let number = usize::try_from(ordinal).map_err(|_| {
            Error::invalid(format!("devices are numbered from 0, and the host wants {ordinal}"))
        })?;
        let opened = DeviceState::new(state.platform.device(number, &state.host)?);
        let value = opened.leak(ordinal);
        // SAFETY: the host hands out the struct to be filled in.
        unsafe { structs::fill(target, &value, Structure::SP_Device, release) }
            .inspect_err(|_| device::free::<P::Device>(value.device_handle))
    });
}

unsafe extern "C" fn destroy_device<P: Platform>(
    _: *const c::SP_Platform,
    device: *mut c::SP_Device,
) {
    answer_or("destroy_device", (), || {
        // SAFETY: the host gives back a device that was filled in.
        let kind = unsafe { structs::reader(device, Structure::SP_Device, NEWEST) }?;
        device::free::<P::Device>(kind.get_named("device_handle").unwrap_or(null_mut()));
        Ok(())
    });
}

unsafe extern "C" fn create_device_fns<P: Platform>(
    platform: *const c::SP_Platform,
    params: *mut c::SE_CreateDeviceFnsParams,
    status: *mut c::TF_Status,
) {
    answer("create_device_fns", status, || {
        // SAFETY: the host hands out the platform that was filled in, and its arguments.
        unsafe {
            let release = state::<P>(platform)?.host.releases.first;
            let kind = Structure::SE_CreateDeviceFnsParams;
            let params = structs::reader(params, kind, release)?;
            let target = params.get_named("device_fns").unwrap_or(null_mut());
            let value = device::functions::<P::Device>();
            structs::fill(target, &value, Structure::SP_DeviceFns, release)
        }
    });
}

unsafe extern "C" fn create_stream_executor<P: Platform>(
    platform: *const c::SP_Platform,
    params: *mut c::SE_CreateStreamExecutorParams,
    status: *mut c::TF_Status,
) {
    answer("create_stream_executor", status, || {
        // SAFETY: the host hands out the platform that was filled in, and its arguments.
        unsafe {
            let state = state::<P>(platform)?;
            let kind = Structure::SE_CreateStreamExecutorParams;
            let params = structs::reader(params, kind, state.host.releases.first)?;
            let target: *mut c::SP_StreamExecutor =
                params.get_named("stream_executor").unwrap_or(null_mut());
            let releases = refine(platform, target)?;
            let value = stream::functions::<P::Device>();
            structs::fill(target, &value, Structure::SP_StreamExecutor, releases.first)
        }
    });
}

/// What the size of `SP_StreamExecutor` adds: with that of `SP_Platform` it tells 2.5 and 2.6 from 2.7 and 2.8.
///
/// # Safety
/// Both are null or structs of the host.
unsafe fn refine(
    platform: *const c::SP_Platform,
    executor: *const c::SP_StreamExecutor,
) -> Result<ReleaseGroup, Error> {
    // SAFETY: the caller says so.
    let [platform, executor] = unsafe {
        [
            structs::reader(platform, Structure::SP_Platform, NEWEST)?.announced(),
            structs::reader(executor, Structure::SP_StreamExecutor, NEWEST)?.announced(),
        ]
    };
    let sizes = [(Structure::SP_Platform, platform), (Structure::SP_StreamExecutor, executor)];
    releases_of(&sizes).ok_or_else(|| {
        Error::precondition(format!(
            "no TensorFlow up to {NEWEST} hands out an SP_Platform of {platform} bytes with an \
             SP_StreamExecutor of {executor}"
        ))
    })
}

unsafe extern "C" fn create_timer_fns<P: Platform>(
    platform: *const c::SP_Platform,
    fns: *mut c::SP_TimerFns,
    status: *mut c::TF_Status,
) {
    answer("create_timer_fns", status, || {
        let value = c::SP_TimerFns {
            struct_size: structs::size_of_newest(Structure::SP_TimerFns),
            ext: null_mut(),
            nanoseconds: Some(nanoseconds::<<P::Device as Device>::Timer>),
        };
        // SAFETY: the host hands out the platform that was filled in, and the struct to be filled in.
        unsafe {
            let release = state::<P>(platform)?.host.releases.first;
            structs::fill(fns, &value, Structure::SP_TimerFns, release)
        }
    });
}

unsafe extern "C" fn nanoseconds<T: Timer>(timer: c::SP_Timer) -> u64 {
    answer_or("nanoseconds", 0, || {
        // SAFETY: the host hands out timers that `create_timer` made.
        let timer = unsafe { timer.cast::<T>().as_ref() };
        Ok(timer.map_or(0, Timer::nanoseconds))
    })
}

/// What was put into the platform lives as long as the process, but for its state.
pub(super) unsafe extern "C" fn destroy_platform<P: Platform>(platform: *mut c::SP_Platform) {
    answer_or("destroy_platform", (), || {
        // SAFETY: the host gives back the platform that was filled in.
        let mut writer = unsafe { structs::writer(platform, Structure::SP_Platform, NEWEST) }?;
        let state: *mut PlatformState<P> = writer.reader().get_named("ext").unwrap_or(null_mut());
        if !state.is_null() {
            let none: *mut PlatformState<P> = null_mut();
            let _ = writer.set_named("ext", none);
            // SAFETY: `register` put it there, and now it is there no more.
            drop(unsafe { Box::from_raw(state) });
        }
        Ok(())
    });
}

/// The functions are the library's own: nothing is freed.
pub(super) unsafe extern "C" fn destroy_platform_fns(_: *mut c::SP_PlatformFns) {}

unsafe extern "C" fn destroy_device_fns(_: *const c::SP_Platform, _: *mut c::SP_DeviceFns) {}

unsafe extern "C" fn destroy_stream_executor(
    _: *const c::SP_Platform,
    _: *mut c::SP_StreamExecutor,
) {
}

unsafe extern "C" fn destroy_timer_fns(_: *const c::SP_Platform, _: *mut c::SP_TimerFns) {}
