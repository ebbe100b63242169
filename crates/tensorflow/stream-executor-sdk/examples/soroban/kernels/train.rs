//! What optimizers do to variables.

use unskew_stream_executor_sdk::{
    Construction, Context, DataType, Error, Kernel, KernelDef, Kernels, Tensor,
};

use crate::device::Abacus;
use crate::profile::TimedKernel;
use crate::sys::{elements, elements_mut};

/// The only number of a tensor.
fn scalar(context: &Context<'_, Abacus>, index: usize) -> Result<f32, Error> {
    let tensor = context.input(index)?;
    let first = elements::<f32>(&tensor)?.first().copied();
    first.ok_or_else(|| Error::invalid(format!("input {index} is empty")))
}

fn same(variable: &Tensor, other: &Tensor) -> Result<(), Error> {
    if variable.dims() == other.dims() {
        return Ok(());
    }
    let (variable, other) = (variable.dims(), other.dims());
    Err(Error::invalid(format!("a variable of {variable:?} with a gradient of {other:?}")))
}

struct GradientDescent;

impl Kernel<Abacus> for GradientDescent {
    fn new(_: &Construction<'_>) -> Result<Self, Error> {
        Ok(Self)
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let (rate, gradient) = (scalar(context, 1)?, context.input(2)?);
        context.with_variables(&[0], |variables| {
            let [variable] = variables else { return Err(Error::internal("one variable")) };
            same(variable, &gradient)?;
            let gradient = elements::<f32>(&gradient)?;
            for (to, by) in elements_mut::<f32>(variable)?.iter_mut().zip(gradient) {
                *to -= rate * by;
            }
            Ok(())
        })
    }
}

/// Steps whose lengths follow from the gradients so far.
struct Adam {
    nesterov: bool,
}

impl Kernel<Abacus> for Adam {
    fn new(construction: &Construction<'_>) -> Result<Self, Error> {
        Ok(Self { nesterov: construction.bool("use_nesterov")? })
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let [power1, power2, rate, beta1, beta2, epsilon] = {
            let mut all = [0.0; 6];
            for (i, number) in all.iter_mut().enumerate() {
                *number = scalar(context, i + 3)?;
            }
            all
        };
        let gradient = context.input(9)?;
        let alpha = rate * (1.0 - power2).sqrt() / (1.0 - power1);
        context.with_variables(&[0, 1, 2], |variables| {
            let [variable, mean, spread] = variables else {
                return Err(Error::internal("three variables"));
            };
            same(variable, &gradient)?;
            same(mean, &gradient)?;
            same(spread, &gradient)?;
            let all = elements_mut::<f32>(variable)?.iter_mut().zip(elements::<f32>(&gradient)?);
            let moments = elements_mut::<f32>(mean)?.iter_mut().zip(elements_mut::<f32>(spread)?);
            for ((to, by), (mean, spread)) in all.zip(moments) {
                *mean += (by - *mean) * (1.0 - beta1);
                *spread += (by * by - *spread) * (1.0 - beta2);
                let step = if self.nesterov { by * (1.0 - beta1) + beta1 * *mean } else { *mean };
                *to -= alpha * step / (spread.sqrt() + epsilon);
            }
            Ok(())
        })
    }
}

/// Registers the operations, whose variables are handles in host memory.
pub fn register(kernels: &mut Kernels<Abacus>) -> Result<(), Error> {
    let float =
        |name: &str| KernelDef::new(name).data_type("T", DataType::FLOAT).host_memory("var");
    kernels.register::<TimedKernel<GradientDescent>>(&float("ResourceApplyGradientDescent"))?;
    kernels.register::<TimedKernel<Adam>>(
        &float("ResourceApplyAdam").host_memory("m").host_memory("v"),
    )
}
