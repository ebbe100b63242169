//! The section of dialects: their names, and the names of the operations that are used of each.

use unskew_source::ReadError;

use super::{Cursor, Span, Strings, section};

/// From this version of the format on a dialect says whether it has a version of its own.
pub(crate) const DIALECT_VERSIONS: u64 = 1;
/// From this one on the operations are counted in front.
pub(crate) const COUNTED: u64 = 4;
/// From this one on an operation says whether its writer knew it.
pub(crate) const REGISTERED: u64 = 5;

/// A dialect of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The name of the dialect: `vhlo`.
    pub name: String,
    /// The operations of it that the file uses: `add_v1`.
    pub operations: Vec<String>,
}

/// Where an operation stands: the number of its dialect, and its place among the operations of that.
pub(crate) type OperationIndex = (usize, usize);

/// Where a dialect's own version is encoded, if it has one.
pub(crate) type Versions = Vec<Option<Span>>;

/// The dialects, the operations in the order of their numbers, and the versions of the dialects.
pub(crate) fn read(
    cursor: &mut Cursor<'_>,
    version: u64,
    strings: &Strings,
) -> Result<(Vec<Dialect>, Vec<OperationIndex>, Versions), ReadError> {
    let count = cursor.count("dialects")?;
    let (mut dialects, mut versions) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let mut name = cursor.varint()?;
        let mut own = None;
        if version >= DIALECT_VERSIONS {
            let versioned = name & 1 == 1;
            name >>= 1;
            if versioned {
                own = Some(section(cursor)?.1);
            }
        }
        versions.push(own);
        dialects.push(Dialect { name: strings.get(name, cursor)?, operations: Vec::new() });
    }
    if version >= COUNTED {
        cursor.varint()?;
    }
    let mut order = Vec::new();
    while cursor.left() > 0 {
        let at = cursor.position();
        let index = cursor.varint()?;
        let number = usize::try_from(index).ok().filter(|number| *number < dialects.len());
        let dialect = number.and_then(|number| Some((number, dialects.get_mut(number)?)));
        let (number, dialect) =
            dialect.ok_or_else(|| cursor.malformed(at, &format!("no dialect {index}")))?;
        for _ in 0..cursor.count("operations")? {
            let name = cursor.varint()?;
            let name = if version >= REGISTERED { name >> 1 } else { name };
            order.push((number, dialect.operations.len()));
            dialect.operations.push(strings.get(name, cursor)?);
        }
    }
    Ok((dialects, order, versions))
}
