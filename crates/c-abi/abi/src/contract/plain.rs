//! Types that any foreign bytes are values of.
#![allow(unsafe_code, reason = "foreign bytes are taken as values")]

/// A type of a field: made of bytes that may hold anything, without padding, zero being a value.
///
/// `bool` and `char` are not: a foreign byte may hold 2. Use `u8`.
///
/// # Safety
/// Every pattern of bits that a correct producer writes is a value of the type, and all zeros are one.
pub unsafe trait PlainData: Copy + 'static {
    /// Whether all bytes are zero.
    fn is_zero(&self) -> bool {
        // SAFETY: the type has no padding, so all of its bytes are initialized.
        let bytes = unsafe {
            std::slice::from_raw_parts((&raw const *self).cast::<u8>(), size_of::<Self>())
        };
        bytes.iter().all(|byte| *byte == 0)
    }
}

macro_rules! plain {
    ($($number:ty)*) => {$(
        // SAFETY: numbers have no padding, and any bits are one.
        unsafe impl PlainData for $number {}
    )*};
}

plain! { u8 i8 u16 i16 u32 i32 u64 i64 usize isize f32 f64 }

// SAFETY: any bits are an address; using it is another matter.
unsafe impl<T: 'static> PlainData for *const T {}
// SAFETY: as above.
unsafe impl<T: 'static> PlainData for *mut T {}
// SAFETY: every element is plain, and arrays have no padding between elements.
unsafe impl<T: PlainData, const N: usize> PlainData for [T; N] {}

macro_rules! functions {
    ($($($parameter:ident)*;)*) => {$(
        // SAFETY: null is none; any other bits are the address of a function that the producer says is
        // there. Calling it is unsafe.
        unsafe impl<R: 'static, $($parameter: 'static),*> PlainData
            for Option<unsafe extern "C" fn($($parameter),*) -> R> {}
    )*};
}

functions! {
    ;
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}
