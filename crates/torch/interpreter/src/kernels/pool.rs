//! The largest element under a window, and the mean of those under it.

use super::{Axis, Geometry, Real};

/// The elements of one dimension that a window covers at one of its places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    start: usize,
    count: usize,
    step: usize,
}

/// Where a window is: for each of three dimensions what it covers at each place.
pub(crate) struct Spans {
    axes: [Vec<Span>; 3],
    sizes: [usize; 3],
}

/// What becomes of the elements under a window.
#[derive(Clone, Copy)]
pub(crate) enum Pool<'p> {
    Largest,
    /// Their sum, divided by the number of the place.
    Mean(&'p [f64]),
}

impl Spans {
    pub(crate) fn from_geometry(geometry: &Geometry) -> Self {
        let spans = |axis: Axis| {
            let span = |place| {
                let taps = axis.taps(place);
                let start = axis.source(place, taps.start).unwrap_or(0);
                Span { start, count: taps.len(), step: axis.dilation }
            };
            (0..axis.out).map(span).collect()
        };
        Self { axes: geometry.0.map(spans), sizes: geometry.0.map(|axis| axis.size) }
    }

    /// Windows that divide a space into so many; none if it has more than three dimensions.
    pub(crate) fn dividing(space: &[usize], out: &[usize]) -> Option<Self> {
        let missing = 3_usize.checked_sub(space.len())?;
        let (mut sizes, mut outs) = ([1; 3], [1; 3]);
        sizes[missing..].copy_from_slice(space);
        outs[missing..].copy_from_slice(out);
        let axis = |axis: usize| {
            let (size, out) = (sizes[axis], outs[axis]);
            let span = |at: usize| {
                let (start, end) = (at * size / out, ((at + 1) * size).div_ceil(out));
                Span { start, count: end - start, step: 1 }
            };
            (0..out).map(span).collect()
        };
        Some(Self { axes: [axis(0), axis(1), axis(2)], sizes })
    }

    /// How many elements the window covers at each place, in row-major order.
    pub(crate) fn counts(&self) -> Vec<f64> {
        let [outer, middle, inner] = &self.axes;
        let mut counts = Vec::with_capacity(outer.len() * middle.len() * inner.len());
        for a in outer {
            for b in middle {
                counts.extend(inner.iter().map(|c| (a.count * b.count * c.count) as f64));
            }
        }
        counts
    }

    /// The place of the largest element under the window at each of its places; of equal ones the first.
    pub(crate) fn places(&self, plane: &[f64]) -> Vec<i64> {
        let numbered: Vec<(usize, f64)> = plane.iter().copied().enumerate().collect();
        let mut places = Vec::new();
        self.fold(
            &numbered,
            || None,
            |best: &mut Option<(usize, f64)>, (at, number)| {
                if best.is_none_or(|(_, known)| number > known || number.is_nan()) {
                    *best = Some((at, number));
                }
            },
            |best| places.push(best.map_or(0, |(at, _)| at as i64)),
        );
        places
    }

    fn fold<T: Copy, S>(
        &self,
        plane: &[T],
        start: impl Fn() -> S,
        add: impl Fn(&mut S, T),
        mut finish: impl FnMut(S),
    ) {
        let [outer, middle, inner] = &self.axes;
        let places = |span: &Span| {
            let Span { start, count, step } = *span;
            (0..count).map(move |nth| start + nth * step)
        };
        for xs in outer {
            for ys in middle {
                for zs in inner {
                    let mut sum = start();
                    for x in places(xs) {
                        for y in places(ys) {
                            let line = &plane[(x * self.sizes[1] + y) * self.sizes[2]..];
                            places(zs).for_each(|z| add(&mut sum, line[z]));
                        }
                    }
                    finish(sum);
                }
            }
        }
    }

    /// Pools one channel of one example into `result`.
    pub(crate) fn pool<T: Real>(&self, plane: &[T], pool: Pool<'_>, result: &mut [T]) {
        let mut result = result.iter_mut();
        let mut put = |number: T| {
            if let Some(place) = result.next() {
                *place = number;
            }
        };
        match pool {
            Pool::Largest => self.fold(
                plane,
                || T::from_f64(f64::NEG_INFINITY),
                // What is no number wins.
                |largest, number| {
                    if number > *largest || number.partial_cmp(&number).is_none() {
                        *largest = number;
                    }
                },
                put,
            ),
            Pool::Mean(divisors) => {
                let mut divisors = divisors.iter();
                self.fold(
                    plane,
                    || 0.0,
                    |sum, number| *sum += number.to_f64(),
                    |sum: f64| put(T::from_f64(sum / divisors.next().unwrap_or(&1.0))),
                );
            }
        }
    }
}
