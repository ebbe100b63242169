//! Variables that live on the device: functions that came with 2.6 or later and are gone since 2.19.
//!
//! They are looked up by name. `TF_AssignVariable` got a parameter in its middle in 2.10, so it is only called
//! if the host names its release.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::null_mut;

use unskew_abi::contract::InterfaceVersion;
use unskew_stream_executor::bindings::TF_Status;

use super::context::number;
use super::framework::{self, TF_OpKernelContext, TF_Tensor};
use super::last_host;
use super::status::{Status, answer_or};
use super::{Context, Tensor};
use crate::{Device, Error, Memory, Order};

type Copy = unsafe extern "C" fn(*mut TF_OpKernelContext, *mut TF_Tensor, *mut TF_Tensor);
type Change = unsafe extern "C" fn(*mut TF_OpKernelContext, *mut TF_Tensor, *mut TF_Tensor, c_int);
type AssignOld = unsafe extern "C" fn(*mut TF_OpKernelContext, c_int, c_int, Copy, *mut TF_Status);
type Assign =
    unsafe extern "C" fn(*mut TF_OpKernelContext, c_int, c_int, bool, Copy, *mut TF_Status);
type AssignUpdate = unsafe extern "C" fn(
    *mut TF_OpKernelContext,
    c_int,
    c_int,
    c_int,
    c_int,
    Copy,
    Change,
    *mut TF_Status,
);
type Lock = unsafe extern "C" fn(
    *mut TF_OpKernelContext,
    bool,
    bool,
    *const c_int,
    usize,
    Copy,
    *mut *mut c_void,
    *mut TF_Status,
);
type Get = unsafe extern "C" fn(
    *mut TF_OpKernelContext,
    c_int,
    bool,
    bool,
    bool,
    Copy,
    *mut *mut TF_Tensor,
    *mut TF_Status,
);
type Release = unsafe extern "C" fn(*mut c_void);

const ASSIGN: &CStr = c"TF_AssignVariable";
const ASSIGN_UPDATE: &CStr = c"TF_AssignUpdateVariable";
const LOCK: &CStr = c"TF_MaybeLockVariableInputMutexesInOrder";
const GET: &CStr = c"TF_GetInputTensorFromVariable";
const RELEASE: &CStr = c"TF_ReleaseVariableInputLockHolder";

/// The first release in which `TF_AssignVariable` takes whether the shape is checked.
const CHECKS_SHAPE: InterfaceVersion = InterfaceVersion::new(2, 10);

/// What an update does to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Adds the value to what the variable holds.
    Add,
    /// Subtracts the value from what the variable holds.
    Subtract,
}

/// How a device changes a variable: what [`Context::update_variable`] calls.
pub trait Update<D: Device>: 'static {
    /// Changes `variable` in its place.
    ///
    /// # Errors
    /// If it cannot.
    fn update(
        context: &Context<'_, D>,
        variable: &mut Tensor,
        value: &Tensor,
        operation: Operation,
    ) -> Result<(), Error>;
}

/// Whether the host lets plug-ins have variables on their devices.
pub(crate) fn served() -> bool {
    let there = [ASSIGN, ASSIGN_UPDATE, LOCK, GET, RELEASE];
    there.iter().all(|name| !framework::optional(name).is_null()) && release().is_some()
}

fn release() -> Option<InterfaceVersion> {
    last_host::get()?.release()
}

fn missing(name: &CStr) -> Error {
    Error::unimplemented(format!(
        "this TensorFlow does not let plug-ins use variables; missing: {}",
        name.to_string_lossy()
    ))
}

/// A function of the host, if it is there.
///
/// # Safety
/// `F` is the type that the function of this name has.
unsafe fn function<F>(name: &CStr) -> Result<F, Error> {
    let address = framework::optional(name);
    if address.is_null() {
        return Err(missing(name));
    }
    // SAFETY: the caller knows the type, which is that of a function: as large as an address.
    Ok(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&address) })
}

impl<D: Device> Context<'_, D> {
    /// Gives the variable of one input the value of another.
    ///
    /// # Errors
    /// `UNIMPLEMENTED` if the host has no function for that, see [`crate::Kernels::variables`]; and what the
    /// host says.
    pub fn assign_variable(
        &self,
        variable: usize,
        value: usize,
        check_shape: bool,
    ) -> Result<(), Error> {
        let release = release().ok_or_else(|| missing(c"TF_Version"))?;
        let (variable, value, status) = (number(variable), number(value), Status::new());
        // SAFETY: the types are those of these releases, the context is alive, and the inputs' numbers are
        // checked by the host.
        unsafe {
            if release < CHECKS_SHAPE {
                let assign: AssignOld = function(ASSIGN)?;
                assign(self.raw, variable, value, copy::<D>, status.raw());
            } else {
                let assign: Assign = function(ASSIGN)?;
                assign(self.raw, variable, value, check_shape, copy::<D>, status.raw());
            }
        }
        status.result()
    }

    /// Changes the variable of one input by the value of another.
    ///
    /// # Errors
    /// As [`Context::assign_variable`].
    pub fn update_variable<U: Update<D>>(
        &self,
        variable: usize,
        value: usize,
        operation: Operation,
    ) -> Result<(), Error> {
        let operation = match operation {
            Operation::Add => 0,
            Operation::Subtract => 1,
        };
        let (variable, value, status) = (number(variable), number(value), Status::new());
        // SAFETY: as above.
        unsafe {
            let update: AssignUpdate = function(ASSIGN_UPDATE)?;
            let (context, change) = (self.raw, change::<D, U>);
            update(context, variable, value, operation, 0, copy::<D>, change, status.raw());
        }
        status.result()
    }

    /// Locks the variables of some inputs and gives their tensors to `body`, which may change them in their
    /// place.
    ///
    /// # Errors
    /// As [`Context::assign_variable`], and those of `body`.
    pub fn with_variables<R>(
        &self,
        inputs: &[usize],
        body: impl FnOnce(&mut [Tensor]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let numbers: Vec<c_int> = inputs.iter().map(|input| number(*input)).collect();
        let (mut holder, status) = (null_mut(), Status::new());
        // SAFETY: the types are those of every release that has the functions; the list is as long as is
        // said.
        let (get, release) = unsafe {
            let (lock, get): (Lock, Get) = (function(LOCK)?, function(GET)?);
            let release: Release = function(RELEASE)?;
            let (list, count, place) = (numbers.as_ptr(), numbers.len(), &raw mut holder);
            lock(self.raw, true, false, list, count, copy::<D>, place, status.raw());
            (get, release)
        };
        let held = VariableLocks { holder, release };
        status.result()?;
        let tensors: Result<Vec<Tensor>, Error> =
            numbers.iter().map(|input| self.variable(get, *input)).collect();
        let done = tensors.and_then(|mut tensors| body(&mut tensors));
        drop(held);
        done
    }

    fn variable(&self, get: Get, input: c_int) -> Result<Tensor, Error> {
        let (mut tensor, status) = (null_mut(), Status::new());
        // SAFETY: as above; the lock is held.
        unsafe {
            get(self.raw, input, true, false, false, copy::<D>, &raw mut tensor, status.raw());
        }
        status.result()?;
        // SAFETY: the host made the object for the caller.
        unsafe { Tensor::own(tensor) }
    }

    /// Copies a tensor into another one, on the stream.
    ///
    /// # Errors
    /// If they are not equally large, or the device cannot.
    pub fn copy(&self, from: &Tensor, to: &Tensor) -> Result<(), Error> {
        if from.bytes() != to.bytes() {
            let (from, to) = (from.bytes(), to.bytes());
            return Err(Error::internal(format!("a copy of {from} bytes into {to}")));
        }
        let bytes = from.bytes() as u64;
        let memory = |tensor: &Tensor| Memory { address: tensor.address(), bytes, payload: 0 };
        self.device()?.copy(Order::On(self.stream()?), memory(to), memory(from), bytes)
    }
}

/// Locks, until this is dropped.
struct VariableLocks {
    holder: *mut c_void,
    release: Release,
}

impl Drop for VariableLocks {
    fn drop(&mut self) {
        if !self.holder.is_null() {
            // SAFETY: the host made it, and it is released once.
            unsafe { (self.release)(self.holder) }
        }
    }
}

unsafe extern "C" fn copy<D: Device>(
    context: *mut TF_OpKernelContext,
    source: *mut TF_Tensor,
    target: *mut TF_Tensor,
) {
    answer_or("copying a variable", (), || {
        // SAFETY: the host passes a context and two tensors, whose objects it leaves to this function.
        let (context, source, target) =
            unsafe { (Context::<D>::new(context), Tensor::own(source)?, Tensor::own(target)?) };
        context.copy(&source, &target).inspect_err(|error| context.fail(error))
    });
}

unsafe extern "C" fn change<D: Device, U: Update<D>>(
    context: *mut TF_OpKernelContext,
    variable: *mut TF_Tensor,
    value: *mut TF_Tensor,
    operation: c_int,
) {
    answer_or("updating a variable", (), || {
        // SAFETY: as above.
        let (context, mut variable, value) =
            unsafe { (Context::<D>::new(context), Tensor::own(variable)?, Tensor::own(value)?) };
        let operation = if operation == 0 { Operation::Add } else { Operation::Subtract };
        U::update(&context, &mut variable, &value, operation)
            .inspect_err(|error| context.fail(error))
    });
}
