//! Functions of TensorFlow that plug-ins call when they register kernels and operations, for a process without
//! TensorFlow: they take what they are given and answer that all is well.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

use super::status::{self, nothing};

/// How many kernels were registered in this process.
static KERNELS: AtomicU64 = AtomicU64::new(0);

/// How many kernels were registered.
pub(super) fn kernels() -> u64 {
    KERNELS.load(Ordering::Relaxed)
}

pub(super) fn functions() -> impl Iterator<Item = (&'static str, *const c_void)> {
    let silent = SILENT.into_iter().map(|name| (name, nothing as *const c_void));
    status::FUNCTIONS.into_iter().chain(OWN).chain(silent)
}

const OWN: [(&str, *const c_void); 5] = [
    ("TF_NewAsyncKernelBuilder", handle as *const c_void),
    ("TF_NewKernelBuilder", handle as *const c_void),
    ("TF_NewOpDefinitionBuilder", handle as *const c_void),
    ("TF_RegisterKernelBuilder", register_kernel as *const c_void),
    ("TF_RegisterKernelBuilderWithKernelDef", register_kernel as *const c_void),
];

/// Functions that return nothing, and whose statuses stay as they are: OK.
const SILENT: [&str; 19] = [
    "TF_DeleteKernelBuilder",
    "TF_DeleteOpDefinitionBuilder",
    "TF_DVLog",
    "TF_KernelBuilder_HostMemory",
    "TF_KernelBuilder_Label",
    "TF_KernelBuilder_Priority",
    "TF_KernelBuilder_TypeConstraint",
    "TF_Log",
    "TF_OpDefinitionBuilderAddAttr",
    "TF_OpDefinitionBuilderAddInput",
    "TF_OpDefinitionBuilderAddOutput",
    "TF_OpDefinitionBuilderDeprecated",
    "TF_OpDefinitionBuilderSetAllowsUninitializedInput",
    "TF_OpDefinitionBuilderSetIsAggregate",
    "TF_OpDefinitionBuilderSetIsCommutative",
    "TF_OpDefinitionBuilderSetIsStateful",
    "TF_OpDefinitionBuilderSetShapeInferenceFunction",
    "TF_RegisterOpDefinition",
    "TF_VLog",
];

/// What plug-ins know as an address only.
extern "C" fn handle() -> *const u64 {
    static NOTHING: u64 = 0;
    &raw const NOTHING
}

extern "C" fn register_kernel() {
    KERNELS.fetch_add(1, Ordering::Relaxed);
}
