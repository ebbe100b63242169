//! Memories as hosts hold them: since 0.105 the first word of a memory is a table of functions, by which
//! a host keeps data of its own with it.

use std::ffi::c_void;
use std::mem::size_of;
use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use unskew_pjrt::sys::bindings::*;

use super::handle_objects::Shared;

#[repr(C)]
pub(crate) struct MemoryObject {
    head: PJRT_Memory,
    pub(crate) id: i32,
    pub(crate) kind: String,
    pub(crate) text: String,
    /// The place of its device.
    pub(crate) device: usize,
    /// Its device as a handle, once the client has one.
    device_handle: AtomicPtr<PJRT_Device>,
    kept: Mutex<Vec<UserData>>,
}

/// What a host keeps with a memory, by a key of its own.
struct UserData {
    key: *const c_void,
    data: *mut c_void,
    free: Option<unsafe extern "C" fn(*mut c_void)>,
}

// SAFETY: the pointers are the host's, which says that its data may be freed on any thread.
unsafe impl Send for MemoryObject {}
// SAFETY: what the host keeps is behind a lock.
unsafe impl Sync for MemoryObject {}

impl MemoryObject {
    pub(crate) fn new(id: i32, kind: String, device: usize) -> Self {
        let head = PJRT_Memory { vtable: &raw const FUNCTIONS.0 };
        let text = format!("{kind} memory {id}");
        let device_handle = AtomicPtr::new(null_mut());
        Self { head, id, kind, text, device, device_handle, kept: Mutex::default() }
    }

    pub(crate) fn belongs_to(&self, device: *mut PJRT_Device) {
        self.device_handle.store(device, Relaxed);
    }

    /// The devices that can use it: one.
    pub(crate) fn devices(&self) -> *const *mut PJRT_Device {
        self.device_handle.as_ptr().cast_const()
    }
}

impl Drop for MemoryObject {
    fn drop(&mut self) {
        let kept = self.kept.get_mut().unwrap_or_else(PoisonError::into_inner);
        for UserData { data, free, .. } in kept.drain(..) {
            if let Some(free) = free {
                // SAFETY: the host said how its data are freed, and they are freed once.
                unsafe { free(data) };
            }
        }
    }
}

static FUNCTIONS: Shared<PJRT_Memory_FunctionTable> = Shared(PJRT_Memory_FunctionTable {
    struct_size: size_of::<PJRT_Memory_FunctionTable>(),
    extension_start: null_mut(),
    instance_struct_size: size_of::<PJRT_Memory>(),
    get_user_data: Some(get),
    set_user_data: Some(set),
});

unsafe extern "C" fn get(memory: *mut PJRT_Memory, key: *const c_void) -> *mut c_void {
    // SAFETY: the host hands in a memory of this plug-in, whose head is its first field.
    let Some(memory) = (unsafe { memory.cast::<MemoryObject>().as_ref() }) else {
        return null_mut();
    };
    let kept = memory.kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.iter().find(|kept| kept.key == key).map_or(null_mut(), |kept| kept.data)
}

unsafe extern "C" fn set(
    memory: *mut PJRT_Memory,
    key: *const c_void,
    data: *mut c_void,
    free: Option<unsafe extern "C" fn(*mut c_void)>,
) {
    // SAFETY: as above.
    let Some(memory) = (unsafe { memory.cast::<MemoryObject>().as_ref() }) else { return };
    let mut kept = memory.kept.lock().unwrap_or_else(PoisonError::into_inner);
    let before = kept.iter().position(|kept| kept.key == key).map(|at| kept.swap_remove(at));
    kept.push(UserData { key, data, free });
    drop(kept);
    if let Some(UserData { data, free: Some(free), .. }) = before {
        // SAFETY: the host said how its data are freed, and nobody finds them any more.
        unsafe { free(data) };
    }
}
