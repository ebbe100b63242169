//! The functions that are implemented, by subject.

mod buffer;
mod client;
mod device;
mod event;
mod executable;
mod execute;
mod memory;
mod topology;

pub(super) use client::least_size;

use std::sync::Arc;

use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::{Call, Record};

use super::Exports;
use super::call_guard::{entry, there};
use crate::Error;

/// Implements a function: `serve!(Arguments to field, |arguments, plugin| body)`, where `field` is the
/// last one that the body cannot do without, and the body may use `?`. Fields behind that one are zero if
/// the host does not send them, and what is written to them gets lost if the host has no room.
macro_rules! serve {
    ($arguments:ident to $field:ident, |$own:ident, $plugin:pat_param| $body:block) => {
        impl $crate::ffi::call_guard::Serve for $arguments {
            const NEEDS: usize = $crate::ffi::call_guard::end(
                std::mem::offset_of!($arguments, $field),
                |own: &$arguments| &raw const own.$field,
            );

            unsafe fn serve(
                $own: &mut Self,
                $plugin: &'static $crate::ffi::Exported,
            ) -> Result<(), $crate::Error> {
                // SAFETY: the caller says that handles are of this plug-in and alive, and that pointers
                // and lengths are true: that is all that the bodies rest on.
                #[allow(unused_unsafe, reason = "not every body needs it")]
                unsafe {
                    $body
                }
                #[allow(unreachable_code, reason = "a body may only fail")]
                Ok(())
            }
        }
    };
}
pub(crate) use serve;

macro_rules! list {
    ($plugin:ident: $($arguments:ident)*) => {
        [$((
            <unskew_pjrt::sys::bindings::$arguments as Call>::FUNCTION,
            entry::<$plugin, unskew_pjrt::sys::bindings::$arguments> as *const () as usize,
        ),)*]
    };
}

/// Every function that is implemented, with its address.
pub(crate) fn functions<P: Exports>() -> Vec<(Function, usize)> {
    list!(P:
        PJRT_Plugin_Initialize_Args PJRT_Plugin_Attributes_Args
        PJRT_Event_Destroy_Args PJRT_Event_IsReady_Args PJRT_Event_Error_Args PJRT_Event_Await_Args
        PJRT_Event_OnReady_Args
        PJRT_Client_Create_Args PJRT_Client_Destroy_Args PJRT_Client_PlatformName_Args
        PJRT_Client_ProcessIndex_Args PJRT_Client_PlatformVersion_Args PJRT_Client_Devices_Args
        PJRT_Client_AddressableDevices_Args PJRT_Client_LookupDevice_Args
        PJRT_Client_LookupAddressableDevice_Args PJRT_Client_AddressableMemories_Args
        PJRT_Client_Compile_Args PJRT_Client_DefaultDeviceAssignment_Args
        PJRT_Client_BufferFromHostBuffer_Args PJRT_Client_TopologyDescription_Args
        PJRT_DeviceDescription_Id_Args PJRT_DeviceDescription_ProcessIndex_Args
        PJRT_DeviceDescription_Attributes_Args PJRT_DeviceDescription_Kind_Args
        PJRT_DeviceDescription_DebugString_Args PJRT_DeviceDescription_ToString_Args
        PJRT_Device_GetDescription_Args PJRT_Device_IsAddressable_Args
        PJRT_Device_LocalHardwareId_Args PJRT_Device_AddressableMemories_Args
        PJRT_Device_DefaultMemory_Args PJRT_Device_GetAttributes_Args
        PJRT_Memory_Id_Args PJRT_Memory_Kind_Args PJRT_Memory_Kind_Id_Args PJRT_Memory_DebugString_Args
        PJRT_Memory_ToString_Args PJRT_Memory_AddressableByDevices_Args
        PJRT_Executable_Destroy_Args PJRT_Executable_Name_Args PJRT_Executable_NumReplicas_Args
        PJRT_Executable_NumPartitions_Args PJRT_Executable_NumOutputs_Args
        PJRT_Executable_SizeOfGeneratedCodeInBytes_Args PJRT_Executable_OutputMemoryKinds_Args
        PJRT_Executable_OutputElementTypes_Args PJRT_Executable_OutputDimensions_Args
        PJRT_Executable_Fingerprint_Args PJRT_Executable_Serialize_Args
        PJRT_Executable_DeserializeAndLoad_Args
        PJRT_LoadedExecutable_Destroy_Args PJRT_LoadedExecutable_GetExecutable_Args
        PJRT_LoadedExecutable_AddressableDevices_Args PJRT_LoadedExecutable_Delete_Args
        PJRT_LoadedExecutable_IsDeleted_Args PJRT_LoadedExecutable_Execute_Args
        PJRT_LoadedExecutable_Fingerprint_Args PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args
        PJRT_LoadedExecutable_GetDeviceAssignment_Args PJRT_Executable_GetCostAnalysis_Args
        PJRT_Executable_GetCompiledMemoryStats_Args PJRT_Executable_OptimizedProgram_Args
        PJRT_Buffer_Destroy_Args PJRT_Buffer_ElementType_Args PJRT_Buffer_Dimensions_Args
        PJRT_Buffer_UnpaddedDimensions_Args PJRT_Buffer_DynamicDimensionIndices_Args
        PJRT_Buffer_GetMemoryLayout_Args PJRT_Buffer_OnDeviceSizeInBytes_Args PJRT_Buffer_Device_Args
        PJRT_Buffer_Memory_Args PJRT_Buffer_Delete_Args PJRT_Buffer_IsDeleted_Args
        PJRT_Buffer_ToHostBuffer_Args PJRT_Buffer_IsOnCpu_Args PJRT_Buffer_ReadyEvent_Args
        PJRT_Buffer_UnsafePointer_Args PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args
        PJRT_Buffer_CopyToDevice_Args PJRT_Buffer_CopyToMemory_Args
        PJRT_Buffer_IncreaseExternalReferenceCount_Args PJRT_Buffer_DecreaseExternalReferenceCount_Args
        PJRT_TopologyDescription_Destroy_Args PJRT_TopologyDescription_PlatformName_Args
        PJRT_TopologyDescription_PlatformVersion_Args
        PJRT_TopologyDescription_GetDeviceDescriptions_Args PJRT_TopologyDescription_Attributes_Args
        PJRT_ExecuteContext_Create_Args PJRT_ExecuteContext_Destroy_Args
    )
    .into()
}

/// What a handle stands for.
///
/// # Safety
/// `handle` is null, or a handle of such an object that is not freed.
pub(crate) unsafe fn object<'a, T, H>(handle: *const H) -> Result<&'a T, Error> {
    // SAFETY: the caller says so.
    unsafe { handle.cast::<T>().as_ref() }.ok_or_else(|| Error::invalid("a handle is NULL"))
}

/// A shared object as a handle, which its own destroy function takes back.
pub(crate) fn share<T, H>(object: Arc<T>) -> *mut H {
    Arc::into_raw(object).cast_mut().cast()
}

/// Another share in a shared object behind a handle.
///
/// # Safety
/// As [`object`], of one that [`share`] made.
pub(crate) unsafe fn again<T, H>(handle: *const H) -> Result<Arc<T>, Error> {
    // SAFETY: the caller says so.
    unsafe {
        object::<T, H>(handle)?;
        Arc::increment_strong_count(handle.cast::<T>());
        Ok(Arc::from_raw(handle.cast::<T>()))
    }
}

/// Takes back what [`share`] handed out.
///
/// # Safety
/// As [`again`]; the handle is not used afterwards.
pub(crate) unsafe fn release<T, H>(handle: *const H) {
    if !handle.is_null() {
        // SAFETY: the caller says so.
        drop(unsafe { Arc::from_raw(handle.cast::<T>()) });
    }
}

/// A struct that arguments lead to, as far as the host has it: what it does not send is zero. None if
/// there is none.
///
/// # Safety
/// `start` is null or leads to such a struct, of which as many bytes are there as it announces.
pub(crate) unsafe fn nested<T: Record>(start: *const T, needs: usize) -> Result<Option<T>, Error> {
    if start.is_null() {
        return Ok(None);
    }
    // SAFETY: the first word of the struct is its size.
    let announced = unsafe { start.cast::<usize>().read_unaligned() };
    // JAX 0.10.2 leaves the size of memory layouts 0; what every version had is there even so.
    let there = match announced {
        0 => T::history().sizes.iter().map(|size| size.end).min().unwrap_or(0),
        _ => there::<T>(announced),
    };
    if there < needs {
        return Err(Error::invalid(format!(
            "Unexpected {} size: expected {needs}, got {announced}.",
            T::history().name
        )));
    }
    let mut own = T::zeroed();
    // SAFETY: the host announces as many bytes, and `own` has room for them.
    unsafe {
        std::ptr::copy_nonoverlapping(start.cast::<u8>(), (&raw mut own).cast::<u8>(), there);
    }
    Ok(Some(own))
}

/// Bytes of the host.
///
/// # Safety
/// `size` bytes from `start` on are readable, or `start` is null.
pub(crate) unsafe fn bytes<'a>(start: *const u8, size: usize) -> &'a [u8] {
    if start.is_null() || size == 0 {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(start, size) }
}

/// Numbers of the host.
///
/// # Safety
/// As [`bytes`], for `count` numbers.
pub(crate) unsafe fn numbers(start: *const i64, count: usize) -> Vec<i64> {
    if start.is_null() || count == 0 {
        return Vec::new();
    }
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(start, count) }.to_vec()
}
