//! Borrowed views: values that are read where they lie, without an allocation.
//!
//! Reading a view checks everything that reading the value would. `#[derive(Format)]` with
//! `#[format(view)]` makes `NameView<'a>` of `Name`, with the same fields.

use std::fmt;
use std::marker::PhantomData;

use crate::number::{Wide, block, low};
use crate::text::text;
use crate::{DecodeError, DecodeProblem, Decoder, Family, Format};

/// A type that can be read where it lies.
pub trait Viewed<F: Family>: Format<F> {
    /// What it is read as.
    type View<'a>: Clone;
    /// What a list of it is read as.
    type ListView<'a>: Clone + Default;

    /// Reads a view.
    ///
    /// # Errors
    /// As [`Format::read`].
    fn view<'a>(from: &mut Decoder<'a, F>) -> Result<Self::View<'a>, DecodeError>;

    /// Reads a view of a list.
    ///
    /// # Errors
    /// As [`Format::read_list`].
    fn view_list<'a>(from: &mut Decoder<'a, F>) -> Result<Self::ListView<'a>, DecodeError>;
}

/// Reads a view of one value, which takes all of `bytes`.
///
/// # Errors
/// [`DecodeError`] with the place.
pub fn view<F: Family, T: Viewed<F>>(bytes: &[u8]) -> Result<T::View<'_>, DecodeError> {
    let mut reader = Decoder::<F>::new(bytes);
    let value = T::view(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

/// A list of numbers, where it lies.
#[derive(Clone, Copy)]
pub struct NumberList<'a, T> {
    bytes: &'a [u8],
    width: usize,
    number: PhantomData<T>,
}

impl<T> Default for NumberList<'_, T> {
    fn default() -> Self {
        Self { bytes: &[], width: 1, number: PhantomData }
    }
}

/// A number that lists keep in the width of the widest.
pub trait ViewedNumber: Copy {
    /// The number of this many low bytes; none if it does not fit.
    #[doc(hidden)]
    fn from_bits(low: u64, width: usize) -> Option<Self>;
}

impl<T: ViewedNumber> NumberList<'_, T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.width.max(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The number at `index`.
    pub fn get(&self, index: usize) -> Option<T> {
        let width = self.width;
        let start = index.checked_mul(width)?;
        T::from_bits(low(self.bytes.get(start..start.checked_add(width)?)?), self.width)
    }

    /// All items in order, each decoded when it is reached.
    pub fn iter(&self) -> impl Iterator<Item = T> {
        let width = self.width;
        self.bytes.chunks_exact(width.max(1)).filter_map(move |b| T::from_bits(low(b), width))
    }
}

impl<T: ViewedNumber + fmt::Debug> fmt::Debug for NumberList<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

macro_rules! numbers {
    ($($int:ident $wide:ident)*) => {$(
        impl ViewedNumber for $int {
            #[inline]
            fn from_bits(low: u64, width: usize) -> Option<Self> {
                Self::try_from(<$wide as Wide>::widen(low, width)).ok()
            }
        }

        impl<F: Family> Viewed<F> for $int {
            type View<'a> = Self;
            type ListView<'a> = NumberList<'a, Self>;

            #[inline]
            fn view<'a>(from: &mut Decoder<'a, F>) -> Result<Self, DecodeError> {
                <Self as Format<F>>::read(from)
            }

            #[inline]
            fn view_list<'a>(from: &mut Decoder<'a, F>) -> Result<NumberList<'a, Self>, DecodeError> {
                let (width, bytes) = block(from)?;
                let numbers = NumberList { bytes, width, number: PhantomData };
                // What is no wider than the type fits; what is may still be small.
                let fits = width <= size_of::<Self>() || numbers.iter().count() == numbers.len();
                if fits { Ok(numbers) } else { Err(from.error(DecodeProblem::BadNumber)) }
            }
        }
    )*};
}

numbers! { u16 u64 u32 u64 u64 u64 i8 i64 i16 i64 i32 i64 i64 i64 }

impl<F: Family> Viewed<F> for u8 {
    type View<'a> = Self;
    type ListView<'a> = &'a [u8];

    #[inline]
    fn view<'a>(from: &mut Decoder<'a, F>) -> Result<Self, DecodeError> {
        from.byte()
    }

    #[inline]
    fn view_list<'a>(from: &mut Decoder<'a, F>) -> Result<&'a [u8], DecodeError> {
        let count = from.count(1)?;
        from.bytes(count)
    }
}

macro_rules! as_read {
    ($($plain:ident)*) => {$(
        impl<F: Family> Viewed<F> for $plain {
            type View<'a> = Self;
            type ListView<'a> = ViewedList<'a, F, Self>;

            #[inline]
            fn view<'a>(from: &mut Decoder<'a, F>) -> Result<Self, DecodeError> {
                <Self as Format<F>>::read(from)
            }

            fn view_list<'a>(from: &mut Decoder<'a, F>) -> Result<ViewedList<'a, F, Self>, DecodeError> {
                ViewedList::read(from)
            }
        }
    )*};
}

as_read! { bool f32 f64 usize }

impl<F: Family> Viewed<F> for String {
    type View<'a> = &'a str;
    type ListView<'a> = ViewedList<'a, F, Self>;

    #[inline]
    fn view<'a>(from: &mut Decoder<'a, F>) -> Result<&'a str, DecodeError> {
        text(from)
    }

    fn view_list<'a>(from: &mut Decoder<'a, F>) -> Result<ViewedList<'a, F, Self>, DecodeError> {
        ViewedList::read(from)
    }
}

impl<F: Family, T: Viewed<F>> Viewed<F> for Vec<T> {
    type View<'a> = T::ListView<'a>;
    type ListView<'a> = ViewedList<'a, F, Self>;

    #[inline]
    fn view<'a>(from: &mut Decoder<'a, F>) -> Result<T::ListView<'a>, DecodeError> {
        T::view_list(from)
    }

    fn view_list<'a>(from: &mut Decoder<'a, F>) -> Result<ViewedList<'a, F, Self>, DecodeError> {
        ViewedList::read(from)
    }
}

impl<F: Family, T: Viewed<F>> Viewed<F> for Option<T> {
    type View<'a> = Option<T::View<'a>>;
    type ListView<'a> = ViewedList<'a, F, Self>;

    #[inline]
    fn view<'a>(from: &mut Decoder<'a, F>) -> Result<Option<T::View<'a>>, DecodeError> {
        <bool as Format<F>>::read(from)?.then(|| T::view(from)).transpose()
    }

    fn view_list<'a>(from: &mut Decoder<'a, F>) -> Result<ViewedList<'a, F, Self>, DecodeError> {
        ViewedList::read(from)
    }
}

/// A list of values, where it lies. Every item was read once, so reading it again does not fail.
pub struct ViewedList<'a, F: Family, T> {
    count: usize,
    items: Option<Decoder<'a, F>>,
    item: PhantomData<fn() -> T>,
}

impl<F: Family, T> Clone for ViewedList<'_, F, T> {
    fn clone(&self) -> Self {
        Self { count: self.count, items: self.items.clone(), item: PhantomData }
    }
}

impl<F: Family, T> Default for ViewedList<'_, F, T> {
    fn default() -> Self {
        Self { count: 0, items: None, item: PhantomData }
    }
}

impl<'a, F: Family, T: Viewed<F>> ViewedList<'a, F, T> {
    /// Reads a list, and every item of it.
    ///
    /// # Errors
    /// As [`Format::read_list`].
    #[inline(always)]
    pub fn read(from: &mut Decoder<'a, F>) -> Result<Self, DecodeError> {
        let count = from.count(T::LEAST_BYTES)?;
        let items = from.clone();
        for _ in 0..count {
            T::view(from)?;
        }
        Ok(Self { count, items: Some(items), item: PhantomData })
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All items in order, each as a view on the bytes.
    pub fn iter(&self) -> impl Iterator<Item = T::View<'a>> {
        let mut items = self.items.clone();
        (0..self.count).map_while(move |_| T::view(items.as_mut()?).ok())
    }
}

impl<'a, F: Family, T: Viewed<F>> fmt::Debug for ViewedList<'a, F, T>
where
    T::View<'a>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
