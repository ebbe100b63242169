//! The kinds of types and attributes. Each is written by its dialect, and begins with a number that
//! says which it is; what follows (the numbers of a constant, for one) is skipped.

use std::collections::BTreeSet;

use unskew_source::{ReadError, Source};

use super::{Cursor, Dialect, Span};

/// The dialects whose kinds are known.
const VHLO: &str = "vhlo";
const BUILTIN: &str = "builtin";

/// A kind of type or attribute, by the number that it begins with: of VHLO, or an attribute of MLIR itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EncodingKind {
    /// A type: 4 is `f32`.
    Type(u64),
    /// An attribute: 20 is an accuracy of results.
    Attribute(u64),
    /// An attribute of MLIR itself, which an operation may carry beside its own: 2 is a text.
    Builtin(u64),
}

/// Walks over the sizes of all attributes, then of all types, which lie one behind the other in
/// `values`.
pub(super) fn read(
    sizes: &mut Cursor<'_>,
    source: &dyn Source,
    values: Span,
    dialects: &[Dialect],
) -> Result<Vec<EncodingKind>, ReadError> {
    let attributes = sizes.count("attributes")?;
    let types = sizes.count("types")?;
    let mut values = Cursor::new(source, values);
    let mut kinds = BTreeSet::new();
    for (count, kind) in [
        (attributes, EncodingKind::Attribute as fn(u64) -> EncodingKind),
        (types, EncodingKind::Type),
    ] {
        let mut left = count;
        while left > 0 {
            let at = sizes.position();
            let dialect = usize::try_from(sizes.varint()?).ok().and_then(|at| dialects.get(at));
            let dialect = dialect.ok_or_else(|| sizes.malformed(at, "a type of no dialect"))?;
            let group = sizes.count("types or attributes")?;
            left = left
                .checked_sub(group)
                .filter(|_| group > 0)
                .ok_or_else(|| sizes.malformed(at, "more types or fewer than announced"))?;
            for _ in 0..group {
                let size = sizes.varint()?;
                let encoded = size & 1 == 1;
                let span = values.skip(size >> 1)?;
                if encoded && dialect.name == VHLO {
                    kinds.insert(kind(values.peek_varint(span)?));
                } else if encoded
                    && dialect.name == BUILTIN
                    && kind(0) == EncodingKind::Attribute(0)
                {
                    kinds.insert(EncodingKind::Builtin(values.peek_varint(span)?));
                }
            }
        }
    }
    Ok(kinds.into_iter().collect())
}
