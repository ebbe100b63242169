//! The attributes of operations from format 5 on: numbers without names, in the order of the names that the
//! operation declares. `data/attributes.tsv` has those names.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use unskew_source::ReadError;

use super::ConstantAttribute;
use super::contents::Contents;
use crate::bytecode::{Cursor, Span};

/// Where the properties of each operation lie that has some.
pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Vec<Span>, ReadError> {
    let mut all = Vec::new();
    for _ in 0..cursor.count("properties")? {
        let size = cursor.varint()?;
        all.push(cursor.skip(size)?);
    }
    Ok(all)
}

/// The attributes of an operation whose names are these, as a dictionary; none if it has no names.
pub(super) fn named(
    cursor: &mut Cursor<'_>,
    names: &[&str],
    contents: &mut Contents<'_>,
) -> Result<Option<Arc<ConstantAttribute>>, ReadError> {
    if names.is_empty() {
        return Ok(None);
    }
    let mut all = Vec::new();
    for name in names {
        all.push((contents.name(name), contents.attribute(cursor.varint()?)?));
    }
    Ok(Some(Arc::new(ConstantAttribute::Dictionary(all))))
}

/// The names of the attributes of an operation, such as `constant_v1`, in their order.
pub(crate) fn attribute_names(operation: &str) -> &'static [&'static str] {
    static NAMES: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
        let rows = include_str!("../../data/attributes.tsv").lines();
        let rows = rows.filter(|row| !row.starts_with('#'));
        let row = |row: &'static str| {
            let (operation, names) = row.split_once('\t')?;
            Some((operation, names.split(' ').collect()))
        };
        rows.filter_map(row).collect()
    });
    NAMES.get(operation).map_or(&[], Vec::as_slice)
}
