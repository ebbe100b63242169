//! Kernels, on slices of numbers: products of matrices, convolutions, pooling. Most of the time goes into them.
//!
//! Results do not depend on how many threads there are: a thread gets whole elements of the result, and each
//! element is summed up in the same order.

mod convolution;
mod geometry;
mod pool;
mod product;

use std::thread;

pub(crate) use convolution::{convolve, scratch, spread};
pub(crate) use geometry::{Axis, Geometry};
pub(crate) use pool::{Pool, Spans};
pub(crate) use product::multiply;

/// The numbers that kernels calculate with.
pub(crate) trait Real:
    ndarray::LinalgScalar + std::ops::AddAssign + PartialOrd + Send + Sync
{
    fn from_f64(number: f64) -> Self;
    fn to_f64(self) -> f64;
}

impl Real for f32 {
    fn from_f64(number: f64) -> Self {
        number as Self
    }

    fn to_f64(self) -> f64 {
        self.into()
    }
}

impl Real for f64 {
    fn from_f64(number: f64) -> Self {
        number
    }

    fn to_f64(self) -> f64 {
        self
    }
}

pub(crate) fn share<T: Send>(tasks: Vec<T>, threads: usize, work: impl Fn(T) + Sync) {
    let threads = threads.min(tasks.len());
    if threads < 2 {
        tasks.into_iter().for_each(work);
        return;
    }
    let mut parts: Vec<Vec<T>> = (0..threads).map(|_| Vec::new()).collect();
    for (at, task) in tasks.into_iter().enumerate() {
        parts[at % threads].push(task);
    }
    let first = parts.pop();
    thread::scope(|scope| {
        for part in parts {
            let work = &work;
            scope.spawn(move || part.into_iter().for_each(work));
        }
        first.into_iter().flatten().for_each(&work);
    });
}
