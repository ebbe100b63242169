//! Programs: steps over lists of numbers.

use std::sync::Arc;

use unskew_pjrt_sdk::{Attribute, Error, MemoryUse, PjrtValue, Program, Shape, SharedStorage};

use crate::platform::Beads;

/// A value of a program: its parameters come first, then one for each step.
pub type Place = usize;

/// What makes one more value.
pub enum Step {
    /// Numbers that stand in the program.
    Constant(Vec<f32>),
    /// One operand, of which elements are repeated: for each dimension of the result, how far apart the
    /// elements are that follow each other.
    Broadcast { from: Place, to: Vec<i64>, strides: Vec<usize> },
    /// A function of one operand, element by element.
    Unary(fn(f32) -> f32, Place),
    /// A function of two operands, element by element.
    Binary(fn(f32, f32) -> f32, Place, Place),
}

/// A program, with the code that it was made of.
pub struct Steps {
    pub name: String,
    pub code: Vec<u8>,
    pub parameters: Vec<Shape>,
    /// The parameters whose memory it takes over.
    pub donated: Vec<usize>,
    pub steps: Vec<Step>,
    pub results: Vec<(Place, Shape)>,
}

impl Program for Steps {
    fn name(&self) -> &str {
        &self.name
    }

    fn outputs(&self) -> Vec<Shape> {
        self.results.iter().map(|(_, shape)| shape.clone()).collect()
    }

    /// The code tells programs apart; FNV-1a makes it short.
    fn fingerprint(&self) -> String {
        let hash = self.code.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    fn run(
        &self,
        _: usize,
        arguments: &[(&Shape, &SharedStorage)],
    ) -> Result<Vec<SharedStorage>, Error> {
        let mut values = self.arguments(arguments)?;
        for step in &self.steps {
            let value = match step {
                Step::Constant(numbers) => numbers.clone(),
                Step::Broadcast { from, to, strides } => repeated(&values[*from], to, strides),
                Step::Unary(function, a) => values[*a].iter().map(|a| function(*a)).collect(),
                Step::Binary(function, a, b) => {
                    values[*a].iter().zip(&values[*b]).map(|(a, b)| function(*a, *b)).collect()
                }
            };
            values.push(value);
        }
        let result =
            |(place, _): &(Place, Shape)| Arc::new(Beads::of(&values[*place])) as SharedStorage;
        Ok(self.results.iter().map(result).collect())
    }

    fn donated(&self) -> Vec<usize> {
        self.donated.clone()
    }

    fn serialize(&self) -> Result<Vec<u8>, Error> {
        Ok(self.code.clone())
    }

    fn cost_analysis(&self) -> Result<Vec<Attribute>, Error> {
        let elements = |(_, shape): &(Place, Shape)| shape.count().unwrap_or(0);
        let each = self.results.iter().map(elements).max().unwrap_or(0);
        let computing = |step: &&Step| matches!(step, Step::Unary(..) | Step::Binary(..));
        let count = self.steps.iter().filter(computing).count();
        Ok(vec![Attribute {
            name: "flops".to_owned(),
            value: PjrtValue::Float((count * each) as f32),
        }])
    }

    fn memory_use(&self) -> Result<MemoryUse, Error> {
        let bytes = |shape: &Shape| shape.host_bytes().unwrap_or(0) as i64;
        Ok(MemoryUse {
            arguments: self.parameters.iter().map(bytes).sum(),
            outputs: self.results.iter().map(|(_, shape)| bytes(shape)).sum(),
            ..MemoryUse::default()
        })
    }
}

impl Steps {
    /// The numbers of the arguments, if they are what the program takes.
    fn arguments(&self, given: &[(&Shape, &SharedStorage)]) -> Result<Vec<Vec<f32>>, Error> {
        if given.len() != self.parameters.len() {
            let (wanted, given) = (self.parameters.len(), given.len());
            return Err(Error::invalid(format!(
                "{}: {wanted} arguments wanted: {given}",
                self.name
            )));
        }
        let mut values = Vec::new();
        for (wanted, (shape, stored)) in self.parameters.iter().zip(given) {
            let beads = stored.as_any().downcast_ref::<Beads>().filter(|_| *shape == wanted);
            let numbers = beads.and_then(Beads::numbers);
            values.push(numbers.ok_or_else(|| {
                Error::invalid(format!("{}: {wanted:?} wanted: {shape:?}", self.name))
            })?);
        }
        Ok(values)
    }
}

/// Elements repeated along the dimensions of a result.
fn repeated(from: &[f32], to: &[i64], strides: &[usize]) -> Vec<f32> {
    let mut all = vec![0];
    for (size, stride) in to.iter().zip(strides) {
        let size = usize::try_from(*size).unwrap_or(0);
        all = all.iter().flat_map(|at| (0..size).map(move |i| at + i * stride)).collect();
    }
    all.into_iter().filter_map(|at: usize| from.get(at).copied()).collect()
}

/// What an operation with one operand computes.
pub fn unary(name: &str) -> Option<fn(f32) -> f32> {
    Some(match name {
        // From f32 to f32.
        "convert" => |a| a,
        "negate" => |a| -a,
        "abs" => f32::abs,
        "exponential" => f32::exp,
        "sqrt" => f32::sqrt,
        "tanh" => f32::tanh,
        _ => return None,
    })
}

/// What an operation with two operands computes.
pub fn binary(name: &str) -> Option<fn(f32, f32) -> f32> {
    Some(match name {
        "add" => |a, b| a + b,
        "subtract" => |a, b| a - b,
        "multiply" => |a, b| a * b,
        "divide" => |a, b| a / b,
        "maximum" => f32::max,
        "minimum" => f32::min,
        _ => return None,
    })
}

/// The shape, unless it is too large for an abacus.
pub fn fits(shape: Shape) -> Result<Shape, Error> {
    const MOST: usize = 1 << 28;
    match shape.count() {
        Some(count) if count <= MOST => Ok(shape),
        _ => Err(Error::unimplemented(format!("tensors of more than {MOST} elements: {shape:?}"))),
    }
}
