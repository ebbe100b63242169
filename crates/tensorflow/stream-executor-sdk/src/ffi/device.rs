//! A device, and what it says of itself.

use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use unskew_stream_executor::bindings as c;
use unskew_stream_executor::layout::{NEWEST, Structure};

use super::status::answer_or;
use super::{structs, text};
use crate::{Description, Device, Error};

/// What `SP_Device.device_handle` points to.
pub(super) struct DeviceState<D> {
    pub(super) device: Arc<D>,
    pub(super) description: Description,
    hardware_name: CString,
    vendor: CString,
    pci_bus_id: CString,
}

impl<D: Device> DeviceState<D> {
    pub(super) fn new(device: D) -> Box<Self> {
        let description = device.description();
        Box::new(Self {
            device: Arc::new(device),
            hardware_name: text(&description.hardware_name),
            vendor: text(&description.vendor),
            pci_bus_id: text(&description.pci_bus_id),
            description,
        })
    }

    /// The struct that hosts know the device by; [`free`] takes its handle back.
    pub(super) fn leak(self: Box<Self>, ordinal: i32) -> c::SP_Device {
        let texts =
            [&self.hardware_name, &self.vendor, &self.pci_bus_id].map(|it| it.as_ptr().cast());
        c::SP_Device {
            struct_size: structs::size_of_newest(Structure::SP_Device),
            ext: null_mut(),
            ordinal,
            device_handle: Box::into_raw(self).cast(),
            hardware_name: texts[0],
            device_vendor: texts[1],
            pci_bus_id: texts[2],
        }
    }
}

/// Frees what [`DeviceState::leak`] gave away.
pub(super) fn free<D>(handle: *mut c_void) {
    if !handle.is_null() {
        // SAFETY: handles are made by `leak` only, and hosts give each back once.
        drop(unsafe { Box::from_raw(handle.cast::<DeviceState<D>>()) });
    }
}

/// The device that a host means.
///
/// # Safety
/// `device` is null or one that this plug-in filled in, and alive.
pub(super) unsafe fn state<'a, D: Device>(
    device: *const c::SP_Device,
) -> Result<&'a DeviceState<D>, Error> {
    // SAFETY: the caller says so.
    let reader = unsafe { structs::reader(device, Structure::SP_Device, NEWEST) }?;
    let handle: *mut DeviceState<D> = reader.get_named("device_handle").unwrap_or(null_mut());
    // SAFETY: handles are made by `leak`, and alive until the device is destroyed.
    unsafe { handle.as_ref() }.ok_or_else(|| Error::precondition("SP_Device has no handle"))
}

pub(super) fn functions<D: Device>() -> c::SP_DeviceFns {
    c::SP_DeviceFns {
        struct_size: structs::size_of_newest(Structure::SP_DeviceFns),
        ext: null_mut(),
        get_numa_node: Some(get_numa_node::<D>),
        get_memory_bandwidth: Some(get_memory_bandwidth::<D>),
        get_gflops: Some(get_gflops::<D>),
    }
}

unsafe extern "C" fn get_numa_node<D: Device>(device: *const c::SP_Device) -> i32 {
    // SAFETY: the host hands out a device that was filled in.
    let node = || Ok(unsafe { state::<D>(device) }?.description.numa_node.unwrap_or(-1));
    answer_or("get_numa_node", -1, node)
}

unsafe extern "C" fn get_memory_bandwidth<D: Device>(device: *const c::SP_Device) -> i64 {
    // SAFETY: as above.
    let bytes = || Ok(unsafe { state::<D>(device) }?.description.memory_bandwidth.unwrap_or(-1));
    answer_or("get_memory_bandwidth", -1, bytes)
}

unsafe extern "C" fn get_gflops<D: Device>(device: *const c::SP_Device) -> f64 {
    // SAFETY: as above.
    let number = || Ok(unsafe { state::<D>(device) }?.description.gflops.unwrap_or(-1.0));
    answer_or("get_gflops", -1.0, number)
}
