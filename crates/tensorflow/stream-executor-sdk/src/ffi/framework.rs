//! The functions of TensorFlow that plug-ins call.
//!
//! What is imported here is exported by every release from 2.5 to 2.21: a shared object is loaded with all of
//! its imports or not at all. What came later or is gone again is looked up when it is needed, [`optional`].
//! The build script reads the names below, one function a line.

use std::ffi::{CStr, c_char, c_int, c_void};

use unskew_stream_executor::bindings::{SP_Stream, TF_Status};

/// A tensor of the host.
#[repr(C)]
pub struct TF_Tensor {
    opaque: [u8; 0],
}

/// What a kernel is made from.
#[repr(C)]
pub struct TF_OpKernelConstruction {
    opaque: [u8; 0],
}

/// What a kernel computes with.
#[repr(C)]
pub struct TF_OpKernelContext {
    opaque: [u8; 0],
}

/// A kernel that is being registered.
#[repr(C)]
pub struct TF_KernelBuilder {
    opaque: [u8; 0],
}

pub type Create = unsafe extern "C" fn(*mut TF_OpKernelConstruction) -> *mut c_void;
pub type Compute = unsafe extern "C" fn(*mut c_void, *mut TF_OpKernelContext);
pub type Delete = unsafe extern "C" fn(*mut c_void);

// One function a line, however long: the build script reads them.
#[rustfmt::skip]
unsafe extern "C" {
    pub(super) fn TF_NewStatus() -> *mut TF_Status;
    pub(super) fn TF_DeleteStatus(status: *mut TF_Status);
    pub(super) fn TF_SetStatus(status: *mut TF_Status, code: c_int, message: *const c_char);
    pub(super) fn TF_GetCode(status: *const TF_Status) -> c_int;
    pub(super) fn TF_Message(status: *const TF_Status) -> *const c_char;

    pub(super) fn TF_NewKernelBuilder(op: *const c_char, device: *const c_char, create: Option<Create>, compute: Option<Compute>, delete: Option<Delete>) -> *mut TF_KernelBuilder;
    pub(super) fn TF_DeleteKernelBuilder(builder: *mut TF_KernelBuilder);
    pub(super) fn TF_KernelBuilder_TypeConstraint(builder: *mut TF_KernelBuilder, attribute: *const c_char, data_type: c_int, status: *mut TF_Status);
    pub(super) fn TF_KernelBuilder_HostMemory(builder: *mut TF_KernelBuilder, argument: *const c_char);
    pub(super) fn TF_KernelBuilder_Priority(builder: *mut TF_KernelBuilder, priority: i32);
    pub(super) fn TF_RegisterKernelBuilder(name: *const c_char, builder: *mut TF_KernelBuilder, status: *mut TF_Status);

    pub(super) fn TF_OpKernelConstruction_Failure(construction: *mut TF_OpKernelConstruction, status: *mut TF_Status);
    pub(super) fn TF_OpKernelConstruction_HasAttr(construction: *mut TF_OpKernelConstruction, name: *const c_char, status: *mut TF_Status) -> bool;
    pub(super) fn TF_OpKernelConstruction_GetAttrSize(construction: *mut TF_OpKernelConstruction, name: *const c_char, list: *mut i32, total: *mut i32, status: *mut TF_Status);
    pub(super) fn TF_OpKernelConstruction_GetAttrType(construction: *mut TF_OpKernelConstruction, name: *const c_char, value: *mut c_int, status: *mut TF_Status);
    pub(super) fn TF_OpKernelConstruction_GetAttrInt64(construction: *mut TF_OpKernelConstruction, name: *const c_char, value: *mut i64, status: *mut TF_Status);
    pub(super) fn TF_OpKernelConstruction_GetAttrFloat(construction: *mut TF_OpKernelConstruction, name: *const c_char, value: *mut f32, status: *mut TF_Status);
    pub(super) fn TF_OpKernelConstruction_GetAttrBool(construction: *mut TF_OpKernelConstruction, name: *const c_char, value: *mut u8, status: *mut TF_Status);
    pub(super) fn TF_OpKernelConstruction_GetAttrString(construction: *mut TF_OpKernelConstruction, name: *const c_char, value: *mut c_char, room: usize, status: *mut TF_Status);
    pub(super) fn TF_OpKernelConstruction_GetAttrInt64List(construction: *mut TF_OpKernelConstruction, name: *const c_char, values: *mut i64, room: c_int, status: *mut TF_Status);

    pub(super) fn TF_OpKernelContext_Failure(context: *mut TF_OpKernelContext, status: *mut TF_Status);
    pub(super) fn TF_GetStream(context: *mut TF_OpKernelContext, status: *mut TF_Status) -> SP_Stream;
    pub(super) fn TF_NumInputs(context: *mut TF_OpKernelContext) -> c_int;
    pub(super) fn TF_NumOutputs(context: *mut TF_OpKernelContext) -> c_int;
    pub(super) fn TF_GetInput(context: *mut TF_OpKernelContext, index: c_int, tensor: *mut *mut TF_Tensor, status: *mut TF_Status);
    pub(super) fn TF_SetOutput(context: *mut TF_OpKernelContext, index: c_int, tensor: *const TF_Tensor, status: *mut TF_Status);
    pub(super) fn TF_ExpectedOutputDataType(context: *mut TF_OpKernelContext, index: c_int) -> c_int;
    pub(super) fn TF_AllocateOutput(context: *mut TF_OpKernelContext, index: c_int, data_type: c_int, dims: *const i64, rank: c_int, bytes: usize, status: *mut TF_Status) -> *mut TF_Tensor;
    pub(super) fn TF_ForwardInputOrAllocateOutput(context: *mut TF_OpKernelContext, candidates: *const c_int, count: c_int, index: c_int, dims: *const i64, rank: c_int, forwarded: *mut c_int, status: *mut TF_Status) -> *mut TF_Tensor;

    pub(super) fn TF_DeleteTensor(tensor: *mut TF_Tensor);
    pub(super) fn TF_TensorType(tensor: *const TF_Tensor) -> c_int;
    pub(super) fn TF_NumDims(tensor: *const TF_Tensor) -> c_int;
    pub(super) fn TF_Dim(tensor: *const TF_Tensor, index: c_int) -> i64;
    pub(super) fn TF_TensorByteSize(tensor: *const TF_Tensor) -> usize;
    pub(super) fn TF_TensorData(tensor: *const TF_Tensor) -> *mut c_void;
}

/// The address of a function that not every release has; null if this one has not. It is looked for where the
/// imports above come from.
pub(super) fn optional(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends with a zero.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// The libraries in which TensorFlow has had what plug-ins do not import.
const OTHERS: [&CStr; 3] =
    [c"libtensorflow_cc.so.2", c"_pywrap_tensorflow_internal.so", c"libtensorflow.so.2"];

/// The address of a function of the host, wherever it is; null if it cannot be found.
pub(super) fn of_host(name: &CStr) -> *mut c_void {
    let mut found = optional(name);
    for library in OTHERS {
        if !found.is_null() {
            break;
        }
        // SAFETY: this loads nothing; it finds what is loaded already.
        let handle = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if !handle.is_null() {
            // SAFETY: the handle is one of the loader's, and the name ends with a zero. The library stays,
            // since who loaded it keeps it.
            unsafe {
                found = libc::dlsym(handle, name.as_ptr());
                libc::dlclose(handle);
            }
        }
    }
    found
}

/// The release that the host names itself, if its function for that can be reached.
pub(super) fn version() -> Option<String> {
    let found = of_host(c"TF_Version");
    if found.is_null() {
        return None;
    }
    // SAFETY: the function of this name takes nothing and returns a text, in every release.
    let version: unsafe extern "C" fn() -> *const c_char = unsafe { std::mem::transmute(found) };
    // SAFETY: as above; the text is part of the library.
    let text = unsafe { version() };
    // SAFETY: if it is a text, then it ends with a zero.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
