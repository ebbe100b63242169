//! Lists, maps, and what may be absent.

use std::collections::BTreeMap;

use crate::{
    DecodeError, DecodeProblem, Decoder, EncodeError, Encoder, Family, Format, FormatSchema,
};

impl<F: Family, T: Format<F>> Format<F> for Vec<T> {
    #[inline]
    fn write(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
        T::write_list(self, to)
    }

    #[inline]
    fn read(from: &mut Decoder<'_, F>) -> Result<Self, DecodeError> {
        let mut items = Self::new();
        T::read_list(&mut items, from)?;
        Ok(items)
    }

    #[inline]
    fn read_into(&mut self, from: &mut Decoder<'_, F>) -> Result<(), DecodeError> {
        T::read_list(self, from)
    }

    fn schema(version: u32, to: &mut FormatSchema) {
        to.around("[", "]", |to| T::schema(version, to));
    }
}

impl<F: Family, T: Format<F>> Format<F> for Option<T> {
    #[inline]
    fn write(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
        to.byte(u8::from(self.is_some()));
        self.as_ref().map_or(Ok(()), |value| value.write(to))
    }

    #[inline]
    fn read(from: &mut Decoder<'_, F>) -> Result<Self, DecodeError> {
        <bool as Format<F>>::read(from)?.then(|| T::read(from)).transpose()
    }

    #[inline]
    fn read_into(&mut self, from: &mut Decoder<'_, F>) -> Result<(), DecodeError> {
        match (<bool as Format<F>>::read(from)?, &mut *self) {
            (true, Some(value)) => return value.read_into(from),
            (true, None) => *self = Some(T::read(from)?),
            (false, _) => *self = None,
        }
        Ok(())
    }

    fn schema(version: u32, to: &mut FormatSchema) {
        to.around("", "?", |to| T::schema(version, to));
    }
}

impl<F: Family, T: Format<F>> Format<F> for Box<T> {
    const LEAST_BYTES: usize = T::LEAST_BYTES;

    #[inline]
    fn write(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
        T::write(self, to)
    }

    #[inline]
    fn read(from: &mut Decoder<'_, F>) -> Result<Self, DecodeError> {
        T::read(from).map(Self::new)
    }

    #[inline]
    fn read_into(&mut self, from: &mut Decoder<'_, F>) -> Result<(), DecodeError> {
        T::read_into(self, from)
    }

    fn schema(version: u32, to: &mut FormatSchema) {
        T::schema(version, to);
    }
}

/// Entries in the order of their keys, each key once: equal maps are equal bytes.
impl<F: Family, K: Format<F> + Ord, V: Format<F>> Format<F> for BTreeMap<K, V> {
    fn write(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
        to.count(self.len());
        for (i, (key, value)) in self.iter().enumerate() {
            key.write(to).and_then(|()| value.write(to)).map_err(|error| error.in_item(i))?;
        }
        Ok(())
    }

    fn read(from: &mut Decoder<'_, F>) -> Result<Self, DecodeError> {
        let count = from.count(K::LEAST_BYTES.saturating_add(V::LEAST_BYTES))?;
        let mut map = Self::new();
        for _ in 0..count {
            let key = K::read(from)?;
            if map.last_key_value().is_some_and(|(last, _)| *last >= key) {
                return Err(from.error(DecodeProblem::KeysDoNotRise));
            }
            map.insert(key, V::read(from)?);
        }
        Ok(map)
    }

    fn schema(version: u32, to: &mut FormatSchema) {
        to.around("{", ": ", |to| K::schema(version, to));
        to.around("", "}", |to| V::schema(version, to));
    }
}

impl<F: Family, A: Format<F>, B: Format<F>> Format<F> for (A, B) {
    const LEAST_BYTES: usize = A::LEAST_BYTES.saturating_add(B::LEAST_BYTES);

    #[inline]
    fn write(&self, to: &mut Encoder<'_, F>) -> Result<(), EncodeError> {
        self.0.write(to).map_err(|error| error.in_field("0"))?;
        self.1.write(to).map_err(|error| error.in_field("1"))
    }

    #[inline]
    fn read(from: &mut Decoder<'_, F>) -> Result<Self, DecodeError> {
        Ok((A::read(from)?, B::read(from)?))
    }

    #[inline]
    fn read_into(&mut self, from: &mut Decoder<'_, F>) -> Result<(), DecodeError> {
        self.0.read_into(from)?;
        self.1.read_into(from)
    }

    fn schema(version: u32, to: &mut FormatSchema) {
        to.around("(", ", ", |to| A::schema(version, to));
        to.around("", ")", |to| B::schema(version, to));
    }
}
