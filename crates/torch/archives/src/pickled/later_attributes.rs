//! Attributes that classes of `torch.nn.modules` got later: `data/module_attributes.tsv`.
//!
//! Each has the value with which a module does what it did before there was one.

use std::sync::LazyLock;

use unskew_core::Version;

use super::names::{self, PickledName};
use crate::pickle::PickleValue;

/// An attribute of a class, and its value.
#[derive(Debug)]
pub(crate) struct LaterAttribute {
    pub(crate) class: &'static str,
    pub(crate) name: &'static str,
    pub(crate) value: PickleValue,
}

static ROWS: LazyLock<Vec<LaterAttribute>> = LazyLock::new(|| {
    let lines = include_str!("../../data/module_attributes.tsv").lines();
    lines.filter(|line| !line.starts_with('#')).filter_map(row).collect()
});

fn row(line: &'static str) -> Option<LaterAttribute> {
    let mut cells = line.split('\t');
    let (class, name, text) = (cells.next()?, cells.next()?, cells.next()?);
    let value = match text {
        "None" => PickleValue::None,
        "False" => PickleValue::Bool(false),
        "0" => PickleValue::Int(0),
        text => match text.parse() {
            Ok(number) => PickleValue::Float(number),
            Err(_) => PickleValue::Text(text.to_owned()),
        },
    };
    Some(LaterAttribute { class, name, value })
}

/// Those that code of a class reads in a release, or in one before it: whoever got one keeps it, also where the table of what
/// is read does not see that through.
pub(crate) fn read_by(
    class: &str,
    minor: Version,
) -> impl Iterator<Item = &'static LaterAttribute> {
    let known = names::named(class);
    ROWS.iter().filter(move |row| {
        let reads = |one: &PickledName| {
            one.reads().any(|it| it == row.name)
                && one.span().is_some_and(|(since, _)| names::pair(since) <= minor)
        };
        row.class == class && known.iter().any(reads)
    })
}

/// Whether a class has such an attribute.
pub(crate) fn is_known(class: &str, name: &str) -> bool {
    ROWS.iter().any(|row| row.class == class && row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_of_a_class_that_got_the_attribute_later() {
        assert!(ROWS.len() > 10);
        for row in ROWS.iter() {
            let known = names::named(row.class);
            let reads = |it: &names::PickledName| it.reads().any(|one| one == row.name);
            assert!(known.iter().any(reads), "{}.{}", row.class, row.name);
            assert!(!known.iter().all(reads), "{}.{}", row.class, row.name);
        }
    }
}
