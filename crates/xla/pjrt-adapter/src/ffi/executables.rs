//! Serialized executables: stamped on the way out, checked on the way in.
//!
//! Nothing in a serialized executable says which plug-in made it, and another build reads it as
//! something else: measured, an executable of 0.106 computes garbage on 0.81. See
//! [`stamp`](unskew_pjrt::convert::stamp).

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::mem::offset_of;
use std::path::Path;

use unskew_pjrt::convert::stamp::{Fingerprint, Opened, cpu_features, open, stamp};
use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::Call;
use unskew_pjrt::sys::bindings::*;

use super::{ADAPTER, Adapter, absent, errors, guarded, relay};
use crate::Identity;
use crate::Unstamped;

/// The longest text that is taken over, in bytes.
const LONGEST_TEXT: usize = 8 << 10;

/// `PJRT_Client_Create`, which tells the platform that stamps name.
pub unsafe extern "C" fn client_create(arguments: *mut c_void) -> *mut PJRT_Error {
    let Some(adapter) = ADAPTER.get() else { return absent::failed() };
    let function = Function::PJRT_Client_Create;
    // SAFETY: the host passes the arguments of this function.
    let error = unsafe { relay::carry(adapter, function, arguments, |_| {}) };
    let client = arguments.cast::<PJRT_Client_Create_Args>();
    if error.is_null() && adapter.platform.get().is_none() {
        // SAFETY: the plug-in has just filled in the client, which every host since 0.29 has.
        let platform = unsafe { platform((*client).client, adapter) };
        // Another client may have been faster, and says the same.
        let _ = adapter.platform.set(platform);
    }
    error
}

unsafe fn platform(client: *mut PJRT_Client, adapter: &Adapter) -> (String, String) {
    let mut name = adapter.api.record::<PJRT_Client_PlatformName_Args>();
    name.client = client;
    // SAFETY: the client is alive, and its texts live as long as it does.
    let name = unsafe { asked(adapter, &mut name) }
        .map(|asked| (asked.platform_name, asked.platform_name_size));
    let mut version = adapter.api.record::<PJRT_Client_PlatformVersion_Args>();
    version.client = client;
    // SAFETY: as above.
    let version = unsafe { asked(adapter, &mut version) }
        .map(|asked| (asked.platform_version, asked.platform_version_size));
    // SAFETY: as above.
    unsafe { (text(name), text(version)) }
}

unsafe fn asked<'a, T: Call>(adapter: &Adapter, arguments: &'a mut T) -> Option<&'a T> {
    // SAFETY: the caller says that the arguments are right.
    let error = unsafe { adapter.api.raw(arguments) }?;
    errors::drop_error(error);
    error.is_null().then_some(arguments)
}

unsafe fn text(found: Option<(*const u8, usize)>) -> String {
    let Some((start, size)) = found.filter(|(start, _)| !start.is_null()) else {
        return String::new();
    };
    // SAFETY: the caller says that so many bytes are there.
    let bytes = unsafe { std::slice::from_raw_parts(start, size.min(LONGEST_TEXT)) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a host calls as `PJRT_Executable_Serialize`.
pub unsafe extern "C" fn serialize(arguments: *mut c_void) -> *mut PJRT_Error {
    let Some(adapter) = ADAPTER.get() else { return absent::failed() };
    guarded(|| {
        let here = match fingerprint(adapter) {
            Ok(here) => here,
            Err(error) => return error,
        };
        let function = Function::PJRT_Executable_Serialize;
        let Some(call) = adapter.function(function) else { return absent::unimplemented(function) };
        // SAFETY: the host passes the arguments of this function, which have not changed since 0.29.
        let error = unsafe { call(arguments) };
        if error.is_null() {
            // SAFETY: the plug-in has just filled them in.
            unsafe { put_stamp(arguments.cast(), here) };
        }
        error
    })
}

unsafe fn put_stamp(arguments: *mut PJRT_Executable_Serialize_Args, here: &Fingerprint) {
    // SAFETY: the caller says that the plug-in has filled them in.
    let arguments = unsafe { &mut *arguments };
    let (start, size) = (arguments.serialized_bytes, arguments.serialized_bytes_size);
    let inner: &[u8] = if start.is_null() {
        &[]
    } else {
        // SAFETY: the plug-in says that so many bytes are there until they are given back.
        unsafe { std::slice::from_raw_parts(start, size) }
    };
    let stamped = Box::new(stamp(inner, here));
    if let Some(free) = arguments.serialized_executable_deleter {
        // SAFETY: nobody reads the plug-in's bytes any more.
        unsafe { free(arguments.serialized_executable) };
    }
    arguments.serialized_bytes = stamped.as_ptr();
    arguments.serialized_bytes_size = stamped.len();
    arguments.serialized_executable = Box::into_raw(stamped).cast();
    arguments.serialized_executable_deleter = Some(free_stamped);
}

unsafe extern "C" fn free_stamped(executable: *mut PJRT_SerializedExecutable) {
    if !executable.is_null() {
        // SAFETY: the host gives back what `put_stamp` gave out.
        drop(unsafe { Box::from_raw(executable.cast::<Vec<u8>>()) });
    }
}

/// What a host calls as `PJRT_Executable_DeserializeAndLoad`.
pub unsafe extern "C" fn deserialize(arguments: *mut c_void) -> *mut PJRT_Error {
    let Some(adapter) = ADAPTER.get() else { return absent::failed() };
    guarded(|| {
        let host = arguments.cast::<PJRT_Executable_DeserializeAndLoad_Args>();
        // SAFETY: the host passes the arguments of this function; it had these words at 0.29.
        let (start, size) =
            unsafe { ((*host).serialized_executable, (*host).serialized_executable_size) };
        let file: &[u8] = if start.is_null() {
            &[]
        } else {
            // SAFETY: the host says that so many bytes are there.
            unsafe { std::slice::from_raw_parts(start, size) }
        };
        let executable = match opened(adapter, file) {
            Ok(executable) => executable,
            Err(error) => return error,
        };
        let at = offset_of!(PJRT_Executable_DeserializeAndLoad_Args, serialized_executable) / 8;
        let function = Function::PJRT_Executable_DeserializeAndLoad;
        // SAFETY: as above.
        unsafe {
            relay::carry_copied(adapter, function, arguments, |words| {
                words[at] = executable.as_ptr().expose_provenance() as u64;
                words[at + 1] = executable.len() as u64;
            })
        }
    })
}

/// The executable inside a stamp that fits, or the error for the host.
fn opened<'a>(adapter: &Adapter, file: &'a [u8]) -> Result<&'a [u8], *mut PJRT_Error> {
    let refused = |text: String| {
        errors::raise(PJRT_Error_Code::FAILED_PRECONDITION, format!("unskew adapter: {text}"))
    };
    match open(file).map_err(|error| refused(error.to_string()))? {
        Opened::Stamped { fingerprint: made, executable } => {
            let here = fingerprint(adapter)?;
            here.accepts(&made).map_err(|refusal| refused(refusal.to_string()))?;
            Ok(executable)
        }
        Opened::NotStamped if adapter.config.unstamped == Unstamped::Load => Ok(file),
        Opened::NotStamped => Err(refused(
            "the serialized executable does not say which plug-in made it, and one of another build \
             would compute garbage; compile the program again, or adapt the plug-in with \
             `--unstamped load`"
                .to_owned(),
        )),
    }
}

/// Who the plug-in is: measured on the first call, unless the settings know it already.
fn fingerprint(adapter: &Adapter) -> Result<&Fingerprint, *mut PJRT_Error> {
    let found = adapter.identity.get_or_init(|| {
        let plugin: &Path = &adapter.config.plugin;
        let known = adapter.config.identity.as_ref().filter(|known| known.still_holds(plugin));
        let identity = match known {
            Some(known) => known.clone(),
            None => Identity::measure(plugin).map_err(|error| error.to_string())?,
        };
        let file_sha256 = identity.digest().ok_or("the digest of the plug-in is damaged")?;
        let (platform_name, platform_version) = adapter.platform.get().cloned().unwrap_or_default();
        let cpu_features = (platform_name == "cpu").then(cpu_features).flatten();
        Ok(Box::new(Fingerprint {
            api: (0, adapter.ages.plugin.unsigned_abs()),
            platform_name,
            platform_version,
            file_sha256,
            cpu_features,
            attributes: BTreeMap::new(),
        }))
    });
    match found {
        Ok(fingerprint) => Ok(fingerprint),
        Err(text) => Err(errors::internal(&format!("cannot identify the plug-in: {text}"))),
    }
}
