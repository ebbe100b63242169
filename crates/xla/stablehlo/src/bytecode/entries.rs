//! The attributes and types of a file, each where it lies.

use unskew_source::{ReadError, Source};

use super::{Cursor, Dialect, Span, Strings};

/// The numbers that encodings of the `builtin` dialect begin with.
pub(crate) mod builtin {
    pub(crate) const NAME: &str = "builtin";
    pub(crate) mod attribute {
        pub(crate) const DICTIONARY: u64 = 1;
        pub(crate) const TEXT: u64 = 2;
        pub(crate) const ARRAY: u64 = 17;
        pub(crate) const ELEMENTS: u64 = 18;
    }
    pub(crate) mod types {
        pub(crate) const INTEGER: u64 = 0;
        pub(crate) const TENSOR: u64 = 13;
    }
}

/// An attribute or a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeOrAttribute {
    /// The number of its dialect.
    pub(crate) dialect: usize,
    /// Whether its dialect encoded it; else it is text.
    pub(crate) encoded: bool,
    pub(crate) span: Span,
}

/// All attributes and types.
pub(crate) struct Entries<'a> {
    pub(crate) source: &'a dyn Source,
    pub(crate) dialects: &'a [Dialect],
    pub(crate) strings: &'a Strings,
    pub(crate) attributes: Vec<TypeOrAttribute>,
    pub(crate) types: Vec<TypeOrAttribute>,
}

impl<'a> Entries<'a> {
    /// Reads the sizes of all attributes, then of all types, which lie one behind the other in `values`.
    pub(crate) fn read(
        sizes: &mut Cursor<'_>,
        source: &'a dyn Source,
        values: Span,
        dialects: &'a [Dialect],
        strings: &'a Strings,
    ) -> Result<Self, ReadError> {
        let attributes = sizes.count("attributes")?;
        let types = sizes.count("types")?;
        let mut values = Cursor::new(source, values);
        let mut all = Vec::new();
        let total = attributes.saturating_add(types);
        while all.len() < total {
            let at = sizes.position();
            let dialect = usize::try_from(sizes.varint()?).ok().filter(|at| *at < dialects.len());
            let dialect = dialect.ok_or_else(|| sizes.malformed(at, "a type of no dialect"))?;
            let group = sizes.count("types or attributes")?;
            if group == 0 || group > total - all.len() {
                return Err(sizes.malformed(at, "more types or fewer than announced"));
            }
            for _ in 0..group {
                let size = sizes.varint()?;
                let span = values.skip(size >> 1)?;
                all.push(TypeOrAttribute { dialect, encoded: size & 1 == 1, span });
            }
        }
        let types = all.split_off(attributes);
        Ok(Self { source, dialects, strings, attributes: all, types })
    }

    pub(crate) fn dialect(&self, name: &str) -> Option<usize> {
        self.dialects.iter().position(|dialect| dialect.name == name)
    }

    /// Behind the number that says what a `builtin` attribute is; none if it is something else.
    pub(crate) fn attribute(&self, index: u64, kind: u64) -> Result<Option<Cursor<'a>>, ReadError> {
        self.of_kind(&self.attributes, index, kind)
    }

    /// Behind the number that says what a `builtin` type is; none if it is something else.
    pub(crate) fn of_type(&self, index: u64, kind: u64) -> Result<Option<Cursor<'a>>, ReadError> {
        self.of_kind(&self.types, index, kind)
    }

    fn of_kind(
        &self,
        entries: &[TypeOrAttribute],
        index: u64,
        kind: u64,
    ) -> Result<Option<Cursor<'a>>, ReadError> {
        let entry = usize::try_from(index).ok().and_then(|index| entries.get(index));
        let whole = Span { start: 0, end: self.source.size() };
        let entry = entry.ok_or_else(|| {
            Cursor::new(self.source, whole).malformed(0, &format!("no attribute or type {index}"))
        })?;
        let dialect = self.dialects.get(entry.dialect).map(|dialect| dialect.name.as_str());
        if !entry.encoded || dialect != Some(builtin::NAME) {
            return Ok(None);
        }
        let mut cursor = Cursor::new(self.source, entry.span);
        Ok((cursor.varint()? == kind).then_some(cursor))
    }

    /// The names and values of a dictionary, by number.
    pub(crate) fn dictionary(&self, index: u64) -> Result<Option<Vec<(u64, u64)>>, ReadError> {
        let found = self.attribute(index, builtin::attribute::DICTIONARY)?;
        let Some(mut cursor) = found else { return Ok(None) };
        let count = cursor.count("attributes of an operation")?;
        let mut pairs = Vec::new();
        for _ in 0..count {
            pairs.push((cursor.varint()?, cursor.varint()?));
        }
        Ok(Some(pairs))
    }

    pub(crate) fn text(&self, index: u64) -> Result<Option<String>, ReadError> {
        let found = self.attribute(index, builtin::attribute::TEXT)?;
        let Some(mut cursor) = found else { return Ok(None) };
        let text = cursor.varint()?;
        self.strings.get(text, &cursor).map(Some)
    }
}
