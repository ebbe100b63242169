//! The dialects beside VHLO that readers have: `data/dialects.tsv`.
//!
//! Nothing is promised about them. The context in which JAX reads an artifact has some, in the form of its own release.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use unskew_core::Version;

use crate::bytecode::Dialect;

/// Whether the readers of JAX from `reader` on, its StableHLO version, take all that an artifact has of this dialect.
pub(crate) fn is_read(dialect: &Dialect, reader: Version) -> bool {
    let known = |what: &str| SINCE.get(what).is_some_and(|since| *since <= reader);
    let own = |operation: &String| known(&format!("{}.{operation}", dialect.name));
    let all = !dialect.operations.is_empty() && dialect.operations.iter().all(own);
    // Without an operation it has types or attributes.
    since(&dialect.name).is_some_and(|since| since <= reader)
        || all
        || dialect.operations.is_empty() && known(&dialect.name)
}

/// Whether something is known of this operation, such as `chlo.erf`.
pub(crate) fn knows(operation: &str) -> bool {
    SINCE.contains_key(operation)
}

/// The first version of a dialect of which readers take everything.
pub(crate) fn since(dialect: &str) -> Option<Version> {
    SINCE.get(&*format!("{dialect}.*")).copied()
}

/// The first version of each operation.
static SINCE: LazyLock<BTreeMap<&'static str, Version>> = LazyLock::new(|| {
    let lines = include_str!("../data/dialects.tsv").lines();
    lines.filter(|line| !line.starts_with('#')).filter_map(row).collect()
});

fn row(line: &'static str) -> Option<(&'static str, Version)> {
    let (since, operation) = line.split_once('\t')?;
    Some((operation, since.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect(name: &str, operations: &[&str]) -> Dialect {
        let operations = operations.iter().map(|&name| name.to_owned()).collect();
        Dialect { name: name.to_owned(), operations }
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        let text = include_str!("../data/dialects.tsv");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(lines.count(), SINCE.len());
    }

    #[test]
    fn a_dialect_is_read_if_every_operation_of_it_is() {
        let reader = Version::triple(1, 17, 0);
        assert!(is_read(&dialect("chlo", &["erf", "zeta"]), reader));
        assert!(is_read(&dialect("chlo", &["scan"]), Version::triple(1, 22, 0)));
        assert!(!is_read(&dialect("chlo", &["scan"]), reader));
        assert!(!is_read(&dialect("chlo", &["erf", "top_k"]), reader));
        assert!(!is_read(&dialect("shape", &["shape_of"]), Version::triple(1, 13, 0)));
        assert!(is_read(&dialect("sdy", &[]), reader));
        assert!(!is_read(&dialect("mpmd", &[]), reader));
    }
}
