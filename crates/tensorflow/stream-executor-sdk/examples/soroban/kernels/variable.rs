//! Variables on the device, as far as the host has functions for them.

use std::ops::{AddAssign, SubAssign};

use unskew_stream_executor_sdk::{
    Construction, Context, DataType, Error, Kernel, KernelDef, Kernels, Operation, Tensor, Update,
};

use crate::device::Abacus;
use crate::profile::TimedKernel;
use crate::sys::{Element, elements, elements_mut};

struct Assign {
    check_shape: bool,
}

impl Kernel<Abacus> for Assign {
    fn new(construction: &Construction<'_>) -> Result<Self, Error> {
        // The attribute came with 2.7 or later.
        let there = construction.has("validate_shape")?;
        Ok(Self { check_shape: there && construction.bool("validate_shape")? })
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        context.assign_variable(0, 1, self.check_shape)
    }
}

/// Adds to a variable, or subtracts from it.
struct Change<const SUBTRACT: bool> {
    data_type: DataType,
}

impl<const SUBTRACT: bool> Kernel<Abacus> for Change<SUBTRACT> {
    fn new(construction: &Construction<'_>) -> Result<Self, Error> {
        Ok(Self { data_type: construction.data_type("dtype")? })
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let operation = if SUBTRACT { Operation::Subtract } else { Operation::Add };
        match self.data_type {
            DataType::FLOAT => context.update_variable::<Numbers<f32>>(0, 1, operation),
            DataType::INT64 => context.update_variable::<Numbers<i64>>(0, 1, operation),
            other => Err(Error::unimplemented(format!("variables of the type {}", other.0))),
        }
    }
}

/// Elements of a type.
struct Numbers<T>(std::marker::PhantomData<T>);

impl<T: Element + AddAssign + SubAssign> Update<Abacus> for Numbers<T> {
    fn update(
        _: &Context<'_, Abacus>,
        variable: &mut Tensor,
        value: &Tensor,
        operation: Operation,
    ) -> Result<(), Error> {
        let values = elements::<T>(value)?;
        for (to, by) in elements_mut::<T>(variable)?.iter_mut().zip(values) {
            match operation {
                Operation::Add => *to += *by,
                Operation::Subtract => *to -= *by,
            }
        }
        Ok(())
    }
}

/// Registers the kernels of this file.
pub fn register(kernels: &mut Kernels<Abacus>) -> Result<(), Error> {
    for data_type in [DataType::FLOAT, DataType::INT64] {
        let def =
            |name: &str| KernelDef::new(name).data_type("dtype", data_type).host_memory("resource");
        kernels.register::<TimedKernel<Assign>>(&def("AssignVariableOp"))?;
        kernels.register::<TimedKernel<Change<false>>>(&def("AssignAddVariableOp"))?;
        kernels.register::<TimedKernel<Change<true>>>(&def("AssignSubVariableOp"))?;
    }
    Ok(())
}

/// What stands where a variable is wanted that could never be given a value.
struct UnsetVariable;

impl Kernel<Abacus> for UnsetVariable {
    fn new(_: &Construction<'_>) -> Result<Self, Error> {
        Err(Error::unimplemented(
            "this TensorFlow has no way to give a value to a variable of a pluggable device; let TensorFlow place \
             the variable, or use: tf.device('/device:CPU:0')",
        ))
    }

    fn compute(&self, _: &Context<'_, Abacus>) -> Result<(), Error> {
        Err(Error::internal("a variable that was not made"))
    }
}

/// TensorFlow 2.5 makes variables on any device and can assign to none of them. So it is told to prefer the
/// CPU for them.
pub fn leave_to_cpu(kernels: &mut Kernels<Abacus>) -> Result<(), Error> {
    let release = kernels.host().and_then(|host| host.release());
    if release.is_some_and(|release| (release.major, release.minor) == (2, 5)) {
        let def = KernelDef::new("VarHandleOp").host_memory("resource").priority(-1);
        kernels.register::<TimedKernel<UnsetVariable>>(&def)?;
    }
    Ok(())
}
