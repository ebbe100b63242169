//! Kernels: registered with the host, and called by it.

use std::ffi::c_void;
use std::ptr::null_mut;

use super::framework::{self, TF_KernelBuilder, TF_OpKernelConstruction, TF_OpKernelContext};
use super::status::{Status, caught, report, text};
use super::{Construction, Context};
use crate::{Device, Error, Kernel, KernelDef};

/// The functions of a kernel, without its type.
#[derive(Clone, Copy)]
pub(crate) struct Registration {
    pub(super) create: framework::Create,
    pub(super) compute: framework::Compute,
    pub(super) delete: framework::Delete,
}

impl Registration {
    pub(crate) fn for_kernel<D: Device, K: Kernel<D>>() -> Self {
        Self { create: create::<D, K>, compute: compute::<D, K>, delete: delete::<D, K> }
    }

    pub(crate) fn register(self, device_type: &str, def: &KernelDef) -> Result<(), Error> {
        let (op, device) = (text(&def.operation), text(device_type));
        let status = Status::new();
        // SAFETY: both texts end with a zero, and the functions are of the kinds that the host calls.
        let builder = unsafe {
            framework::TF_NewKernelBuilder(
                op.as_ptr(),
                device.as_ptr(),
                Some(self.create),
                Some(self.compute),
                Some(self.delete),
            )
        };
        let described = describe(builder, def, &status);
        if let Err(error) = described {
            // SAFETY: the builder is not registered, so it is still ours.
            unsafe { framework::TF_DeleteKernelBuilder(builder) };
            return Err(error);
        }
        // SAFETY: all are alive; the host takes the builder.
        unsafe { framework::TF_RegisterKernelBuilder(op.as_ptr(), builder, status.raw()) };
        status.result()
    }
}

fn describe(builder: *mut TF_KernelBuilder, def: &KernelDef, status: &Status) -> Result<(), Error> {
    for (attribute, data_type) in &def.types {
        let name = text(attribute);
        // SAFETY: all are alive, and the name ends with a zero.
        unsafe {
            let (name, status) = (name.as_ptr(), status.raw());
            framework::TF_KernelBuilder_TypeConstraint(builder, name, data_type.0, status);
        }
        status.result()?;
    }
    for argument in &def.host_memory {
        let name = text(argument);
        // SAFETY: as above.
        unsafe { framework::TF_KernelBuilder_HostMemory(builder, name.as_ptr()) }
    }
    if let Some(priority) = def.priority {
        // SAFETY: as above.
        unsafe { framework::TF_KernelBuilder_Priority(builder, priority) }
    }
    Ok(())
}

unsafe extern "C" fn create<D: Device, K: Kernel<D>>(
    construction: *mut TF_OpKernelConstruction,
) -> *mut c_void {
    // SAFETY: the host passes it for the time of this call.
    let construction = unsafe { Construction::new(construction) };
    match caught("a kernel's constructor", || K::new(&construction)) {
        Ok(kernel) => Box::into_raw(Box::new(kernel)).cast(),
        Err(error) => {
            construction.fail(&error);
            null_mut()
        }
    }
}

unsafe extern "C" fn compute<D: Device, K: Kernel<D>>(
    kernel: *mut c_void,
    context: *mut TF_OpKernelContext,
) {
    // SAFETY: the host passes it for the time of this call.
    let context = unsafe { Context::<D>::new(context) };
    // SAFETY: the host passes what `create` made of this type.
    let done = match unsafe { kernel.cast::<K>().as_ref() } {
        Some(kernel) => caught("a kernel", || kernel.compute(&context)),
        None => Err(Error::internal("a kernel that was not made")),
    };
    if let Err(error) = done {
        context.fail(&error);
    }
}

unsafe extern "C" fn delete<D: Device, K: Kernel<D>>(kernel: *mut c_void) {
    let freed = caught("a kernel's destructor", || {
        if !kernel.is_null() {
            // SAFETY: the host gives back each kernel once.
            drop(unsafe { Box::from_raw(kernel.cast::<K>()) });
        }
        Ok(())
    });
    if let Err(error) = freed {
        report(&error);
    }
}
