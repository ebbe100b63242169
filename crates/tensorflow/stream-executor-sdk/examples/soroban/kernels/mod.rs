//! The kernels: operations by subject.

mod elementwise;
mod linear;
mod reduce;
mod softmax;
mod train;
mod variable;

use unskew_stream_executor_sdk::{DataType, Error, Kernel, KernelDef, Kernels};

use crate::device::Abacus;
use crate::profile::TimedKernel;

/// Registers all of them.
pub fn register(kernels: &mut Kernels<Abacus>) -> Result<(), Error> {
    elementwise::register(kernels)?;
    linear::register(kernels)?;
    reduce::register(kernels)?;
    softmax::register(kernels)?;
    if kernels.variables() {
        variable::register(kernels)?;
        train::register(kernels)
    } else {
        variable::leave_to_cpu(kernels)
    }
}

/// Registers a kernel for `f32`.
fn float<K: Kernel<Abacus>>(kernels: &mut Kernels<Abacus>, operation: &str) -> Result<(), Error> {
    kernels.register::<TimedKernel<K>>(&KernelDef::new(operation).data_type("T", DataType::FLOAT))
}
