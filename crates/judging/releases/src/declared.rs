//! What releases of packages declare that they require: `data/requirements.tsv`, made by `cargo lab harvest requirements==PACKAGE`.
//!
//! A [`SpanTable`] for each package. A requirement has no spaces but around its marker; one of `python` is the `Requires-Python`
//! of the release. What only an extra requires is left out, but for jax: `minimum-jaxlib` is the least jaxlib that it loads, and the extras for devices name the packages with plug-ins that it takes.
//!
//! Pre-releases, releases before July 2022, and those without a wheel for Linux on x86-64 are not in the table.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use unskew_core::CompressedText;
use unskew_definitions::SpanTable;

static TABLE: LazyLock<&'static CompressedText> =
    LazyLock::new(|| unskew_tables::packed_text!("data/requirements.tsv"));

/// The lines of each package.
static SECTIONS: LazyLock<BTreeMap<&'static str, &'static str>> =
    LazyLock::new(|| SpanTable::sections(TABLE.text()));

/// What the releases of a package declare, by its name as indexes compare it (`huggingface-hub`), with their `Requires-Python`; none if
/// the table lacks it.
pub fn declared_requirements(key: &str) -> Option<SpanTable> {
    SpanTable::read(SECTIONS.get(key)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read() {
        assert!(SECTIONS.len() > 50, "{:?}", SECTIONS.keys());
        for key in SECTIONS.keys() {
            let table = declared_requirements(key).expect(key);
            assert!(!table.releases.is_empty(), "{key}");
            assert!(table.of_release(&table.releases[0]).is_some(), "{key}");
        }
    }

    #[test]
    fn releases_declare_what_their_makers_published() {
        let declares = |key: &str, version: &str, requirement: &str| {
            let table = declared_requirements(key).unwrap();
            let all = table.of_release(version).unwrap();
            assert!(all.contains(&requirement), "{key} {version}: {all:?}");
        };
        declares("torchvision", "0.15.2", "torch==2.0.1");
        declares("jax", "0.4.30", "jaxlib<=0.4.30,>=0.4.27");
        declares("jax", "0.4.20", "jaxlib==0.4.14 ; extra == 'minimum-jaxlib'");
        declares("mediapipe", "0.10.14", "protobuf<5,>=4.25.3");
        assert!(declared_requirements("no-such-package").is_none());
    }
}
