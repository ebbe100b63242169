//! Softmax, and how far it is from what was wanted.

use std::marker::PhantomData;

use unskew_stream_executor_sdk::{
    Construction, Context, DataType, Error, Kernel, KernelDef, Kernels,
};

use super::float;
use crate::array::rows;
use crate::device::Abacus;
use crate::profile::TimedKernel;
use crate::sys::{Element, elements, elements_mut};

/// Makes the numbers of a row positive and their sum 1, and gives the logarithm of what they were divided by.
fn softmax(row: &[f32], to: &mut [f32]) -> f32 {
    let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (to, from) in to.iter_mut().zip(row) {
        *to = (from - highest).exp();
        sum += *to;
    }
    for to in to {
        *to /= sum;
    }
    sum.ln() + highest
}

struct Softmax<const LOGARITHM: bool>;

impl<const LOGARITHM: bool> Kernel<Abacus> for Softmax<LOGARITHM> {
    fn new(_: &Construction<'_>) -> Result<Self, Error> {
        Ok(Self)
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let logits = context.input(0)?;
        let (_, columns) = rows(&logits.dims())?;
        let mut output = context.allocate_output(0, &logits.dims())?;
        let all = elements::<f32>(&logits)?.chunks(columns.max(1));
        for (row, to) in all.zip(elements_mut::<f32>(&mut output)?.chunks_mut(columns.max(1))) {
            let divisor = softmax(row, to);
            if LOGARITHM {
                to.iter_mut().zip(row).for_each(|(to, from)| *to = from - divisor);
            }
        }
        Ok(())
    }
}

/// The cross entropy of softmax and wanted shares; and its gradient.
struct Dense;

impl Kernel<Abacus> for Dense {
    fn new(_: &Construction<'_>) -> Result<Self, Error> {
        Ok(Self)
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let (logits, labels) = (context.input(0)?, context.input(1)?);
        let (dims, columns) = (logits.dims(), rows(&logits.dims())?.1.max(1));
        if labels.dims() != dims {
            return Err(Error::unimplemented("labels of another shape than the logits"));
        }
        let mut loss = context.allocate_output(0, &dims[..dims.len() - 1])?;
        let mut gradient = context.allocate_output(1, &dims)?;
        let (logits, labels) = (elements::<f32>(&logits)?, elements::<f32>(&labels)?);
        let wanted = labels.chunks(columns);
        let gradients = elements_mut::<f32>(&mut gradient)?.chunks_mut(columns);
        let losses = elements_mut::<f32>(&mut loss)?.iter_mut();
        for (((row, wanted), to), loss) in
            logits.chunks(columns).zip(wanted).zip(gradients).zip(losses)
        {
            let divisor = softmax(row, to);
            *loss = row.iter().zip(wanted).map(|(x, share)| share * (divisor - x)).sum();
            to.iter_mut().zip(wanted).for_each(|(to, share)| *to -= share);
        }
        Ok(())
    }
}

/// The same with the number of the column that was wanted.
struct Sparse<L>(PhantomData<L>);

impl<L: Element + Send + Sync + TryInto<usize>> Kernel<Abacus> for Sparse<L> {
    fn new(_: &Construction<'_>) -> Result<Self, Error> {
        Ok(Self(PhantomData))
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let (logits, labels) = (context.input(0)?, context.input(1)?);
        let (dims, columns) = (logits.dims(), rows(&logits.dims())?.1);
        let mut loss = context.allocate_output(0, &dims[..dims.len() - 1])?;
        let mut gradient = context.allocate_output(1, &dims)?;
        let (logits, labels) = (elements::<f32>(&logits)?, elements::<L>(&labels)?);
        let gradients = elements_mut::<f32>(&mut gradient)?.chunks_mut(columns.max(1));
        let losses = elements_mut::<f32>(&mut loss)?.iter_mut();
        let all = logits.chunks(columns.max(1)).zip(labels).zip(gradients).zip(losses);
        for (((row, wanted), to), loss) in all {
            let wanted = (*wanted).try_into().ok().filter(|wanted| *wanted < columns);
            let wanted = wanted.ok_or_else(|| Error::invalid("a label that no column has"))?;
            *loss = softmax(row, to) - row[wanted];
            to[wanted] -= 1.0;
        }
        Ok(())
    }
}

/// Registers the kernels of this file.
pub fn register(kernels: &mut Kernels<Abacus>) -> Result<(), Error> {
    float::<Softmax<false>>(kernels, "Softmax")?;
    float::<Softmax<true>>(kernels, "LogSoftmax")?;
    float::<Dense>(kernels, "SoftmaxCrossEntropyWithLogits")?;
    let name = "SparseSoftmaxCrossEntropyWithLogits";
    let sparse =
        |labels| KernelDef::new(name).data_type("T", DataType::FLOAT).data_type("Tlabels", labels);
    kernels.register::<TimedKernel<Sparse<i64>>>(&sparse(DataType::INT64))?;
    kernels.register::<TimedKernel<Sparse<i32>>>(&sparse(DataType::INT32))
}
