//! Attributes that classes of `torch.nn.modules` got later: `data/module_attributes.tsv`.
//!
//! Each has the value with which a module does what it did before there was one, and the releases in which a call fails
//! without it: `__setstate__` adds some of them in some releases. `cargo lab torch-attributes` measures it.

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
    /// The releases in which calls of the class fail without it, by `major.minor`.
    needing: Vec<Version>,
}

const TABLE: &str = include_str!("../../data/module_attributes.tsv");

/// What stands before the releases of which the table knows.
const MEASURED: &str = "# measured on ";

static ROWS: LazyLock<Vec<LaterAttribute>> =
    LazyLock::new(|| TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect());

static RELEASES: LazyLock<Vec<Version>> = LazyLock::new(|| {
    TABLE.lines().find_map(|line| line.strip_prefix(MEASURED)).map(minors).unwrap_or_default()
});

fn minors(text: &str) -> Vec<Version> {
    text.split(' ').filter_map(|one| one.parse().ok()).map(names::pair).collect()
}

fn row(line: &'static str) -> Option<LaterAttribute> {
    let mut cells = line.split('\t');
    let (class, name, text) = (cells.next()?, cells.next()?, cells.next()?);
    let needing = minors(cells.next()?);
    let value = match text {
        "None" => PickleValue::None,
        "False" => PickleValue::Bool(false),
        "True" => PickleValue::Bool(true),
        text => match (text.parse(), text.parse()) {
            (Ok(number), _) => PickleValue::Int(number),
            (_, Ok(number)) => PickleValue::Float(number),
            _ => PickleValue::Text(text.to_owned()),
        },
    };
    Some(LaterAttribute { class, name, value, needing })
}

impl LaterAttribute {
    /// Whether calls of the class fail without it. Of a release that was not measured, its sources tell whether it is read;
    /// they do not show all, so what releases on both sides of it need counts, too.
    fn is_needed(&self, minor: Version) -> bool {
        if RELEASES.contains(&minor) {
            return self.needing.contains(&minor);
        }
        let reads = |one: &PickledName| one.is_of(minor) && one.reads().any(|it| it == self.name);
        let needs = |one: Option<&Version>| one.is_some_and(|one| self.needing.contains(one));
        let before = RELEASES.iter().rfind(|one| **one < minor);
        let after = RELEASES.iter().find(|one| **one > minor);
        names::named(self.class).iter().any(reads)
            || needs(before) && (after.is_none() || needs(after))
    }
}

/// Those that calls of a class need in a release.
pub(crate) fn read_by(
    class: &str,
    minor: Version,
) -> impl Iterator<Item = &'static LaterAttribute> {
    ROWS.iter().filter(move |row| row.class == class && row.is_needed(minor))
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
        assert!(ROWS.len() > 10 && RELEASES.is_sorted() && RELEASES.len() > 5);
        let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(ROWS.len(), rows.count());
        for row in ROWS.iter() {
            assert!(!names::named(row.class).is_empty(), "{row:?}");
            assert!(row.needing.iter().all(|one| RELEASES.contains(one)), "{row:?}");
        }
    }

    #[test]
    fn what_a_release_adds_by_itself_is_not_needed() {
        let needs = |class: &str, major, minor| {
            let class = format!("torch.nn.modules.{class}");
            read_by(&class, Version::pair(major, minor)).count()
        };
        // Its sources tell of 2.0, and those that were measured are far from it.
        assert_eq!(needs("upsampling.Upsample", 2, 0), 1);
        assert_eq!(needs("upsampling.Upsample", 2, 1), 0);
        assert_eq!((needs("rnn.LSTM", 1, 10), needs("rnn.LSTM", 2, 6)), (0, 0));
        assert_eq!((needs("activation.GELU", 1, 11), needs("activation.GELU", 2, 6)), (0, 1));
    }
}
