//! Kernels of the host's own, for hosts that do not give them to pluggable devices: TensorFlow 2.6 and 2.7.
//!
//! A function that runs on a device takes its arguments and gives its results through the operations `_Arg` and
//! `_Retval`. Since 2.8 the host registers its own kernels of them for every device; 2.6 and 2.7 demand ones of
//! the device, and the C API has no way to the arguments of a function. So the host's kernels, which know nothing
//! of devices, are made and called as what they are: objects of C++, by the names of their functions. This is
//! done for these two releases only, to which nothing can happen any more, and if every name is found.

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

use unskew_abi::contract::InterfaceVersion;

use super::framework::{self, TF_OpKernelConstruction, TF_OpKernelContext};
use super::host_memory::{allocate_host, deallocate_host};
use super::kernel::Registration;
use super::last_host;
use crate::{DataType, Error, KernelDef};

/// The releases in which this is done.
const RELEASES: [InterfaceVersion; 2] = [InterfaceVersion::new(2, 6), InterfaceVersion::new(2, 7)];

/// More than an object of either release has.
const ROOM: usize = 4096;

type Construct = unsafe extern "C" fn(*mut c_void, *mut TF_OpKernelConstruction);
type Compute = unsafe extern "C" fn(*mut c_void, *mut TF_OpKernelContext);
type Destroy = unsafe extern "C" fn(*mut c_void);

/// A kind of kernel, as C++ knows it.
#[derive(Clone, Copy)]
struct Class {
    construct: Construct,
    compute: Compute,
    destroy: Destroy,
}

/// What is adopted: the operation, and the names of its constructor, its computing and its destructor.
const NAMES: [(&str, [&CStr; 3]); 3] = [
    (
        "_Arg",
        [
            c"_ZN10tensorflow5ArgOpC1EPNS_20OpKernelConstructionE",
            c"_ZN10tensorflow5ArgOp7ComputeEPNS_15OpKernelContextE",
            c"_ZN10tensorflow5ArgOpD1Ev",
        ],
    ),
    (
        "_Retval",
        [
            c"_ZN10tensorflow8RetvalOpC1EPNS_20OpKernelConstructionE",
            c"_ZN10tensorflow8RetvalOp7ComputeEPNS_15OpKernelContextE",
            c"_ZN10tensorflow8RetvalOpD1Ev",
        ],
    ),
    (
        "DestroyResourceOp",
        [
            c"_ZN10tensorflow17DestroyResourceOpC1EPNS_20OpKernelConstructionE",
            c"_ZN10tensorflow17DestroyResourceOp7ComputeEPNS_15OpKernelContextE",
            c"_ZN10tensorflow17DestroyResourceOpD1Ev",
        ],
    ),
];

static CLASSES: [OnceLock<Class>; 3] = [const { OnceLock::new() }; 3];

/// The types that lie in host memory whatever the device.
const ON_HOST: [DataType; 4] =
    [DataType::INT32, DataType::STRING, DataType::RESOURCE, DataType::VARIANT];

const ON_DEVICE: [DataType; 9] = [
    DataType::FLOAT,
    DataType::DOUBLE,
    DataType::HALF,
    DataType::BFLOAT16,
    DataType::INT64,
    DataType::INT16,
    DataType::INT8,
    DataType::UINT8,
    DataType::BOOL,
];

/// Registers them, if this is such a host.
pub(super) fn register(device_type: &str) -> Result<(), Error> {
    let release = last_host::get().and_then(|host| host.release());
    if !release.is_some_and(|release| RELEASES.contains(&release)) {
        return Ok(());
    }
    for ((_, names), place) in NAMES.iter().zip(&CLASSES) {
        // Without all of them the host refuses functions on the device, and says so.
        let Some(class) = Class::find(names) else { return Ok(()) };
        let _ = place.set(class);
    }
    for data_type in ON_DEVICE.into_iter().chain(ON_HOST) {
        let def = |name: &str, argument: &str| {
            let def = KernelDef::new(name).data_type("T", data_type);
            if ON_HOST.contains(&data_type) { def.host_memory(argument) } else { def }
        };
        functions::<0>().register(device_type, &def(NAMES[0].0, "output"))?;
        functions::<1>().register(device_type, &def(NAMES[1].0, "input"))?;
    }
    let destroy = KernelDef::new(NAMES[2].0).host_memory("resource");
    functions::<2>().register(device_type, &destroy)
}

impl Class {
    fn find(names: &[&CStr; 3]) -> Option<Self> {
        let [construct, compute, destroy] = names.map(framework::of_host);
        if construct.is_null() || compute.is_null() || destroy.is_null() {
            return None;
        }
        // SAFETY: in these releases the functions of these names are a constructor, a method and a destructor,
        // which take the object first; the types of the C API are other names for those of C++.
        unsafe {
            Some(Self {
                construct: std::mem::transmute::<*mut c_void, Construct>(construct),
                compute: std::mem::transmute::<*mut c_void, Compute>(compute),
                destroy: std::mem::transmute::<*mut c_void, Destroy>(destroy),
            })
        }
    }
}

fn functions<const N: usize>() -> Registration {
    Registration { create: create::<N>, compute: compute::<N>, delete: delete::<N> }
}

unsafe extern "C" fn create<const N: usize>(
    construction: *mut TF_OpKernelConstruction,
) -> *mut c_void {
    let Some(class) = CLASSES[N].get() else { return null_mut() };
    let Some(object) = allocate_host(ROOM as u64) else { return null_mut() };
    // SAFETY: the object has more room than the constructor fills, and is aligned.
    unsafe {
        object.cast::<u8>().write_bytes(0, ROOM);
        (class.construct)(object, construction);
    }
    object
}

unsafe extern "C" fn compute<const N: usize>(
    object: *mut c_void,
    context: *mut TF_OpKernelContext,
) {
    if let Some(class) = CLASSES[N].get()
        && !object.is_null()
    {
        // SAFETY: `create` made the object of this class.
        unsafe { (class.compute)(object, context) }
    }
}

unsafe extern "C" fn delete<const N: usize>(object: *mut c_void) {
    if let Some(class) = CLASSES[N].get()
        && !object.is_null()
    {
        // SAFETY: as above; the host gives back each object once.
        unsafe { (class.destroy)(object) }
    }
    deallocate_host(object);
}
