//! Operations that make dimensions smaller or larger.

use std::marker::PhantomData;

use unskew_stream_executor_sdk::{
    Construction, Context, DataType, Error, Kernel, KernelDef, Kernels, Tensor,
};

use crate::array::positions;
use crate::device::Abacus;
use crate::profile::TimedKernel;
use crate::sys::{elements, elements_mut};

/// How elements are brought together.
trait Reduction: Send + Sync + 'static {
    const START: f32;
    fn join(so_far: f32, next: f32) -> f32;
    fn end(value: f32, count: usize) -> f32 {
        let _ = count;
        value
    }
}

struct Sum;
struct Mean;
struct Max;

impl Reduction for Sum {
    const START: f32 = 0.0;
    fn join(so_far: f32, next: f32) -> f32 {
        so_far + next
    }
}

impl Reduction for Mean {
    const START: f32 = 0.0;
    fn join(so_far: f32, next: f32) -> f32 {
        so_far + next
    }
    fn end(value: f32, count: usize) -> f32 {
        value / count as f32
    }
}

impl Reduction for Max {
    const START: f32 = f32::NEG_INFINITY;
    fn join(so_far: f32, next: f32) -> f32 {
        so_far.max(next)
    }
}

/// Brings together the elements along some dimensions.
struct Reduce<F> {
    keep: bool,
    how: PhantomData<F>,
}

impl<F: Reduction> Kernel<Abacus> for Reduce<F> {
    fn new(construction: &Construction<'_>) -> Result<Self, Error> {
        Ok(Self { keep: construction.bool("keep_dims")?, how: PhantomData })
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let (input, axes) = (context.input(0)?, numbers(&context.input(1)?)?);
        let dims = input.dims();
        // The shape with the dimensions that are brought together being 1: what is left broadcasts to all.
        let mut small = dims.clone();
        for axis in axes {
            let rank = i64::try_from(dims.len()).unwrap_or(i64::MAX);
            let index = usize::try_from(if axis < 0 { axis + rank } else { axis });
            let place = index.ok().and_then(|index| small.get_mut(index));
            *place.ok_or_else(|| Error::invalid(format!("no dimension {axis} in {dims:?}")))? = 1;
        }
        let shape: Vec<i64> = if self.keep {
            small.clone()
        } else {
            let left = small.iter().zip(&dims).enumerate();
            let left = left.filter(|(i, (now, was))| now == was && !reduced(context, *i, &dims));
            left.map(|(_, (now, _))| *now).collect()
        };
        let mut output = context.allocate_output(0, &shape)?;
        let output = elements_mut::<f32>(&mut output)?;
        output.fill(F::START);
        let input = elements::<f32>(&input)?;
        for (from, at) in input.iter().zip(positions(&dims, &small)) {
            output[at] = F::join(output[at], *from);
        }
        let each = input.len().checked_div(output.len()).unwrap_or(0);
        for value in output {
            *value = F::end(*value, each);
        }
        Ok(())
    }
}

/// Whether the kernel brings together this dimension. A dimension of 1 may be one of them or not.
fn reduced(context: &Context<'_, Abacus>, index: usize, dims: &[i64]) -> bool {
    let axes = context.input(1).and_then(|axes| numbers(&axes)).unwrap_or_default();
    let rank = i64::try_from(dims.len()).unwrap_or(i64::MAX);
    axes.iter()
        .any(|axis| usize::try_from(if *axis < 0 { axis + rank } else { *axis }) == Ok(index))
}

fn numbers(tensor: &Tensor) -> Result<Vec<i64>, Error> {
    if tensor.data_type() == DataType::INT64 {
        return Ok(elements::<i64>(tensor)?.to_vec());
    }
    Ok(elements::<i32>(tensor)?.iter().map(|number| i64::from(*number)).collect())
}

/// One element, or a smaller array, repeated to fill a shape.
struct Spread {
    /// Which input is the shape, and which the value.
    shape: usize,
}

impl Spread {
    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let dims = numbers(&context.input(self.shape)?)?;
        let value = context.input(1 - self.shape)?;
        let mut output = context.allocate_output(0, &dims)?;
        let places = positions(&dims, &value.dims());
        let value = elements::<f32>(&value)?;
        for (to, at) in elements_mut::<f32>(&mut output)?.iter_mut().zip(places) {
            *to = value[at];
        }
        Ok(())
    }
}

struct Fill;
struct BroadcastTo;

impl Kernel<Abacus> for Fill {
    fn new(_: &Construction<'_>) -> Result<Self, Error> {
        Ok(Self)
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        Spread { shape: 0 }.compute(context)
    }
}

impl Kernel<Abacus> for BroadcastTo {
    fn new(_: &Construction<'_>) -> Result<Self, Error> {
        Ok(Self)
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        Spread { shape: 1 }.compute(context)
    }
}

/// Registers the operations, whose shapes and dimensions lie in host memory.
pub fn register(kernels: &mut Kernels<Abacus>) -> Result<(), Error> {
    for index in [DataType::INT32, DataType::INT64] {
        let def = |name: &str, argument: &str, attribute: &str| {
            let def = KernelDef::new(name).data_type("T", DataType::FLOAT);
            def.data_type(attribute, index).host_memory(argument)
        };
        let axes = |name: &str| def(name, "reduction_indices", "Tidx");
        kernels.register::<TimedKernel<Reduce<Sum>>>(&axes("Sum"))?;
        kernels.register::<TimedKernel<Reduce<Mean>>>(&axes("Mean"))?;
        kernels.register::<TimedKernel<Reduce<Max>>>(&axes("Max"))?;
        kernels.register::<TimedKernel<Fill>>(&def("Fill", "dims", "index_type"))?;
        kernels.register::<TimedKernel<BroadcastTo>>(&def("BroadcastTo", "shape", "Tidx"))?;
    }
    Ok(())
}
