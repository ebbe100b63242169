//! Weights of 4 bits as the floats that `DequantizeLinear` makes of them, computed where they are read.
//!
//! A float takes up to eight times the bytes of such a weight, so they are never all in memory: each is the difference of two
//! small whole numbers, which a float holds exactly, times its scale, rounded once, as in every release that has the types.

use std::io;
use std::ops::RangeInclusive;
use std::sync::Arc;

use unskew_array::F16;
use unskew_source::{Source, SourceExt as _};

use crate::OnnxElementType;

/// How many elements are made at a time.
const CHUNK: u64 = 4096;

/// The most scales that are read at a time.
const MOST_SCALES: u64 = 1 << 16;

/// Where the elements of a tensor begin in a file.
#[derive(Clone)]
pub(super) struct TensorBytes {
    pub(super) file: Arc<dyn Source>,
    pub(super) start: u64,
}

/// Which scale an element has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScaleLayout {
    /// One for all.
    Whole,
    /// One for each place along an axis of `size`, behind which so many elements lie.
    Axis { size: u64, inner: u64 },
    /// One for each block of elements along such an axis.
    Blocks { size: u64, inner: u64, block: u64 },
}

impl ScaleLayout {
    fn scale(self, element: u64) -> u64 {
        match self {
            Self::Whole => 0,
            Self::Axis { size, inner } => element / inner % size,
            Self::Blocks { size, inner, block } => {
                let (outer, along) = (element / inner / size, element / inner % size);
                (outer * size.div_ceil(block) + along / block) * inner + element % inner
            }
        }
    }
}

/// Which floats scales and weights are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FloatWidth {
    /// 32 bits.
    Single,
    /// 16 bits. A product of such a scale is exact in 32 bits, and rounded once.
    Half,
}

impl FloatWidth {
    /// The floats of an element type; none if it is none of these.
    pub(super) fn of_element(element: OnnxElementType) -> Option<Self> {
        match element.0 {
            1 => Some(Self::Single),
            10 => Some(Self::Half),
            _ => None,
        }
    }

    pub(super) fn element(self) -> OnnxElementType {
        OnnxElementType(match self {
            Self::Single => 1,
            Self::Half => 10,
        })
    }

    fn bytes(self) -> u64 {
        match self {
            Self::Single => 4,
            Self::Half => 2,
        }
    }

    fn read(self, bytes: &[u8]) -> Vec<f32> {
        match self {
            Self::Single => {
                bytes.as_chunks().0.iter().map(|one| f32::from_le_bytes(*one)).collect()
            }
            Self::Half => {
                let half = |one: &[u8; 2]| F16.decode(u16::from_le_bytes(*one));
                bytes.as_chunks().0.iter().map(half).collect()
            }
        }
    }

    fn write(self, numbers: &[f32]) -> Vec<u8> {
        match self {
            Self::Single => numbers.iter().flat_map(|one| one.to_le_bytes()).collect(),
            Self::Half => {
                numbers.iter().flat_map(|one| F16.encode((*one).into()).to_le_bytes()).collect()
            }
        }
    }
}

/// A tensor of floats.
pub(super) struct DequantizedTensor {
    pub(super) name: String,
    pub(super) width: FloatWidth,
    pub(super) count: u64,
    pub(super) is_signed: bool,
    pub(super) packed: TensorBytes,
    pub(super) scales: TensorBytes,
    pub(super) zeros: Option<TensorBytes>,
    pub(super) layout: ScaleLayout,
}

impl DequantizedTensor {
    /// The numbers of 4 bits in a range, two in a byte, the lower half first.
    fn numbers(&self, from: &TensorBytes, range: RangeInclusive<u64>) -> io::Result<Vec<i8>> {
        let (first, last) = (range.start() / 2, range.end() / 2);
        let at = from.start.saturating_add(first);
        let bytes = from.file.bytes(at, last - first + 1).map_err(io::Error::other)?;
        let number = |at: u64| {
            let byte = bytes.get((at / 2 - first) as usize).copied().unwrap_or_default();
            let half = if at.is_multiple_of(2) { byte & 0xf } else { byte >> 4 };
            let half = half as i8;
            if self.is_signed && half > 7 { half - 16 } else { half }
        };
        Ok(range.map(number).collect())
    }

    /// Some elements from one on: as many as fit into a chunk, fewer where their scales lie far apart.
    fn elements(&self, first: u64) -> io::Result<Vec<f32>> {
        let mut last = (first + CHUNK).min(self.count) - 1;
        let scales = loop {
            let all = || (first..=last).map(|element| self.layout.scale(element));
            let (low, high) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
            if high - low < MOST_SCALES || last == first {
                break low..=high;
            }
            last = first + (last - first) / 2;
        };
        let low = *scales.start();
        let count = scales.end() - low + 1;
        let width = self.width.bytes();
        let at = self.scales.start.saturating_add(low * width);
        let bytes = self.scales.file.bytes(at, count * width).map_err(io::Error::other)?;
        let factors = self.width.read(&bytes);
        let zeros = self.zeros.as_ref().map(|zeros| self.numbers(zeros, scales)).transpose()?;
        let numbers = self.numbers(&self.packed, first..=last)?;
        let element = |(at, number): (u64, i8)| {
            let scale = (self.layout.scale(at) - low) as usize;
            let zero = zeros.as_ref().and_then(|all| all.get(scale)).copied().unwrap_or(0);
            f32::from(number - zero) * factors.get(scale).copied().unwrap_or_default()
        };
        Ok((first..=last).zip(numbers).map(element).collect())
    }
}

impl Source for DequantizedTensor {
    fn name(&self) -> &str {
        &self.name
    }

    fn size(&self) -> u64 {
        self.count.saturating_mul(self.width.bytes())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if offset >= self.size() || buffer.is_empty() {
            return Ok(0);
        }
        let width = self.width.bytes();
        let bytes = self.width.write(&self.elements(offset / width)?);
        let rest = bytes.get((offset % width) as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        for (slot, byte) in buffer.iter_mut().zip(rest) {
            *slot = *byte;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use unskew_source::BytesSource;

    use super::*;

    fn tensor(bytes: Vec<u8>) -> TensorBytes {
        TensorBytes { file: Arc::new(BytesSource::new("t", bytes)), start: 0 }
    }

    fn floats(tensor: &DequantizedTensor) -> Vec<f32> {
        let bytes = tensor.all().unwrap();
        bytes.as_chunks::<4>().0.iter().map(|one| f32::from_le_bytes(*one)).collect()
    }

    fn scales(all: &[f32]) -> TensorBytes {
        tensor(all.iter().flat_map(|one| one.to_le_bytes()).collect())
    }

    #[test]
    fn each_element_has_the_scale_and_the_zero_of_its_place() {
        // 0 1 2 | 3 -8 7, two rows of three.
        let mut made = DequantizedTensor {
            name: "w".to_owned(),
            width: FloatWidth::Single,
            count: 6,
            is_signed: true,
            packed: tensor(vec![0x10, 0x32, 0x78]),
            scales: scales(&[0.5]),
            zeros: None,
            layout: ScaleLayout::Whole,
        };
        assert_eq!(floats(&made), [0.0, 0.5, 1.0, 1.5, -4.0, 3.5]);
        made.layout = ScaleLayout::Axis { size: 2, inner: 3 };
        (made.scales, made.zeros) = (scales(&[1.0, 2.0]), Some(tensor(vec![0xf1])));
        assert_eq!(floats(&made), [-1.0, 0.0, 1.0, 8.0, -14.0, 16.0]);
        made.layout = ScaleLayout::Blocks { size: 3, inner: 1, block: 2 };
        (made.scales, made.zeros) = (scales(&[1.0, 2.0, 4.0, 8.0]), None);
        assert_eq!(floats(&made), [0.0, 1.0, 4.0, 12.0, -32.0, 56.0]);
        made.is_signed = false;
        assert_eq!(floats(&made)[4], 32.0);
    }

    #[test]
    fn halves_are_rounded_once() {
        let halves = [0x3555_u16, 0x0001, 0x7bff];
        let mut made = DequantizedTensor {
            name: "w".to_owned(),
            width: FloatWidth::Half,
            count: 3,
            is_signed: true,
            packed: tensor(vec![0x87, 0x02]),
            scales: tensor(halves.iter().flat_map(|one| one.to_le_bytes()).collect()),
            zeros: None,
            layout: ScaleLayout::Axis { size: 3, inner: 1 },
        };
        let bits = |tensor: &DequantizedTensor| -> Vec<u16> {
            let bytes = tensor.all().unwrap();
            bytes.as_chunks().0.iter().map(|one| u16::from_le_bytes(*one)).collect()
        };
        // 7 times 0.33325 lies between two halves; the smallest half times -8 is exact; the largest times 2 is none.
        assert_eq!(bits(&made), [0x40aa, 0x8008, 0x7c00]);
        assert_eq!(made.size(), 6);
        made.layout = ScaleLayout::Whole;
        assert_eq!(made.bytes(1, 3).unwrap(), made.all().unwrap()[1..4]);
    }

    #[test]
    fn any_part_is_what_it_is_in_the_whole() {
        let made = DequantizedTensor {
            name: "w".to_owned(),
            width: FloatWidth::Single,
            count: 20_000,
            is_signed: false,
            packed: tensor((0..10_000_u32).map(|one| one as u8).collect()),
            scales: scales(&(0..20_000).map(|one| one as f32).collect::<Vec<_>>()),
            zeros: None,
            layout: ScaleLayout::Blocks { size: 1, inner: 20_000, block: 1 },
        };
        let whole = made.all().unwrap();
        for (start, len) in [(0, 7), (3, 9), (16_383, 40), (79_990, 10)] {
            let part = made.bytes(start, len).unwrap();
            assert_eq!(part, whole[start as usize..(start + len) as usize]);
        }
    }
}
