//! Table of changes to the attributes of the `stablehlo` and `chlo` dialects: `data/native.tsv`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The attributes of an operation that were elements and are an array.
#[derive(Debug, Default)]
pub(super) struct Rule {
    /// The operation with its dialect: `stablehlo.slice`.
    pub(super) operation: &'static str,
    /// Names of attributes, and how many bits an element has: 64, or 1 for truth values.
    pub(super) attributes: Vec<(&'static str, u64)>,
}

/// An attribute of which the encoding grew: lists of numbers, then one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Widened {
    /// The number that its encoding begins with.
    pub(super) code: u64,
    /// How many lists the old encoding has.
    pub(super) lists: usize,
    /// In front of which list the new ones come.
    pub(super) before: usize,
    pub(super) inserted: usize,
}

#[derive(Debug, Default)]
struct Table {
    operations: HashMap<&'static str, Rule>,
    attributes: Vec<Widened>,
}

/// The table, read once. It is part of this crate, and a test reads every row.
fn table() -> &'static Table {
    static TABLE: LazyLock<Table> = LazyLock::new(|| {
        let mut table = Table::default();
        let lines = include_str!("../../data/native.tsv").lines();
        for line in lines.filter(|line| !line.starts_with('#')) {
            let cells: Vec<&'static str> = line.split('\t').collect();
            match *cells {
                [_, "elements", operation, attribute, bits] => {
                    let rule = table.operations.entry(operation).or_default();
                    rule.operation = operation;
                    rule.attributes.extend(bits.parse().ok().map(|bits| (attribute, bits)));
                }
                [_, "lists", _, code, shape] => {
                    let shape: Vec<usize> =
                        shape.split(' ').filter_map(|cell| cell.parse().ok()).collect();
                    if let (Ok(code), &[lists, before, inserted]) = (code.parse(), &*shape) {
                        table.attributes.push(Widened { code, lists, before, inserted });
                    }
                }
                _ => {}
            }
        }
        table
    });
    &TABLE
}

/// Whether operations of this dialect are in the table.
pub(super) fn concerns(dialect: &str) -> bool {
    matches!(dialect, "stablehlo" | "chlo")
}

/// What changed in this operation, if anything did.
pub(super) fn rule(dialect: &str, operation: &str) -> Option<&'static Rule> {
    // Before format 4 an operation is named with or without its dialect.
    let name = operation.strip_prefix(dialect).and_then(|name| name.strip_prefix('.'));
    table().operations.get(&*format!("{dialect}.{}", name.unwrap_or(operation)))
}

/// What changed in the StableHLO attribute whose encoding begins with this number.
pub(super) fn widened(code: u64) -> Option<Widened> {
    table().attributes.iter().copied().find(|attribute| attribute.code == code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_core::Version;

    #[test]
    fn every_row_is_read() {
        let text = include_str!("../../data/native.tsv");
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        let operations = &table().operations;
        let read: usize = operations.values().map(|rule| rule.attributes.len()).sum();
        assert_eq!(rows.clone().count(), read + table().attributes.len());
        for row in rows {
            assert!(row.split('\t').next().unwrap().parse::<Version>().is_ok(), "{row}");
        }
        for rule in operations.values() {
            assert!(concerns(rule.operation.split('.').next().unwrap()), "{rule:?}");
        }
    }
}
