//! Memory that others own: views of it as buffers, and what devices may reach directly.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use super::host_data::RawPlace;
use super::read;
use super::{Handle, Owned};
use crate::host::{Error, host_bytes};
use crate::sys::CallError;
use crate::sys::bindings::*;

/// What is done once a plug-in needs memory no more. The plug-in has one reference to it, and the caller
/// another until the plug-in has accepted, so that it is done once whoever fails.
#[derive(Clone)]
pub(crate) struct OnDelete(Arc<Then>);

type Then = Mutex<Option<Box<dyn FnOnce() + Send>>>;

impl OnDelete {
    pub(crate) fn new(then: Box<dyn FnOnce() + Send>) -> Self {
        Self(Arc::new(Mutex::new(Some(then))))
    }

    /// A reference for the plug-in, which it hands to [`OnDelete::called`].
    pub(crate) fn give(&self) -> *mut c_void {
        Arc::into_raw(Arc::clone(&self.0)).cast_mut().cast()
    }

    /// # Safety
    /// Null, or a reference that [`OnDelete::give`] gave and that is handed back once.
    pub(crate) unsafe fn called(given: *mut c_void) {
        if !given.is_null() {
            // SAFETY: the caller says so.
            Self(unsafe { Arc::from_raw(given.cast::<Then>().cast_const()) }).finish();
        }
    }

    /// Does it, if it has not been done.
    pub(crate) fn finish(&self) {
        let then = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(then) = then else { return };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(then)) {
            // Dropping what was thrown may throw again.
            std::mem::forget(panic);
        }
    }
}

unsafe extern "C" fn deleted(_memory: *mut c_void, on_delete: *mut c_void) {
    // SAFETY: this is the reference that `view` gave away, and the plug-in deletes a view once.
    unsafe { OnDelete::called(on_delete) };
}

/// A buffer in memory that the plug-in does not own.
///
/// # Safety
/// The memory is one of the device, large enough for the shape, and may be read and written by the
/// plug-in until `on_delete` is called.
pub(crate) unsafe fn view(
    client: &Handle<PJRT_Client>,
    memory: *mut c_void,
    (element_type, dims): (PJRT_Buffer_Type, &[i64]),
    place: RawPlace<'_>,
    on_delete: Box<dyn FnOnce() + Send>,
) -> Result<Owned<PJRT_Buffer>, Error> {
    type Arguments = PJRT_Client_CreateViewOfDeviceBuffer_Args;
    let on_delete = OnDelete::new(on_delete);
    let make = || {
        let api = client.api();
        let mut arguments = api.record::<Arguments>();
        arguments.client = client.raw();
        arguments.device_buffer_ptr = memory;
        arguments.dims = dims.as_ptr();
        arguments.num_dims = dims.len();
        arguments.element_type = element_type;
        match place {
            RawPlace::Device(device) => {
                Error::same_client(client, device)?;
                arguments.device = device.raw();
            }
            RawPlace::Memory(memory) => {
                Error::same_client(client, memory)?;
                Error::known::<Arguments>(api, "memory")?;
                arguments.memory = memory.raw();
            }
        }
        arguments.on_delete_callback = Some(deleted);
        arguments.on_delete_callback_arg = on_delete.give();
        // SAFETY: the handles are alive and of one client, and the caller vouches for the memory.
        unsafe { api.call(&mut arguments) }?;
        let raw = read::some("PJRT_Client_CreateViewOfDeviceBuffer", arguments.buffer)?;
        // SAFETY: the buffer is the caller's to free.
        Ok(unsafe { Owned::new(raw, client.keep().clone()) })
    };
    // A plug-in that refuses may have called back or not; the reference that it has stays.
    make().inspect_err(|_| on_delete.finish())
}

/// A buffer in memory of the host that `owner` hands over until the plug-in needs it no more.
///
/// The memory is exclusively the owner's, so the plug-in may write to it, as when the buffer is donated.
pub(crate) fn view_of_owner<T: AsMut<[u8]> + Send + 'static>(
    client: &Handle<PJRT_Client>,
    owner: T,
    shape: (PJRT_Buffer_Type, &[i64]),
    place: RawPlace<'_>,
) -> Result<Owned<PJRT_Buffer>, Error> {
    let platform = super::client::platform_name(client)?;
    if platform != "cpu" {
        return Err(Error::NotHostMemory { platform });
    }
    let mut owner = Box::new(owner);
    let memory = (*owner).as_mut();
    let (wanted, given) = (host_bytes(shape.0, shape.1, None)?, memory.len());
    if given < wanted {
        return Err(Error::TooShort { wanted, given });
    }
    let memory = memory.as_mut_ptr().cast();
    // SAFETY: on this platform memory of the host is memory of the devices; it is large enough, and the
    // owner, which does not move and which nobody else can reach, stays until the plug-in is done.
    unsafe { view(client, memory, shape, place, Box::new(move || drop(owner))) }
}

/// Lets devices reach memory directly.
///
/// # Safety
/// The memory stays where it is until it is unmapped.
pub(crate) unsafe fn map(client: &Handle<PJRT_Client>, memory: &[u8]) -> Result<(), CallError> {
    let mut arguments = client.api().record::<PJRT_Client_DmaMap_Args>();
    arguments.client = client.raw();
    arguments.data = memory.as_ptr().cast_mut().cast();
    arguments.size = memory.len();
    // SAFETY: the client is alive, the memory is there.
    unsafe { client.api().call(&mut arguments) }
}

/// Memory that is mapped until this is dropped.
pub(crate) struct Mapped<T: AsRef<[u8]> + Send + 'static> {
    client: Handle<PJRT_Client>,
    start: usize,
    owner: Option<Box<T>>,
}

impl<T: AsRef<[u8]> + Send + 'static> Mapped<T> {
    /// Maps what the owner has.
    pub(crate) fn new(client: &Handle<PJRT_Client>, owner: T) -> Result<Self, Error> {
        let unmap = Function::PJRT_Client_DmaUnmap;
        if !client.api().has(unmap) {
            return Err(client.api().unimplemented(unmap).into());
        }
        let owner = Box::new(owner);
        let memory = (*owner).as_ref();
        let start = memory.as_ptr().expose_provenance();
        // SAFETY: the owner does not move, and is not dropped before the memory is unmapped.
        unsafe { map(client, memory) }?;
        Ok(Self { client: client.clone(), start, owner: Some(owner) })
    }

    pub(crate) fn owner(&self) -> Option<&T> {
        self.owner.as_deref()
    }
}

impl<T: AsRef<[u8]> + Send + 'static> Drop for Mapped<T> {
    fn drop(&mut self) {
        let mut arguments = self.client.api().record::<PJRT_Client_DmaUnmap_Args>();
        arguments.client = self.client.raw();
        arguments.data = std::ptr::with_exposed_provenance_mut(self.start);
        // SAFETY: the client is alive, and the memory was mapped at this address.
        let unmapped = unsafe { self.client.api().call(&mut arguments) };
        if unmapped.is_err() {
            // Devices may still reach it.
            std::mem::forget(self.owner.take());
        }
    }
}
