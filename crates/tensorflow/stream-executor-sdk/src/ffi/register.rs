//! `SE_InitPlugin`: the handshake, and what the platform is. `TF_InitKernel`: the kernels that it has.

use std::ptr::null_mut;

use unskew_abi::contract::handshake::{AnnouncedVersion, agree};
use unskew_abi::contract::{InterfaceVersion, StructReader};
use unskew_stream_executor::bindings as c;
use unskew_stream_executor::layout::{FIRST, NEWEST, Structure, releases_of};

use super::platform::{self, PlatformState};
use super::{ExportedPlatform, Exports, adopted, framework, last_host, status, structs};
use crate::{Allocator, Error, Host, Kernels, Platform};

/// The version of the interface that this crate knows.
const OURS: InterfaceVersion = InterfaceVersion::new(0, 0);

/// What `SE_InitPlugin` does.
///
/// # Safety
/// The arguments are what a host hands out: a struct that announces its size, and a status.
pub unsafe fn init_plugin<E: Exports>(
    params: *mut c::SE_PlatformRegistrationParams,
    status: *mut c::TF_Status,
) {
    status::answer("SE_InitPlugin", status, || {
        let made = E::exported().made()?;
        // SAFETY: the caller says so.
        unsafe { register(params, made) }
    });
}

/// What `TF_InitKernel` does: the author's kernels. The host takes no answer.
pub fn init_kernel<E: Exports>() {
    status::answer_or("TF_InitKernel", (), || {
        let made = E::exported().made()?;
        let device_type = made.device_type.to_string_lossy().into_owned();
        adopted::register(&device_type)?;
        let mut kernels = Kernels::new(device_type, last_host::get());
        made.platform.kernels(&mut kernels)
    });
}

unsafe fn register<P: Platform>(
    params: *mut c::SE_PlatformRegistrationParams,
    made: &'static ExportedPlatform<P>,
) -> Result<(), Error> {
    // Since the first release, nothing but the ends of these structs has changed.
    let kind = Structure::SE_PlatformRegistrationParams;
    // SAFETY: the caller says that this is what a host hands out.
    let mut writer = unsafe { structs::writer(params, kind, NEWEST) }?;
    let announced = handshake(&writer.reader(), &made.name.to_string_lossy())?;
    let given = writer.reader();
    let platform: *mut c::SP_Platform = given.get_named("platform").unwrap_or(null_mut());
    let fns: *mut c::SP_PlatformFns = given.get_named("platform_fns").unwrap_or(null_mut());
    // SAFETY: the host hands out both with the arguments.
    let host = unsafe { host(announced, platform, fns) }?;
    check_name("name", &made.name.to_string_lossy())?;
    check_name("type", &made.device_type.to_string_lossy())?;
    let release = host.releases.first;
    last_host::remember(&host);
    let state = Box::new(PlatformState { platform: &made.platform, host });
    let mut value = describe(made);
    value.ext = Box::into_raw(state).cast();
    // SAFETY: these are structs that the host has handed out to be filled in.
    unsafe {
        structs::fill(platform, &value, Structure::SP_Platform, release)?;
        structs::fill(fns, &platform::functions::<P>(), Structure::SP_PlatformFns, release)?;
    }
    let destroy_platform: Option<unsafe extern "C" fn(*mut c::SP_Platform)> =
        Some(platform::destroy_platform::<P>);
    let destroy_fns: Option<unsafe extern "C" fn(*mut c::SP_PlatformFns)> =
        Some(platform::destroy_platform_fns);
    writer.set_named("destroy_platform", destroy_platform).map_err(absent)?;
    writer.set_named("destroy_platform_fns", destroy_fns).map_err(absent)?;
    Ok(())
}

/// Compares the major versions, which stand in the arguments of every registration.
pub(super) fn handshake(given: &StructReader<'_>, name: &str) -> Result<AnnouncedVersion, Error> {
    let announced = AnnouncedVersion {
        major: given.get_named("major_version").unwrap_or(0),
        minor: given.get_named("minor_version").unwrap_or(0),
        patch: given.get_named("patch_version").unwrap_or(0),
    };
    let agreed = agree(announced, given.announced(), OURS);
    agreed.map_err(|refused| {
        let kind = given.contract().name;
        Error::precondition(format!("{name}: {kind} of this TensorFlow: {refused}"))
    })?;
    Ok(announced)
}

/// Who the host is, by the sizes of its structs.
///
/// # Safety
/// The pointers are null or structs of the host.
unsafe fn host(
    announced: AnnouncedVersion,
    platform: *const c::SP_Platform,
    fns: *const c::SP_PlatformFns,
) -> Result<Host, Error> {
    // SAFETY: the caller says so.
    let sizes = unsafe {
        [
            (
                Structure::SP_Platform,
                structs::reader(platform, Structure::SP_Platform, NEWEST)?.announced(),
            ),
            (
                Structure::SP_PlatformFns,
                structs::reader(fns, Structure::SP_PlatformFns, NEWEST)?.announced(),
            ),
        ]
    };
    let releases = releases_of(&sizes).filter(|releases| releases.last >= FIRST);
    let releases = releases.ok_or_else(|| {
        let [(_, platform), (_, fns)] = sizes;
        Error::precondition(format!(
            "no TensorFlow from {FIRST} to {NEWEST} hands out an SP_Platform of {platform} bytes with an \
             SP_PlatformFns of {fns}"
        ))
    })?;
    Ok(Host { announced, releases, named: framework::version() })
}

fn describe<P: Platform>(made: &'static ExportedPlatform<P>) -> c::SP_Platform {
    let (bfc, grow) = match made.platform.allocator() {
        Allocator::Host { grow } => (true, grow),
        Allocator::Device => (false, false),
    };
    c::SP_Platform {
        struct_size: structs::size_of_newest(Structure::SP_Platform),
        ext: null_mut(),
        name: made.name.as_ptr().cast(),
        r#type: made.device_type.as_ptr().cast(),
        supports_unified_memory: u8::from(made.platform.unified_memory()),
        use_bfc_allocator: u8::from(bfc),
        force_memory_growth: u8::from(grow),
    }
}

/// A host ends the process over such a name; this says why before it does.
fn check_name(what: &str, name: &str) -> Result<(), Error> {
    let mut letters = name.chars();
    let fits = letters.next().is_some_and(|first| first.is_ascii_uppercase())
        && letters.all(|letter| letter.is_ascii_uppercase() || letter == '_');
    if !fits {
        return Err(Error::precondition(format!(
            "the {what} of a platform has capital letters and underscores only: {name}"
        )));
    }
    if what == "type" && name == "CPU" {
        return Err(Error::precondition("the device type CPU is TensorFlow's own"));
    }
    Ok(())
}

pub(super) fn absent(absent: unskew_abi::contract::AbsentField) -> Error {
    Error::precondition(absent.to_string())
}
