//! Numbers, alone and in lists.
//!
//! A number alone takes seven bits a byte; signed ones are folded first, so that small negative ones
//! are short too. A list of numbers is one block: the count, the width in bytes of the widest (1, 2,
//! 4 or 8), and every number in that width, the lowest byte first.

use crate::format::make_room;
use crate::{
    DecodeError, DecodeProblem, Decoder, EncodeError, Encoder, Family, Format, FormatSchema,
};

macro_rules! integers {
    ($($int:ident $wide:ident $to_varint:expr, $from_varint:expr;)*) => {$(
        impl<F: Family> Format<F> for $int {
            #[inline]
            fn write(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
                to.varint($to_varint($wide::from(*self)));
                Ok(())
            }

            #[inline]
            fn read(from: &mut Decoder<'_, F>) -> Result<Self, DecodeError> {
                let wide: $wide = $from_varint(from.varint()?);
                $int::try_from(wide).map_err(|_| from.error(DecodeProblem::BadNumber))
            }

            fn schema(_: u32, to: &mut FormatSchema) {
                to.word(stringify!($int));
            }

            #[inline]
            fn write_list(items: &[Self], to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
                write_block(items, |item| $wide::from(item), to);
                Ok(())
            }

            #[inline]
            fn read_list(items: &mut Vec<Self>, from: &mut Decoder<'_, F>) -> Result<(), DecodeError> {
                read_block(items, from, |wide: $wide| wide as $int, |wide: $wide| $int::try_from(wide).is_ok())
            }
        }
    )*};
}

integers! {
    u16 u64 |n: u64| n, |n: u64| n;
    u32 u64 |n: u64| n, |n: u64| n;
    u64 u64 |n: u64| n, |n: u64| n;
    i8 i64 fold, unfold;
    i16 i64 fold, unfold;
    i32 i64 fold, unfold;
    i64 i64 fold, unfold;
}

/// 0, -1, 1, -2, … as 0, 1, 2, 3, …
#[inline]
fn fold(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)).cast_unsigned()
}

#[inline]
fn unfold(n: u64) -> i64 {
    (n >> 1).cast_signed() ^ -(n & 1).cast_signed()
}

/// A number of 64 bits, and how it fits into fewer bytes.
pub(crate) trait Wide: Copy {
    /// Bits that are set in any number of a list: as many as the widest needs, sign included.
    fn spread(self) -> u64;
    fn low(self) -> u64;
    fn widen(low: u64, width: usize) -> Self;
}

impl Wide for u64 {
    #[inline]
    fn spread(self) -> u64 {
        self
    }
    #[inline]
    fn low(self) -> u64 {
        self
    }
    #[inline]
    fn widen(low: u64, _: usize) -> Self {
        low
    }
}

impl Wide for i64 {
    /// Of a negative number the bits that differ from its sign, and one for the sign itself.
    #[inline]
    fn spread(self) -> u64 {
        (self ^ (self >> 63)).cast_unsigned() << 1
    }
    #[inline]
    fn low(self) -> u64 {
        self.cast_unsigned()
    }
    #[inline]
    fn widen(low: u64, width: usize) -> Self {
        let unused = 64 - 8 * width;
        (low << unused).cast_signed() >> unused
    }
}

#[inline]
fn write_block<F: Family, T: Copy, W: Wide>(
    items: &[T],
    wide: impl Fn(T) -> W,
    to: &mut Encoder<'_, F>,
) {
    if items.is_empty() {
        to.byte(0);
        return;
    }
    let spread = items.iter().fold(0, |all, item| all | wide(*item).spread());
    match spread {
        0..=0xff => {
            to.block_head(items.len(), 1);
            to.extend(items.iter().map(|item| wide(*item).low() as u8));
        }
        0x100..=0xffff => {
            to.block_head(items.len(), 2);
            to.fixed(items, |item| (wide(item).low() as u16).to_le_bytes());
        }
        0x1_0000..=0xffff_ffff => {
            to.block_head(items.len(), 4);
            to.fixed(items, |item| (wide(item).low() as u32).to_le_bytes());
        }
        _ => {
            to.block_head(items.len(), 8);
            to.fixed(items, |item| wide(item).low().to_le_bytes());
        }
    }
}

#[inline(always)]
fn read_block<F: Family, T, W: Wide>(
    items: &mut Vec<T>,
    from: &mut Decoder<'_, F>,
    narrow: impl Fn(W) -> T,
    fits: impl Fn(W) -> bool,
) -> Result<(), DecodeError> {
    let (width, bytes) = block(from)?;
    // A number that is written as wide as its type, or less, fits.
    let all_fit =
        width <= size_of::<T>() || bytes.chunks_exact(width).all(|b| fits(W::widen(low(b), width)));
    if !all_fit {
        return Err(from.error(DecodeProblem::BadNumber));
    }
    items.clear();
    make_room(items, bytes.len() / width);
    // Each of these is one loop that the compiler can do many numbers at a time in.
    match width {
        1 => items.extend(bytes.iter().map(|b| narrow(W::widen(u64::from(*b), 1)))),
        2 => items.extend(wide_items(bytes, |b| narrow(W::widen(u16::from_le_bytes(b).into(), 2)))),
        4 => items.extend(wide_items(bytes, |b| narrow(W::widen(u32::from_le_bytes(b).into(), 4)))),
        _ => items.extend(wide_items(bytes, |b| narrow(W::widen(u64::from_le_bytes(b), 8)))),
    }
    Ok(())
}

/// What `item` makes of each `N` bytes.
#[inline]
fn wide_items<const N: usize, T>(
    bytes: &[u8],
    item: impl Fn([u8; N]) -> T,
) -> impl ExactSizeIterator<Item = T> {
    bytes.as_chunks().0.iter().map(move |b| item(*b))
}

/// The number of at most eight bytes, the lowest first.
#[inline]
pub(crate) fn low(bytes: &[u8]) -> u64 {
    bytes.iter().rfold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The width and the bytes of a block of numbers. The width is as wide as a pointer, which may stand in its place:
/// a narrower one is slow to read back.
#[inline(always)]
pub(crate) fn block<'a, F: Family>(
    from: &mut Decoder<'a, F>,
) -> Result<(usize, &'a [u8]), DecodeError> {
    let count = from.count(1)?;
    if count == 0 {
        return Ok((1, &[]));
    }
    let width = usize::from(from.byte()?);
    if !matches!(width, 1 | 2 | 4 | 8) {
        return Err(from.error(DecodeProblem::BadNumber));
    }
    Ok((width, from.bytes(count.saturating_mul(width))?))
}

impl<F: Family> Format<F> for u8 {
    #[inline]
    fn write(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
        to.byte(*self);
        Ok(())
    }

    #[inline]
    fn read(from: &mut Decoder<'_, F>) -> Result<Self, DecodeError> {
        from.byte()
    }

    fn schema(_: u32, to: &mut FormatSchema) {
        to.word("u8");
    }

    #[inline]
    fn write_list(items: &[Self], to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
        to.count(items.len());
        to.bytes(items);
        Ok(())
    }

    #[inline]
    fn read_list(items: &mut Vec<Self>, from: &mut Decoder<'_, F>) -> Result<(), DecodeError> {
        let count = from.count(1)?;
        let bytes = from.bytes(count)?;
        items.clear();
        make_room(items, count);
        items.extend_from_slice(bytes);
        Ok(())
    }
}

impl<F: Family> Format<F> for usize {
    #[inline]
    fn write(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
        to.count(*self);
        Ok(())
    }

    #[inline]
    fn read(from: &mut Decoder<'_, F>) -> Result<Self, DecodeError> {
        let number = from.varint()?;
        Self::try_from(number).map_err(|_| from.error(DecodeProblem::BadNumber))
    }

    fn schema(_: u32, to: &mut FormatSchema) {
        to.word("u64");
    }
}

impl<F: Family> Format<F> for bool {
    #[inline]
    fn write(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
        to.byte(u8::from(*self));
        Ok(())
    }

    #[inline]
    fn read(from: &mut Decoder<'_, F>) -> Result<Self, DecodeError> {
        match from.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            found => {
                let found = u64::from(found);
                Err(from.error(DecodeProblem::UnknownValue { type_name: "bool", found }))
            }
        }
    }

    fn schema(_: u32, to: &mut FormatSchema) {
        to.word("bool");
    }
}

macro_rules! floats {
    ($($float:ident $bytes:literal)*) => {$(
        impl<F: Family> Format<F> for $float {
            const LEAST_BYTES: usize = $bytes;

            #[inline]
            fn write(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
                to.bytes(&self.to_le_bytes());
                Ok(())
            }

            #[inline]
            fn read(from: &mut Decoder<'_, F>) -> Result<Self, DecodeError> {
                let mut bytes = [0; $bytes];
                bytes.copy_from_slice(from.bytes($bytes)?);
                Ok(Self::from_le_bytes(bytes))
            }

            fn schema(_: u32, to: &mut FormatSchema) {
                to.word(stringify!($float));
            }
        }
    )*};
}

floats! { f32 4 f64 8 }
