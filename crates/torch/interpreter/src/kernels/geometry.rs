//! Geometry of a window that moves over a space of up to three dimensions.

use std::ops::Range;

/// How a window moves along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// How long the dimension is.
    pub(crate) size: usize,
    /// How many taps the window has.
    pub(crate) kernel: usize,
    pub(crate) stride: usize,
    /// How far before the first element the first window begins.
    pub(crate) padding: i64,
    /// How far apart the taps are.
    pub(crate) dilation: usize,
    /// How many places the window has.
    pub(crate) out: usize,
}

impl Axis {
    /// A dimension of one element, which every space has besides its own.
    const ONE: Self = Self { size: 1, kernel: 1, stride: 1, padding: 0, dilation: 1, out: 1 };

    /// The element under a tap at a place; none in the padding.
    pub(super) fn source(&self, place: usize, tap: usize) -> Option<usize> {
        let from = (place * self.stride + tap * self.dilation) as i64 - self.padding;
        usize::try_from(from).ok().filter(|from| *from < self.size)
    }

    /// The places at which a tap lies inside, and the element under it at the first of them.
    pub(super) fn inside(&self, tap: usize) -> (Range<usize>, usize) {
        let shift = (tap * self.dilation) as i64 - self.padding;
        let stride = self.stride as i64;
        // The first place with `place * stride + shift >= 0`, and the first with `>= size`.
        let from = |least: i64| ((least - shift).max(0) + stride - 1) / stride;
        let end = (from(self.size as i64) as usize).min(self.out);
        let start = (from(0) as usize).min(end);
        (start..end, (start as i64 * stride + shift).max(0) as usize)
    }

    pub(super) fn taps(&self, place: usize) -> Range<usize> {
        let shift = (place * self.stride) as i64 - self.padding;
        let dilation = self.dilation as i64;
        // The first tap with `shift + tap * dilation >= least`.
        let from = |least: i64| ((least - shift).max(0) + dilation - 1) / dilation;
        let end = (from(self.size as i64) as usize).min(self.kernel);
        (from(0) as usize).min(end)..end
    }
}

/// The dimensions of a space, from the outermost to the innermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry(pub(crate) [Axis; 3]);

impl Geometry {
    /// Of one to three dimensions; none if there are more.
    pub(crate) fn new(axes: &[Axis]) -> Option<Self> {
        let missing = 3_usize.checked_sub(axes.len())?;
        let mut all = [Axis::ONE; 3];
        all[missing..].copy_from_slice(axes);
        Some(Self(all))
    }

    pub(crate) fn area(&self) -> usize {
        self.0.iter().map(|axis| axis.size).product()
    }

    pub(crate) fn out_area(&self) -> usize {
        self.0.iter().map(|axis| axis.out).product()
    }

    pub(crate) fn kernel_area(&self) -> usize {
        self.0.iter().map(|axis| axis.kernel).product()
    }

    /// Every tap, in row-major order.
    pub(super) fn all_taps(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [a, b, c] = self.0.map(|axis| axis.kernel);
        (0..a).flat_map(move |x| (0..b).flat_map(move |y| (0..c).map(move |z| [x, y, z])))
    }

    /// Whether the places of the window are the elements: one tap, moved by one, without padding.
    pub(super) fn is_the_space(&self) -> bool {
        self.0.iter().all(|axis| axis.kernel == 1 && axis.stride == 1 && axis.padding == 0)
    }
}
