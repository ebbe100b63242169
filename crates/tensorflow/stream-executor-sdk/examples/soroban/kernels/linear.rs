//! Matrices, and what is added to their columns.

use unskew_stream_executor_sdk::{Construction, Context, Error, Kernel, Kernels};

use super::float;
use crate::array::{count, rows};
use crate::device::Abacus;
use crate::sys::{elements, elements_mut};

/// The product of two matrices, each of which may be turned.
struct MatMul {
    turn_a: bool,
    turn_b: bool,
}

impl Kernel<Abacus> for MatMul {
    fn new(construction: &Construction<'_>) -> Result<Self, Error> {
        let (turn_a, turn_b) = ("transpose_a", "transpose_b");
        Ok(Self { turn_a: construction.bool(turn_a)?, turn_b: construction.bool(turn_b)? })
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let (a, b) = (context.input(0)?, context.input(1)?);
        let shape = |dims: &[i64], turned: bool| match *dims {
            [rows, columns] if turned => Ok((columns, rows)),
            [rows, columns] => Ok((rows, columns)),
            _ => Err(Error::invalid(format!("no matrix: {dims:?}"))),
        };
        let (m, inner) = shape(&a.dims(), self.turn_a)?;
        let (other, n) = shape(&b.dims(), self.turn_b)?;
        if inner != other {
            let (a, b) = (a.dims(), b.dims());
            return Err(Error::invalid(format!("matrices that do not fit: {a:?} and {b:?}")));
        }
        let mut output = context.allocate_output(0, &[m, n])?;
        let (m, n, inner) = (count(m), count(n), count(inner));
        let (a, b) = (elements::<f32>(&a)?, elements::<f32>(&b)?);
        let output = elements_mut::<f32>(&mut output)?;
        output.fill(0.0);
        for i in 0..m {
            let row = &mut output[i * n..(i + 1) * n];
            for k in 0..inner {
                let factor = if self.turn_a { a[k * m + i] } else { a[i * inner + k] };
                for (j, to) in row.iter_mut().enumerate() {
                    *to += factor * if self.turn_b { b[j * inner + k] } else { b[k * n + j] };
                }
            }
        }
        Ok(())
    }
}

/// Adds a vector to every row.
struct BiasAdd;

impl Kernel<Abacus> for BiasAdd {
    fn new(construction: &Construction<'_>) -> Result<Self, Error> {
        channels_last(construction).map(|()| Self)
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let (value, bias) = (context.input(0)?, context.input(1)?);
        let (_, columns) = rows(&value.dims())?;
        let mut output = context.allocate_output(0, &value.dims())?;
        let (from, bias) = (elements::<f32>(&value)?, elements::<f32>(&bias)?);
        if bias.len() != columns {
            return Err(Error::invalid(format!("{columns} columns, and a bias of {}", bias.len())));
        }
        for (i, to) in elements_mut::<f32>(&mut output)?.iter_mut().enumerate() {
            *to = from[i] + bias[i % columns];
        }
        Ok(())
    }
}

struct BiasAddGrad;

impl Kernel<Abacus> for BiasAddGrad {
    fn new(construction: &Construction<'_>) -> Result<Self, Error> {
        channels_last(construction).map(|()| Self)
    }

    fn compute(&self, context: &Context<'_, Abacus>) -> Result<(), Error> {
        let gradient = context.input(0)?;
        let dims = gradient.dims();
        let (_, columns) = rows(&dims)?;
        let mut output = context.allocate_output(0, &dims[dims.len() - 1..])?;
        let output = elements_mut::<f32>(&mut output)?;
        output.fill(0.0);
        for (i, from) in elements::<f32>(&gradient)?.iter().enumerate() {
            output[i % columns] += from;
        }
        Ok(())
    }
}

fn channels_last(construction: &Construction<'_>) -> Result<(), Error> {
    match construction.string("data_format")?.as_str() {
        "NHWC" => Ok(()),
        other => {
            Err(Error::unimplemented(format!("only the data format NHWC is done here: {other}")))
        }
    }
}

/// Registers the kernels of this file.
pub fn register(kernels: &mut Kernels<Abacus>) -> Result<(), Error> {
    float::<MatMul>(kernels, "MatMul")?;
    float::<BiasAdd>(kernels, "BiasAdd")?;
    float::<BiasAddGrad>(kernels, "BiasAddGrad")
}
