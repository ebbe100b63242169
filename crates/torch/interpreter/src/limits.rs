//! Limits of a program. Programs are foreign: one that runs for ever, or asks for all memory,
//! must end with an error.

use std::cell::Cell;
use std::rc::Rc;

use crate::RunProblem;

/// How much a program may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// How many statements, calls and items of lists.
    pub steps: u64,
    /// How many elements of tensors may be calculated, each multiplication of a sum counted.
    pub elements: u64,
    /// How many bytes all tensors may take at a time.
    pub bytes: u64,
    /// How deep calls, blocks and expressions may nest together.
    pub depth: usize,
}

impl RunLimits {
    /// What a program of so many bytes may take together with its inputs: enough for what is made of its
    /// weights, and for the activations of a small model on a picture. [`unskew_source::budget::set_scale`]
    /// multiplies it.
    pub fn for_bytes(size: u64) -> Self {
        let scale = unskew_source::budget::scale();
        let usual = Self::default();
        let bytes = (128 << 20) + size.saturating_mul(12);
        Self {
            steps: (usual.steps / 20).saturating_mul(scale),
            elements: usual.elements.saturating_mul(scale),
            bytes: bytes.min(usual.bytes).saturating_mul(scale),
            depth: usual.depth,
        }
    }
}

impl Default for RunLimits {
    /// What every real file of the corpus stays below by far, and what ends in about a minute.
    fn default() -> Self {
        Self { steps: 20_000_000, elements: 20_000_000_000, bytes: 4 << 30, depth: 400 }
    }
}

/// Counts what a program takes.
#[derive(Debug)]
pub(crate) struct Meter {
    limits: RunLimits,
    steps: Cell<u64>,
    elements: Cell<u64>,
    bytes: Cell<u64>,
    depth: Cell<usize>,
}

impl Meter {
    pub(crate) fn new(limits: RunLimits) -> Rc<Self> {
        let zero = || Cell::new(0);
        Rc::new(Self {
            limits,
            steps: zero(),
            elements: zero(),
            bytes: zero(),
            depth: Cell::new(0),
        })
    }

    /// Counts statements, calls, items.
    pub(crate) fn step(&self, count: u64) -> Result<(), RunProblem> {
        add(&self.steps, count, self.limits.steps, "steps")
    }

    pub(crate) fn work(&self, count: usize) -> Result<(), RunProblem> {
        add(&self.elements, count as u64, self.limits.elements, "elements")
    }

    /// Takes memory; [`Meter::release`] gives it back.
    pub(crate) fn take(&self, bytes: usize) -> Result<(), RunProblem> {
        let before = self.bytes.get();
        add(&self.bytes, bytes as u64, self.limits.bytes, "bytes of tensors").inspect_err(|_| {
            self.bytes.set(before);
        })
    }

    /// Refuses a tensor that could not be copied, though it takes no memory yet: a view may repeat one
    /// element without end.
    pub(crate) fn could_hold(&self, count: usize) -> Result<(), RunProblem> {
        // Elements are read as numbers of so many bytes, and become elements again.
        let bytes = (count as u64).saturating_mul(32).saturating_add(self.bytes.get());
        let limit = self.limits.bytes;
        if bytes > limit {
            Err(RunProblem::Limit { what: "bytes of tensors", limit })
        } else {
            Ok(())
        }
    }

    /// Takes the work of making a tensor of this shape, and refuses one that there is no room for. Whoever
    /// makes something larger than its arguments asks this first: the numbers lie in memory before they are a
    /// tensor. Returns how many elements it has.
    pub(crate) fn room(&self, shape: &[usize]) -> Result<usize, RunProblem> {
        let count = crate::tensor::count(shape)?;
        self.could_hold(count)?;
        self.work(count)?;
        Ok(count)
    }

    pub(crate) fn release(&self, bytes: usize) {
        self.bytes.set(self.bytes.get().saturating_sub(bytes as u64));
    }

    /// Goes one level deeper for as long as what is returned lives.
    pub(crate) fn enter(&self) -> Result<NestingLevel<'_>, RunProblem> {
        let depth = self.depth.get() + 1;
        if depth > self.limits.depth {
            return Err(RunProblem::Limit {
                what: "nested calls",
                limit: self.limits.depth as u64,
            });
        }
        self.depth.set(depth);
        Ok(NestingLevel(self))
    }
}

pub(crate) struct NestingLevel<'m>(&'m Meter);

impl Drop for NestingLevel<'_> {
    fn drop(&mut self) {
        self.0.depth.set(self.0.depth.get().saturating_sub(1));
    }
}

fn add(counter: &Cell<u64>, count: u64, limit: u64, what: &'static str) -> Result<(), RunProblem> {
    let now = counter.get().saturating_add(count);
    counter.set(now);
    if now > limit { Err(RunProblem::Limit { what, limit }) } else { Ok(()) }
}
