//! The flat form: an operator a line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use memchr::memchr;

use super::registry_entry::{EntryFault, EntryField, RegistryEntry};

/// The flat form of a file's entries.
///
/// # Errors
/// An [`EntryFault`] for an operator that has two entries, and for a text with a tab or a line break in it.
pub fn flatten(entries: &[RegistryEntry]) -> Result<String, EntryFault> {
    let mut lines = BTreeMap::new();
    for entry in entries {
        let mut rest = String::new();
        for EntryField { key, value, line } in entry.pairs() {
            plain(key, line)?;
            plain(value, line)?;
            let _ = write!(rest, "\t{line}\t{key}\t{value}");
        }
        for operator in &entry.operators {
            let line = entry.line;
            plain(operator, line)?;
            if lines.insert(operator, format!("{operator}\t{line}{rest}\n")).is_some() {
                return Err(EntryFault { line, what: format!("a second entry for {operator}") });
            }
        }
    }
    Ok(lines.into_values().collect())
}

fn plain(text: &str, line: usize) -> Result<(), EntryFault> {
    if text.contains(['\t', '\n', '\r']) {
        return Err(EntryFault { line, what: format!("a tab or a line break in {text:?}") });
    }
    Ok(())
}

/// The lines of a flat form.
pub fn rows(flat: &str) -> impl Iterator<Item = FlatLine<'_>> {
    let mut rest = flat;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let line;
        (line, rest) = cut(rest, b'\n');
        let (operator, rest) = cut(line, b'\t');
        Some(FlatLine { operator, rest })
    })
}

/// What stands before the first such byte of ASCII, and behind it: lines are long.
fn cut(text: &str, byte: u8) -> (&str, &str) {
    let at = memchr(byte, text.as_bytes()).and_then(|at| text.split_at_checked(at));
    at.map_or((text, ""), |(before, rest)| (before, rest.get(1..).unwrap_or_default()))
}

/// A line of a flat form, of which nothing but the name is understood yet.
#[derive(Clone, Copy, Debug)]
pub struct FlatLine<'t> {
    /// The operator, by its full name.
    pub operator: &'t str,
    rest: &'t str,
}

impl<'t> FlatLine<'t> {
    /// The line of the entry in the file, from 1; 0 if it is none of ours.
    pub fn line(&self) -> usize {
        self.rest.split('\t').next().and_then(|line| line.parse().ok()).unwrap_or(0)
    }

    pub fn pairs(&self) -> impl Iterator<Item = EntryField<'t>> + use<'t> {
        let mut parts = self.rest.split('\t').skip(1);
        std::iter::from_fn(move || {
            let line = parts.next()?.parse().ok()?;
            Some(EntryField { line, key: parts.next()?, value: parts.next()? })
        })
    }

    /// Whether it has a key.
    pub fn has(&self, key: &str) -> bool {
        // Most rows do not even have the word.
        self.rest.contains(key) && self.pairs().any(|pair| pair.key == key)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::files::yaml::read;

    #[test]
    fn what_would_not_come_back_is_refused_with_its_line() {
        let flat = |text: &str| flatten(&read(text).unwrap()).unwrap_err().to_string();
        assert_eq!(
            flat("- func: a\n  note: \"x\\ty\"\n"),
            "line 2: a tab or a line break in \"x\\ty\""
        );
        assert_eq!(flat("- func: a\n  x: y\n- func: a\n  x: z\n"), "line 3: a second entry for a");
    }

    #[test]
    fn a_line_that_is_none_of_ours_has_no_keys() {
        for text in ["", "a", "a\t", "a\tx", "a\t1\t2", "a\t1\t2\tkey", "a\t1\tx\tkey\tvalue"] {
            assert!(rows(text).all(|row| row.pairs().count() == 0), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_operator_has_the_keys_of_its_entry(
            entries in proptest::collection::vec(
                proptest::collection::vec(("[a-z_]{1,8}", "[ -!#-~]{0,12}", 1_usize..5000), 0..5),
                0..6,
            ),
        ) {
            let named = entries.into_iter().enumerate().map(|(n, pairs)| {
                let operators = vec![format!("aten::b{n}"), format!("aten::a{n}")];
                RegistryEntry { operators, line: n + 1, pairs }
            });
            let entries: Vec<RegistryEntry> = named.collect();
            let flat = flatten(&entries).unwrap();
            let names: Vec<&str> = rows(&flat).map(|row| row.operator).collect();
            prop_assert!(names.is_sorted() && names.len() == 2 * entries.len());
            for row in rows(&flat) {
                let is = |entry: &&RegistryEntry| entry.operators.iter().any(|name| name == row.operator);
                let entry = entries.iter().find(is).unwrap();
                prop_assert_eq!(row.line(), entry.line);
                prop_assert_eq!(row.pairs().collect::<Vec<_>>(), entry.pairs().collect::<Vec<_>>());
            }
        }
    }
}
