//! Rust types that are element types of buffers.

use crate::sys::bindings::PJRT_Buffer_Type;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that is an element type: numbers whose every bit pattern is a value.
pub trait Element: Copy + Send + Sync + sealed::Sealed + 'static {
    /// The number of the element type in C.
    const TYPE: PJRT_Buffer_Type;

    /// The values that these bytes are; what does not fill a value is left out.
    fn from_bytes(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! elements {
    ($($type:ty = $name:ident;)*) => { $(
        impl sealed::Sealed for $type {}

        impl Element for $type {
            const TYPE: PJRT_Buffer_Type = PJRT_Buffer_Type::$name;

            fn from_bytes(bytes: &[u8]) -> Vec<Self> {
                let (values, _) = bytes.as_chunks::<{ size_of::<$type>() }>();
                values.iter().map(|value| <$type>::from_ne_bytes(*value)).collect()
            }
        }
    )* };
}

elements! {
    i8 = S8; i16 = S16; i32 = S32; i64 = S64;
    u8 = U8; u16 = U16; u32 = U32; u64 = U64;
    f32 = F32; f64 = F64;
}

/// The bytes of a slice of elements.
pub(crate) fn as_bytes<T: Element>(values: &[T]) -> &[u8] {
    // SAFETY: elements are plain numbers without padding, so all of their bytes are initialized.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}
