//! Programs: steps over lists of numbers.

use std::sync::Arc;

use unskew_pjrt_sdk::{Error, Program, Shape, Stored};

use crate::platform::Beads;

/// A value of a program: its parameters come first, then one for each step.
pub type Place = usize;

/// What makes one more value.
pub enum Step {
    /// The same number everywhere.
    Splat(f32, Shape),
    /// One operand.
    Unary(fn(f32) -> f32, Place),
    /// Two operands.
    Binary(fn(f32, f32) -> f32, Place, Place),
}

/// A program, with the text that it was made of.
pub struct Steps {
    pub name: String,
    pub text: String,
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

    /// The text tells programs apart; FNV-1a makes it short.
    fn fingerprint(&self) -> String {
        let hash = self.text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    fn run(&self, _: usize, arguments: &[(&Shape, &Stored)]) -> Result<Vec<Stored>, Error> {
        let mut values = self.arguments(arguments)?;
        for step in &self.steps {
            let value = match step {
                Step::Splat(number, shape) => vec![*number; shape.count().unwrap_or(0)],
                Step::Unary(function, a) => values[*a].iter().map(|a| function(*a)).collect(),
                Step::Binary(function, a, b) => {
                    values[*a].iter().zip(&values[*b]).map(|(a, b)| function(*a, *b)).collect()
                }
            };
            values.push(value);
        }
        let result = |(place, _): &(Place, Shape)| Arc::new(Beads::of(&values[*place])) as Stored;
        Ok(self.results.iter().map(result).collect())
    }

    fn donated(&self) -> Vec<usize> {
        self.donated.clone()
    }

    fn serialize(&self) -> Result<Vec<u8>, Error> {
        Ok(self.text.clone().into_bytes())
    }
}

impl Steps {
    /// The numbers of the arguments, if they are what the program takes.
    fn arguments(&self, given: &[(&Shape, &Stored)]) -> Result<Vec<Vec<f32>>, Error> {
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
